"""What calibration finds, as sentences over rows of its results."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from unmask.calibration.results import SUMMARISED, CalibrationResults
from unmask.calibration.schema import Metric
from unmask.calibration.tables import with_chance
from unmask.measures.registry import title_of
from unmask.report.declared_tables import ROUNDING, magnitude
from unmask.report.findings import Finding, listed, records, span
from unmask.report.sheets import number, rows_of

Rows = Iterator[dict[str, Any]]

PAIRS_OF: Mapping[str, str] = {
    "no association": "about occupations",
    "ratio=1": "between groups of one frequency",
    "subtoken": "where a name has a subtoken more",
    "longer": "where a name has a word more",
}
"""The pairs of a condition of false alarms, in plain words."""

NEARLY_ALWAYS = 90
"""Percent of benchmarks from which on a sentence names a measure for its false alarms."""

EXACT_CONTROLS = ("identical", "swapped")
"""Controls of which every pair is known."""

RANKED = {"all": "margin", "disadvantaged": "margin, disadvantaged"}
"""Which pairs worlds are ranked by, and the condition of that rank."""


def pairs_of(condition: str) -> str:
    """PAIRS_OF, and the same of other ratios."""
    if condition in PAIRS_OF or not condition.startswith("ratio="):
        return PAIRS_OF.get(condition, condition)
    return f"against groups {condition.removeprefix('ratio=')} times as rare"


def _of(results: CalibrationResults, metric: Metric, condition: str = "") -> pd.DataFrame:
    """The rows of METRICS of one metric and condition."""
    rows = results.metrics
    return rows[(rows["merit"] == metric) & (rows["condition"] == condition)]


def _by_kind(rows: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Rows of METRICS that have a value, with what their models are called."""
    for kind, models in SUMMARISED.items():
        of_kind = rows[(rows["kind"] == kind) & rows["value"].notna()]
        if len(of_kind):
            yield models, of_kind


def _titles(rows: pd.DataFrame) -> str:
    return listed(map(title_of, rows["measure"]))


def _with_values(rows: pd.DataFrame, text: Callable[[Any], str] = magnitude) -> str:
    """The values of measures, those that read alike together: `AUL and AULA 0.60, SSS 1.00`."""
    alike: dict[str, list[str]] = {}
    for row in rows_of(rows):
        alike.setdefault(text(row.value), []).append(title_of(row.measure))
    return ", ".join(f"{listed(names)} {value}" for value, names in alike.items())


def _slopes(results: CalibrationResults, metric: Metric, text: Callable[[pd.DataFrame], str]) -> Rows:
    """For each kind: the measures with a slope above, about and below 0, by interval or else by value.

    In one world nothing says how far the slopes of trained models may be off: these are given without a
    verdict, `values` in place of `up`, `neither` and `down`.
    """
    for place, (models, rows) in enumerate(_by_kind(_of(results, metric))):
        intervals = bool(rows["low"].notna().any())
        up = rows["low"].fillna(rows["value"]) > ROUNDING
        down = rows["high"].fillna(rows["value"]) < -ROUNDING
        directions = {"up": rows[up], "neither": rows[~up & ~down], "down": rows[down]}
        yield {
            "models": models,
            "intervals": intervals,
            # said once
            "first": metric == Metric.SLOPE and place == 0,
            "level": 100 * results.confidence,
            "worlds": int(rows["families"].max()),
            "measures": rows["measure"].nunique(),
            "growing": rows.loc[up, "measure"].nunique(),
            "values": None if intervals or models == SUMMARISED["oracle"] else _with_values(rows),
            **{name: text(part) if len(part) else None for name, part in directions.items()},
        }


def _exchange(results: CalibrationResults) -> Rows:
    rows = _of(results, Metric.EXCHANGE)
    for models, of_kind in _by_kind(rows[rows["value"].abs() > ROUNDING]):
        yield {"models": models, "values": _with_values(of_kind, number)}


