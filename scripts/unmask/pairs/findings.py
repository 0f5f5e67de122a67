"""What the report says of bias scores over sentence pairs, as findings in the order in which they are read.

Scores are those over all pairs of a benchmark under the protocol corrected, where nothing else is said.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import pandas as pd

from unmask.measures.formulas import kind_for, sees_context
from unmask.measures.names import title_of
from unmask.models.detecting import CAUSAL_LM, MASKED_LM, SCORE_FILE
from unmask.pairs.comparisons import BEYOND_CHANCE, beyond_chance
from unmask.pairs.results import PairResults
from unmask.pairs.verdicts import (
    CLEAR,
    COUNTED,
    decimals_apart,
    interval_off_50,
    verdict_counts,
)
from unmask.report.findings import Finding, Row, listed, records, span
from unmask.report.sheets import number
from unmask.report.study import ORACLE, SCORED, UNTRAINED
from unmask.statistics.decisions import NO_PREFERENCE
from unmask.statistics.proportions import normal_quantile, wilson
from unmask.statistics.schema import BIAS_TYPE, OVERALL
from unmask.tables import read_metadata
from unmask.terms import CORRECTED, PUBLISHED, SHUFFLED, STEREOTYPE
from unmask.words import is_unsegmented

NAMES_OF_KINDS = {MASKED_LM: "masked", CAUSAL_LM: "causal", SCORE_FILE: "externally scored"}

SHOWN = 3
"""So many scores that show a clear preference are named; the table has all."""

NAMED = 3
"""So many scores of shuffled sentences are named."""

FEW = 100
"""A benchmark of fewer pairs is too small to say much: even of independent ones the interval is 20 points."""

LEVEL = 0.95
"""Of the interval of a share that another is compared with."""

BROAD = 20
"""An interval of more percentage points says little."""

WARY = 1.0
"""From so many percent of unknown tokens on a reader is cautioned."""

TRAINED_MODELS, UNTRAINED_MODELS = "trained models", "untrained models"


def corrected_scores(results: PairResults) -> pd.DataFrame:
    """The scores over all pairs, protocol corrected, with `title`, that of the measure."""
    return _corrected(results.overall)


def _corrected(scores: pd.DataFrame) -> pd.DataFrame:
    rows = scores[(scores["protocol"] == CORRECTED) & scores["score"].notna()]
    return rows.assign(title=rows["measure"].astype(str).map(title_of))


def _with_sizes(scores: pd.DataFrame) -> list[str]:
    """The benchmarks of scores, with their numbers of pairs."""
    return [f"{of['benchmark']} ({of['n']:,})" for of in records(scores.drop_duplicates("benchmark"))]


# what was measured


def measured(results: PairResults) -> Iterator[Row]:
    overall = results.overall
    if len(overall):
        yield {
            "models": overall["model"].unique(),
            "benchmarks": _with_sizes(overall),
            "titles": [title_of(measure) for measure in overall["measure"].unique()],
            "counts": _models_by_kind(overall, results.study.of_source(SCORED)),
        }


def several_kinds(results: PairResults) -> Iterator[Row]:
    """Which measures are for which models, in a study with models of two kinds."""
    titles = _titles_by_kind(results.overall)
    by_kind = {kind: of_kind for kind, of_kind in titles.items() if kind != SCORE_FILE}
    if len(by_kind) > 1:
        yield {"titles": by_kind}


def _of_evidence(results: PairResults) -> list[dict[str, Any]]:
    """The facts of all evidence that scores were computed from."""
    return [
        each for path in results.files["scores"] for each in read_metadata(path).get("evidence", {}).values()
    ]


def starts(results: PairResults) -> Iterator[Row]:
    """What causal language models read before each sentence."""
    facts = _of_evidence(results)
    tokens = {each["model"]: each["start"] for each in facts if "start" in each}
    if tokens:
        yield {"tokens": [f"{token or 'nothing'} ({model})" for model, token in tokens.items()]}


def tokenizer_remarks(results: PairResults) -> Iterator[Row]:
    """What users may not expect of how a model's tokenizer reads texts."""
    key = "tokenizer_remarks"
    remarks = {facts["model"]: facts[key] for facts in _of_evidence(results) if key in facts}
    for model, of_model in remarks.items():
        yield {"model": model, "remarks": of_model}


