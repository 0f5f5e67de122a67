"""Word frequency: counting the words of corpora."""
