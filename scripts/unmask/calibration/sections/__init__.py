"""Sections of the report on calibration."""