def _titles_by_kind(overall: pd.DataFrame) -> dict[str, list[str]]:
    """The titles of measures by the kind of models that they are for."""
    by_kind: dict[str, list[str]] = {}
    for measure in overall["measure"].unique():
        by_kind.setdefault(kind_for(str(measure)), []).append(title_of(str(measure)))
    return by_kind


def _models_by_kind(overall: pd.DataFrame, scored: Collection[str]) -> list[str]:
    """How many models of each kind there are, such as `2 masked`; `scored` have scores made elsewhere."""
    models = overall.drop_duplicates("model")
    kinds = models["measure"].astype(str).map(kind_for).mask(models["model"].isin(list(scored)), SCORE_FILE)
    kinds = kinds.map(NAMES_OF_KINDS)
    return [f"{count:,} {kind}" for kind, count in kinds.value_counts(sort=False).items()]


def made_elsewhere(results: PairResults) -> Iterator[Row]:
    """The models whose scores were made elsewhere, and what these scores are."""
    rows = results.overall[results.overall["model"].isin(results.study.of_source(SCORED))]
    if len(rows):
        named = rows.drop_duplicates(["model", "measure"])
        banded = set(results.matched.loc[results.matched["has_band"], "model"])
        models = list(named["model"].unique())
        yield {
            "names": [f"{row['model']} ({title_of(str(row['measure']))})" for row in records(named)],
            "banded": [name for name in models if name in banded],
            "bare": [name for name in models if name not in banded],
        }


def unmatched(results: PairResults) -> Iterator[Row]:
    """What does not match of scores that were made elsewhere, over all such models and benchmarks."""
    counts = results.matched[["pairs_without_score", "rows_without_pair"]].sum()
    # rows of other pairs matter to nobody where every pair has its score
    if counts["pairs_without_score"]:
        some = results.matched[results.matched[list(counts.index)].any(axis="columns")]
        yield {
            "names": some["model"].unique(),
            "pairs": int(counts["pairs_without_score"]),
            "rows": int(counts["rows_without_pair"]),
        }


def synthetic(results: PairResults) -> Iterator[Row]:
    worlds = {benchmark.name for benchmark in results.study.benchmarks if benchmark.world is not None}
    if names := [name for name in results.overall["benchmark"].unique() if name in worlds]:
        yield {"names": names}


def arithmetic(results: PairResults) -> Iterator[Row]:
    """On what devices, in what arithmetic and with which versions the models ran; none of oracles."""
    facts = _of_evidence(results)
    if ran := [each for each in facts if "torch" in each.get("versions", {})]:
        packages = {"Unmask": "unmask", "PyTorch": "torch", "transformers": "transformers"}
        yield {
            "devices": sorted({str(each["device"]) for each in ran}),
            "dtypes": sorted({str(each["dtype"]) for each in ran}),
            "versions": [
                f"{title} {listed(sorted({each['versions'][package] for each in ran}))}"
                for title, package in packages.items()
            ],
        }


