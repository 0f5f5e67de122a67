"""Corpora: the files of text and of Parquet, as blocks with a document a line."""
