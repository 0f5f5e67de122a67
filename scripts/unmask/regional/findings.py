"""What the numbers of regional bias say: the sentences of its section."""

import math
from collections.abc import Iterable, Iterator
from itertools import count

import pandas as pd

from unmask.regional.geometry import first_directions, rho_by_chance
from unmask.regional.rankings import INNER, TOPS, printed_taus, rankings
from unmask.regional.region_index import plural
from unmask.regional.results import RegionalResults
from unmask.regional.tables import THOUSAND
from unmask.regional.terms import C_W, CONTROL, PROTOCOLS
from unmask.report.declared_tables import in_order
from unmask.report.findings import Finding, Row, records, span
from unmask.report.sheets import number
from unmask.report.study import UNTRAINED, Named

MOST_OF_IT, ALIKE = 0.5, 0.8
"""A share of the variance, and a rank correlation, from which on vectors are first of all about names."""

ENOUGH = 10
"""Regions from which on that can be said: of three, a third of all vectors would have it by chance."""


def largest_family(permutations: int, alpha: float) -> int:
    """The most regions that p, 1/(permutations + 1) at least, is corrected for with one below alpha."""
    return math.ceil(alpha * (permutations + 1)) - 1


def fewest_permutations(regions: int, alpha: float) -> int:
    """The fewest with which p can be below alpha though it is corrected for so many regions."""
    return next(n for n in count(int(regions / alpha) - 1) if largest_family(n, alpha) >= regions)


def _scored(results: RegionalResults) -> pd.DataFrame:
    """The regions that have a score, by the main protocol of C_w."""
    index = results.index
    regions = [*index.columns(), *index.inner()]
    return results.select(regions=regions, protocols=(results.main_protocol,)).dropna(subset="score")


def _models(results: RegionalResults) -> Iterator[tuple[Named, pd.DataFrame]]:
    """The models with a table of scores, untrained ones last, and of these the regions that have one."""
    scored = _scored(results)
    for model in sorted(results.models, key=lambda model: model.source == UNTRAINED):
        if (results.scores["model"] == model.name).any():
            yield model, scored[scored["model"] == model.name]


def _plurals(levels: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(map(plural, levels)))


def _tops(results: RegionalResults) -> Iterator[Row]:
    """Which of the regions right below the root differ in what lies in them, by model."""
    index = results.index
    for model, rows in _models(results):
        tops = rows[rows["region"].isin(index.tops())]
        clear = tops[tops["p_holm"] < results.alpha]
        yield {
            "model": model.name,
            "never_trained": model.source == UNTRAINED,
            "protocol": results.main_protocol,
            "alpha": results.alpha,
            "scored": len(rows),
            "tops": len(tops),
            "levels": _plurals(tops["level"]),
            "clear": clear["region"].map(index.names),
            "below": _plurals(map(index.level_below, clear["region"] if len(clear) else tops["region"])),
        }


def _measure(results: RegionalResults) -> Iterator[Row]:
    """By what they differ, where some could."""
    if any(row["tops"] for row in _tops(results)):
        yield {"protocol": results.main_protocol}


def _inner(results: RegionalResults) -> Iterator[Row]:
    """How many of the other regions differ in what lies in them, and how many are alike, by model."""
    permutations, alpha = results.permutations, results.alpha
    for model, rows in _models(results):
        rows = rows[rows["region"].isin(results.index.inner())]
        if rows.empty:
            continue
        clear = (rows["p_holm"] < alpha).sum()
        # p is corrected within a level
        family = int(rows["level"].value_counts().min())
        # p goes in steps of this: 1 - p + step is the share of permutations that give as much or less
        step, share, possible = 0.0, alpha, True
        if permutations is not None:
            step, largest = 1 / (permutations + 1), largest_family(permutations, alpha)
            share, possible = largest * step, clear > 0 or family <= largest
        yield {
            "model": model.name,
            "alpha": alpha,
            "regions": len(rows),
            "levels": _plurals(rows["level"]),
            "below": _plurals(map(results.index.level_below, rows["region"])),
            "more": (rows["p"] < alpha).sum(),
            "less": (1 - rows["p"] + step < alpha).sum(),
            "expected": share * len(rows),
            "clear": clear,
            "permutations": permutations,
            "needed": None if possible else fewest_permutations(family, alpha),
        }


def _untrained(results: RegionalResults) -> Iterator[Row]:
    if names := [model.name for model, _ in _models(results) if model.source == UNTRAINED]:
        yield {"names": names}


