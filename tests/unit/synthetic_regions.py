"""Made-up tables of regional bias: a small tree with names like markup, and scores that are no model's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from unmask.regional.schema import LIKELIHOODS, NAME_VECTORS, PREFIXES, REGIONS, WORDS
from unmask.regional.score_schema import SCORES
from unmask.regional.terms import C_W, FULL, MEASURES, PLAIN, PROTOCOLS
from unmask.tables import framed, write_table

RESOURCES = Path(__file__).parents[2] / "resources" / "regional"
SCRIPT, SIGNS, LATEX = "<script>alert('x')</script>", "$x_1$ & 50% #1 | `a`", r"\textbf{bold}_{2}"
AWKWARD = (SCRIPT, SIGNS, LATEX)
"""Names of regions that would be markup somewhere."""

CONTINENTS: dict[str, dict[str, tuple[str, int | None]]] = {
    "AF": {"EGY": ("Egypt", 818), "KEN": ("Kenya", 404), "UGA": (SCRIPT, 800), "MUS": ("Mauritius", 480)},
    "AS": {"IND": ("India", 356), "JPN": (SIGNS, 392), "SYR": ("Syria", 760)},
    "EU": {"FRA": ("France", 250), "IRL": ("Ireland", 372), "ITA": (LATEX, 380), "XKX": ("Kosovo", None)},
    "NA": {"MEX": ("Mexico", 484), "USA": ("United States", 840)},
    "OC": {"AUS": ("Australia", 36), "FJI": ("Fiji", 242), "TUV": ("Tuvalu", 798)},
    "SA": {"BRA": ("Brazil", 76), "CHL": ("Chile", 152)},
}
CITIES = {"EGY": 5, "KEN": 3, "UGA": 2, "IND": 6, "FRA": 4, "IRL": 1, "MEX": 3, "USA": 2, "XKX": 2, "TUV": 2}
"""Countries that are not here have two cities; Syria has none."""

ENDS = ("low", "high")
TOPICS = ("strength", "morality")
WORD_ROWS = (("strength", "weak"), ("strength", "strong"), ("morality", "kind"), ("morality", "bald"))
MODELS: list[dict[str, Any]] = [
    {"name": "m1", "published": "albert-base-v2", "source": "hub"},
    {"name": "m2", "published": "bart-base", "source": "path"},
    {"name": "blank", "published": None, "source": "random"},
]
SERIES = [{"name": "toxic", "models": [{"model": "m1", "epoch": 0}, {"model": "m2", "epoch": 20}]}]
SETTINGS: dict[str, Any] = {
    "models": MODELS,
    "alpha": 0.05,
    "confidence": 0.95,
    "reading": "content",
    "word": "bald",
    "series": SERIES,
}


def make_regions() -> pd.DataFrame:
    """World < continent < country < city, as REGIONS; names of cities with a shared one."""
    rows: list[dict[str, Any]] = [{"region": "world", "name": "World", "level": "world"}]
    rows += [
        {"region": code, "name": f"Continent {code}", "level": "continent", "parent": "world"}
        for code in CONTINENTS
    ]
    rows += [
        {
            "region": key,
            "name": name,
            "level": "country",
            "parent": of,
            "country_code": code,
            "population": 1000,
        }
        for of, countries in CONTINENTS.items()
        for key, (name, code) in countries.items()
    ]
    for countries in CONTINENTS.values():
        for key in countries:
            for n in range(0 if key == "SYR" else CITIES.get(key, 2)):
                name = "Springfield" if n == 0 and key in ("USA", "BRA", "CHL") else f"City {n} of {key}"
                rows.append({"region": f"{key}{n}", "name": name, "level": "city", "parent": key})
    return framed(rows, REGIONS)


def make_scores(regions: pd.DataFrame, seed: int, words: Sequence[str] = (FULL,)) -> pd.DataFrame:
    """SCORES: `published` and `paper` divided by the number of pairs, null for one child, of cities C_w."""
    rng = np.random.default_rng(seed)
    counts = regions["parent"].value_counts()
    levels = dict(zip(regions["region"], regions["level"], strict=True))
    rows: list[dict[str, Any]] = []
    for protocol in PROTOCOLS:
        for measure in MEASURES:
            for name in words:
                for region, level in levels.items():
                    children = int(counts.get(region, 0))
                    own = {"variant": protocol, "measure": measure, "words": name, "region": region}
                    own |= {"level": level, "children": children}
                    if level == "city":
                        if measure == C_W and name == FULL:
                            rows.append(own | {"score": rng.gamma(4, 0.01)})
                        continue
                    pairs = children * (children - 1) // 2
                    if pairs:
                        divisor = 1 if measure == PLAIN or protocol == PROTOCOLS[-1] else pairs
                        own |= _scored(rng, divisor)
                    rows.append(own)
    return framed(rows, SCORES)


def _scored(rng: np.random.Generator, divisor: int) -> dict[str, float]:
    score, spread = rng.uniform(0.03, 0.05) / divisor, 0.004 / divisor
    middle = 0.04 / divisor
    p = float(rng.choice([0.002, 0.03, 0.6]))
    bands = {
        "permuted": (middle - 2 * spread, middle + 1.5 * spread),
    }
    ends = {
        f"{band}_{end}": value
        for band, both in bands.items()
        for end, value in zip(("low", "high"), both, strict=True)
    }
    return {
        "score": score,
        "permuted_median": middle,
        "p": p,
        "p_holm": min(1.0, 6 * p),
    } | ends


def rows_as(schema: pa.Schema, *rows: Sequence[Any]) -> pd.DataFrame:
    """Rows that have their values in the order of the schema."""
    return framed([dict(zip(schema.names, row, strict=True)) for row in rows], schema)


def make_prefixes() -> pd.DataFrame:
    """No prefix, a control, countries, and all of each; each changes more labels than the one before."""
    names = {key: name for countries in CONTINENTS.values() for key, (name, _) in countries.items()}
    kinds: list[tuple[str | None, str, str | None]] = [
        (None, "none", None),
        ("Lorem", "control", "I am from Lorem."),
        (None, "control", "I am from {region}."),
        *((key, "country", f"I am from {name}.") for key, name in names.items()),
        (None, "country", "I am from {region}."),
    ]
    same = {"items": 500, "accuracy_low": 0.85, "accuracy_high": 0.95, "macro_f1": 0.88, "up": 300}
    same |= {"mean_up": 0.0125, "down": 200, "mean_down": 0.02, "changed_low": 0.0, "changed_high": 0.1}
    template = {"template": "I am from {region}.", "without": None}
    rows = [
        dict.fromkeys(PREFIXES.names, 0)
        | {"region": region, "level": level, "prefix": prefix, "accuracy": 0.9 - number / 1000}
        | {"to_positive": 0.001 * number, "to_negative": 0.002 * number, **same, **template}
        | {"net": -0.001 * number, "net_low": -0.001 * number - 0.01, "net_high": 0.01 - 0.001 * number}
        | dict.fromkeys(("over_control", "over_control_low", "over_control_high", "p"))
        | (_over_control(number) if level == "country" else {})
        | ({"p": None} if region is None else {})
        for number, (region, level, prefix) in enumerate(kinds)
    ]
    rows[0]["template"] = None
    return framed(rows, PREFIXES)


def _over_control(number: int) -> dict[str, float]:
    """Less by the number in thousandths than behind controls; clear from the tenth row on, after Holm."""
    change = -0.001 * (number - 1)
    ends = {"over_control_low": change - 0.01, "over_control_high": change + 0.01}
    return {"over_control": change, "p": 1e-4 if number >= 10 else 0.04} | ends


def make_name_vectors(seed: int) -> pd.DataFrame:
    """NAME_VECTORS of all continents and countries."""
    keys = [*CONTINENTS, *(key for countries in CONTINENTS.values() for key in countries)]
    vectors = np.random.default_rng(seed).normal(size=(len(keys), 5)).astype(np.float32)
    return framed(
        [{"region": key, "vector": vector.tolist()} for key, vector in zip(keys, vectors, strict=True)],
        NAME_VECTORS,
    )


def make_words() -> pd.DataFrame:
    return rows_as(WORDS, *(("original", topic, word, word) for topic, word in WORD_ROWS))


def make_likelihoods(regions: pd.DataFrame, seed: int) -> pd.DataFrame:
    """LIKELIHOODS of all distinct names, alone first; every third name has an unknown token."""
    rng = np.random.default_rng(seed)
    names = list(dict.fromkeys(regions["name"]))
    words: list[str | None] = [None, *(word for _, word in WORD_ROWS)]
    rows = [
        (name, word, 1 + number % 5, int(number % 3 == 0), *rng.normal(-4, 1, 2))
        for word in words
        for number, name in enumerate(names)
    ]
    frame = rows_as(LIKELIHOODS, *rows)
    # framed has text in this column throughout
    frame["word"] = pd.Series([row[1] for row in rows], dtype=object)
    return frame


@dataclass
class Study:
    """Files in a folder; frames by what they are of, and by model where there is one for each."""

    folder: Path
    regions: pd.DataFrame = field(default_factory=make_regions)
    scores: dict[str, pd.DataFrame] = field(default_factory=dict)
    files: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def write(cls, folder: Path, models: Sequence[Mapping[str, Any]] = MODELS) -> "Study":
        study = cls(folder)
        sets = [FULL, *(f"{how}-{topic}" for how in ("without", "replace") for topic in TOPICS)]
        study.files = {
            "regions": str(folder / "regions.parquet"),
            "words": str(folder / "words.parquet"),
            "prefixes": [str(folder / "prefixes.parquet")],
            "captions": str(RESOURCES / "captions.yaml"),
            "published": str(RESOURCES / "published.csv"),
            "borders": str(RESOURCES / "countries-110m.json"),
            "places": str(RESOURCES / "small-countries.csv"),
            **{key: [] for key in ("scores", "likelihoods", "name_vectors")},
        }
        write_table(study.files["regions"], study.regions, REGIONS, {"source": "made"})
        write_table(study.files["words"], make_words(), WORDS, {})
        facts = {"classifier": "c1", "table": "reviews", "control": ["Lorem"]}
        write_table(study.files["prefixes"][0], make_prefixes(), PREFIXES, facts)
        for seed, model in enumerate(models):
            name = str(model["name"])
            study.scores[name] = make_scores(study.regions, seed, sets)
            of_model: dict[str, Any] = {"model": name, "draws": 100}
            for key, rows, schema in (
                ("scores", study.scores[name], SCORES),
                ("likelihoods", make_likelihoods(study.regions, seed), LIKELIHOODS),
                ("name_vectors", make_name_vectors(seed), NAME_VECTORS),
            ):
                path = str(folder / f"{name}.{key}.parquet")
                write_table(path, rows, schema, of_model | {"template": "People in {region} are {word}."})
                study.files[key].append(path)
        return study
