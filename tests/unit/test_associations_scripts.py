"""The scripts of a suite, one after the other: from files of tests to tables of results."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from association_files import FACTS, SETS, sent_bias
from literal_associations import mean, s, size
from running import about_model, run_script
from tiny_models import tiny_model
from unmask.associations.embeddings import read_embeddings
from unmask.associations.schema import ASSOCIATIONS, STIMULI
from unmask.report.sheets import rows_of as tuples_of
from unmask.tables import read_metadata, read_table

RUNTIME = {"runtime": {"device": "cpu", "threads": 1, "batch_tokens": None}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A suite of two tests, read."""
    folder = tmp_path_factory.mktemp("suite")
    tests = {
        "names": sent_bias(),
        "sent-names": sent_bias(
            **{key: [f"This is {word}." for word in words] for key, words in SETS.items()}
        ),
    }
    for name, test in tests.items():
        (folder / f"{name}.json").write_text(json.dumps(test))
    files = {"tests": [folder / f"{name}.json" for name in tests], "facts": FACTS}
    run_script(
        "read_associations",
        files,
        [folder / "suite.parquet"],
        folder / "reading.log",
        entry={"format": "sent-bias", "only": None},
        suite="mine",
        source="*.json",
    )
    return folder


def compute(folder: Path, embeddings: Path) -> tuple[Any, dict[str, Any]]:
    output = folder / "associations.parquet"
    run_script(
        "compute_associations",
        {"stimuli": folder / "suite.parquet", "embeddings": embeddings},
        [output],
        folder / "testing.log",
        encoder="e",
        suite="mine",
        seed=0,
        confidence=0.9,
    )
    return read_table(output, ASSOCIATIONS), read_metadata(output)


def literal(stimuli: Any, vectors: Any, test: str) -> tuple[float, float]:
    """Gap and d of texts, one cosine at a time."""
    of_test = stimuli[stimuli["test"].eq(test)]
    sets = {name: vectors[rows["stimulus"]] for name, rows in of_test.groupby("set")}
    x, y = ([s(w, sets["A"], sets["B"]) for w in sets[name]] for name in "XY")
    return mean(x) - mean(y), size(x, y)


def test_a_model_of_the_study(folder: Path, tmp_path: Path) -> None:
    model = tiny_model("bert", tmp_path / "model")
    run_script(
        "check_model",
        [],
        [tmp_path / "manifest.json"],
        tmp_path / "log",
        manifest=about_model(model),
    )
    path = tmp_path / "embeddings.parquet"
    run_script(
        "embed_stimuli",
        {"stimuli": folder / "suite.parquet", "manifest": tmp_path / "manifest.json", "facts": FACTS},
        [path],
        tmp_path / "embedding.log",
        config=RUNTIME,
        encoder="tiny",
        suite="mine",
        poolings=["cls", "word"],
    )
    facts = read_metadata(path)
    stimuli = read_table(folder / "suite.parquet", STIMULI)
    vectors = read_embeddings(path, facts["width"])
    assert set(vectors) == {"cls", "word"} and facts["encoder"] == "tiny"
    rows, metadata = compute(folder, path)
    assert metadata["confidence"] == 0.9 and metadata["cells"] == []
    by_text = rows[rows["unit"].eq("text")]
    assert len(by_text) == 4
    for row in by_text.pipe(tuples_of):
        gap, d = literal(stimuli, vectors[row.pooling], row.test)
        assert (row.mean_difference, row.d) == (pytest.approx(gap, rel=1e-6), pytest.approx(d, rel=1e-6))


def test_word_vectors(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [word for words in SETS.values() for word in words]
    vectors = np.random.default_rng(0).normal(size=(len(words), 4))
    lines = [f"{word} {' '.join(map(str, row))}" for word, row in zip(words, vectors, strict=True)]

    def look_up(lines: list[str]) -> Path:
        (tmp_path / "vectors.txt").write_text("\n".join(lines) + "\n")
        run_script(
            "embed_vectors",
            {"stimuli": folder / "suite.parquet", "vectors": tmp_path / "vectors.txt"},
            [tmp_path / "embeddings.parquet"],
            tmp_path / "log",
            encoder="v",
            suite="mine",
        )
        return tmp_path / "embeddings.parquet"

    rows, _ = compute(folder, look_up(lines))
    of = dict(zip(words, vectors.astype(np.float32).astype(float), strict=True))
    x, y, a, b = ([of[word] for word in SETS[key]] for key in ("targ1", "targ2", "attr1", "attr2"))
    left, right = ([s(word, a, b) for word in each] for each in (x, y))
    assert rows["d"].to_numpy() == pytest.approx(size(left, right), rel=1e-9)
    assert set(rows["pooling"]) == {"vectors"}
    with pytest.raises(SystemExit):
        look_up(lines[1:])
    assert "vectors v, suite mine: " in capsys.readouterr().err
