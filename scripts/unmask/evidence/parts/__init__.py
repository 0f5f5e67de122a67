"""The parts of what one job reads with one model, each with a digest of its own.

A part is a module with a function `read`: from what the job is of (`unmask.evidence.reading`), what is wanted
and the job's outputs by name to the tables that it has kept (`unmask.evidence.keeping`). It reads only what
is not kept already.
"""