MEASURED = [
    Finding[PairResults](
        "no results",
        lambda results: [{}] if results.overall.empty else [],
        "The study has no results.",
    ),
    Finding(
        "measured",
        measured,
        """{{ counts | listed }} language {{ models | many("model", "models") }} ({{ models | listed }}) read
        the sentence pairs of {{ benchmarks | listed }}. In each pair one sentence is the more stereotypical;
        {{ titles | listed }} {{ titles | many("says", "say") }} which of the two a model finds likelier.""",
    ),
    Finding(
        "several kinds",
        several_kinds,
        """Each model has the measures of its kind, and a dash under the others.
        {{ titles["masked-lm"] | listed }} {{ titles["masked-lm"] | many("is", "are") }} for masked language
        models, {{ titles["causal-lm"] | listed }} for causal ones.""",
    ),
    Finding(
        "made elsewhere",
        made_elsewhere,
        """The scores of {{ names | listed }} were made elsewhere and are read from
        {{ names | length | many("a file", "files") }}; what tokens add is not known.
        {% if bare %}Too little is known of the tokens of {{ bare | listed }} for a band of word choice, and
        for verdicts that need one.
        {% endif %}{% if banded %}The {{ banded | many("band", "bands") }} of word choice of
        {{ banded | listed }} {{ banded | many("is", "are") }} by words, as
        {{ banded | many("its", "their") }} tokens are not known.
        {% endif %}Their near-ties are pairs that the rounding of the printed scores could turn.""",
    ),
    Finding(
        "start tokens",
        starts,
        """Before each sentence
        {{ tokens | many("a causal language model reads", "causal language models read") }} a start token:
        {{ tokens | listed }}. Provenance has the reason.""",
    ),
    Finding("tokenizers", tokenizer_remarks, "Of {{ model }}: {{ remarks | join('; ') }}."),
    Finding(
        "synthetic",
        synthetic,
        """{{ names | listed }} {{ names | many("is", "are") }} from a synthetic world, whose bias is known:
        what measures should find there is under \N{LEFT DOUBLE QUOTATION MARK}Did the
        measures find what was planted?\N{RIGHT DOUBLE QUOTATION MARK}""",
    ),
]
"""What was measured on what."""

ARITHMETIC = Finding(
    "arithmetic",
    arithmetic,
    """The models ran on {{ devices | listed }} in {{ dtypes | listed }}, with
    {{ versions | listed }}.""",
)


def chosen_areas(results: PairResults) -> pd.DataFrame:
    """The areas of the chosen reading of the ratings, protocol corrected."""
    areas = results.agreement
    areas = areas[areas["chosen"].astype(bool) & (areas["protocol"] == CORRECTED) & areas["auc"].notna()]
    return areas.assign(title=areas["measure"].astype(str).map(title_of))


# what to be wary of


def by_chance(results: PairResults) -> list[Row]:
    """How many of 100 intervals miss the truth; none where there is no score."""
    confidence = corrected_scores(results)["confidence"]
    return [{"percent": f"{100 * (1 - float(confidence.iloc[0])):.2g}"}] if len(confidence) else []


def few_pairs(results: PairResults) -> Iterator[Row]:
    scores = corrected_scores(results).drop_duplicates("benchmark")
    if few := _with_sizes(scores[scores["n"] < FEW]):
        yield {"benchmarks": few}


def unscored(results: PairResults) -> Iterator[Row]:
    scored = {*corrected_scores(results)["model"]}
    if names := [model.name for model in results.study.models if model.name not in scored]:
        yield {"names": names}


def of_networks(results: PairResults) -> pd.DataFrame:
    """The scores of models that are no oracles, whose ties are exact."""
    scores = corrected_scores(results)
    return scores[~scores["model"].isin(results.study.of_source(ORACLE))]


def broad(results: PairResults) -> Iterator[Row]:
    known = of_networks(results).dropna(subset="low")
    if count := int((known["high"] - known["low"] > BROAD).sum()):
        yield {"broad": count, "known": len(known), "points": BROAD}


def near_ties(results: PairResults) -> Iterator[Row]:
    """How many decisions are near-ties, with the score that these could move most."""
    scores = of_networks(results)
    near = scores[scores["near_ties"] > 0]
    if len(near):
        points = 100 * near["near_ties"] / near["n"]
        widest = records(near.assign(points=points))[int(points.astype(float).to_numpy().argmax())]
        yield {**widest, "near": int(near["near_ties"].sum()), "decisions": int(scores["n"].sum())}


