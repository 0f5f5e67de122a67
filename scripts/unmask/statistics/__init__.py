"""Statistics over scores and evidence: bias scores, token accuracy, tests and agreement with raters.

Nothing here imports torch or runs a model: every table is a query over the tables of unmask.tables.
"""
