"""Association tests: whether embeddings of words, texts, pictures are nearer to one set than to another."""