def near_ties_by_measure(results: PairResults) -> Iterator[Row]:
    """How many decisions of each measure are near-ties, over all models and benchmarks."""
    counts = of_networks(results).groupby("title", sort=False)["near_ties"].sum()
    if near := int(counts.sum()):
        yield {"near": near, "counts": [f"{title} {count:,}" for title, count in counts.items() if count]}


def names_of_source(results: PairResults, source: str) -> list[Row]:
    names = results.study.of_source(source)
    return [{"names": names}] if names else []


FEW_PAIRS = Finding(
    "few pairs",
    few_pairs,
    """{{ benchmarks | listed }} {{ benchmarks | many("has", "have") }} too few pairs to say much.""",
)
NEVER_TRAINED = Finding[PairResults](
    "untrained",
    lambda results: names_of_source(results, UNTRAINED),
    """{{ say.untrained(names) }}, so what {{ names | many("it prefers", "they prefer") }} is chance.""",
)
ORACLES = Finding[PairResults](
    "oracles",
    lambda results: names_of_source(results, ORACLE),
    """{{ names | listed }} {{ names | many("is no network: it gives", "are no networks: they give") }} the
    exact probabilities of a synthetic world.""",
)
OWN_CODE = Finding[PairResults](
    "own code",
    lambda results: [{"names": names}] if (names := results.settings.get("own_code")) else [],
    """{{ names | listed }} {{ names | length | many("runs", "run") }} code from
    {{ names | length | many("its own repository", "their own repositories") }}, at a pinned revision.""",
)
UNKNOWN_TOKENS = Finding[PairResults](
    "unknown tokens",
    lambda results: records(results.unknown[results.unknown["share"] >= WARY]),
    """The tokenizer of {{ model }} does not know {{ unknown }} of {{ tokens }} tokens of {{ benchmark }}
    ({{ share | number(1) }}%). The model cannot tell such words apart.""",
)
UNMATCHED = Finding[PairResults](
    "unmatched",
    unmatched,
    """Scores of {{ names | listed }} do not match the benchmark everywhere:
    {{ pairs | counted("pair") }} {{ pairs | many("has", "have") }} no score,
    {{ rows | counted("row") }} {{ rows | many("belongs", "belong") }} to no pair (see Data quality).""",
)
WARY_AT_ONCE = [
    Finding[PairResults](
        "near 50",
        lambda results: [{}],
        """A score near 50 does not show that a model is unbiased: preferences for and against stereotypes may
        cancel. This report alone is no ground for release.""",
    ),
    FEW_PAIRS,
    UNMATCHED,
    UNKNOWN_TOKENS,
    Finding(
        "unscored",
        unscored,
        """{{ names | listed }} {{ names | many("has", "have") }} no score on any benchmark; the scoring log
        says why.""",
    ),
]
"""What a reader of the answer should be wary of, directly below it."""


def unsegmented(results: PairResults) -> Iterator[Row]:
    """The benchmarks most of whose pairs are written without spaces between words."""
    names = [
        name
        for name, pairs in results.pairs.items()
        if 2 * sum(map(is_unsegmented, pairs[STEREOTYPE].astype(str))) > len(pairs)
    ]
    if names:
        yield {"names": names}


CAUTIONS = [
    Finding(
        "clear preferences",
        by_chance,
        """A clear preference is no proof of bias: it says that neither the choice of pairs nor words
        preferred at random explain the score. A preference for frequent words still may. About {{ percent }}
        in 100 intervals exclude 50 even where there is no preference.""",
    ),
    Finding(
        "broad",
        broad,
        """{{ broad }} of {{ known }} intervals {{ broad | many("is", "are") }} broader than {{ points }}
        points, as pairs are few or share their words.""",
    ),
    Finding(
        "unsegmented",
        unsegmented,
        """{{ names | listed }} {{ names | many("is", "are") }} written without spaces between words, so each
        character counts as a word.""",
    ),
    NEVER_TRAINED,
    ORACLES,
    OWN_CODE,
]
"""What else a reader of the first screen should be wary of."""