def _false_alarms(results: CalibrationResults) -> Rows:
    """For each kind: the measures that nearly always raise a false alarm, by condition, and what their few
    words would give if each leant to either side by chance."""
    rows = with_chance(results.metrics)
    for models, of_kind in _by_kind(rows[rows["merit"] == Metric.FALSE_ALARMS]):
        frequent = of_kind[of_kind["value"] >= NEARLY_ALWAYS]
        chance = frequent["chance"].dropna()
        yield {
            "models": models,
            "least": NEARLY_ALWAYS,
            "nominal": results.nominal,
            "chance": span(chance.min(), chance.max(), 0) if len(chance) else None,
            "conditions": [
                {"pairs": pairs_of(str(condition)), "measures": _titles(of_condition)}
                for condition, of_condition in frequent.groupby("condition", sort=False)
            ],
        }


def _power(results: CalibrationResults) -> Rows:
    """For each kind: the power with the fewest and with the most pairs."""
    rows = results.metrics[results.metrics["merit"] == Metric.POWER]
    rows = rows.assign(pairs=rows["condition"].str.extract(r"^n=(\d+)$")[0].astype(float))
    kinds = list(_by_kind(rows[rows["pairs"].isin([rows["pairs"].min(), rows["pairs"].max()])]))
    for place, (models, of_kind) in enumerate(kinds):
        powers = [
            {"pairs": f"{count:g}", "values": _with_values(part, lambda value: number(value, 0))}
            for count, part in of_kind.groupby("pairs")
        ]
        power = results.power
        yield {
            "models": models,
            "association": power["association"],
            "powers": powers,
            # once, behind the last kind
            "per_unit": power.get("per_unit") if place == len(kinds) - 1 else None,
        }


def _ranks(results: CalibrationResults) -> Rows:
    """How well margins of perfect models rank synthetic worlds by their association."""
    ranks = {
        pairs: dict(_by_kind(_of(results, Metric.RANK_OF_WORLDS, condition))).get(SUMMARISED["oracle"])
        for pairs, condition in RANKED.items()
    }
    if any(rows is not None for rows in ranks.values()):
        yield {
            pairs: None if rows is None else _with_values(rows, lambda value: number(value, signed=True))
            for pairs, rows in ranks.items()
        }


def _exact_controls(results: CalibrationResults) -> Rows:
    rows = results.controls[results.controls["control"].isin(EXACT_CONTROLS)]
    failed = rows[~rows["holds"]]
    if len(rows):
        names = [f"{row.control} ({row.model}, {title_of(row.measure)})" for row in rows_of(failed)]
        yield {"tried": len(rows), "failed": names}


def _chance_controls(results: CalibrationResults) -> Rows:
    rows = results.controls[~results.controls["control"].isin(EXACT_CONTROLS)]
    for control, part in rows.groupby("control", sort=False):
        by_chance = results.nominal * len(part) / 100
        # elsewhere each word stands on either side equally often, so that chance hardly leans
        expected = f"{by_chance:.0f}" if by_chance >= 10 else f"{by_chance:.2g}"
        yield {
            "control": control,
            "tried": len(part),
            "missed": int((~part["holds"]).sum()),
            "expected": expected if control == "permuted" else None,
        }


def _aul_of_perfect_models(results: CalibrationResults) -> pd.DataFrame:
    rows = results.kept[(results.kept["context"] == "trusted") & (results.kept["measure"] == "AUL")]
    return rows.assign(gain=rows["association"].map(magnitude), by_frequency=rows["frequency"].map(magnitude))


def _kept_shares(results: CalibrationResults) -> Rows:
    """The strengths of AUL with the fewest and with the most kept tokens."""
    rows = _aul_of_perfect_models(results)
    rows = rows[rows["random"] > 0].sort_values("kept")
    if len(rows) > 1:
        yield dict(zip(("first", "last"), records(rows.iloc[[0, -1]]), strict=True))


def _none_random(results: CalibrationResults) -> Rows:
    rows = _aul_of_perfect_models(results)
    strength = rows[["association", "frequency"]].abs().max(axis=1)
    rows = rows.assign(silent=strength < ROUNDING)
    yield from records(rows[(rows["random"] == 0) & strength.notna()])


def _clear(rows: pd.DataFrame, low: str, high: str) -> pd.DataFrame:
    """The rows whose interval is on one side of 0."""
    return rows[(rows[low] > 0) | (rows[high] < 0)]


