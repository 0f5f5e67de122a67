"""The scripts from statistics to report, run as Snakemake runs them, and what they leave."""

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import synthetic
from library import (
    ARITHMETIC,
    CLEAR,
    EVIDENCE,
    FLAWS,
    PAIRS,
    SCHEMAS,
    SCORES,
    STATISTICS,
    WIDTH,
    Chart,
    Choice,
    Fold,
    Items,
    PairResults,
    Table,
    explained,
    flaws_table,
    framed,
    read_section,
    read_table,
    sha256_of_file,
    title_of,
    write_table,
)
from page_words import check_first_sentence
from running import present, run_script
from study_schema import MEASURES, statistics_with

ROOT = Path(__file__).parents[2]
PUBLISHED = str(ROOT / "resources/pairs/published.csv")
HOSTILE = r"a<script>alert(1)</script>&b $\foo{$"
MODELS: list[dict[str, str]] = [
    {"name": "bert", "published": "bert-base-cased", "source": "hub"},
    {"name": HOSTILE, "source": "random"},
]
BENCHMARKS: list[dict[str, str]] = [
    {"name": "cp", "published": "crows-pairs", "world": "w", "format": "crows-pairs"},
    {"name": "ss", "published": "stereoset"},
]


@dataclass
class Made:
    """All files that the scripts made of a small study."""

    folder: Path
    parts: dict[str, list[str]] = field(default_factory=dict)

    @property
    def page(self) -> str:
        return (self.folder / "index.html").read_text(encoding="utf-8")

    def results(self, place: int | None = None) -> dict[str, Any]:
        """What the sections over sentence pairs are made from; of one model and benchmark alone on demand."""
        resources = {
            "published": PUBLISHED,
            "captions": str(ROOT / "resources/pairs/captions.yaml"),
        }
        without = ("roc",)
        kinds = [*(kind for kind in STATISTICS if kind not in without), "pairs"]
        # one model has none to be compared with
        of_models = {
            "versions": [],
            "models_compared": self.parts["models_compared"] if place is None else [],
        }
        of_each = {kind: self.parts[kind] if place is None else [self.parts[kind][place]] for kind in kinds}
        return of_each | of_models | resources


NO_EXPLORER: dict[str, Any] = {"models": [], "benchmarks": [], "most": None, "megabytes": None}
SECTIONS = (
    "overview",
    "groups",
    "disagreement",
    "summary",
    "tables",
    "accuracy",
    "controls",
    "agreement",
    "quality",
    "reading",
)


def write_sections(folder: Path, made: Made, results: dict[str, Any], settings: dict[str, Any]) -> list[str]:
    """The sections over sentence pairs, made by their script."""
    others: dict[str, Any] = {name: made.parts[name] for name in ("scores", "flaws", "roc")}
    others["explored"] = []
    paths = {name: str(folder / f"{name}.json") for name in SECTIONS}
    present("pairs", results | others, paths, folder / "log", settings)
    return list(paths.values())


def figures_in(folder: Path) -> dict[str, str]:
    names = ("figure1", "bias")
    return {f"{name}_{form}": str(folder / f"{name}.{form}") for name in names for form in ("svg", "png")}


def draw(made: Made, folder: Path) -> None:
    curves = {"roc": made.parts["roc"]}
    settings = {"models": MODELS, "benchmarks": BENCHMARKS, "alpha": 0.01}
    present("pairs", made.results() | curves, figures_in(folder), folder / "log", settings)


