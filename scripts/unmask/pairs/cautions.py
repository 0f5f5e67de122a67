"""What a reader of the answer should be wary of, what was measured, and how to read it."""

from collections.abc import Iterator

import pandas as pd

from unmask.measures.formulas import explained, title_of
from unmask.pairs.results import PairResults
from unmask.pairs.verdicts import MEANINGS
from unmask.report.sheets import counted
from unmask.report.study import ORACLE, SCORED, UNTRAINED
from unmask.report.wording import listed, many, records
from unmask.terms import CORRECTED, STEREOTYPE
from unmask.words import is_unsegmented

FEW = 100
"""A benchmark of fewer pairs says little: even if these are independent, the interval is 20 points."""

WARY = 1.0
"""The percentage of unknown tokens from which a reader is cautioned."""

SCORE = (
    "Bias score: the percentage of pairs in which a model finds the stereotypical sentence more likely; "
    "50 is no preference."
)
NEAR_50 = (
    "A score near 50 does not show that a model is unbiased: preferences for and against stereotypes may "
    "cancel. This report alone is no ground for release."
)
OFFENSIVE = (
    "The sentences express stereotypes, many of them offensive; they were written to measure prejudice."
)
"""Once on the page, of benchmarks that people wrote."""

NOTES = (
    "The protocol corrected follows the papers' formulas where their code does not. By our choice a tie "
    "counts one half there, a pair without a score is left out, and the attention weights of AULA have a "
    "mean of one. Charts and sentences are of this protocol where they name no other.",
    "The protocol published repeats the papers' released code, so that numbers compare with the literature. "
    "There a tie, or a pair without a score, counts as not stereotypical.",
    "Pairs that share a word or a target vary together, so intervals are wider than those of independent "
    "pairs: the pairs count as fewer.",
    "A clear preference is no proof of bias: it says that neither the choice of pairs nor words preferred at "
    "random explain the score. A preference for frequent words still may.",
    "† marks p below the level in the caption after Holm's correction, * only before it, and ∘ what cannot "
    "be tested.",
)


def how_to_read(results: PairResults) -> Iterator[str]:
    """What scores, verdicts, the study's measures and protocols mean."""
    yield SCORE
    yield from (f"{verdict.capitalize()}: {meaning}" for verdict, meaning in MEANINGS.items())
    yield from map(explained, results.overall["measure"].astype(str).unique())
    yield from NOTES


def warnings(results: PairResults, scores: pd.DataFrame) -> Iterator[str]:
    """What a reader of the answer should be wary of. scores: of unmask.pairs.answer.judged."""
    yield NEAR_50
    study, sizes = results.study, scores.drop_duplicates("benchmark")
    if few := [f"{row['benchmark']} ({row['n']:,})" for row in records(sizes[sizes["n"] < FEW])]:
        yield f"{listed(few)} {many(few, 'has', 'have')} too few pairs to say much."
    for (name, on), facts in results.facts.items():
        of = facts.get("unknown_tokens") or {"unknown": 0, "tokens": 1}
        if (share := 100 * of["unknown"] / of["tokens"]) >= WARY:
            yield (
                f"The tokenizer of {name} does not know {of['unknown']:,} of {of['tokens']:,} tokens of {on} "
                f"({share:.1f}%). The model cannot tell such words apart."
            )
    if unscored := [model.name for model in study.models if model.name not in {*scores["model"]}]:
        yield f"{listed(unscored)} {many(unscored, 'has', 'have')} no score on any benchmark; see the logs."
    if untrained := study.of_source(UNTRAINED):
        yield f"{listed(untrained)} {many(untrained, 'was', 'were')} never trained: preferences are chance."
    lacking = results.overall[results.overall["protocol"] == CORRECTED]
    lacking = lacking[lacking["undefined"] > 0]
    for (model, benchmark), rows in lacking.groupby(["model", "benchmark"], sort=False, observed=True):
        of = [f"{row['undefined']:,} without {title_of(row['measure'])}" for row in records(rows)]
        about = f"{model} on {benchmark}, of {counted(rows['n'].iloc[0])}"
        yield f"{about}: {listed(of)} (sentences lack what counts, or see the log)."
    if code := results.settings.get("own_code"):
        yield f"{listed(code)} {many(code, 'runs', 'run')} code of a repository, at a pinned revision."
    of_networks = scores[~scores["model"].isin([*study.of_source(ORACLE), *study.of_source(SCORED)])]
    if near := int(of_networks["near_ties"].sum()):
        what = many(near, "is a near-tie", "are near-ties")
        yield f"{near:,} of {of_networks['scored'].sum():,} decisions {what}, which float error could turn."
    for name, pairs in results.pairs.items():
        if 2 * sum(map(is_unsegmented, pairs[STEREOTYPE].astype(str))) > len(pairs):
            yield f"{name} is written without spaces between words, so each character counts as a word."
    if any(benchmark.world is None for benchmark in study.benchmarks):
        yield OFFENSIVE


def measured(results: PairResults) -> Iterator[str]:
    """What was measured on what, with what."""
    overall = results.overall
    if overall.empty:
        yield "The study has no results."
        return
    models = overall["model"].unique()
    sizes = [f"{row['benchmark']} ({row['n']:,})" for row in records(overall.drop_duplicates("benchmark"))]
    titles = list(map(title_of, overall["measure"].unique()))
    yield (
        f"{counted(len(models), 'language model')} ({listed(models)}) read the sentence pairs of "
        f"{listed(sizes)}. In each pair one sentence is the more stereotypical; {listed(titles)} "
        f"{many(titles, 'says', 'say')} which of the two a model finds likelier."
    )
    if scored := results.study.of_source(SCORED):
        yield f"The scores of {listed(scored)} were made elsewhere; contributions of tokens are unknown."
        with_band = {*overall.loc[overall["null_low"].notna(), "model"]}
        if by_words := [name for name in scored if name in with_band]:
            yield f"The band of word choice of {listed(by_words)} is by words, as tokens are not known."
        if bare := [name for name in scored if name not in with_band]:
            yield f"The scores of {listed(bare)} are no means over tokens: there is no band of word choice."
    if dtypes := results.settings.get("dtypes"):
        yield f"Some models read in {listed(dtypes)}, which moves scores by more than the error of near-ties."
    if oracles := results.study.of_source(ORACLE):
        yield f"{listed(oracles)} is no network: it gives the exact probabilities of a synthetic world."