def _too_few(results: RegionalResults) -> Iterator[Row]:
    """That so few permutations can show nothing after correction, where it is so."""
    permutations, alpha = results.permutations, results.alpha
    # p is corrected within a level
    most = max(_scored(results).groupby(["model", "level"]).size(), default=0)
    if permutations is not None and largest_family(permutations, alpha) < most:
        yield {
            "permutations": permutations,
            "least": 1 / (permutations + 1),
            "family": largest_family(permutations, alpha),
            "alpha": alpha,
            "needed": fewest_permutations(most, alpha),
        }


def _by_tree(results: RegionalResults) -> Iterator[Row]:
    """Which protocol ranks by the number of children alone."""
    table = rankings(results).dropna(subset="tau")
    parts = []
    for kind, regions in ((TOPS, results.index.tops()), (INNER, results.index.inner())):
        rows = table[(table["measure"] == C_W) & (table["ranked"] == kind)]
        if len(rows):
            taus = in_order(rows, variant=PROTOCOLS).groupby("variant", sort=False)["tau"]
            spans = [f"{protocol} {span(tau.min(), tau.max(), signed=True)}" for protocol, tau in taus]
            level = plural(results.index.levels[regions[0]])
            parts.append({"regions": rows["regions"].max(), "level": level, "taus": spans})
    if parts:
        yield {"parts": parts}


_ORDERS = {"headed": "with its columns as headed", "likely": "in the order that its code prints"}


def _printed(results: RegionalResults) -> Iterator[Row]:
    taus = printed_taus(results.index, results.published, C_W)
    spans = {order: span(min(each), max(each), signed=True) for order, each in taus.items()}
    if spans:
        yield {"taus": [f"{spans[order]} {text}" for order, text in _ORDERS.items() if order in spans]}


def _directions(results: RegionalResults) -> Iterator[Row]:
    """For each model, how much of what tells its vectors apart is how likely regions' names are."""
    confidence = results.settings["confidence"]
    for direction in first_directions(results.vectors):
        yield {
            **direction._asdict(),
            "name": None if math.isnan(direction.name) else direction.name,
            "unrelated": rho_by_chance(direction.regions, confidence),
            "confidence": 100 * confidence,
            "of_names": direction.share >= MOST_OF_IT
            and direction.sentences >= ALIKE
            and direction.name >= ALIKE
            and direction.regions >= ENOUGH,
        }


def _series(results: RegionalResults) -> Iterator[Row]:
    """How the overall score moves while a model is trained on sentences about regions."""
    rows = results.select(regions=[results.index.root], protocols=(results.main_protocol,))
    rows = rows.dropna(subset="score")
    rows["score"] *= THOUSAND
    overall = {row["model"]: row for row in records(rows)}
    for each in results.series:
        steps = sorted(each["models"], key=lambda step: float(step["epoch"]))
        steps = [step for step in steps if step["model"] in overall]
        if len(steps) > 1:
            yield {
                "name": each["name"],
                "epochs": float(steps[-1]["epoch"]),
                "protocol": results.main_protocol,
                "ends": [overall[step["model"]] for step in (steps[0], steps[-1])],
            }


def _prefixes(results: RegionalResults) -> Iterator[Row]:
    """How many labels of each classifier a region's prefix changes, beside prefixes that name no region."""
    prefixes, names = results.prefixes.dropna(subset="region"), results.index.names
    prefixes = prefixes.assign(percent=100 * (prefixes["to_positive"] + prefixes["to_negative"]))
    for (classifier, table), rows in prefixes.groupby(["classifier", "table"], sort=False):
        of_control = rows["level"] == CONTROL
        control = rows.loc[of_control, "percent"]
        regions = records(rows[~of_control].sort_values("percent", kind="stable"))
        if regions:
            ends = [regions[0], regions[-1]][: len(regions)]
            others = [control.min(), control.max()] if len(control) else []
            yield {
                "classifier": results.called(str(classifier)),
                "table": table,
                "ends": [
                    f"{row['percent']:.2g}% ({names.get(row['region'], row['region'])})" for row in ends
                ],
                "control": list(dict.fromkeys(f"{percent:.2g}%" for percent in others)),
            }


def _positive(results: RegionalResults) -> Iterator[Row]:
    """Whose prefixes change how many items a classifier predicts to be positive, other than controls do."""
    tested = results.prefixes.dropna(subset="p")
    for (classifier, table, level), rows in tested.groupby(["classifier", "table", "level"], sort=False):
        clear = rows[rows["p_holm"] < results.alpha].copy()
        clear = clear.sort_values("over_control", key=abs, ascending=False, kind="stable")
        points = 100 * clear["over_control"]
        names = clear["region"].map(results.index.names)
        yield {
            "classifier": results.called(str(classifier)),
            "table": table,
            "level": plural(str(level)),
            "regions": len(rows),
            "alpha": results.alpha,
            "clear": [
                f"{name} ({number(change, 1, signed=True)} points)"
                for name, change in zip(names, points, strict=True)
            ],
        }