def report_in(folder: Path) -> dict[str, str]:
    """The outputs of the report's script."""
    names = {"page": "index.html", "summary": "summary.txt", "provenance": "provenance.json"}
    return {name: str(folder / file) for name, file in names.items()}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Made]:
    folder = tmp_path_factory.mktemp("study")
    made = Made(folder, {kind: [] for kind in (*STATISTICS, "models_compared", "scores", "pairs", "flaws")})
    for place, model in enumerate(MODELS):
        for other, benchmark in enumerate(BENCHMARKS):
            parts = synthetic.make(50, seed=2 * place + other, rated=other == 0, directed=other == 0)
            base = folder / f"{place}-{other}"
            facts = {"model": model["name"], "benchmark": benchmark["name"], "evidence": {}}
            frames = {"pairs": (parts.pairs, PAIRS), "scores": (parts.scores, SCORES)}
            frames["shuffled_scores"] = (parts.shuffled_scores, SCORES)
            frames |= {m.replace("-", "_"): (rows, EVIDENCE) for m, rows in parts.evidence.items()}
            frames["shuffled"] = (parts.shuffled, EVIDENCE)
            for name, (rows, schema) in frames.items():
                write_table(base / f"{name}.parquet", rows, schema, facts)
            makes = {kind: str(base / f"statistics-{kind}.parquet") for kind in STATISTICS}
            write_table(base / "flaws.parquet", flaws_table(parts.pairs), FLAWS, facts)
            options = statistics_with(chance={"draws": 100, "seed": 0})
            statistics = synthetic.statistics_of(parts, options)
            for kind, path in makes.items():
                write_table(path, statistics[kind], SCHEMAS[kind], {**facts, "options": options})
                made.parts[kind].append(path)
            made.parts["scores"].append(str(base / "scores.parquet"))
            # tables of a benchmark are there once: those of the last model's pairs
            if model == MODELS[-1]:
                for kind in ("pairs", "flaws"):
                    made.parts[kind].append(str(base / f"{kind}.parquet"))
    for other, benchmark in enumerate(BENCHMARKS):
        path = str(folder / f"compared-{other}.parquet")
        scores = [str(folder / f"{place}-{other}" / "scores.parquet") for place in range(len(MODELS))]
        run_script(
            "compare_models",
            {"pairs": str(folder / f"0-{other}" / "pairs.parquet"), "scores": scores},
            [path],
            folder / "log",
            measures=MEASURES,
            options={"confidence": 0.95, "clusters": ["target"]},
            models=[model["name"] for model in MODELS],
            benchmark=benchmark["name"],
        )
        made.parts["models_compared"].append(path)
    study: dict[str, Any] = {"models": MODELS, "benchmarks": BENCHMARKS, "alpha": 0.01}
    study["explorer"] = NO_EXPLORER
    tables = [f"table{number}" for number in (1, 3, 4, 5)]
    makes = {
        f"{name}_{kind}": str(folder / f"{name}.{kind}") for name in tables for kind in ("csv", "md", "tex")
    }
    makes |= {f"{name}_csv": str(folder / f"{name}.csv") for name in (*STATISTICS, "models_compared")}
    makes.pop("roc_csv")
    present("pairs", made.results(), makes, folder / "log", study)
    draw(made, folder)
    truth = {
        f"p{i}": {
            "factor": "association",
            "bias_type": synthetic.BIAS_TYPES[i % len(synthetic.BIAS_TYPES)],
            "p": 0.75,
            "ratio": 1,
            "direction": "stereo",
            "margins": {"CPS": 1.0986, "SSS": 1.0986, "AllMasked": 0.0},
        }
        for i in range(50)
    }
    (folder / "truth.json").write_text(json.dumps({"world": "w", "benchmarks": {"crows-pairs": truth}}))
    sections = write_sections(folder, made, made.results(), study)
    truths = {"truths": [str(folder / "truth.json")], "planted_scores": made.parts["scores"]}
    planted = {"planted": str(folder / "planted.json")}
    present("pairs", made.results() | truths, planted, folder / "log", study | {"judged": ["bert"]})
    stated: dict[str, Any] = {"sha256": "ab" * 32, "files": [{"name": "x.csv", "bytes": 5}], "note": HOSTILE}
    (folder / "facts.json").write_text(json.dumps(stated))
    run_script(
        "write_report",
        {"sections": [*sections, folder / "planted.json"], "origins": [folder / "facts.json"]},
        report_in(folder),
        folder / "log",
        title="A <study>",
        settings={"study": "made", "measures": ["AUL"]},
        entries=[{"title": "Benchmark cp", "files": [str(folder / "facts.json")], "keys": []}],
    )
    yield made


VOID = {"meta", "br", "link", "img", "input", "hr"}


