"""Formats of corpora, a module each, by the name that a study gives as `format`.

Each has `read_blocks(path, entry)`, which takes a file and its corpus's entry in the study and yields the
file's text in blocks with a document a line (see unmask.corpora.blocks).
"""
