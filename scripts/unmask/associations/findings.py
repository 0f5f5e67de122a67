"""What the numbers of association tests say: the findings of the report's section.

A test that could not have been beyond chance is no finding: it is counted by itself.
"""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from unmask.associations.chance import counts
from unmask.associations.comparisons import LEAST_MODELS
from unmask.associations.results import AssociationResults
from unmask.associations.tables import EFFECTS, main_means, published, with_effects
from unmask.associations.terms import BY_WORD, E1, E3X, E3Y, JOINT, WORD
from unmask.report.declared_tables import in_order
from unmask.report.findings import Finding, Row, records, span
from unmask.report.sheets import number
from unmask.report.study import UNTRAINED

CLOSE = 0.01
"""Half of what the last of two decimals says, and as much again for that of ours."""

EXPERIMENTS = {
    E1: "of the words, whatever the picture (E1)",
    E3X: "of the pictures on the same words (E3)",
    E3Y: "of the pictures on the same words (E3)",
}
"""Whose effect the experiments of grounded tests measure."""

EACH = """
{%- macro each(rows, text, end=", ") %}
{%- for row in rows %}
{%- if not loop.first %}{{ end if loop.last else ", " }}{% endif %}
{{- text | format(**row) }}{% if row.get("poolings") %} with {{ row.poolings | listed }}{% endif %}
{%- endfor %}
{%- endmacro %}
"""
"""Rows as a list, by one format; each with its poolings, where it has any."""


def _alike(rows: pd.DataFrame, *columns: str, unless_all: bool = False) -> list[Row]:
    """Rows with the same values of `columns` as one, with the list of their `poolings`; with `unless_all` the
    list is empty where all rows are alike."""
    groups = records(rows.groupby(list(columns), sort=False, as_index=False).agg(poolings=("pooling", list)))
    return [groups[0] | {"poolings": []}] if unless_all and len(groups) == 1 else list(groups)


def _about(count: float) -> str:
    """How many tests chance gives: as whole ones where it is many."""
    return f"{count:.0f}" if count >= 10 else f"{count:.2g}"


def _by_encoder(results: AssociationResults) -> Iterator[Row]:
    """What unmask.associations.chance.counts says of each encoder."""
    main = in_order(results.main, encoder=results.names, pooling=results.poolings)
    of_poolings = counts(main, ["encoder", "pooling"], results.alpha)
    untrained = [each.name for each in results.encoders if each.source == UNTRAINED]
    by_encoder = sorted(of_poolings.groupby("encoder", sort=False), key=lambda part: part[0] in untrained)
    for encoder, rows in by_encoder:
        of_encoder = main[main["encoder"] == encoder]
        unable = of_encoder[~of_encoder["able"].astype(bool)]
        levels = of_encoder.drop_duplicates(["suite", "test"])["level"]
        rows = rows.assign(unable=rows["tests"] - rows["able"])
        before, known = rows[rows["able_before"] > 0], rows[rows["mean_d"].notna()]
        known = known.assign(**{name: known[name].map(number) for name in ("mean_d", "expected_d")})
        yield {
            "encoder": encoder,
            "never_trained": encoder in untrained,
            "alpha": results.alpha,
            "tests": len(levels),
            "able_in_all": int(rows["able"].sum()),
            "beyond_in_all": int(rows.loc[rows["able"] > 0, "beyond"].sum()),
            "by_item": int((levels != BY_WORD).sum()),
            "able": _alike(rows[rows["able"] > 0], "beyond", "able"),
            "unable_in_all": int(rows["unable"].sum()),
            # some p could be below alpha, were it not corrected
            "too_many": (unable["least_p"] < results.alpha).any(),
            "without_d": unable["d"].isna().any(),
            "before": _alike(before, "before", "able_before"),
            "by_chance": before["by_chance"].map(_about).unique(),
            "mean_d": _alike(known, "mean_d"),
            "expected_d": _alike(known, "expected_d", unless_all=True),
        }


