"""The papers' printed numbers: which tables have some, and ours beside them."""
