"""The tables of word frequency: how often corpora name groups, and whether measures follow that."""

import pandas as pd

from unmask.frequency.group_tests import BY
from unmask.frequency.results import FrequencyResults
from unmask.frequency.word_lists import ADVANTAGED, DISADVANTAGED, GROUPS
from unmask.measures.formulas import title_of
from unmask.report.tables import Column, Sheet, Table, in_order, with_marks
from unmask.statistics.schema import OVERALL

TEST = "Mann-Whitney"

SIGNS = {ADVANTAGED: "+", DISADVANTAGED: "\N{MINUS SIGN}"}
"""How a word's group is marked in Table 2."""

TABLE2 = Table(
    "table2",
    [*BY, "ranked"],
    [
        *(
            Column(side, f"{{{name}_{group}{spec}}}", head)
            for head, name, spec, meaning in (
                ("mean rank", "rank", ":.2f", "Mean rank of the group's words; 1 is the most frequent."),
                ("published", "published_rank", ":.2f", "The mean rank that the source of the words states."),
                ("difference", "difference", ":+.2f", "Our mean rank less the published one."),
                ("words", "words", "", "Number of words."),
                ("per million", "per_million", ":.1f", "Median of the words' frequencies per million."),
            )
            for side, group in (("Adv", ADVANTAGED), ("Dis", DISADVANTAGED))
        ),
        Column("A", "{effect:.2f}{mark}", TEST),
        Column("p", "{p:p}", TEST),
        Column("p (Holm)", "{p_holm:p}", TEST),
    ],
    heads={"words_from": "words", "bias_type": "bias type", "ranked": "most frequent first"},
)
RHO = Column("", "{rho:+.2f}[ ({low:+.2f} to {high:+.2f})]")
FREQUENCY_LINK = Table(
    "frequency_link",
    ["benchmark", "model", "protocol", "n"],
    [RHO],
    across=["title"],
    label_first=True,
    heads={"n": "pairs"},
)


def table2(results: FrequencyResults) -> pd.DataFrame:
    """The groups of each bias type compared, with the published mean ranks and the words shown.

    published_rank_{group}: null where none is published; difference_{group}: ours minus the published;
    ranked: the words shown with group signs, most frequent first.
    """
    words = results.words[results.words["rank"].notna()].sort_values(["rank", "word"], kind="stable")
    texts = words["word"] + words["group"].map(SIGNS)
    joined = texts.groupby([words[key] for key in BY], sort=False).agg(" ".join)
    rows = results.comparison.merge(results.published[0], on=BY, how="left")
    for group in GROUPS:
        rows[f"published_rank_{group}"] = rows[f"published_rank_{group}"].astype(float)
        rows[f"difference_{group}"] = rows[f"rank_{group}"] - rows[f"published_rank_{group}"]
    return rows.join(joined.rename("ranked"), on=BY)


def table2_sheet(results: FrequencyResults) -> Sheet:
    """Table 2 as it is shown; † and * at the effect as in the other tables.

    Published mean ranks, and ours minus them, have columns where there are any.
    """
    rows, captions = table2(results), results.captions
    table, caption = TABLE2.without("published", "difference"), [captions["table2"]]
    if rows[[f"published_rank_{group}" for group in GROUPS]].notna().to_numpy().any():
        table = TABLE2
        caption.append(captions["table2_published"])
    caption += results.published[1]
    return table.sheet(with_marks(rows, results.alpha), " ".join(caption))


def correlation_sheet(results: FrequencyResults) -> Sheet:
    """Correlations over all pairs of a benchmark, in both protocols; the CSV has those by bias type, too."""
    rows = results.correlations
    rows = rows[rows["grouping"] == OVERALL]
    *keys, n = FREQUENCY_LINK.keys
    titles = [title_of(measure) for measure in rows["measure"].unique()]
    rows = rows.assign(
        n=rows.groupby(keys, sort=False)[n].transform("max"),
        title=pd.Categorical(rows["measure"].map(title_of), titles),
    )
    # benchmark by benchmark and then by the next key, each in the order of appearance
    rows = in_order(rows, **{key: rows[key].unique() for key in keys[:2]})
    return FREQUENCY_LINK.sheet(rows, results.captions["frequency_link"])
