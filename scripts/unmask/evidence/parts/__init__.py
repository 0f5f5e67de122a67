"""The parts of what one job reads with one model, each with a digest of its own.

A part is a module with a function `read`: it takes the job (`unmask.evidence.reading_job`), what it is to
read and the job's outputs by name, and returns the tables that it has put into the cache
(`unmask.evidence.cache`). It reads only what is not there already.
"""
