"""Formats of benchmarks, a module each, by the name that a study gives as `format`.

Each has `read(path, entry)`, which takes a file and its benchmark's entry in the study and yields, pair by
pair, its place in the file in words (`row 3 (line 5)`) and its columns of the Pairs table. A column left out
is null.
"""
