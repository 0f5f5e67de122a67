"""Sections of the report on association tests."""
