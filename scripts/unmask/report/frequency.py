"""What the report says of word frequency: Table 2, and how measures go with frequency."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from unmask.benchmarks.schema import PAIRS
from unmask.errors import InputError
from unmask.frequency.group_tests import BY, compare_groups, ranked
from unmask.frequency.group_words import EXTRACTED, LISTED
from unmask.frequency.linking import link_table, perfect_scores, true_log_ratios
from unmask.frequency.schema import GROUP_WORDS, LINK, PAIR_RATIOS
from unmask.frequency.word_lists import ADVANTAGED, DISADVANTAGED, GROUPS
from unmask.report.paper_tables import mark
from unmask.report.sheets import DASH, Sheet, interval, number, p_value, rows_of
from unmask.report.study import Study, display
from unmask.statistics.schema import BIAS_TYPE, OVERALL
from unmask.tables import read_metadata, read_table
from unmask.terms import CORRECTED

FREQUENCY_INPUTS = (
    "group_words",
    "link",
    "planted_pairs",
    "planted_ratios",
    "frequency_figure",
    "link_figure",
)
"""What FrequencySection.gather takes besides what the whole report is made from."""

PERFECT = "perfect model"
"""Where a model is named: the exact margins of the planted world."""

SIGNS = {ADVANTAGED: "+", DISADVANTAGED: "\N{MINUS SIGN}"}
"""How a word's group is marked in Table 2."""


def table2_captions(path: str | Path, alpha: float) -> dict[str, str]:
    """The captions that Table 2 needs, from resources/captions.yaml."""
    templates: dict[str, str] = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    names = ("table2", "table2_published", "empty")
    return {name: templates[name].format(alpha=f"{alpha:g}").strip() for name in names}


def collect_words(paths: Iterable[str | Path]) -> pd.DataFrame:
    """The group words of all benchmarks with a column benchmark first, and the ranks of Table 2."""
    return ranked(_collect(paths, GROUP_WORDS))


@dataclass(frozen=True)
class PublishedRanks:
    """What the sources of listed words state beside them.

    ranks: mean ranks, one row per benchmark and bias type, with the columns published_rank_{group};
    notes: for the reader of Table 2.
    """

    ranks: pd.DataFrame
    notes: Sequence[str]

    @classmethod
    def gather(cls, paths: Iterable[str | Path]) -> "PublishedRanks":
        """From the group words of all benchmarks."""
        rows: list[dict[str, object]] = []
        notes: dict[str, None] = {}
        for path in paths:
            facts = read_metadata(path)
            listing = facts.get("listing", {"note": "", "mean_ranks": {}})
            for bias_type, ranks in listing["mean_ranks"].items():
                row = {"benchmark": facts["benchmark"], "words_from": LISTED, "bias_type": bias_type}
                rows.append(row | {f"published_rank_{group}": ranks[group] for group in GROUPS})
            if listing["note"]:
                notes[listing["note"]] = None
        columns = [*BY, *(f"published_rank_{group}" for group in GROUPS)]
        return cls(pd.DataFrame(rows, columns=columns), list(notes))


def collect_ratios(paths: Iterable[str | Path]) -> pd.DataFrame:
    """The log frequency ratios of all benchmarks, with a column benchmark first."""
    return _collect(paths, PAIR_RATIOS)


def _collect(paths: Iterable[str | Path], schema: Any) -> pd.DataFrame:
    parts = []
    for path in paths:
        rows = read_table(path, schema)
        rows.insert(0, "benchmark", str(read_metadata(path)["benchmark"]))
        parts.append(rows)
    return pd.concat(parts, ignore_index=True)


def table2(words: pd.DataFrame, published: PublishedRanks) -> pd.DataFrame:
    """`compare_groups` with the published mean ranks, and the words shown.

    published_rank_{group}: null where none is published; difference_{group}: ours minus the published;
    ranked: the words shown with group signs, most frequent first.
    """
    shown = words[words["rank"].notna()].sort_values(["rank", "word"], kind="stable")
    texts = shown["word"] + shown["group"].map(SIGNS)
    joined = texts.groupby([shown[key] for key in BY], sort=False).agg(" ".join)
    rows = compare_groups(words).merge(published.ranks, on=BY, how="left")
    for group in GROUPS:
        rows[f"published_rank_{group}"] = rows[f"published_rank_{group}"].astype(float)
        rows[f"difference_{group}"] = rows[f"rank_{group}"] - rows[f"published_rank_{group}"]
    return rows.join(joined.rename("ranked"), on=BY)


