"""Labels that annotators gave to single sentences, a module for each format of benchmarks that have them.

Each has `read(path)`, which yields of every pair that was labelled its id, the role of the sentence in the
pair (unmask.terms.ROLES) and the label that one annotator gave: one of the roles, or another word. They are
no part of the Pairs table, of which models are run: what people said of a sentence changes no evidence.
"""
