"""Getting masked language models fit for scoring, and loading them."""