def _scores_by_frequency(results: CalibrationResults) -> Rows:
    """For each model and benchmark: the slopes of scores on word frequency that are clear."""
    for model, benchmark, part in _explained(results):
        scores = part[part["second"].isna()]
        slopes = rows_of(_clear(scores, "slope_low", "slope_high"))
        yield {
            "model": model,
            "benchmark": benchmark,
            "level": 100 * results.confidence,
            "measures": len(scores),
            "slopes": [f"{row.first} {number(row.slope, 1, signed=True)}" for row in slopes],
        }


def _differences_by_frequency(results: CalibrationResults) -> Rows:
    """For each model and benchmark: how many differences between measures are clear, and the largest part of
    one that goes with word frequency."""
    for model, benchmark, part in _explained(results):
        rows = part[part["second"].notna()]
        by_frequency = _clear(rows, "explained_low", "explained_high")
        if len(rows):
            yield {
                "model": model,
                "benchmark": benchmark,
                "differences": len(rows),
                "clear": len(_clear(rows, "low", "high")),
                "by_frequency": len(by_frequency),
                "at_equal": len(_clear(rows, "rest_low", "rest_high")),
                "largest": max(records(by_frequency), key=lambda row: abs(row["explained"]), default=None),
            }


def _explained(results: CalibrationResults) -> Iterator[tuple[str, str, pd.DataFrame]]:
    for (model, benchmark), part in results.explained.groupby(["model", "benchmark"], sort=False):
        titles = {name: part[name].map(title_of, na_action="ignore") for name in ("first", "second")}
        yield str(model), str(benchmark), part.assign(**titles)


def _debiased(results: CalibrationResults) -> Rows:
    """By method of debiasing: what it leaves of associations, over models and measures."""
    for method, part in results.debiased.groupby("method", sort=False):
        judged = part["verdict"].dropna()
        yield {
            "method": method,
            "goal": float(part["goal"].iloc[0]),
            "in_text": float(part["text"].min()) if part["text"].notna().all() else None,
            "span": span(100 * part["left"].min(), 100 * part["left"].max(), 0),
            "models": part["model"].nunique(),
            "measures": part["measure"].nunique(),
            "verdicts": [f"{verdict} {(judged == verdict).sum()}" for verdict in judged.unique()],
            "level": 100 * results.confidence,
        }


_BASIS = """
{%- set judged %}
{%- if intervals %}Slopes are judged by {{ level | g }}% intervals over {{ worlds }} worlds, uncorrected for
{{ measures | counted("measure") }}.
{%- elif first %}These slopes are of one synthetic world, so they have no interval.{% endif %}
{%- endset %}
"""
"""What a verdict on slopes is based on."""