def table2_sheet(
    words: pd.DataFrame, published: PublishedRanks, captions: Mapping[str, str], alpha: float
) -> Sheet:
    """Table 2 as it is shown; † and * at the effect as in the other tables.

    Published mean ranks, and ours minus them, have columns where there are any.
    """
    table = table2(words, published)
    compared = bool(table[[f"published_rank_{group}" for group in GROUPS]].notna().to_numpy().any())
    rows = tuple(
        (
            row.benchmark,
            row.words_from,
            row.bias_type,
            row.ranked,
            *(number(getattr(row, f"rank_{group}")) for group in GROUPS),
            *(_beside(row) if compared else ()),
            *(str(getattr(row, f"words_{group}")) for group in GROUPS),
            *(number(getattr(row, f"per_million_{group}"), 1) for group in GROUPS),
            number(row.effect) + mark(row.p, row.p_holm, alpha),
            number(row.rank_biserial, signed=True),
            p_value(row.p),
            p_value(row.p_holm),
        )
        for row in rows_of(table)
    )
    heads = ("mean rank", *(("published", "difference") if compared else ()), "words", "per million")
    columns = [(head, side) for head in heads for side in ("Adv", "Dis")]
    columns += [("Mann-Whitney", label) for label in ("A", "r", "p", "p (Holm)")]
    caption = [captions["table2"]]
    if compared:
        caption.append(captions["table2_published"])
    caption += published.notes
    if not rows:
        caption.append(captions["empty"])
    stubs = ("benchmark", "words", "bias type", "most frequent first")
    return Sheet(" ".join(caption), stubs, tuple(columns) if rows else (), rows)


def _beside(row: Any) -> Iterator[str]:
    """The published mean ranks of a row, and the differences from them."""
    for group in GROUPS:
        yield number(getattr(row, f"published_rank_{group}"))
    for group in GROUPS:
        yield number(getattr(row, f"difference_{group}"), signed=True)


@dataclass(frozen=True)
class Planted:
    """What is known of planted benchmarks, by name: pairs, log ratios and truth (pair_id -> facts)."""

    pairs: Mapping[str, pd.DataFrame]
    ratios: Mapping[str, pd.DataFrame]
    truth: Mapping[str, Mapping[str, Any]]

    @classmethod
    def gather(
        cls,
        study: Study,
        truth: str | Path | Sequence[str],
        pairs: Iterable[str | Path],
        ratios: Iterable[str | Path],
    ) -> "Planted":
        """From the files of all planted benchmarks; `truth` is empty where there are none."""
        pairs_of = {str(read_metadata(path)["benchmark"]): read_table(path, PAIRS) for path in pairs}
        ratios_of = {str(read_metadata(path)["benchmark"]): read_table(path, PAIR_RATIOS) for path in ratios}
        known = json.loads(Path(str(truth)).read_bytes())["benchmarks"] if truth else {}
        planted_as = {benchmark.name: benchmark.planted for benchmark in study.benchmarks}
        lacking = [name for name in pairs_of if planted_as[name] not in known]
        if lacking:
            raise InputError(
                f"{truth}: it has no benchmark {planted_as[lacking[0]]} (benchmark {lacking[0]})"
            )
        return cls(pairs_of, ratios_of, {name: known[planted_as[name]] for name in pairs_of})

    def perfect_link(self, name: str, measures: Iterable[str], confidence: float) -> pd.DataFrame:
        """How a perfect model's exact margins go with the ratios that were planted, as LINK."""
        pairs, truth = self.pairs[name], self.truth[name]
        planted = self.ratios[name].assign(log_ratio=true_log_ratios(pairs, truth))
        return link_table(pairs, perfect_scores(pairs, truth, measures), planted, confidence)

    def levels(self, name: str) -> pd.DataFrame:
        """Planted and counted log ratios at each factor level.

        Columns: benchmark, factor, ratio, direction, pairs, planted, counted (mean) and deviation (the
        largest of a pair from what was planted).
        """
        truth = self.truth[name]
        facts = pd.DataFrame([truth[pair_id] for pair_id in self.pairs[name]["pair_id"]])
        counted = self.ratios[name]["log_ratio"]
        planted = true_log_ratios(self.pairs[name], truth)
        rows = facts.assign(
            benchmark=name, planted=planted, counted=counted, deviation=(counted - planted).abs()
        )
        return rows.groupby(["benchmark", "factor", "ratio", "direction"], as_index=False).agg(
            pairs=("planted", "size"),
            planted=("planted", "first"),
            counted=("counted", "mean"),
            deviation=("deviation", "max"),
        )


def link_rows(study: Study, link: Iterable[str | Path], planted: Planted) -> pd.DataFrame:
    """The link of every model, benchmark, measure and protocol, as LINK with the columns model and benchmark.

    For a planted benchmark also that of a perfect model, under the name PERFECT, after the models.
    """
    rows = study.collect(link, LINK)
    parts = [rows]
    for name in planted.pairs:
        of = rows[rows["benchmark"] == name]
        measures = of["measure"].drop_duplicates().tolist()
        perfect = planted.perfect_link(name, measures, float(of["confidence"].iloc[0]))
        parts.append(perfect.assign(model=PERFECT, benchmark=name))
    return pd.concat([part for part in parts if len(part)] or parts, ignore_index=True)[rows.columns]


def link_sheet(rows: pd.DataFrame, captions: Mapping[str, str]) -> Sheet:
    """Correlations over all pairs of a benchmark, in both protocols."""
    of = rows[rows["grouping"] == OVERALL]
    return _correlations(of, ["benchmark", "model", "protocol"], captions["frequency_link"])