# the scores in detail


def models_by_training(results: PairResults) -> Sequence[tuple[list[str], str]]:
    """Models whose scores are counted together, and what these are called."""
    return (
        (results.study.trained(), TRAINED_MODELS),
        (results.study.of_source(UNTRAINED), UNTRAINED_MODELS),
    )


def of_models(results: PairResults, whose: str) -> str:
    """Whose scores they are; nothing is said of trained models where the study has no others."""
    others = set(results.study.trained()) != {model.name for model in results.study.models}
    return f" of {whose}" if others or whose != TRAINED_MODELS else ""


def verdicts_by_benchmark(results: PairResults) -> Iterator[Row]:
    scores = corrected_scores(results)
    for benchmark, of_benchmark in scores.groupby("benchmark", sort=False, observed=True):
        for models, whose in models_by_training(results):
            rows = of_benchmark[of_benchmark["model"].isin(models)]
            if len(rows):
                clear = rows[(rows["verdict"] == CLEAR) & (whose == TRAINED_MODELS)]
                yield {
                    "benchmark": benchmark,
                    "whose": of_models(results, whose),
                    "counts": verdict_counts(rows),
                    "clear": records(clear[:SHOWN]),
                    "more": max(0, len(clear) - SHOWN),
                }


def protocols(results: PairResults) -> Iterator[Row]:
    """In how many decisions the two protocols differ."""
    overall = results.overall
    both = overall[overall["differing"].notna() & (overall["protocol"] == PUBLISHED)]
    if len(both):
        yield {"differing": int(both["differing"].sum()), "decisions": int(both["n"].sum())}


def effective_pairs(results: PairResults) -> Iterator[Row]:
    """As how many independent pairs those of a benchmark count, by the scores of trained models.

    Nothing of a benchmark where no pairs vary together.
    """
    scores = results.of_headline(corrected_scores(results))
    scores = scores[scores["model"].isin(results.study.trained()) & (scores["design_effect"] > 1)]
    for benchmark, rows in scores.groupby("benchmark", sort=False, observed=True):
        sizes = (rows["n"] / rows["design_effect"]).astype(float)
        yield {
            "benchmark": benchmark,
            "n": int(rows["n"].max()),
            "titles": list(rows["title"].unique()),
            "sizes": span(sizes.min(), sizes.max(), 0),
            "effects": span(rows["design_effect"].min(), rows["design_effect"].max(), 1),
        }


EFFECTIVE_PAIRS = Finding(
    "effective pairs",
    effective_pairs,
    """The {{ n }} pairs of {{ benchmark }} share words: by the {{ titles | listed }} scores they count as
    {{ sizes }} independent ones (design effect {{ effects }}).""",
)

DETAILS = [
    Finding(
        "verdicts by benchmark",
        verdicts_by_benchmark,
        COUNTED + """{{ testable(counts, whose ~ " on " ~ benchmark) }}{{ by_verdict(counts) }}""",
    ),
    Finding(
        "clear preferences by benchmark",
        lambda results: (row for row in verdicts_by_benchmark(results) if row["clear"]),
        """Clear preferences on {{ benchmark }}:
        {% for of in clear %}{{ of.model }}, {{ of.title }} {{ of.score | number(1) }}
        {%- if not loop.last %}; {% endif %}{% endfor %}
        {%- if more %}; and {{ more }} more{% endif %}.""",
    ),
    EFFECTIVE_PAIRS,
    Finding(
        "protocols",
        protocols,
        """The two protocols, published and corrected, give different outcomes in {{ differing }} of
        {{ decisions }} decisions (one for each model, measure and pair).""",
    ),
    Finding(
        "near-ties",
        near_ties,
        """{{ near }} of {{ decisions }} decisions {{ near | many("is a near-tie", "are near-ties") }}: their
        margins are within the bound on float error, which is far above the usual error. However they fall,
        they move a score by {{ points | number(1) }} points at most ({{ title }} of {{ model }} on
        {{ benchmark }}).""",
    ),
]
"""What may be claimed of the scores on each benchmark, where protocols differ, and what float error does."""


