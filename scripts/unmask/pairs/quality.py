"""What may be wrong with pairs, and how scores are without these: charts, tables and findings."""

from collections.abc import Iterator, Mapping

import altair as alt
import numpy as np
import pandas as pd

from unmask.measures.names import title_of
from unmask.pairs.results import PairResults
from unmask.report.declared_tables import Column, Table, in_order, with_marks
from unmask.report.findings import Finding, Row, records
from unmask.report.forms import Axis, Grid, Kinds, forest
from unmask.report.panels import by_value, columns_of, ends_of
from unmask.report.sheets import DASH, Sheet, counted, interval, number, rows_of
from unmask.statistics.quality import UNKNOWN_TOKENS, flags
from unmask.statistics.schema import ANY_FLAW, PAIR_FLAWS, UNEQUAL_TOKENS, UNRATED
from unmask.terms import CORRECTED

TITLES: Mapping[str, str] = {
    "few_votes": "few votes",
    "near_duplicate": "near-duplicate",
    "identical": "identical sentences",
    "unequal_words": "unequal in words",
    "many_words": "many words differ",
    "missing_field": "field missing",
    UNEQUAL_TOKENS: "unequal in tokens",
    UNKNOWN_TOKENS: "unknown tokens",
    ANY_FLAW: "any flaw",
    UNRATED: "not rated",
}
"""What flaws of pairs, and pairs without ratings, are called, in the order in which they are shown."""

NO_CLEAR, UNCORRECTED, CLEAR = "no clear change", "clear only before Holm's correction", "clear change"
CLAIMS = (NO_CLEAR, UNCORRECTED, CLEAR)
"""What may be claimed of a change: the interval includes 0; excludes it; and Holm's p is below the level."""

NAMED = 3
"""So many changes, or benchmarks, are named in a sentence."""


def matched(results: PairResults) -> pd.DataFrame:
    """PairResults.matched with the first unmatched rows and pairs as text."""
    rows = results.matched
    places, names = (rows[column].map("; ".join) for column in ("named_rows", "named_pairs"))
    return rows.assign(places=places, names=names).replace("", None)


def changes(results: PairResults) -> pd.DataFrame:
    """The rows of `quality`, protocol corrected, that have pairs left.

    claim: one of CLAIMS; a change without an interval is no clear one.
    """
    rows = results.quality
    rows = rows[(rows["protocol"] == CORRECTED) & rows["change"].notna()]
    beyond = (rows["low"].gt(0) | rows["high"].lt(0)).to_numpy(bool)
    holds = beyond & rows["p_holm"].lt(results.alpha).to_numpy(bool)
    return rows.assign(claim=np.select([holds, beyond], [CLEAR, UNCORRECTED], NO_CLEAR))


def without_any(rows: pd.DataFrame) -> alt.FacetChart | None:
    """What leaving out all pairs that have a flaw changes of scores, in points: a panel for each model and
    benchmark.

    rows: of `changes`. None where no pair has a flaw.
    """
    rows = rows[rows["flaw"] == ANY_FLAW]
    panel = rows["model"].astype(str) + "\n" + rows["benchmark"].astype(str)
    return _chart(rows, panel, rows["benchmark"].nunique())


def by_flaw(rows: pd.DataFrame) -> alt.FacetChart | None:
    """The same of each flaw by itself: a panel for each flaw.

    rows: of `changes`, of one model and benchmark.
    """
    rows = by_value(rows, "flaw", TITLES)
    counts = rows.groupby("flaw", observed=True)["flawed"].max()
    panels = {str(flaw): f"{TITLES[str(flaw)]} ({counted(count)})" for flaw, count in counts.items()}
    return _chart(rows, rows["flaw"].map(panels), 3)


def _chart(rows: pd.DataFrame, panel: "pd.Series[str]", columns: int) -> alt.FacetChart | None:
    frame = columns_of(
        rows,
        *("change", "low", "high", "score", "without", "claim"),
        panel=panel,
        measure=rows["measure"].map(title_of),
        chance_low=-2 * rows["random_sd"],
        chance_high=2 * rows["random_sd"],
        left_out="flawed",
        pairs="n",
    )
    # as far to either side
    most = float(frame[["change", "low", "high", "chance_low", "chance_high"]].abs().max().max())
    most = max(2.0, most) if len(frame) else 2.0
    axis = Axis(
        "change, points of the score",
        line=0,
        span=(-most, most),
        labels="datum.value ? format(datum.value, '+~g') : '0'",
    )
    tips = (
        ("panel", "what"),
        ("measure", "measure"),
        ("score", "all pairs", ".1f"),
        ("without", "without these", ".1f"),
        ("change", "change", "+.2f"),
        *ends_of("+.2f"),
        ("chance_high", "by chance, two standard deviations", ".2f"),
        ("left_out", "pairs left out", "d"),
        ("pairs", "of", "d"),
        ("claim", "the change"),
    )
    return forest(
        frame,
        axis,
        tips,
        name="measure",
        value="change",
        kinds=Kinds("claim", "the change", CLAIMS, claimed=True),
        broad=("chance_low", "chance_high"),
        grid=Grid(columns),
    )


