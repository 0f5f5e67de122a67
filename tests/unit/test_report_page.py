"""From statistics to the page of a small study: what is shown was computed, and names are only text."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import synthetic
from library import (
    FLAWS,
    NO_FIGURE,
    PAIRS,
    SCHEMAS,
    SCORES,
    STATISTICS,
    WIDTH,
    Chart,
    Fold,
    Section,
    TableBlock,
    flaws_table,
    read_sections,
    sha256_of_file,
    title_of,
    write_table,
)
from pages import Page
from running import present, run_script
from shown import Computed, check_first_sentence
from study_schema import MEASURES, statistics_with

ROOT = Path(__file__).parents[2]
HOSTILE = r"a<script>alert(1)</script>&b $\foo{$"
MODELS = [
    {"name": "bert", "published": "bert-base-cased", "source": "hub"},
    {"name": HOSTILE, "source": "random"},
]
BENCHMARKS = [
    {"name": "cp", "published": "crows-pairs", "format": "crows-pairs"},
    {"name": "ss", "published": "stereoset", "world": "w", "format": "stereoset"},
]
NAMES = [each["name"] for each in MODELS]
TABLES = ("table1", "table3", "table4", "table5")
CSV = [name for name in (*STATISTICS, "compared") if name not in ("roc", "measures_compared")]
RESOURCES = {name: ROOT / "resources/pairs" / name for name in ("published.csv", "captions.yaml")}
FIGURES = ("figure1", "bias")


def shown_in(folder: Path, files: dict[str, Any], models: Any, benchmarks: Any, truths: Any = ()) -> Path:
    """The tables, figures, sections and page of these statistics, in a folder."""
    settings = {"models": models, "benchmarks": benchmarks, "judged": ["bert"], "measures": MEASURES}
    settings |= {"explorer": {"models": []}, "series": {"states": {"first": "bert", "second": HOSTILE}}}
    inputs = {**files, "explored": [], "versions": [], "truths": list(truths)}
    inputs |= {name.partition(".")[0]: str(path) for name, path in RESOURCES.items()}
    makes = {f"{name}_{form}": folder / f"{name}.{form}" for name in TABLES for form in ("csv", "md", "tex")}
    makes |= {f"{name}_csv": folder / f"{name}.csv" for name in CSV}
    makes |= {f"{name}_{form}": folder / f"{name}.{form}" for name in FIGURES for form in ("svg", "png")}
    makes |= {"planted_csv": folder / "planted.csv", "pairs": folder / "pairs.json"}
    present("pairs", inputs, makes, folder / "log", settings)
    (folder / "facts.json").write_text(json.dumps({"sha256": "ab" * 32, "note": HOSTILE}))
    entries = [{"title": "Benchmark cp", "files": [str(folder / "facts.json")], "keys": []}]
    outputs = {"page": "index.html", "summary": "summary.txt", "provenance": "provenance.json"}
    run_script(
        "write_report",
        {"sections": [folder / "pairs.json"], "origins": [folder / "facts.json"]},
        {name: folder / file for name, file in outputs.items()},
        folder / "log",
        title="A <study>",
        settings={"study": "made", "measures": ["AUL"]},
        entries=entries,
    )
    return folder


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Statistics of two models on two benchmarks, as jobs leave them: lists of files by name."""
    folder = tmp_path_factory.mktemp("statistics")
    names = (*STATISTICS, "scores", "pairs", "flaws", "models_compared", "states")
    files: dict[str, Any] = {name: [] for name in names}
    options = statistics_with(chance={"draws": 100, "seed": 0})
    for place, model in enumerate(NAMES):
        for other, benchmark in enumerate(("cp", "ss")):
            made = synthetic.make(50, seed=2 * place + other, rated=other == 0, directed=other == 0)
            tables = synthetic.statistics_of(made, options)
            frames = {"scores": (made.scores, SCORES)}
            frames |= {name: (tables[name], SCHEMAS[name]) for name in STATISTICS}
            # tables of a benchmark are there once: those of the last model's pairs
            if place:
                frames |= {"pairs": (made.pairs, PAIRS), "flaws": (flaws_table(made.pairs), FLAWS)}
            for name, (rows, schema) in frames.items():
                files[name].append(str(folder / f"{place}-{other}-{name}.parquet"))
                facts = {"model": model, "benchmark": benchmark, "options": options, "evidence": {}}
                write_table(files[name][-1], rows, schema, facts)
    options = {"confidence": 0.95, "clusters": ["target"]}
    for other, benchmark in enumerate(("cp", "ss")):
        inputs = {"pairs": files["pairs"][other], "scores": files["scores"][other::2]}
        for kind, about in (
            ("models_compared", {"models": NAMES}),
            ("states", {"series": "states", "states": ["first", "second"]}),
        ):
            files[kind].append(str(folder / f"{kind}-{other}.parquet"))
            run_script(
                "compare_scores",
                inputs,
                files[kind][-1:],
                folder / "log",
                measures=MEASURES,
                options=options,
                about={"benchmark": benchmark, **about},
                what=benchmark,
            )
    return files


