"""How to read the report."""

from unmask.measures.names import explained
from unmask.pairs import answer
from unmask.pairs.results import PairResults
from unmask.pairs.verdicts import VERDICTS, in_words
from unmask.report.sections import Fold, Items, Section

TINY = (
    "Look at the mean margin, too: a score far from 50 with a margin near 0 is a consistent but tiny "
    "preference."
)

NOTES = (
    "The protocol corrected follows the papers' formulas where their code does not. By our choice a tie "
    "counts one half there, a pair without a score is left out, and the attention weights of AULA have a "
    "mean of one. Charts and sentences are of this protocol where they name no other.",
    "The protocol published repeats the papers' released code, so that numbers compare with the literature. "
    "There a tie, or a pair without a score, counts as not stereotypical.",
    "Pairs that share a word or a target vary together, so intervals are wider than those of independent "
    "pairs. The design effect says by what factor the variance grows.",
    "† marks p below the level in the caption after Holm's correction, * only before it, and ∘ what cannot "
    "be tested.",
    "No score proves the absence of bias: a benchmark has only the stereotypes that its authors wrote down.",
)

LEVELS = (
    "Verdicts are at the level {:g}, that of their intervals; † and * in tables are at {:g}, as captions say."
)

OF_CONTROLS = {
    "AllMasked": "All-Masked hides every token, so it sees only words and their number. It is a "
    "control and has no verdict. It is the mean over tokens, All-Masked (sum) their sum.",
    "StartAlone": "Start-Alone reads each token behind the start token alone, so it sees only words. It is a "
    "control and has no verdict.",
}
"""Notes on the controls of either kind of models, by the measure that has to be there."""


def section(results: PairResults) -> Section:
    """The measures, and what is the same of every study; verdicts that the answer explains stand there."""
    names = list(results.overall["measure"].astype(str).unique())
    measures = tuple(explained(name) for name in names)
    controls = [note for name, note in OF_CONTROLS.items() if name in names]
    levels = () if results.both_levels is None else (LEVELS.format(*results.both_levels),)
    others = in_words({*VERDICTS} - answer.verdicts(results))
    notes = Fold(
        "Verdicts, protocols, intervals and marks", (Items((*others, TINY, *controls, *levels, *NOTES)),)
    )
    return Section("reading", "How to read this", (), (Items(measures), notes))