def _untrained(results: AssociationResults) -> Iterator[Row]:
    tested = set(results.main["encoder"])
    names = [each.name for each in results.encoders if each.source == UNTRAINED and each.name in tested]
    if names:
        yield {"names": names}


def _flips(results: AssociationResults) -> Iterator[Row]:
    flips = results.flips
    if len(flips):
        yield {
            "names": flips["encoder"],
            "alpha": results.alpha,
            "flips": records(flips) if flips["flipped"].any() else [],
            "clear": records(flips[flips["both_clear"] > 0]),
            "by_chance": flips["by_chance"].map(_about).unique(),
        }


def _grounded(results: AssociationResults) -> Iterator[Row]:
    rows = results.grounded
    # p of what could be beyond chance; the two experiments with pictures are one
    p = rows["p_holm"].where(rows["able"].astype(bool)).astype(float)
    keys = [rows["encoder"], rows["pooling"], rows["experiment"].map(EXPERIMENTS).rename("effect")]
    least = p.groupby([*keys, rows["suite"], rows["test"]], sort=False).min()
    table = pd.DataFrame({"tests": 1, "able": least.notna(), "beyond": least < results.alpha})
    parts = table.groupby(["encoder", "pooling", "effect"], sort=False).sum().reset_index()
    effects = dict.fromkeys(EXPERIMENTS.values())
    parts = in_order(parts, encoder=results.names, effect=effects, pooling=results.poolings)
    unable = parts["tests"] - parts["able"]
    parts["more"] = [f" ({count} more cannot)" if count else "" for count in unable]
    for encoder, of_encoder in parts.groupby("encoder", sort=False):
        yield {
            "encoder": encoder,
            "alpha": results.alpha,
            "able": bool(of_encoder["able"].any()),
            "parts": {
                effect: _alike(of_effect, "beyond", "able", "more", unless_all=True)
                for effect, of_effect in of_encoder.groupby("effect", sort=False)
            },
        }


def _grounded_sizes(results: AssociationResults) -> list[Row]:
    means = main_means(with_effects(results.means))
    means = means[means["pooling"].isin([JOINT, WORD])]
    of_poolings = means[list(EFFECTS)].abs().groupby([means["encoder"], means["pooling"]], sort=False)
    sizes = of_poolings.mean().assign(tests=of_poolings.size()).reset_index()
    sizes = sizes.assign(of_word=sizes["pooling"] == WORD)
    return list(records(in_order(sizes, encoder=results.names, pooling=results.poolings)))


def _rho(results: AssociationResults) -> Iterator[Row]:
    table = results.with_pairs
    known = table[table["p"].notna()]
    if len(table):
        yield {
            "n": len(known),
            "rho": span(known["rho"].min(), known["rho"].max(), signed=True),
            "models": span(known["models"].min(), known["models"].max(), 0),
            "beyond": int((known["p_holm"] < results.alpha).sum()),
            "alpha": results.alpha,
            "most_models": int(table["models"].max()),
            "needed": LEAST_MODELS,
        }


def _published(results: AssociationResults) -> Iterator[Row]:
    for encoder, rows in published(results)[0].groupby("encoder", sort=False):
        off = rows["difference"].abs().dropna()
        worst: dict[str, Any] = records(rows.loc[[off.idxmax()]])[0] if len(off) else {}
        close = int((off < CLOSE).sum())
        yield {**worst, "encoder": encoder, "known": len(off), "close": close, "within": CLOSE}