class Reader(HTMLParser):
    """Checks that tags close in order, and keeps what the page refers to and its ids."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.counts: dict[str, int] = {}
        self.ids: list[str] = []
        self.references: list[str] = []
        self.boxed: list[bool] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.counts[tag] = self.counts.get(tag, 0) + 1
        if tag == "table":
            self.boxed.append(self.open[-1] == "div")
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attrs:
            if name == "id" and value:
                self.ids.append(value)
            if name in {"href", "xlink:href", "src", "data", "action"} and value:
                self.references.append(value)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1] == tag, f"</{tag}> closes <{self.open[-1]}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.text.append(data)


@pytest.fixture(scope="module")
def reader(made: Made) -> Reader:
    reader = Reader()
    reader.feed(made.page)
    reader.close()
    return reader


def test_the_page_is_well_formed_and_refers_to_nothing_outside(made: Made, reader: Reader) -> None:
    assert made.page.startswith("<!DOCTYPE html>")
    assert reader.open == []
    assert reader.references
    assert all(reference.startswith("#") for reference in reader.references)
    assert "@import" not in made.page
    assert "url(http" not in made.page
    assert len(reader.ids) == len(set(reader.ids))
    assert {reference[1:] for reference in reader.references} <= set(reader.ids)
    assert 'name="viewport"' in made.page
    assert "prefers-color-scheme: dark" in made.page


def test_every_table_scrolls_in_its_own_box(reader: Reader) -> None:
    assert len(reader.boxed) >= 10
    assert all(reader.boxed)


def test_everything_is_escaped(made: Made, reader: Reader) -> None:
    assert "<script>alert" not in made.page
    assert any("A <study>" in text for text in reader.text)
    assert HOSTILE in reader.text


def test_the_page_says_what_was_found(made: Made, reader: Reader) -> None:
    text = " ".join(reader.text)
    bias = pd.read_csv(made.folder / "bias.csv")
    row = bias.query("model == 'bert' and benchmark == 'cp' and measure == 'AUL' and grouping == 'overall'")
    assert set(row["variant"]) == {"original", "shuffled"}
    for score in row.loc[row["variant"] == "original", "score"]:
        assert f"{score:.2f}" in reader.text
    for score in row.loc[row["variant"] == "shuffled", "score"]:
        assert any(cell.startswith(f"{score:.2f} (") for cell in reader.text)
    assert "2 masked language models" in text
    assert "has random weights" in text
    assert "ss has no human ratings" in text
    assert "near-ties" in text
    assert "llm-bias" in text
    assert "+1.0986" in reader.text
    # all measures of either, of which two are controls
    count = len(MEASURES)
    for whose in ("trained", "untrained"):
        counted = f"Of {count} scores of {whose} models on cp, {count - 2} are testable and 2 are controls."
        assert counted in text
    assert "ab" * 32 in reader.text
    assert "files.x.csv.bytes" in reader.text
    assert any(text.startswith("A control") for text in reader.text)
    sums = bias.query("model == 'bert' and measure == 'AllMaskedSum' and grouping == 'difference'")["score"]
    assert len(sums) == 2
    for score in sums:
        cell = f"{score:+.2f} (".replace("-", "\N{MINUS SIGN}")
        assert any(text.startswith(cell) for text in reader.text)
        assert f"{abs(score):.2f}" in reader.text
    for label in ("published", "corrected", "paper", "difference"):
        assert label in reader.text
    # all are charts, which a browser draws
    assert "svg" not in reader.counts


def test_the_tables_are_all_there(made: Made) -> None:
    for number in (1, 3, 4, 5):
        for kind in ("csv", "md", "tex"):
            assert (made.folder / f"table{number}.{kind}").stat().st_size > 100
    tests = pd.read_csv(made.folder / "tests.csv")
    assert {"p", "p_holm"} <= set(tests.columns)
    assert set(pd.read_csv(made.folder / "table5.csv")["model"]) == {"bert", HOSTILE}


def test_csv_keeps_full_precision(made: Made) -> None:
    table = pd.read_csv(made.folder / "table5.csv")
    bias = pd.read_parquet(made.parts["bias"][0])
    overall = bias.query("grouping == 'overall' and measure == 'AUL' and variant == 'original'")
    score = dict(zip(overall["protocol"], overall["score"], strict=True))
    ours = table[(table["model"] == "bert") & (table["benchmark"] == "cp") & (table["measure"] == "AUL")]
    for row in ours.to_dict("records"):
        assert row["value"] == score[row["row"]]


def test_figures_are_the_same_every_time(made: Made, tmp_path: Path) -> None:
    draw(made, tmp_path)
    for name in ("figure1.svg", "figure1.png", "bias.svg", "bias.png"):
        assert (tmp_path / name).read_bytes() == (made.folder / name).read_bytes(), name


def test_figures_have_readable_text_and_no_date(made: Made) -> None:
    svg = (made.folder / "figure1.svg").read_text(encoding="utf-8")
    agreement = pd.read_csv(made.folder / "agreement.csv")
    auc = agreement.query("chosen and model == 'bert' and protocol == 'published' and measure == 'AUL'")[
        "auc"
    ]
    tags = ("}text", "}tspan")
    words = {element.text for element in ElementTree.fromstring(svg).iter() if element.tag.endswith(tags)}
    assert any(text and text.startswith(f"AUL: area {auc.item():.2f} (") for text in words)
    assert {"bert on cp", "false positive rate"} <= words
    assert "date" not in svg.lower()
    assert (made.folder / "bias.png").read_bytes().startswith(b"\x89PNG")


def test_a_study_without_ratings_has_a_figure_that_says_so(made: Made, tmp_path: Path) -> None:
    curves = {"roc": [made.parts["roc"][1]]}
    settings = {"models": MODELS[:1], "benchmarks": BENCHMARKS[1:], "alpha": 0.01}
    present("pairs", made.results(1) | curves, figures_in(tmp_path), tmp_path / "log", settings)
    assert "this study has none" in (tmp_path / "figure1.svg").read_text(encoding="utf-8")


def charts_of(path: Path) -> dict[str, Chart]:
    """The charts of a section by the title of the fold, or of the option, that they are in."""
    section = read_section(path)
    folds = [block for block in section.every_block() if isinstance(block, Fold)]
    inside = [(fold.title, block) for fold in folds for block in fold.blocks]
    every = [*(("", block) for block in section.blocks), *inside]
    return {title: block for title, block in every if isinstance(block, Chart)}


def shown_in_bias_csv(made: Made, grouping: str) -> pd.DataFrame:
    bias = pd.read_csv(made.folder / "bias.csv")
    chosen = bias.query("variant == 'original' and protocol == 'corrected' and grouping == @grouping")
    return chosen[chosen["score"].notna()]


NUMBERS = {
    "score": "score",
    "low": "low",
    "high": "high",
    "words_low": "null_low",
    "words_high": "null_high",
    "untrained_low": "untrained_low",
    "untrained_high": "untrained_high",
}
"""Numbers of charts, and the columns of bias.csv that have them."""


def assert_same_numbers(rows: list[dict[str, Any]], expected: pd.DataFrame) -> None:
    assert len(rows) == len(expected) > 0
    for row, (_, wanted) in zip(rows, expected.iterrows(), strict=True):
        assert (row["model"], row["benchmark"]) == (wanted["model"], wanted["benchmark"])
        assert row["measure"] == title_of(wanted["measure"])
        assert (row["group"], row["verdict"]) == (wanted["group"], wanted["verdict"])
        for name, column in NUMBERS.items():
            assert row[name] == pytest.approx(wanted[column], nan_ok=True, rel=1e-15) or (
                row[name] is None and pd.isna(wanted[column])
            )


def test_the_numbers_of_the_first_screen_are_those_of_the_table(made: Made) -> None:
    headline, drawn = charts_of(made.folder / "overview.json").values()
    scores = shown_in_bias_csv(made, "overall")
    # the model that was never trained comes last
    assert_same_numbers(headline.rows, scores[scores["measure"] == "AUL"])
    assert_same_numbers(drawn.rows, scores)
    assert {row["panel"] for row in headline.rows} == {benchmark["name"] for benchmark in BENCHMARKS}
    assert {row["panel"] for row in drawn.rows} == {
        f"{model['name']} on {benchmark['name']}" for model in MODELS for benchmark in BENCHMARKS
    }


def test_published_values_stand_beside_ours_where_there_are_some(made: Made) -> None:
    _, drawn = charts_of(made.folder / "overview.json").values()
    rows = pd.read_csv(PUBLISHED, comment="#").query("table == 'table5' and benchmark == 'crows-pairs'")
    counts = rows[rows["model"] == "bert-base-cased"].set_index("measure")["value"].to_dict()
    found = {row["measure"]: row for row in drawn.rows if row["panel"] == "bert on cp"}
    assert {"AUL", "CPS"} <= set(counts)
    for measure, count in counts.items():
        assert found[measure]["reported"] == pytest.approx(100 * count / 1508)
        assert found[measure]["reported_by"] == "Kaneko and Bollegala (2022)"
    assert all(row["reported"] is None for row in drawn.rows if row["model"] == HOSTILE)


def test_scores_by_bias_type_and_direction_are_those_of_the_table(made: Made) -> None:
    drawn = charts_of(made.folder / "groups.json")
    sides = drawn.pop("")
    assert_same_numbers(sides.rows, shown_in_bias_csv(made, "direction"))
    assert {(row["group"], row["side"][:6]) for row in sides.rows} == {
        ("antistereo", "of adv"),
        ("stereo", "of dis"),
    }
    types = shown_in_bias_csv(made, "bias_type")
    assert len(drawn) == len(MODELS) * len(BENCHMARKS)
    for title, each in drawn.items():
        chosen = (types["model"] + " on " + types["benchmark"]) == title.removeprefix("By bias type: ")
        assert_same_numbers(each.rows, types[chosen])
        assert {row["panel"] for row in each.rows} == {
            f"{row.group} ({row.n} pairs)" for row in types[chosen].itertuples()
        }


@pytest.mark.parametrize(
    "name", ["groups", "controls", "disagreement", "agreement", "quality", "accuracy", "tables"]
)
def test_the_first_sentence_of_a_section_is_short(made: Made, name: str) -> None:
    check_first_sentence(read_section(made.folder / f"{name}.json"))


def test_the_areas_drawn_are_those_of_the_table(made: Made) -> None:
    drawn = charts_of(made.folder / "agreement.json")[""]
    table = pd.read_csv(made.folder / "agreement.csv").query("chosen and auc.notna()")
    trained = [model["name"] for model in MODELS if model["source"] != "random"]
    counted = table["model"].isin(trained) & ~table["measure"].str.startswith("AllMasked")
    areas = table[counted & (table["protocol"] == "corrected")]["auc"]
    said, of_world = read_section(made.folder / "agreement.json").sentences
    assert of_world.startswith("Nobody rated the pairs of cp: the ratings of a synthetic world")
    assert f"with probability {areas.min():.2f} to {areas.max():.2f} (0.5: chance)." in said
    assert len(drawn.rows) == len(table) == 2 * 2 * len(MEASURES)
    for row, (_, wanted) in zip(drawn.rows, table.iterrows(), strict=True):
        assert row["panel"] == f"{wanted['model']}\n{wanted['benchmark']}"
        assert (row["name"], row["kind"]) == (title_of(wanted["measure"]), wanted["protocol"])
        numbers = [row["value"], row["low"], row["high"], row["positives"], row["negatives"]]
        assert numbers == list(wanted[["auc", "low", "high", "positives", "negatives"]])


def test_the_curves_drawn_are_those_of_the_statistics(made: Made) -> None:
    drawn = charts_of(made.folder / "agreement.json")
    # ss has no ratings
    assert set(drawn) == {"", *(f"{model['name']} on cp" for model in MODELS)}
    for place, model in ((0, MODELS[0]), (2, MODELS[1])):
        rows = pd.DataFrame(drawn[f"{model['name']} on cp"].rows)
        curves = pd.read_parquet(made.parts["roc"][place])
        assert list(rows["measure"].drop_duplicates()) == ["AUL", "AULA", "CPS", "SSS"]
        for measure, own in rows.groupby("measure"):
            chance = own[own["drawn"] == "chance"]
            assert (chance["false_positive_rate"] == chance["true_positive_rate"]).all() and len(chance) == 2
            names = ["false_positive_rate", "true_positive_rate"]
            chosen = curves[(curves["measure"] == measure) & (curves["protocol"] == "published")]
            found = own.loc[own["drawn"] == "curve", names]
            assert found.to_numpy().tolist() == chosen[names].to_numpy().tolist() != []


def test_accuracies_drawn_are_those_of_the_table(made: Made) -> None:
    drawn = charts_of(made.folder / "accuracy.json")
    controlled = drawn.pop("")
    table = pd.read_csv(made.folder / "accuracy.csv")
    columns = ["accuracy", "low", "high", "n"]
    original = table.query("variant == 'original' and roles == 'pair'")
    assert set(drawn) == {"cp", "ss"}
    for title, each in drawn.items():
        chosen = original[original["benchmark"] == title.removeprefix("Token accuracy: ")]
        wanted = {
            (row["model"], title_of(row["measure"]), *(row[column] for column in columns))
            for _, row in chosen.iterrows()
        }
        names = ("name", "kind", "value", "low", "high", "tokens")
        assert {tuple(row[name] for name in names) for row in each.rows} == wanted
        assert len(each.rows) == len(chosen) > 10
        # a measure is in the panel of what is counted
        modified = chosen.query("measure == 'SSS' and reading == 'modified-tokens' and model == 'bert'")
        (row,) = (r for r in each.rows if (r["panel"], r["name"], r["kind"]) == MODIFIED_OF_BERT)
        assert row["value"] == modified["accuracy"].item()
    of_aul = table.query("measure == 'AUL' and reading == 'all-tokens' and benchmark == 'cp'")
    for kind, members in (
        ("as written", "variant == 'original' and roles == 'pair'"),
        ("tokens shuffled", "variant == 'shuffled' and roles == 'pair'"),
        ("unrelated", "variant == 'original' and roles == 'unrelated'"),
    ):
        values = of_aul.query(members)["accuracy"]
        found = [row["value"] for row in controlled.rows if (row["panel"], row["kind"]) == ("cp", kind)]
        assert found == values.tolist() and len(found) == len(MODELS)


MODIFIED_OF_BERT = ("modified tokens", "bert", "SSS")


def test_scores_of_shuffled_sentences_are_those_of_the_table(made: Made) -> None:
    drawn = charts_of(made.folder / "controls.json")[""]
    bias = pd.read_csv(made.folder / "bias.csv").query("grouping == 'overall' and protocol == 'corrected'")
    keys = ["model", "benchmark", "measure"]
    of_shuffled = set(map(tuple, bias.loc[bias["variant"] == "shuffled", keys].to_numpy()))
    assert len(drawn.rows) == 2 * len(of_shuffled) > 0
    variants = {"as written": "original", "tokens shuffled": "shuffled"}
    found: Any = bias.assign(measure=bias["measure"].map(title_of)).set_index([*keys, "variant"])
    for row in drawn.rows:
        wanted = found.loc[(row["model"], row["benchmark"], row["name"], variants[row["kind"]])]
        for name, column in (
            ("value", "score"),
            ("low", "low"),
            ("high", "high"),
            ("chance_low", "null_low"),
            ("chance_high", "null_high"),
            ("pairs", "n"),
        ):
            assert row[name] == wanted[column] or (row[name] is None and pd.isna(wanted[column]))


def test_controls_say_what_is_left_without_order(made: Made) -> None:
    without_order, *others = read_section(made.folder / "controls.json").sentences
    # of each benchmark how often models prefer a sentence that means something
    of_meaning = [text for text in others if "(language model score by AUL; chance" in text]
    assert len(of_meaning) == 2
    bias = pd.read_csv(made.folder / "bias.csv").query(
        "variant == 'shuffled' and grouping == 'overall' and protocol == 'corrected'"
    )
    trained = [model["name"] for model in MODELS if model["source"] != "random"]
    own = bias[bias["model"].isin(trained) & bias["low"].notna()]
    away = own[(own["low"] > 50) | (own["high"] < 50)]
    # the one that is furthest from 50 is named, where one is away
    named = [text for text in others if text.startswith("Furthest from 50: ")]
    assert len(named) == len(others) - len(of_meaning) == bool(len(away))
    if len(away):
        furthest = away.iloc[(away["score"] - 50).abs().argmax()]
        assert (
            f"{title_of(furthest['measure'])} of {furthest['model']} on {furthest['benchmark']}" in named[0]
        )
    else:
        assert (
            f"shuffled, no score of trained models has an interval that excludes 50 ({len(own)} scores)"
            in without_order
        )


def test_models_are_compared_in_pictures_of_the_same_numbers(made: Made) -> None:
    section = read_section(made.folder / "summary.json")
    (fold,) = (b for b in section.blocks if isinstance(b, Fold) and b.title == "Model against model")
    (choice,) = (block for block in fold.blocks if isinstance(block, Choice))
    inner = {each.title: each for each in choice.options}
    assert list(inner) == [f"bert less each other model, on {name}" for name in ("cp", "ss")]
    table = pd.read_csv(made.folder / "models_compared.csv").query("protocol == 'corrected'")
    for (_, each), benchmark in zip(inner.items(), ("cp", "ss"), strict=True):
        (drawn,) = (block for block in each.blocks if isinstance(block, Chart))
        own = table[table["benchmark"] == benchmark]
        assert len(drawn.rows) == len(own) == len(MEASURES)
        for row, (_, wanted) in zip(drawn.rows, own.iterrows(), strict=True):
            assert (row["first"], row["name"]) == (wanted["first"], wanted["second"]) == ("bert", HOSTILE)
            assert row["panel"] == title_of(wanted["measure"])
            assert row["value"] == wanted["difference"]
            assert row["value"] == pytest.approx(row["first_score"] - row["second_score"])
            for end in ("low", "high"):
                assert row[end] == wanted[end] or (row[end] is None and pd.isna(wanted[end]))
            claim = "not tested" if pd.isna(wanted["p"]) else "only before correction"
            if wanted["p_holm"] < 0.01:
                claim = "holds after correction"
            elif wanted["p"] >= 0.01:
                claim = "may be noise"
            assert row["kind"] == claim


def test_the_first_screen_has_the_answer(made: Made, reader: Reader) -> None:
    section = read_section(made.folder / "overview.json")
    scores = shown_in_bias_csv(made, "overall").query("model == 'bert' and measure == 'AUL'")
    told = " ".join(section.sentences)
    assert len(scores) == 2
    for row in scores.to_dict("records"):
        assert f"{row['score']:.0f}% of {row['benchmark']} (" in told
        assert f"({row['low']:.0f} to {row['high']:.0f})" in told
    assert section.title.startswith("bert shows ") and section.title in reader.text
    assert HOSTILE not in told
    texts = [text for block in section.every_block() if isinstance(block, Items) for text in block.texts]
    assert sum("does not show that a model is unbiased" in text for text in texts) == 1
    assert sum(text.startswith(f"{HOSTILE} has random weights") for text in texts) == 1
    # each of these benchmarks has 50 pairs; ss is of no world, and real ones offend
    assert "cp (50) and ss (50) have too few pairs to say much." in texts
    assert any("offensive" in text for text in texts[:4])
    reading = read_section(made.folder / "reading.json")
    (measures,) = [block.texts for block in reading.blocks if isinstance(block, Items)]
    assert measures == tuple(map(explained, MEASURES))


def test_what_was_found_is_counted_from_the_tables(made: Made) -> None:
    section = read_section(made.folder / "overview.json")
    wary = [block.texts for block in section.every_block() if isinstance(block, Items)][-1]
    bias = shown_in_bias_csv(made, "overall")
    tested = clear = 0
    for _, row in bias[bias["model"] == "bert"].iterrows():
        if row["measure"].startswith("AllMasked") or pd.isna(row["low"]) or pd.isna(row["null_low"]):
            assert pd.isna(row["p_holm"])
            continue
        tested += 1
        assert row["p_holm"] >= max(row["p"], row["null_p"])
        outside = not row["null_low"] <= row["score"] <= row["null_high"]
        clear += outside and not row["low"] <= 50 <= row["high"]
    (counted,) = [text for text in section.sentences if "testable scores (" in text]
    assert counted.startswith(f"Of {tested} testable scores ") and f"{clear or 'none'} show" in counted
    assert bias.loc[bias["model"] == HOSTILE, "p_holm"].isna().all()
    broad = sum(row["high"] - row["low"] > 20 for _, row in bias.iterrows())
    assert any(text.startswith(f"{broad:,} of {bias['low'].notna().sum():,} intervals") for text in wary)
    details = read_section(made.folder / "summary.json").sentences
    near = f"{bias['near_ties'].sum():,} of {bias['n'].sum():,} decisions"
    assert any(text.startswith(near) for text in details)


def test_the_table_of_the_answer_has_every_score(made: Made) -> None:
    section = read_section(made.folder / "overview.json")
    (across,) = [block.sheet for block in section.blocks if isinstance(block, Table)]
    (fold,) = [fold for fold in section.blocks if isinstance(fold, Fold) and "verdict" in fold.title]
    (sheet,) = [block.sheet for block in fold.blocks if isinstance(block, Table)]
    bias = shown_in_bias_csv(made, "overall")
    names = {"bert": "bert", HOSTILE: f"{HOSTILE} (never trained)"}
    records: list[dict[Any, Any]] = bias.to_dict("records")
    wanted = [(names[row["model"]], row["benchmark"], title_of(row["measure"])) for row in records]
    assert [row[:3] for row in sheet.rows] == wanted
    heads = [label for _, label in sheet.columns]
    for cells, row in zip(sheet.rows, records, strict=True):
        shown = dict(zip(heads, cells[3:], strict=True))
        assert abs(float(shown["score"].split(" (")[0]) - row["score"]) <= 0.5
        assert shown["verdict"] == row["verdict"]
    # and the first screen has them measure by measure, but for the second reading of All-Masked
    by_measure = {
        (*row[:2], label): cell
        for row in across.rows
        for (_, label), cell in zip(across.columns, row[2:], strict=True)
    }
    for place, row in zip(wanted, records, strict=True):
        if row["measure"] == "AllMaskedSum":
            assert place not in by_measure
            continue
        cell = by_measure.pop(place)
        assert abs(float(cell.split(" (")[0]) - row["score"]) <= 0.5
        assert cell.endswith("!") == (row["verdict"] == CLEAR)
    assert not by_measure


def test_the_first_screen_says_what_the_models_ran_on(tmp_path: Path) -> None:
    facts = {
        "device": "cpu",
        "dtype": "float32",
        "versions": {"unmask": "1", "torch": "2", "transformers": "5"},
    }
    other = facts | {"device": "cuda"}
    schema = pa.schema([("x", pa.int64())])
    empty = framed([], schema)
    for name, found in (("a", {"none": facts}), ("b", {"none": other, "all": facts}), ("c", {})):
        write_table(tmp_path / name, empty, schema, {"evidence": found})

    def said(names: str) -> list[str]:
        return list(ARITHMETIC.sentences(PairResults({"scores": [tmp_path / name for name in names]}, {})))

    assert said("abc") == [
        "The models ran on cpu and cuda in float32, with Unmask 1, PyTorch 2 and transformers 5."
    ]
    assert not said("c")


def test_a_small_study_still_has_a_page(made: Made, tmp_path: Path) -> None:
    """One model, a benchmark without ratings or directions, nothing planted."""
    settings = {"models": MODELS[:1], "benchmarks": BENCHMARKS[1:], "alpha": 0.01, "explorer": NO_EXPLORER}
    sections = write_sections(tmp_path, made, made.results(1), settings)
    run_script(
        "write_report",
        {"sections": sections, "origins": []},
        report_in(tmp_path),
        tmp_path / "log",
        title="small",
        settings={"study": "small"},
        entries=[],
    )
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "1 masked language model (bert)" in page
    assert "Readings of the human ratings" not in page
    assert "Nothing in this study has what this table needs." in page


def test_a_section_says_what_it_was_made_from(made: Made) -> None:
    stored = json.loads((made.folder / "agreement.json").read_bytes())
    assert stored["made_from"][made.parts["bias"][0]] == sha256_of_file(made.parts["bias"][0])
    assert made.parts["roc"][0] in stored["made_from"]
    assert stored["code"] == "digest" and "pandas" in stored["versions"]


def test_analysis_never_imports_torch_or_snakemake() -> None:
    code = (
        "import sys, unmask.statistics.computing, unmask.report.page, unmask.pairs.agreement_charts\n"
        "print(sorted({'torch', 'transformers', 'snakemake'} & set(sys.modules)))"
    )
    found = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": str(ROOT / "scripts")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout.strip() == "[]"


def test_directions_stand_side_by_side(made: Made) -> None:
    heads = made.page[made.page.index("Adv, Dis and their difference, of every measure") :]
    heads = heads[: heads.index("<tbody>")]
    labels = [part.split("<")[0] for part in heads.split('scope="col">')[1:]]
    wanted = ["Adv", "Dis", "Adv − Dis", "raw", "Holm", "|Diff|", "word choice alone"]
    assert labels[-7:] == wanted


def test_the_summary_has_the_answer_and_its_scores(made: Made) -> None:
    text = (made.folder / "summary.txt").read_text(encoding="utf-8")
    section = read_section(made.folder / "overview.json")
    assert text.startswith(f"A <study>\n\n{section.title}\n")
    assert max(map(len, text.splitlines())) <= WIDTH
    assert section.headline is not None
    titles = [title_of(name) for name in MEASURES if name != "AllMaskedSum"]
    assert [label for _, label in section.headline.columns] == titles
    bias: Any = shown_in_bias_csv(made, "overall").set_index(["model", "benchmark", "measure"])
    for name, benchmark, *cells in section.headline.rows:
        model = name.removesuffix(" (never trained)")
        assert (name != model) == (model == HOSTILE)
        for title, cell in zip(titles, cells, strict=True):
            assert cell in text
            measure = next(each for each in MEASURES if title_of(each) == title)
            row = bias.loc[(model, benchmark, measure)]
            assert abs(float(cell.split()[0]) - row["score"]) <= 0.5
            assert cell.endswith("!") == (row["verdict"] == CLEAR)


def test_flaws_of_other_pairs_are_refused(made: Made, tmp_path: Path) -> None:
    base, other = made.folder / "0-0", str(tmp_path / "flaws.parquet")
    rows = read_table(base / "flaws.parquet", FLAWS)
    write_table(other, rows[::-1].reset_index(drop=True), FLAWS, {})
    names = ("pairs", "shuffled", *synthetic.make(1).evidence)
    inputs = {name.replace("-", "_"): str(base / f"{name.replace('-', '_')}.parquet") for name in names}
    with pytest.raises(SystemExit):
        run_script(
            "measure_pairs",
            inputs | {"flaws": other},
            {kind: str(tmp_path / f"{kind}.parquet") for kind in ("scores", *STATISTICS)},
            tmp_path / "log",
            wildcards={"model": MODELS[0]["name"], "benchmark": BENCHMARKS[0]["name"]},
            measures=MEASURES,
        )
    assert f"{other}: not of the pairs of this benchmark" in (tmp_path / "log").read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["flaws.parquet", "log"]
