"""Calibration: measures held against worlds whose bias is known."""
