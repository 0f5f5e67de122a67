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
import pytest

import synthetic
from running import run_script
from study_schema import MEASURES, statistics_with
from unmask.benchmarks.schema import PAIRS
from unmask.evidence.schema import EVIDENCE
from unmask.files import sha256_of_file
from unmask.measures.schema import SCORES
from unmask.report.figures import note, save
from unmask.report.page import inline_svg
from unmask.tables import write_table
from unmask.terms import STATISTICS

ROOT = Path(__file__).parents[2]
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
            name: str(ROOT / "resources/pairs" / f"{name}.yaml") for name in ("published", "captions")
        }
        kinds = [*(kind for kind in STATISTICS if kind not in ("near_ties", "roc")), "pairs"]
        # one model has none to be compared with
        of_models = {"models_compared": self.parts["models_compared"] if place is None else []}
        of_each = {kind: self.parts[kind] if place is None else [self.parts[kind][place]] for kind in kinds}
        return of_each | of_models | resources


SECTIONS = ("summary", "tables", "accuracy", "controls", "agreement", "reading")


def write_sections(folder: Path, made: Made, results: dict[str, Any], settings: dict[str, Any]) -> list[str]:
    """The sections over sentence pairs, made by their script."""
    figures = {"bias_figure": made.folder / "bias.svg", "figure1": made.folder / "figure1.svg"}
    paths = {name: str(folder / f"{name}.json") for name in SECTIONS}
    run_script("write_sections", results | figures, paths, folder / "log", family="pairs", settings=settings)
    return list(paths.values())


