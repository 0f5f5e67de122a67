"""Calibration: measures on synthetic worlds, whose bias is known."""
