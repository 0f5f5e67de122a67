"""The papers' tables and figures: a check list, what each takes, and ours beside printed numbers."""
