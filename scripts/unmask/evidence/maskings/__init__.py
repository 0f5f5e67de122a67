"""Maskings, a module each, by name: what is hidden from a model, and so which tokens it has to predict.

Each has ROLES, the sentences of a pair that it is applied to, and `hidden(sentence)`, which yields, for each
time that a model reads the sentence, the positions hidden from it. Masking `none` predicts every token,
special ones too; the others predict what they hide.

Those of causal language models have other inputs (unmask.evidence.collecting): `left` the sentence as it is,
of which every token but the first is predicted from those before it; `start` the start token alone.
"""