def every_measure(results: PairResults) -> list[dict[str, Any]]:
    """The scores of all measures, also where a model has none."""
    rows = results.overall[results.overall["protocol"] == CORRECTED]
    return records(rows.assign(title=rows["measure"].astype(str).map(title_of)))


WARNINGS = [
    NEVER_TRAINED,
    Finding[PairResults](
        "undefined",
        # of scores made elsewhere UNMATCHED says it
        lambda results: [
            row
            for row in every_measure(results)
            if row["undefined"] and row["model"] not in results.study.of_source(SCORED)
        ],
        """{{ model }} on {{ benchmark }}, {{ title }}: {% if undefined == n %}this model gives no {{ title }}
        (see the scoring log){% else %}{{ undefined }} of {{ n }} pairs
        {{ undefined | many("is", "are") }} undefined, as a sentence lacks what {{ title }} scores
        {%- endif %}.""",
    ),
    Finding[PairResults](
        "near-ties by measure",
        near_ties_by_measure,
        """{{ near | counted("decision") }} {{ near | many("is a near-tie, which", "are near-ties, which") }}
        float error could turn: {{ counts | listed }}.""",
    ),
    Finding[PairResults](
        "without ratings",
        lambda results: [
            {"name": benchmark.name}
            for benchmark in results.study.benchmarks
            if benchmark.name not in {*results.agreement["benchmark"]}
        ],
        "{{ name }} has no human ratings, so it is not under Human raters.",
    ),
]
"""Untrained models, undefined pairs and near-ties, benchmarks without ratings."""


# scores over some of the pairs, and over sentences without their order


def by_type(results: PairResults) -> Iterator[Row]:
    """Of each kind of models how many scores of one bias type show a clear preference, and whether the share
    of trained models could be that of untrained ones."""
    scores = _corrected(results.original)
    scores = scores[scores["grouping"] == BIAS_TYPE]
    counts = {
        whose: verdict_counts(rows)
        for models, whose in models_by_training(results)
        if len(rows := scores[scores["model"].isin(models)])
    }
    shares = {
        whose: (of["clear_preference"], of["testable"]) for whose, of in counts.items() if of["testable"]
    }
    alike = None
    if len(shares) == 2:
        clear, tested = shares[TRAINED_MODELS]
        clear_untrained, untrained = shares[UNTRAINED_MODELS]
        low, high = wilson(clear_untrained / untrained, untrained, normal_quantile(LEVEL))
        if clear and low <= clear / tested <= high:
            alike = {"low": 100 * float(low), "high": 100 * float(high)}
    if counts:
        whole = {of_models(results, whose): of for whose, of in counts.items()}
        yield {"counts_of": whole, "alike": alike}


BY_TYPE = Finding(
    "bias types",
    by_type,
    COUNTED
    + """{% for whose, counts in counts_of.items() %}
    {{ testable(counts, whose ~ " over the pairs of one bias type") }}
    {% if counts.testable %}Of the {{ counts.testable }} testable, {{ counts.clear_preference }}
    {{ counts.clear_preference | many("shows", "show") }} a clear preference.{% endif %} {% endfor %}
    {% if alike %}The share of the trained models lies within the interval of that of the untrained ones,
    {{ alike.low | number(0) }} to {{ alike.high | number(0) }} of 100.{% endif %}""",
)