def draw(made: Made, folder: Path) -> None:
    run_script(
        "draw_figures",
        {kind: made.parts[kind] for kind in ("bias", "roc", "agreement")},
        {
            f"{name}_{kind}": str(folder / f"{name}.{kind}")
            for name in ("figure1", "bias")
            for kind in ("svg", "png")
        },
        folder / "log",
        models=MODELS,
        benchmarks=BENCHMARKS,
    )


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Made]:
    folder = tmp_path_factory.mktemp("study")
    made = Made(folder, {kind: [] for kind in (*STATISTICS, "models_compared", "scores", "pairs")})
    for place, model in enumerate(MODELS):
        for other, benchmark in enumerate(BENCHMARKS):
            parts = synthetic.make(50, seed=2 * place + other, rated=other == 0, directed=other == 0)
            base = folder / f"{place}-{other}"
            facts = {"model": model["name"], "benchmark": benchmark["name"]}
            frames = {"pairs": (parts.pairs, PAIRS), "scores": (parts.scores, SCORES)}
            frames["shuffled_scores"] = (parts.shuffled_scores, SCORES)
            frames |= {m.replace("-", "_"): (rows, EVIDENCE) for m, rows in parts.evidence.items()}
            frames["shuffled"] = (parts.shuffled, EVIDENCE)
            for name, (rows, schema) in frames.items():
                write_table(base / f"{name}.parquet", rows, schema, facts)
            makes = {kind: str(base / f"statistics-{kind}.parquet") for kind in STATISTICS}
            run_script(
                "compute_statistics",
                {name: str(base / f"{name}.parquet") for name in frames},
                makes,
                folder / "log",
                measures=MEASURES,
                options=statistics_with(chance={"draws": 100, "seed": 0}),
                model=model["name"],
                benchmark=benchmark["name"],
            )
            for kind, path in makes.items():
                made.parts[kind].append(path)
            for kind in ("scores", "pairs"):
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
    tables = [f"table{number}" for number in (1, 3, 4, 5)]
    makes = {
        f"{name}_{kind}": str(folder / f"{name}.{kind}") for name in tables for kind in ("csv", "md", "tex")
    }
    makes |= {f"{name}_csv": str(folder / f"{name}.csv") for name in (*STATISTICS, "models_compared")}
    makes.pop("roc_csv")
    near_ties = {"near_ties": made.parts["near_ties"]}
    run_script("make_tables", made.results() | near_ties, makes, folder / "log", **study)
    draw(made, folder)
    truth = {
        f"p{i}": {
            "factor": "association",
            "p": 0.75,
            "ratio": 1,
            "direction": "stereo",
            "margins": {"CPS": 1.0986, "SSS": 1.0986, "AllMasked": 0.0},
        }
        for i in range(50)
    }
    (folder / "truth.json").write_text(json.dumps({"world": "w", "benchmarks": {"crows-pairs": truth}}))
    sections = write_sections(folder, made, made.results(), study)
    run_script(
        "write_sections",
        {
            "truths": [str(folder / "truth.json")],
            "scores": made.parts["scores"],
            "captions": str(ROOT / "resources/worlds/captions.yaml"),
        },
        {"planted": folder / "planted.json"},
        folder / "log",
        family="worlds",
        settings={"models": MODELS, "benchmarks": BENCHMARKS},
    )
    stated: dict[str, Any] = {"sha256": "ab" * 32, "files": [{"name": "x.csv", "bytes": 5}], "note": HOSTILE}
    (folder / "facts.json").write_text(json.dumps(stated))
    run_script(
        "write_provenance",
        [folder / "facts.json"],
        [folder / "provenance.json"],
        folder / "log",
        settings={"measures": ["AUL"]},
        entries=[{"title": "Benchmark cp", "files": [str(folder / "facts.json")], "keys": []}],
    )
    run_script(
        "write_report",
        [*sections, folder / "planted.json", folder / "provenance.json"],
        {"page": str(folder / "index.html")},
        folder / "log",
        title="A <study>",
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
    assert (
        " scores of trained models on cp, by their distance from 50: " in text
        and "Of the 7 scores of untrained models on cp" in text
    )
    assert "ab" * 32 in reader.text
    assert "files.x.csv.bytes" in reader.text
    assert any(text.startswith("A control") for text in reader.text)
    sums = bias.query("model == 'bert' and measure == 'AllMaskedSum' and grouping == 'difference'")["score"]
    assert len(sums) == 2
    for score in sums:
        assert any(cell.startswith(f"{score:+.2f} (") for cell in reader.text)
        assert f"{abs(score):.2f}" in reader.text
    for label in ("published", "corrected", "paper", "difference"):
        assert label in reader.text
    assert reader.counts["svg"] == 2


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
    words = {element.text for element in ElementTree.fromstring(svg).iter() if element.tag.endswith("}text")}
    assert f"AUL  {auc.item():.3f}" in words
    assert "false positive rate" in words
    assert "date" not in svg.lower()
    assert (made.folder / "bias.png").read_bytes().startswith(b"\x89PNG")


def test_a_study_without_ratings_has_a_figure_that_says_so(made: Made, tmp_path: Path) -> None:
    run_script(
        "draw_figures",
        {kind: [made.parts[kind][1]] for kind in ("bias", "roc", "agreement")},
        {
            f"{n}_{kind}": str(tmp_path / f"{n}.{kind}")
            for n in ("figure1", "bias")
            for kind in ("svg", "png")
        },
        tmp_path / "log",
        models=MODELS[:1],
        benchmarks=BENCHMARKS[1:],
    )
    assert "this study has none" in (tmp_path / "figure1.svg").read_text(encoding="utf-8")


def test_a_small_study_still_has_a_page(made: Made, tmp_path: Path) -> None:
    """One model, a benchmark without ratings or directions, nothing planted."""
    settings = {"models": MODELS[:1], "benchmarks": BENCHMARKS[1:], "alpha": 0.01}
    sections = write_sections(tmp_path, made, made.results(1), settings)
    run_script(
        "write_report", sections, {"page": str(tmp_path / "index.html")}, tmp_path / "log", title="small"
    )
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "1 masked language model (bert)" in page
    assert "Readings of the human ratings" not in page
    assert "Nothing in this study has what this table needs." in page


def test_a_section_says_what_it_was_made_from(made: Made) -> None:
    stored = json.loads((made.folder / "summary.json").read_bytes())
    assert stored["made_from"][made.parts["bias"][0]] == sha256_of_file(made.parts["bias"][0])
    assert str(made.folder / "bias.svg") in stored["made_from"]
    assert stored["code"] == "digest" and "pandas" in stored["versions"]


def test_an_svg_in_a_page_has_ids_of_its_own() -> None:
    svg = (
        '<?xml version="1.0"?><!DOCTYPE svg><svg width="3pt" height="4pt" viewBox="0 0 3 4"><defs>'
        '<path id="m1"/></defs><use xlink:href="#m1"/><g clip-path="url(#m1)"/></svg>'
    )
    assert inline_svg(svg, "f") == (
        '<svg viewBox="0 0 3 4"><defs><path id="f-m1"/></defs><use xlink:href="#f-m1"/>'
        '<g clip-path="url(#f-m1)"/></svg>'
    )


def test_text_in_an_svg_that_looks_like_markup_is_left_alone() -> None:
    text = 'x id="y" url(#z) href="#w"'
    assert text in inline_svg(f'<svg viewBox="0 0 3 4"><text id="t">{text}</text></svg>', "f")


@pytest.mark.parametrize("text", [r"$\foo{$", "$a$ and $b$", r"\$x", "$$", "_x^2", "100 % #1 ~ {a}"])
def test_text_in_a_figure_is_drawn_as_it_is(text: str, tmp_path: Path) -> None:
    save(note(text), tmp_path / "a.svg", tmp_path / "a.png")
    drawn = [element.text for element in ElementTree.parse(tmp_path / "a.svg").iter() if element.text]
    assert text in [line.strip() for line in drawn]


def test_analysis_never_imports_torch_or_snakemake() -> None:
    code = (
        "import sys, unmask.statistics.computing, unmask.report.page, unmask.pairs.figures\n"
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
    wanted = ["Adv", "Dis", "Adv − Dis", "raw", "Holm", "here", "on average by chance", "words alone"]
    assert labels[-8:] == wanted
