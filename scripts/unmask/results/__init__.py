"""What can be asked of a finished study: is it whole, does it equal another, what may be removed."""
