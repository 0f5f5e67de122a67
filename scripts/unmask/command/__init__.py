"""The command `unmask`."""
