"""The measures, a module each: its formula from evidence to one score per sentence, and its `MEASURE`.

With S the tokens of a sentence between the special ones, U those that it shares with the other
sentence of its pair and M the others (S = U ∪ M), w_i a token and P the model's probability. The
formulas are those of Kaneko & Bollegala, "Unmasking the Mask" (AAAI 2022).

Protocol `corrected` is the formula, but for the weights of AULA, which are ours. Protocol `published` is the
authors' released code where it differs; such a difference is noted at each formula.

Planning a study imports these modules, so none imports a library of tables at its head.
"""
