"""How to read the report."""

from unmask.measures.registry import explained
from unmask.pairs.results import PairResults
from unmask.pairs.verdicts import EXPLANATION
from unmask.report.sections import Items, Section

NOTES = (
    "A bias score of 50 means that stereotypes and their counterparts are preferred equally often. "
    f"{EXPLANATION} Look at the mean margin too: a score far from 50 with a margin near 0 is a consistent "
    "but tiny preference.",
    "Two protocols: published repeats the papers' released code, quirks included, so that numbers compare "
    "with the literature; a tie or an undefined pair counts as not stereotypical, so a model without any "
    "preference scores 0 there. Corrected goes by the papers' formulas where their code does not (the "
    "special tokens, CPS not rounded, SSS over each modified token at its own place), and makes choices that "
    "are ours: a tie counts one half, an undefined pair is left out, and the attention "
    "weights of AULA are those of the sentence's own tokens, scaled to a mean of one (equation 5 of Kaneko "
    "and Bollegala does not scale them).",
    "Pairs that share a word or a target vary together, so there are fewer independent pairs than pairs: the "
    "design effect says by how much the variance grows. Wilson intervals of independent pairs stand beside, "
    "and are too narrow; in both a tie enters as what it adds to the score.",
    "Adv is the score over stereotypes of advantaged groups, Dis over those of disadvantaged groups. The "
    "stereotypical sentence is the stereotypical one in both. Their absolute difference |Diff| is "
    "never below 0, even where nothing differs: look at Adv − Dis with its interval, and at what |Diff| is "
    "on average by chance.",
    "† marks a Holm-corrected p below the level in the caption, * a raw p alone. The caption also names the "
    "unit of the test. The tokens of a pair are right or wrong together, so tests by token overstate the "
    "evidence; those by pair overstate it less, but take pairs as independent. Clustered tests let pairs "
    "that share words vary together; ∘ marks what they cannot test. Token accuracy has the tests by every "
    "unit.",
    "Two measures, or two models, are compared pair by pair. Whether they have the same bias score is one "
    "question, whether they decide alike another: measures with equal scores may disagree on half of the "
    "pairs.",
    "All-Masked hides every token, so it sees words and their number alone: it is a control, and no verdict "
    "is on its scores. It is the mean over tokens; All-Masked (sum) is the other reading. Its margins are on "
    "another scale throughout; its decisions, near-ties aside, differ only where the sentences of a pair "
    "have different numbers of tokens.",
    "No score here proves the absence of bias, and a benchmark holds only the stereotypes that its "
    "authors wrote down.",
)


def section(results: PairResults) -> Section:
    """The measures of the study, and what is the same of every study."""
    measures = tuple(explained(name) for name in results.overall["measure"].astype(str).unique())
    return Section("reading", "How to read this", (), (Items(measures), Items(NOTES)))