@pytest.fixture(scope="module")
def made(files: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("study")
    fact = {"factor": "association", "p": 0.75, "ratio": 1, "direction": "stereo", "margins": {}}
    types = synthetic.BIAS_TYPES
    truth = {f"p{i}": fact | {"bias_type": types[i % len(types)]} for i in range(50)}
    (folder / "truth.json").write_text(json.dumps({"world": "w", "benchmarks": {"stereoset": truth}}))
    return shown_in(folder, files, MODELS, BENCHMARKS, [folder / "truth.json"])


@pytest.fixture(scope="module")
def sections(made: Path) -> dict[str, Section]:
    return {section.name: section for section in read_sections(made / "pairs.json")}


def blocks(section: Section, kind: type[Any], title: str = "") -> list[Any]:
    """The blocks of a kind in a section, or in those of its folds whose title begins so."""
    if not title:
        return [block for block in section.every_block() if isinstance(block, kind)]
    folds = [fold for fold in blocks(section, Fold) if fold.title.startswith(title)]
    return [block for fold in folds for block in blocks(replace(section, blocks=fold.blocks), kind)]


def test_the_page_stands_alone_and_names_are_text(made: Path) -> None:
    page = Page((made / "index.html").read_text(encoding="utf-8"))
    assert page.links and {each[1:] for each in page.links if each[0] == "#"} <= set(page.ids)
    assert HOSTILE in page.texts and any("A <study>" in text for text in page.texts)
    assert {"ab" * 32, "published", "corrected", "paper", "difference"} <= set(page.texts)


COMPARED = "Measures, models, versions and states compared"
BIAS = "variant == 'original' and protocol == 'corrected' and score.notna()"
OVERALL = f"{BIAS} and grouping == 'overall'"
CURVE = ("false_positive_rate", "true_positive_rate")
SHOWN = {
    ("answer", ""): ("bias", f"{OVERALL} and measure == 'AUL'"),
    ("planted", ""): ("planted", "benchmark == 'ss' and score.notna()"),
    ("groups", ""): ("bias", f"{BIAS} and grouping in ['bias_type', 'direction']"),
    ("series", ""): ("bias", f"{OVERALL} and measure == 'AUL'"),
    ("trust", COMPARED): ("compared", "protocol == 'corrected'"),
}
"""By section and fold, the table, and its rows that are drawn."""


@pytest.mark.parametrize(("section", "fold"), SHOWN)
def test_charts_have_the_rows_of_the_tables(
    made: Path, sections: dict[str, Section], section: str, fold: str
) -> None:
    """Each row of a chart is a row of a table, and none is missing."""
    name, query = SHOWN[section, fold]
    table = pd.read_csv(made / f"{name}.csv").query(query)
    rows = [row for drawn in blocks(sections[section], Chart, fold) for row in drawn.rows]
    assert len(rows) == len(table) > 0
    computed = Computed([table])
    assert not [row for row in rows if computed.lacks(row, ("reported", "chance_low", "chance_high"))]


def test_curves_are_those_of_the_statistics(sections: dict[str, Section], files: dict[str, Any]) -> None:
    titles = {title_of(name): name for name in MEASURES if not name.startswith("AllMasked")}
    drawn = [each.rows for each in blocks(sections["trust"], Chart, "Figure 1")]
    assert len(drawn) == len(NAMES)
    for place, values in zip((0, 2), drawn, strict=True):
        rows = pd.DataFrame(values)
        assert list(rows["measure"].drop_duplicates()) == list(titles)
        table = pd.read_parquet(files["roc"][place]).query("protocol == 'published'")
        for measure, own in rows[rows["drawn"] == "curve"].groupby("measure"):
            known = table.loc[table["measure"] == titles[str(measure)], [*CURVE]]
            assert own[[*CURVE]].to_numpy().tolist() == known.to_numpy().tolist()


def test_tables_come_in_three_forms_and_files_keep_every_digit(made: Path, files: dict[str, Any]) -> None:
    for name in TABLES:
        numbers = pd.read_csv(made / f"{name}.csv")
        cells = [f"{x:.2f}" for x in numbers["value"].abs() if x == x]
        for form in ("md", "tex"):
            text = (made / f"{name}.{form}").read_text(encoding="utf-8")
            assert cells and all(cell in text for cell in cells), (name, form)
        assert set(numbers["model"]) <= {*NAMES} and "bert" in set(numbers["model"])
    table = pd.read_csv(made / "table5.csv").query("model == 'bert' and benchmark == 'cp'")
    bias = pd.read_parquet(files["bias"][0]).query("grouping == 'overall' and variant == 'original'")
    score: Any = bias.set_index(["measure", "protocol"])["score"]
    shown = table.set_index(["measure", "row"])["value"]
    assert len(table) >= 6 and all(value == score[key] for key, value in shown.items())


def test_the_answer_says_what_the_scores_say(made: Path, sections: dict[str, Section]) -> None:
    answer, bias = sections["answer"], pd.read_csv(made / "bias.csv").query(OVERALL)
    said = " ".join(text for _, text in answer.answers)
    assert answer.title.startswith("bert") and HOSTILE not in answer.title + said
    for row in bias.query("model == 'bert' and measure == 'AUL'").to_dict("records"):
        assert (
            f"{row['score']:.1f}% of {row['benchmark']} (95% CI {row['low']:.1f} to {row['high']:.1f}" in said
        )
        assert row["verdict"] in said
    own = bias[(bias["model"] == "bert") & ~bias["measure"].str.startswith("AllMasked")]
    own = own[own["low"].notna() & own["null_low"].notna()]
    clear = ~own["score"].between(own["null_low"], own["null_high"])
    clear &= ~((own["low"] <= 50) & (own["high"] >= 50))
    of = f"Of {len(own)} testable scores by {own['measure'].nunique()} measures"
    assert f"{of}, {clear.sum() or 'none'} show" in said
    assert (own["p_holm"] >= own[["p", "null_p"]].max(axis=1)).all()
    assert bias.loc[bias["model"] == HOSTILE, "p_holm"].isna().all()
    # every score stands once in the table of the first screen, with its verdict
    (table,) = blocks(answer, TableBlock, "Every score with its verdict")
    shown = {tuple(row[:3]): row[3:] for row in table.sheet.rows}
    assert len(shown) == len(table.sheet.rows) == len(bias)
    for row in bias.to_dict("records"):
        name = row["model"] + (" (never trained)" if row["model"] == HOSTILE else "")
        cells = shown[name, row["benchmark"], title_of(row["measure"])]
        assert cells[0] == f"{row['score']:.1f}" and row["verdict"] in cells
    text = (made / "summary.txt").read_text(encoding="utf-8")
    assert text.startswith("A <study>\n\nbert") and max(map(len, text.splitlines())) <= WIDTH
    assert answer.headline and all(cell in text for row in answer.headline.rows for cell in row)


def test_differences_are_compared_and_counted_once(made: Path, sections: dict[str, Section]) -> None:
    """Holm's correction is over one kind and protocol; a difference is clear below the level after it."""
    compared = pd.read_csv(made / "compared.csv")
    assert set(compared["kind"]) == {"measures", "models", "states"}
    for _, rows in compared.groupby(["kind", "protocol"]):
        known = rows.dropna(subset="p").sort_values("p")
        factor = range(len(known), 0, -1)
        slow = (known["p"] * [*factor]).cummax().clip(upper=1)
        assert known["p_holm"].tolist() == pytest.approx(slow.tolist())
    (table,) = blocks(sections["trust"], TableBlock, COMPARED)
    assert len(table.sheet.rows) == (compared["protocol"] == "corrected").sum()
    rows = compared[(compared["kind"] == "measures") & (compared["protocol"] == "corrected")]
    rows = rows[
        (rows["model"] == "bert") & ~rows[["first", "second"]].isin(["AllMasked", "AllMaskedSum"]).any(axis=1)
    ]
    count = int((rows["p_holm"] < 0.05).sum()) or "none"
    said = f"Of {rows['p'].notna().sum()} differences between two measures of a model, {count} "
    assert any(text.startswith(said) for text in sections["trust"].sentences)
    # a state less the first is the second model less the first
    both = [
        compared[(compared["kind"] == kind) & (compared["protocol"] == "corrected")]
        for kind in ("models", "states")
    ]
    models, states = (rows.set_index(["benchmark", "measure"])["difference"].sort_index() for rows in both)
    assert states.tolist() == pytest.approx((-models[states.index]).tolist())


def test_the_first_sentence_of_a_section_says_something(sections: dict[str, Section]) -> None:
    for section in sections.values():
        if section.sentences:
            check_first_sentence(section)


def test_a_small_study_still_has_a_page(files: dict[str, Any], tmp_path: Path) -> None:
    """One model, a benchmark without ratings or directions, nothing planted."""
    of_one = {name: paths[1:2] for name, paths in files.items()} | {"models_compared": [], "states": []}
    folder = shown_in(tmp_path, of_one, MODELS[:1], [{"name": "ss", "published": "stereoset"}])
    assert "bert" in Page((folder / "index.html").read_text(encoding="utf-8")).texts
    assert NO_FIGURE in (folder / "figure1.svg").read_text(encoding="utf-8")
    made = json.loads((folder / "pairs.json").read_text())
    assert [section["name"] for section in made["sections"]] == ["answer", "groups", "trust", "method"]
    assert made["made_from"][files["bias"][1]] == sha256_of_file(files["bias"][1])
    assert "pandas" in made["versions"]