FINDINGS: tuple[Finding[AssociationResults], ...] = (
    Finding(
        "beyond chance",
        _by_encoder,
        EACH
        + """{% set why %}sets are too small{{ " for so many tests" if too_many else "" }}
        {{- " or have no d" if without_d else "" }}{% endset %}
        For {{ encoder }}{{ " (never trained)" if never_trained else "" }},
        {% if able %}{{ beyond_in_all }} of {{ able_in_all | counted("testable association") }}
        {{ beyond_in_all | many("is", "are") }} beyond chance ({{ say.significant(alpha) }}).
        By pooling: {{ each(able, "%(beyond)s of %(able)s") }}.
        {% if unable_in_all %}{{ unable_in_all }} more cannot be tested, as {{ why }}.{% endif %}
        {% else %}no association can be tested ({{ say.significant(alpha) }}), as {{ why }}.
        {% if before %}Before correction, p < {{ alpha | g }} in
        {{ each(before, "%(before)s of %(able_before)s") }}, where chance alone gives about
        {{ by_chance | listed(end="or") }}.{% endif %}{% endif %}
        {% if by_item %}The unit is the item in {{ by_item }} of {{ tests | counted("test") }}, as words are
        not known.{% endif %}""",
    ),
    Finding(
        "mean |d|",
        lambda results: (row for row in _by_encoder(results) if row["mean_d"]),
        EACH
        + """Mean |d| of {{ encoder }} is {{ each(mean_d, "%(mean_d)s") }}; without bias it would be about
        {{ each(expected_d, "%(expected_d)s") }}.""",
    ),
    Finding(
        "untrained",
        _untrained,
        """{{ say.untrained(names) }}, so whatever {{ names | many("its", "their") }} tests find is not
        learnt.""",
    ),
    Finding(
        "flips",
        _flips,
        EACH
        + """{% if not flips %}All poolings give d of the same sign in every test of {{ names | listed }}.
        {%- else %}Of all tests, the sign of d depends on the pooling in
        {{ each(flips, "%(flipped)s of %(tests)s for %(encoder)s", end=" and ") }}; unrelated poolings
        would give about {{ by_chance | listed }}
        {%- if clear %}. Both signs have p < {{ alpha | g }} before correction in
        {{ each(clear, "%(both_clear)s for %(encoder)s", end=" and ") }}{% endif %}.{% endif %}""",
    ),
    Finding(
        "grounded tests",
        _grounded,
        EACH
        + """{% if able %}Effects of {{ encoder }} that are beyond chance ({{ say.significant(alpha) }}), of
        those that can be tested, are in grounded tests:
        {% for effect, rows in parts.items() %}{{ effect }} {{ each(rows, "%(beyond)s of %(able)s%(more)s") }}
        {{- "." if loop.last else "; " }}{% endfor %}
        {% else %}No grounded test of {{ encoder }} has enough words to be tested.{% endif %}""",
    ),
    Finding(
        "sizes of grounded tests",
        _grounded_sizes,
        """On average over {{ tests | counted("test") }} of {{ encoder }}
        {{- ", in the vectors of words (mean of their tokens)" if of_word }}, the words change s by
        {{ target_effect | number(3) }} and the pictures by {{ image_effect | number(3) }}, whatever the sign.
        Pictures change it by {{ interaction | number(3) }} more for one set of words than for the other.""",
    ),
    Finding(
        "pairs",
        _rho,
        """{% if n %}Spearman's rho of mean d with the bias score over pairs of sentences is {{ rho }} over
        {{ n | counted("combination") }} of suite, pooling, benchmark and measure ({{ models }} models);
        {{ beyond | none }} {{ beyond | many("is", "are") }} beyond chance ({{ say.significant(alpha) }}).
        {%- else %}Whether models with more bias in association tests have higher bias scores over pairs of
        sentences cannot be told (
        {%- if most_models < needed %}{{ most_models | counted("model") }}; {{ needed }} are needed
        {%- else %}all models have the same{% endif %}).{% endif %}""",
    ),
    Finding(
        "published values",
        _published,
        """For {{ encoder }},
        {% if known %}{{ close }} of {{ known | counted("published value") }} of d
        {{ close | many("is", "are") }} within {{ within | g }} of ours; furthest is {{ test }}
        ({{ source }}): published {{ published_d | number(2, true) }}, ours {{ d | number(2, true) }}.
        {%- else %}there are published values, but none for the poolings and tests of this study.
        {%- endif %}""",
    ),
)