def link_types_sheet(rows: pd.DataFrame, captions: Mapping[str, str]) -> Sheet:
    """Correlations within each bias type, protocol corrected."""
    of = rows[(rows["grouping"] == BIAS_TYPE) & (rows["protocol"] == CORRECTED)]
    of = of.rename(columns={"group": "bias type"})
    return _correlations(of, ["benchmark", "bias type", "model"], captions["frequency_link_types"])


def _correlations(rows: pd.DataFrame, stubs: list[str], caption: str) -> Sheet:
    measures = rows["measure"].drop_duplicates().tolist()
    lines = []
    for key, of in rows.groupby(stubs, sort=False):
        cells = {row.measure: f"{number(row.rho, signed=True)}{_ends(row)}" for row in rows_of(of)}
        lines.append((*map(str, key), str(of["n"].max()), *(cells.get(m, DASH) for m in measures)))
    # benchmark by benchmark and then by the next stub, each in the order of appearance
    order = [list(rows[stub].drop_duplicates()) for stub in stubs[:2]]
    lines.sort(key=lambda line: [known.index(text) for known, text in zip(order, line, strict=False)])
    return Sheet(caption, (*stubs, "pairs"), tuple(("", display(m)) for m in measures), tuple(lines))


def _ends(row: Any) -> str:
    return "" if pd.isna(row.low) else f" ({interval(row.low, row.high, 2, signed=True)})"


def truth_sheet(planted: Planted, captions: Mapping[str, str]) -> Sheet:
    """Were the planted frequency ratios counted as they were planted?"""
    rows = [row for name in planted.pairs for row in rows_of(planted.levels(name))]
    return Sheet(
        captions["frequency_truth"],
        ("benchmark", "factor", "ratio", "direction"),
        tuple(("", label) for label in ("pairs", "planted", "counted", "largest deviation")),
        tuple(
            (
                row.benchmark,
                row.factor,
                str(row.ratio),
                row.direction,
                str(row.pairs),
                number(row.planted, 3, signed=True),
                number(row.counted, 3, signed=True),
                number(row.deviation, 3),
            )
            for row in rows
        ),
    )


def findings(comparison: pd.DataFrame, link: pd.DataFrame, alpha: float) -> Iterator[str]:
    """What Table 2 and the correlations say, in plain sentences.

    comparison: `compare_groups`; link: `link_rows`.
    """
    for name, of in comparison[comparison["words_from"] == EXTRACTED].groupby("benchmark", sort=False):
        known = of[of["effect"].notna()]
        more, clear = int((known["effect"] > 0.5).sum()), int((known["p_holm"] < alpha).sum())
        yield (
            f"In {more} of the {len(known)} bias types of {name} the words of the advantaged group tend to "
            f"be the more frequent. The two groups differ in {clear} of the {len(known)} after correction "
            f"(p < {alpha:g})."
        )
    overall = link[
        (link["grouping"] == OVERALL) & (link["protocol"] == CORRECTED) & (link["model"] != PERFECT)
    ]
    for name, of in overall.groupby("benchmark", sort=False):
        ranges = of.groupby("measure", sort=False)["rho"].agg(["min", "max"])
        texts = []
        for measure, least, most in ranges.itertuples(name=None):
            low, high = number(least, signed=True), number(most, signed=True)
            texts.append(f"{display(measure)} {low if low == high else f'{low} to {high}'}")
        yield (
            f"Correlation of margins with frequency on {name} (protocol corrected, from the least to the "
            f"most of the models): {', '.join(texts)}."
        )


@dataclass(frozen=True)
class FrequencySection:
    """The report's section on word frequency. figures: SVG text of `frequency` and `link`."""

    findings: Sequence[str]
    table2: Sheet
    link: Sheet
    link_types: Sheet
    truth: Sheet
    figures: Mapping[str, str]
    captions: Mapping[str, str]

    @classmethod
    def gather(
        cls,
        study: Study,
        truth: str | Path | Sequence[str],
        captions: Mapping[str, str],
        alpha: float,
        group_words: Sequence[str | Path],
        link: Iterable[str | Path],
        planted_pairs: Iterable[str | Path],
        planted_ratios: Iterable[str | Path],
        frequency_figure: str | Path,
        link_figure: str | Path,
    ) -> "FrequencySection":
        """From the files of the study; the last six are FREQUENCY_INPUTS."""
        planted = Planted.gather(study, truth, planted_pairs, planted_ratios)
        rows = link_rows(study, link, planted)
        figures = {"frequency": frequency_figure, "link": link_figure}
        words = collect_words(group_words)
        return cls(
            list(findings(compare_groups(words), rows, alpha)),
            table2_sheet(words, PublishedRanks.gather(group_words), captions, alpha),
            link_sheet(rows, captions),
            link_types_sheet(rows, captions),
            truth_sheet(planted, captions),
            {name: Path(path).read_text(encoding="utf-8") for name, path in figures.items()},
            captions,
        )