FINDINGS: tuple[Finding[RegionalResults], ...] = (
    Finding(
        "tops",
        _tops,
        """{% if not scored %}{{ model }} has no score: no region of the study has two children.
        {%- elif not tops %}{{ model }} has no region whose parts could differ (C_w {{ protocol }}).
        {%- else %}For {{ model }}{{ " (never trained)" if never_trained else "" }}, of {{ tops }}
        {{ levels | listed }}, {{ clear | length | none }} {{ "has" if clear | length < 2 else "have" }}
        {{ below | listed }} that differ by more than chance ({{ say.significant(alpha) }})
        {%- if clear | length %}: {{ clear | listed(6) }}{% endif %}.{% endif %}""",
    ),
    Finding(
        "measure",
        _measure,
        """The measure is C_w ({{ protocol }}), a weighted distance between vectors of likelihoods; chance is
        what random permutations of the model's vectors give.""",
    ),
    Finding(
        "inner",
        _inner,
        """Of the {{ regions }} {{ levels | listed }} with a score for {{ model }},
        {{ more }} {{ more | many("has", "have") }} p < {{ alpha | g }} before correction
        ({{ expected | number(1) }} expected by chance)
        {%- if needed is none %} and {{ clear }} {{ clear | many("has", "have") }} it after Holm's correction.
        {%- else %}; none can have it after Holm's correction with {{ permutations }} permutations, as that
        takes {{ needed }}.{% endif %}
        In {{ less }} ({{ expected | number(1) }} expected by chance) the {{ below | listed }} are more alike
        than in {{ (100 * (1 - alpha)) | g }}% of permutations.""",
    ),
    Finding(
        "untrained",
        _untrained,
        """{{ say.untrained(names) }}. {{ names | many("Its", "Their") }} scores show what the tree and the
        tokens of names alone give.""",
    ),
    Finding(
        "permutations",
        _too_few,
        """With {{ permutations }} permutations no p is below {{ "%.2g" | format(least) }}: corrected for more
        than {{ family | counted("region") }}, none can be below {{ alpha | g }}. That takes {{ needed }}.""",
    ),
    Finding(
        "tree",
        _by_tree,
        """Kendall's tau of C_w with one over the number of pairs of children is
        {% for part in parts %}{{ part.taus | join(", ") }} for {{ part.regions }} {{ part.level }}
        {{- "; " if not loop.last }}{% endfor %}.
        Near +1 a ranking is that of the tree, not of the model (by chance tau is +1 in one of 6 rankings of
        three regions, and in one of 720 of six).""",
    ),
    Finding(
        "printed",
        _printed,
        """The paper's own numbers for continents have a tau with the children of this tree of
        {{ taus | join(", ") }}.""",
    ),
    Finding(
        "direction",
        _directions,
        """The direction in which the vectors of {{ model }} vary most holds {{ share | percent }} of their
        variance. Its ranking of the {{ regions }} regions of Figure 3 has a Spearman's rho of
        {{ sentences | number }} with the mean log-probability of their sentences
        {%- if name is not none %}, and of {{ name | number }} with that of their names alone{% endif %}
        (unrelated rankings: up to {{ unrelated | number }} in {{ confidence | g }}% of cases).
        {% if of_names %}Unit length does not remove how likely a region's name is: scores are about that
        before they are about what is said of regions.{% endif %}""",
    ),
    Finding(
        "series",
        _series,
        """{{ name }}: over {{ epochs | g }} epochs of training on sentences about regions, the overall
        C_w × 1000 ({{ protocol }}) goes from
        {{ ends[0].score | number }} to {{ ends[1].score | number }}.""",
    ),
    Finding(
        "positive",
        _positive,
        """{{ classifier }} on {{ table }}: {{ clear | length }} of {{ regions }} {{ level }}
        {{ clear | many("changes", "change") }} the number of items predicted positive otherwise than names of
        no region do ({{ say.significant(alpha) }})
        {%- if clear %}: {{ clear | listed(6) }}{% endif %}.""",
    ),
    Finding(
        "prefixes",
        _prefixes,
        """A region's name before an item changes the label of {{ ends | join(" to ") }} of the items of
        {{ table }} for {{ classifier }}
        {%- if control %}; a name that is no region's changes {{ control | join(" to ") }}{% endif %}.""",
    ),
)
"""What the section says, in this order."""