UNKNOWN = Table(
    "quality_unknown",
    ["model", "benchmark"],
    [
        Column("tokens", "{tokens}", "Tokens of both sentences of all pairs."),
        Column("unknown", "{unknown}", "Those that the tokenizer does not know."),
        Column("percent", "{share:.2f}", "The same in percent."),
    ],
)
MATCHED = Table(
    "quality_matched",
    ["model", "benchmark"],
    [
        Column("matched by", "{by}", "What rows are matched with pairs by."),
        Column("rows", "{rows}", "Rows of the file."),
        Column(
            "repeated", "{repeated}", "Rows whose sentences stand in another row too, with the same scores."
        ),
        Column("of no pair", "{rows_without_pair}", "Rows that belong to no pair of the benchmark."),
        Column("their places", "{places}", "The first of these rows."),
        Column("pairs", "{pairs}", "Pairs of the benchmark."),
        Column("without a score", "{pairs_without_score}", "Pairs that no row is of."),
        Column("their names", "{names}", "The first of these pairs."),
    ],
)
NUMBERS = Table(
    "quality_numbers",
    ["model", "benchmark", "title"],
    [
        Column(
            "",
            "[{whole:.2f}][{without:.2f} ({change:+.2f}{mark}: {ends})]",
            "Bias score in percent, without the pairs of a flaw with the change in points and its interval.",
        )
    ],
    across=["head", "label"],
    heads={"title": "measure"},
)


def counts(flaws: Mapping[str, pd.DataFrame], caption: str) -> Sheet:
    """How many pairs of each benchmark have each flaw. flaws: FLAWS by benchmark."""
    rows = []
    for benchmark, table in flaws.items():
        of = flags(table)
        texts = {name: str(int(of[name].sum())) if name in of else DASH for name in (*PAIR_FLAWS, UNRATED)}
        unrated = texts.pop(UNRATED)
        rows.append((benchmark, str(len(table)), *texts.values(), str(len(flawed(table))), unrated))
    columns = [("", "pairs"), *(("pairs with the flaw", TITLES[name]) for name in (*PAIR_FLAWS, ANY_FLAW))]
    columns.append(("no flaw", TITLES[UNRATED]))
    return Sheet(caption, ("benchmark",), tuple(columns), tuple(rows))


