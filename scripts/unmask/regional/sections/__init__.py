"""Sections of the report on regional bias."""