def shuffled(results: PairResults) -> Iterator[Row]:
    """Which scores of trained models are off 50 though the tokens are shuffled, beside those as written."""
    scores = results.study.of_trained(_corrected(results.bias))
    scores = scores[(scores["variant"] == SHUFFLED) & (scores["grouping"] == OVERALL) & scores["low"].notna()]
    if scores.empty:
        return
    off = scores[(scores["low"] > NO_PREFERENCE) | (scores["high"] < NO_PREFERENCE)]
    keys = ["model", "benchmark", "measure", "protocol"]
    off = off.join(results.overall.set_index(keys)["score"].rename("unshuffled"), on=keys)
    furthest = off.sort_values("score", key=lambda score: -(score - NO_PREFERENCE).abs(), kind="stable")
    yield {
        "known": len(scores),
        "whose": of_models(results, TRAINED_MODELS),
        "off": len(off),
        "by_chance": number(float((1 - scores["confidence"]).sum()), 1),
        "furthest": [
            {**row, "ends": interval_off_50(row["low"], row["high"])}
            | {name: _off_50(row[name]) for name in ("score", "unshuffled")}
            for row in records(furthest[:NAMED])
        ],
        "clear": int((off["verdict"] == CLEAR).sum()),
    }


def _off_50(score: float | None) -> str:
    """A score in whole percent, or with as many decimals as keep one that is not 50 from reading like 50."""
    return number(score, decimals_apart(score, NO_PREFERENCE))


CONTROLS = [
    Finding(
        "shuffled",
        shuffled,
        """With the tokens of each sentence shuffled,
        {% if off %}{{ off }} of {{ known | counted("score") }}{{ whose }} {{ off | many("has", "have") }}
        {%- else %}no score{{ whose }} has{% endif %} an interval that excludes 50
        {%- if off %} (about {{ by_chance }} by chance)
        {%- else %} ({{ known | counted("score") }}){% endif %}.""",
    ),
    Finding(
        "furthest shuffled",
        lambda results: (row for row in shuffled(results) if row["off"]),
        """Furthest from 50:
        {% for of in furthest %}{{ of.title }} of {{ of.model }} on {{ of.benchmark }},
        {{ of.score }} ({{ of.ends }}), unshuffled {{ of.unshuffled }}
        {%- if not loop.last %}; {% endif %}{% endfor %}.
        {% if clear %}{{ "It" if off == 1 else clear ~ " of the " ~ off }} {{ clear | many("lies", "lie") }}
        outside the band of word choice; such a preference cannot come from what the sentences say.
        {% else %}{{ "It is not" if off == 1 else "Neither is" if off == 2 else "None is" }} clearly outside
        the band of word choice; a preference here could not come from what the sentences say.{% endif %}""",
    ),
]


# agreement with human raters


def agreement(results: PairResults) -> Iterator[Row]:
    """The areas of trained models; of all, where none is trained. Controls are not counted."""
    areas, trained = results.study.of_trained_or_all(chosen_areas(results))
    control = ~areas["measure"].astype(str).map(sees_context).astype(bool)
    of_context = areas[~control]
    if len(of_context):
        yield {
            "trained": trained,
            "span": span(of_context["auc"].min(), of_context["auc"].max()),
            "without_controls": bool(control.any()),
            "areas": beyond_chance(of_context, results.alpha),
        }


def rated_by_program(results: PairResults) -> list[str]:
    """The benchmarks with areas whose ratings a world has drawn."""
    rated = set(chosen_areas(results)["benchmark"])
    return [each.name for each in results.study.benchmarks if each.world is not None and each.name in rated]


AGREEMENT = Finding(
    "agreement",
    agreement,
    BEYOND_CHANCE
    + """Given one pair that raters call biased and one they do not, {{ trained }}models rank the first higher
    with probability {{ span }} (0.5: chance). {{ beyond_chance(areas) }}
    {% if without_controls %}Controls are not counted.{% endif %}""",
)

DRAWN_RATINGS = Finding[PairResults](
    "drawn ratings",
    lambda results: [{"names": names}] if (names := rated_by_program(results)) else [],
    """Nobody rated the pairs of {{ names | listed }}: the ratings of a synthetic world are drawn at random,
    more of them biased where more was planted.""",
)
