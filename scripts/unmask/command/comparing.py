"""Two files of scores on the pairs of one benchmark: whether the second is less biased than the first."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd

from unmask.benchmarks.reading import read_benchmark
from unmask.command.studies import benchmark_entries, columns_of
from unmask.errors import InputError
from unmask.fetching.http import fetch
from unmask.pairs.elsewhere import read_score_file
from unmask.pairs.keys import PairStatistics
from unmask.pairs.matching import Matched, match, scores_table
from unmask.report.wording import counted, number, p_value
from unmask.statistics.comparisons import sides_compared
from unmask.statistics.schema import NO_PREFERENCE
from unmask.statistics.scores import Decisions, decisions
from unmask.statistics.uncertainty import sharing_of
from unmask.terms import CORRECTED

LEVEL = 0.95
"""Of the interval."""


def compare(
    files: tuple[str, str], entry: Mapping[str, Any], benchmark: str, data: str | None = None
) -> dict[str, Any]:
    """The second file's bias score less that of the first, over the pairs that have scores in both.

    entry: how both files are read, as of a model of a study (`columns` and its kin). Pairs that share words
    or a target vary together, as in a study that states nothing. Of what is returned, `difference` is b minus
    a in percentage points, with `low`, `high` and `p`; `decided_differently` counts pairs of which one file
    alone prefers the stereotype, `further` says how much further from 50 the score of b is, `one_side`
    whether the interval of the mean of both scores excludes 50, and `unmatched` has counts by file.
    Raises InputError as reading the files and the benchmark does, and where no pair has scores in both.
    """
    name, pairs = _pairs(benchmark, data)
    matched = [match(pairs, read_score_file(path, entry), name) for path in files]
    # with its sides exchanged: a + b - 100 is b less this one's score
    turned = replace(matched[0], sides=matched[0].sides[::-1])
    a, b, turned_a = (_decided(pairs, each) for each in (*matched, turned))
    sharing = sharing_of(pairs, PairStatistics().clusters)
    rows, totals = (sides_compared([({}, b, each)], sharing, LEVEL) for each in (a, turned_a))
    if rows.empty:
        raise InputError(f"{files[0]} and {files[1]}: no pair of {name} has scores in both")
    row, total = rows.iloc[0], totals.iloc[0]
    first, second = float(row["second_score"]), float(row["first_score"])
    return {
        "benchmark": name,
        "files": dict(zip("ab", files, strict=True)),
        "n": int(row["n"]),
        "first_score": first,
        "second_score": second,
        **{key: None if pd.isna(row[key]) else float(row[key]) for key in ("difference", "low", "high", "p")},
        "confidence": LEVEL,
        "decided_differently": int(row["b"] + row["c"]),
        # false also without an interval
        "one_side": bool(total["low"] > 0 or total["high"] < 0),
        "further": abs(second - NO_PREFERENCE) - abs(first - NO_PREFERENCE),
        "unmatched": {
            called: {"pairs": len(each.without_score), "rows": len(each.without_pair)}
            for called, each in zip("ab", matched, strict=True)
        },
    }


def _decided(pairs: pd.DataFrame, matched: Matched) -> Decisions:
    scores = scores_table(pairs, matched, "score")
    return decisions(pairs, scores[scores["protocol"] == CORRECTED])


def _pairs(benchmark: str, data: str | None) -> tuple[str, pd.DataFrame]:
    """The name and the pairs of a benchmark: of a file, of the folder with data, or fetched."""
    ((name, entry),) = benchmark_entries([benchmark], data).items()
    with TemporaryDirectory() as folder:
        path = Path(entry.get("path") or Path(folder, name))
        if "url" in entry:
            fetch(entry["url"], path, entry.get("sha256"), entry.get("git_blob"))
        return name, read_benchmark(path, entry)


def as_text(comparison: Mapping[str, Any]) -> str:
    """The comparison in one line, and one more on what does not match, if anything does not."""
    scores = f"{number(comparison['second_score'], 1)}% against {number(comparison['first_score'], 1)}%"
    points, *ends = (number(comparison[name], 1, signed=True) for name in ("difference", "low", "high"))
    change = f"b minus a is {points} points"
    if comparison["p"] is None:
        change += ", which cannot be tested"
    else:
        p = p_value(comparison["p"])
        change += f" ({' to '.join(ends)}; p {p if p.startswith('<') else f'= {p}'})"
    lines = [
        f"{_verdict(comparison)} {comparison['benchmark']}: {scores}; {change}; "
        f"{comparison['decided_differently']:,} of {comparison['n']:,} pairs are decided differently."
    ]
    unmatched = [
        f"{called}: {counted(counts['pairs'], 'pair')} without a score, "
        f"{counted(counts['rows'], 'row')} of no pair"
        for called, counts in comparison["unmatched"].items()
        if any(counts.values())
    ]
    return "\n".join([*lines, *([f"Not matched: {'; '.join(unmatched)}."] if unmatched else [])])


def entry_of(files: Iterable[str], columns: Mapping[str, Any]) -> dict[str, Any]:
    """The entry of both files, with `columns` as a study has them; without any, the files are logs.

    Raises InputError where they are not two sentences or a pair_id with two scores.
    """
    tables = [file for file in files if columns or not file.endswith((".jsonl", ".json"))]
    if tables and set(columns) not in ({"sentences", "scores"}, {"pair_id", "scores"}):
        wanted = "name its columns: --sentences A B (or --pair-id A) and --scores A B"
        raise InputError(f"{tables[0]}: {wanted}; it has {', '.join(columns_of(tables[0]))}")
    return {"columns": dict(columns)} if columns else {}


def _verdict(comparison: Mapping[str, Any]) -> str:
    """Whether b is less biased, that is nearer to 50.

    It is nearer where b - a and a + b - 100 differ in sign, so the intervals of both have to exclude 0. Where
    that of the first alone does, b prefers the stereotype less or more often, and which is nearer is unknown.
    """
    if comparison["low"] is None or comparison["low"] <= 0 <= comparison["high"]:
        return "b is not clearly less or more biased than a on"
    if not comparison["one_side"]:
        return (
            f"b prefers the stereotype {'less' if comparison['difference'] < 0 else 'more'} often than a on"
        )
    return f"b is {'more' if comparison['further'] > 0 else 'less'} biased than a on"
