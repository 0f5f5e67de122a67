"""The scripts that score the hierarchy, as Snakemake runs them."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from running import run_script
from synthetic_trees import world
from unmask.errors import InputError
from unmask.regional.schema import LIKELIHOODS, PADDED, REGIONS, WORDS
from unmask.regional.score_schema import SCORES
from unmask.regional.terms import CORRECTED, PROTOCOLS
from unmask.tables import read_metadata, read_table, write_table

TREE = world([3, 2], [2, 4, 1])
LISTS = {"original": {"x": ["kind", "bold"], "y": ["sad", "kind"]}, "mine": {"z": ["odd", "wry", "shy"]}}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A tree, lists of words, and what a model makes of them."""
    folder = tmp_path_factory.mktemp("regional")
    write_table(folder / "regions.parquet", TREE.assign(country_code=None, population=None), REGIONS, {})
    words = pd.DataFrame(
        [
            (name, topic, word, word)
            for name, topics in LISTS.items()
            for topic, those in topics.items()
            for word in those
        ],
        columns=["list", "topic", "word", "word_published"],
    )
    write_table(folder / "words.parquet", words, WORDS, {})
    found: dict[str, Any] = {"regions": folder / "regions.parquet", "words": folder / "words.parquet"}
    generator = np.random.default_rng(0)
    for kind, schema in (("likelihoods", LIKELIHOODS), ("padded", PADDED)):
        found[kind] = []
        alone = generator.normal(-5, 1, len(TREE))
        for name in LISTS:
            those: list[str | None] = [None, *words["word"][words["list"] == name].unique()]
            rows = pd.DataFrame({"name": [n for _ in those for n in TREE["name"]]})
            rows["word"] = [word for word in those for _ in TREE["name"]]
            values = generator.normal(-4, 0.5, len(rows))
            values[: len(TREE)] = alone
            rows = rows.assign(tokens=5, unknown=0, log_prob=values, log_prob_special=values - 1)
            found[kind].append(folder / f"{kind}-{name}.parquet")
            write_table(found[kind][-1], rows[schema.names], schema, {})
    return found


def score(files: dict[str, Any], folder: Path, **changes: Any) -> Path:
    output = folder / "scores.parquet"
    params: dict[str, Any] = {
        "draws": 5,
        "seed": 0,
        "confidence": 0.95,
        "reading": "content",
        "model": "m",
    }
    run_script(
        "score_hierarchy",
        files,
        [output],
        folder / "log",
        **{**params, "variants": list(PROTOCOLS), **changes},
    )
    return output


def test_a_model_is_scored(files: dict[str, Any], tmp_path: Path) -> None:
    scores = score(files, tmp_path)
    found = read_table(scores, SCORES)
    assert set(found["variant"]) == set(PROTOCOLS)
    assert set(found["words"]) == {"full", "without-x", "without-y", "mine"}
    assert len(found[found["level"] == "city"]) == 12 * len(PROTOCOLS)
    facts = read_metadata(scores)
    assert {"model", "draws", "seed", "confidence", "reading", "holm"} <= set(facts)


def test_a_model_is_scored_alike_each_time(files: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "again").mkdir()
    first, second = score(files, tmp_path), score(files, tmp_path / "again")
    assert first.read_bytes() == second.read_bytes()


def test_without_the_released_codes_protocol(files: dict[str, Any], tmp_path: Path) -> None:
    scores = score({**files, "padded": []}, tmp_path, variants=[CORRECTED])
    assert set(read_table(scores, SCORES)["variant"]) == {CORRECTED}


def test_a_missing_list_is_named_and_nothing_written(files: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises((InputError, SystemExit)):
        score({**files, "likelihoods": files["likelihoods"][:1]}, tmp_path)
    assert "no likelihood of a sentence with the word 'odd'" in (tmp_path / "log").read_text()
    assert not (tmp_path / "scores.parquet").exists()


def test_a_labelled_table_is_fetched_from_where_the_study_says(tmp_path: Path) -> None:
    table = tmp_path / "posts.csv"
    table.write_text("text,label\nthe city,1\n")
    files = {"train": {"url": table.as_uri()}, "test": {"url": f"{table.as_uri()}.gone"}}
    config = {"regional": {"prefixes": {"posts": {"files": files}}}}

    def fetch(part: str) -> None:
        run_script(
            "fetch_file",
            [],
            {"file": tmp_path / part, "facts": tmp_path / f"{part}.facts.json"},
            tmp_path / "log",
            config=config,
            what="table posts",
            config_keys=["regional", "prefixes", "posts", "files", part],
            source=files[part],
        )

    fetch("train")
    assert (tmp_path / "train").read_bytes() == table.read_bytes()
    with pytest.raises(SystemExit):
        fetch("test")
    assert "error: table posts: " in (tmp_path / "log").read_text()
