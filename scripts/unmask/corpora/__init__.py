"""Corpora: the text of files, of Parquet and of Wikimedia dumps as blocks with a document a line."""