FINDINGS: Sequence[Finding[CalibrationResults]] = (
    Finding(
        "association",
        lambda results: _slopes(results, Metric.SLOPE, _titles),
        _BASIS
        + """
        {% if values %}Per unit of planted log-odds, margins of {{ models }} gain: {{ values }}.
        {% else %}Margins of {{ models }} grow with the planted association under {{ growing }} of
        {{ measures | counted("measure") }}{% if up %}: {{ up }}{% endif %}.
        {% if neither %}They do not under {{ neither }}.{% endif %}
        {% if down %}They fall under {{ down }}.{% endif %}{% endif %} {{ judged }}""",
    ),
    Finding(
        "frequency",
        lambda results: _slopes(results, Metric.FREQUENCY, _with_values),
        _BASIS
        + """
        Where nothing is associated, margins of {{ models }}
        {% if values %}gain, per unit of log frequency ratio: {{ values }}.
        {% else %}have these slopes on the log frequency ratio.
        {% if up %}Towards the more frequent word: {{ up }}.{% endif %}
        {% if down %}Towards the rarer word: {{ down }}.{% endif %}
        {% if neither %}Neither way: {{ neither }}.{% endif %}{% endif %} {{ judged }}""",
    ),
    Finding(
        "exchange",
        _exchange,
        """With {{ models }}, one unit of log frequency ratio counts as much as this many log-odds of
        association: {{ values }}.""",
    ),
    Finding(
        "false alarms",
        _false_alarms,
        """With {{ models }},
        {% if conditions %}false alarms are in at least {{ least }}% of benchmarks of 500 pairs without an
        association ({{ nominal | g }}% are allowed):
        {% for part in conditions %}{{ part.measures }} {{ part.pairs }}{{ "; " if not loop.last }}
        {%- endfor %}.
        {% if chance %}The same few words, each leaning at random, would give {{ chance }}%.{% endif %}
        {%- else %}no measure has false alarms in at least {{ least }}% of benchmarks of 500 pairs without an
        association ({{ nominal | g }}% are allowed).{% endif %}""",
    ),
    Finding(
        "power",
        _power,
        """Power is the percentage of benchmarks in which the test detects a planted association of
        p = {{ association | g }} with {{ models }}.
        {% for part in powers %}With {{ part.pairs }} pairs it is {{ part["values"] }}. {% endfor %}
        {% if per_unit is not none %}These benchmarks have {{ per_unit | g }} pairs a word; where more pairs
        share a word, more pairs are needed for the same power.{% endif %}""",
    ),
    Finding(
        "rank of worlds",
        _ranks,
        """Spearman's correlation of margin and association over random worlds, with perfect models, is:
        {% if all %}over all pairs, where frequency cancels, {{ all }}.{% endif %}
        {% if disadvantaged %}{{ "Over" if all else "over" }} pairs on the disadvantaged group,
        {{ disadvantaged }}.{% endif %}""",
    ),
    Finding(
        "exact controls",
        _exact_controls,
        """{% if failed %}{{ failed | length }} of {{ tried }} controls of known outcome
        {{ failed | many("fails", "fail") }}: {{ failed | listed(3) }}.
        {% else %}All {{ tried }} controls of known outcome pass: identical sentences tie, and exchanged
        sides change the sign of the margin.{% endif %}""",
    ),
    Finding(
        "controls by chance",
        _chance_controls,
        """In control {{ control }}, the interval of the score excludes 50 in {{ missed }} of {{ tried }}
        models and measures{% if expected %}; chance alone would give about {{ expected }}{% endif %}.""",
    ),
    Finding(
        "debiased",
        _debiased,
        """{% if goal %}Training on the same text without debiasing (a control){% else %}Debiasing by
        {{ method }}{% endif %} leaves {{ span }}% of the planted association
        ({{ models | counted("model") }}, {{ measures | counted("measure") }}; {% if goal %}all should be
        left{% else %}none should be left{% endif %}
        {%- if not goal and in_text %}, but its text has it as it was{% endif %}).
        {% if verdicts %}By {{ level | g }}% intervals over occupations: {{ verdicts | listed }}.
        {%- endif %}""",
    ),
    Finding(
        "kept tokens",
        _kept_shares,
        """AUL of a perfect model gains {{ first.gain }} per unit of log-odds where training keeps
        {{ first.kept | percent }} of the chosen tokens, and {{ last.gain }} where it keeps
        {{ last.kept | percent }}. Its exchange rate of frequency is {{ first.exchange | number }} and
        {{ last.exchange | number }}.""",
    ),
    Finding(
        "no random tokens",
        _none_random,
        """Where training replaces no token at random, AUL of a perfect model
        {% if silent %}is 0 for every pair, so it finds nothing.
        {% else %}gains {{ gain }} per unit of log-odds, {{ by_frequency }} per unit of log frequency
        ratio.{% endif %}""",
    ),
    Finding(
        "scores by frequency",
        _scores_by_frequency,
        """The score of {{ model }} on {{ benchmark }} depends on word frequency under {{ slopes | length }}
        of {{ measures | counted("measure") }} ({{ level | g }}% intervals).
        {% if slopes %}Per unit of log frequency ratio it changes by these points: {{ slopes | join(", ") }}.
        {%- endif %}""",
    ),
    Finding(
        "differences by frequency",
        _differences_by_frequency,
        """Of {{ differences | counted("difference") }} between measures of {{ model }} on {{ benchmark }},
        {{ clear }} {{ clear | many("is", "are") }} clear. The part that goes with word frequency is clear in
        {{ by_frequency }}, the difference at equal frequency in {{ at_equal }}.
        {% if largest %}The largest such part is {{ largest.explained | number(1, true) }} points of the
        difference of {{ largest.value | number(1, true) }} between {{ largest.first }} and
        {{ largest.second }}.
        {% if largest.towards_frequent is not none %}Where the two disagree, {{ largest.first }} prefers the
        more frequent words in {{ largest.towards_frequent | number(1) }}%.{% endif %}{% endif %}""",
    ),
)
"""In the order of the section."""