def flawed(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of FLAWS with a flaw."""
    of = pd.DataFrame(flags(table, PAIR_FLAWS), index=table.index)
    return table[of.any(axis=1)]


def numbers(results: PairResults) -> Sheet:
    """Scores without the pairs of each flaw, in one row a model, benchmark and measure."""
    rows = changes(results)
    keys = ["model", "benchmark", "measure"]
    whole = rows.drop_duplicates([*keys, "score"]).assign(head="", label="all pairs")
    whole = whole.assign(whole=whole["score"], without=float("nan"), mark="", ends="")
    parts = in_order(with_marks(rows, results.alpha), flaw=TITLES)
    parts = parts.assign(
        head="without",
        label=parts["flaw"].map(TITLES),
        whole=float("nan"),
        ends=[interval(row.low, row.high, 1, signed=True) for row in rows_of(parts)],
    )
    both = pd.concat([whole, parts], ignore_index=True)
    return NUMBERS.sheet(
        both.assign(title=both["measure"].map(title_of)), results.captions["quality_numbers"]
    )


def flawed_pairs(results: PairResults) -> Iterator[Row]:
    """How many pairs of each benchmark have a flaw, and how many cannot be judged by votes; the first few."""
    flawed_of, unrated = [], []
    for benchmark, table in results.flaws.items():
        of_benchmark = {"benchmark": benchmark, "pairs": len(table)}
        counts = {name: int(flag.sum()) for name, flag in flags(table, PAIR_FLAWS).items()}
        if any(counts.values()):
            commonest = max(counts, key=lambda name: counts[name])
            commonest_of = {"flaw": TITLES[commonest], "most": counts[commonest]}
            flawed_of.append({**of_benchmark, **commonest_of, "flawed": len(flawed(table))})
        if without_votes := int(table[UNRATED].eq(True).sum()):
            unrated.append({**of_benchmark, "unrated": without_votes})
    yield {
        "all_flawed": sum(of["flawed"] for of in flawed_of),
        "all_pairs": sum(map(len, results.flaws.values())),
        "flawed": flawed_of[:NAMED],
        "more": max(0, len(flawed_of) - NAMED),
        "unrated": unrated[:NAMED],
        "more_unrated": max(0, len(unrated) - NAMED),
    }


def changes_of_scores(results: PairResults) -> Iterator[Row]:
    """How many scores change without flawed pairs, with the largest clear changes."""
    rows, trained = results.study.of_trained_or_all(changes(results))
    tested = rows[rows["p"].notna()]
    if tested.empty:
        return
    holding = rows[rows["claim"] == CLEAR]
    holding = holding.assign(
        title=holding["measure"].astype(str).map(title_of), flaw=holding["flaw"].astype(str).map(TITLES)
    )
    by_chance = float((1 - tested["confidence"]).sum())
    largest = holding.sort_values("change", key=lambda change: -change.abs(), kind="stable")
    yield {
        "trained": trained,
        "tested": len(tested),
        "beyond": int((rows["claim"] != NO_CLEAR).sum()),
        "by_chance": number(by_chance, 0 if by_chance >= 1 else 1),
        "holding": len(holding),
        "largest": records(largest[:NAMED]),
        "alpha": results.alpha,
    }


def random_changes(results: PairResults) -> Iterator[Row]:
    """What the scores that change without flawed pairs would change by without as many others."""
    rows, _ = results.study.of_trained_or_all(changes(results))
    holding = rows[rows["claim"] == CLEAR]
    if len(holding):
        yield {"points": holding["random_sd"].max()}


FINDINGS = [
    Finding(
        "changes of scores",
        changes_of_scores,
        """{% if not beyond %}Leaving out flawed pairs changes no score clearly: of
        {{ tested | counted("change") }} of scores{{ " of trained models" if trained }}, none has an interval
        that excludes 0.
        {% else %}Leaving out flawed pairs gives {{ tested | counted("change") }} of scores
        {{- " of trained models" if trained }}; {{ beyond }}
        {{ beyond | many("has an interval that excludes", "have intervals that exclude") }} 0 (about
        {{ by_chance }} by chance). After Holm's correction (p < {{ alpha | g }}),
        {{ holding | none }} {{ "is" if holding < 2 else "are" }} clear
        {%- if holding > largest | length %}, the largest
        {%- endif %}{% if holding %}:
        {% for of in largest %}{{ of.title }} of {{ of.model }} on {{ of.benchmark }}, from
        {{ of.score | number(1) }} to {{ of.without | number(1) }} (left out: {{ of.flaw }})
        {%- if not loop.last %}; {% endif %}
        {%- endfor %}{% endif %}.{% endif %}""",
    ),
    Finding(
        "flawed pairs",
        flawed_pairs,
        """{% if flawed %}{{ all_flawed }} of {{ all_pairs | counted }} {{ all_flawed | many("has", "have") }}
        a flaw that the benchmark itself shows:
        {% for of in flawed %}{{ of.flawed }} of {{ of.pairs }} of {{ of.benchmark }}
        (most often {{ of.flaw }}: {{ of.most }}) {%- if not loop.last %}; {% endif %}{% endfor %}
        {%- if more %}; the table has {{ more }} more{% endif %}.
        {%- else %}No pair has any of the flaws that a benchmark itself could show.{% endif %}
        {% if unrated %}Nobody rated
        {% for of in unrated %}{{ of.unrated }} of {{ of.pairs }} of {{ of.benchmark }}
        {%- if not loop.last %}; {% endif %}{% endfor %}
        {%- if more_unrated %}; the table has {{ more_unrated }} more{% endif %}, which is no flaw.
        {%- endif %}""",
    ),
    Finding(
        "random changes",
        random_changes,
        """Leaving out as many random pairs changes these scores by at most {{ points | number(1) }} points
        (one standard deviation).""",
    ),
]
"""Whether scores change without flawed pairs, and how many pairs have a flaw."""
