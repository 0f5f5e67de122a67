"""One job, several tables: each as if made by itself, and what was made before is taken as it is."""

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from transformers import BertModel

from examples import example_pairs
from running import run_script
from tiny_models import tiny_model
from unmask.benchmarks.schema import PAIRS
from unmask.errors import InputError
from unmask.evidence.cache import cached, digest_file
from unmask.evidence.earlier import ALIKE, EARLIER, ROWS_BY, UPDATED, valid_codes
from unmask.evidence.parts import maskings, untrained
from unmask.evidence.schema import EVIDENCE
from unmask.evidence.streaming import write_evidence
from unmask.evidence.survey import Survey
from unmask.files import sha256_of_file
from unmask.measures.schema import SCORES
from unmask.models.devices import pick_device
from unmask.models.loading import load
from unmask.models.random_weights import make_untrained
from unmask.statistics.decisions import decisions
from unmask.tables import read_metadata, read_table, write_table
from unmask.terms import ALL, MODIFIED, NONE, ONE_MODIFIED, ONE_SHARED, ORIGINAL, SHUFFLED

MASKINGS = (ALL, MODIFIED, NONE, ONE_MODIFIED, ONE_SHARED)
CODE = dict.fromkeys(MASKINGS, "one")

Score = Callable[..., set[str]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model with its manifest, and pairs."""
    manifest = {
        "directory": str(tiny_model("bert", tmp_path / "model")),
        "files": {},
        "entry": {"source": "path"},
        "weights_digest": "w",
        "tokenizer_digest": "t",
        "max_length": 128,
    }
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    write_table(tmp_path / "pairs.parquet", example_pairs(), PAIRS, {"sha256": "p"})
    return tmp_path


def table(folder: Path, name: str) -> Path:
    """A table of evidence, or of the scores of a seed."""
    return folder / ("untrained" if name.isdigit() else "evidence") / f"{name}.parquet"


def of_shuffled(masking: str) -> str:
    """The name of a table of shuffled sentences."""
    return f"{masking} of {SHUFFLED}"


def output_name(name: str) -> str:
    """What an output has for its name, as the rule gives it."""
    masking, of, variant = name.partition(" of ")
    return f"{variant if of else ORIGINAL}_{masking}".replace("-", "_").replace(".", "_")


@pytest.fixture
def score(folder: Path) -> Score:
    """Runs the job as Snakemake does and says what it has read with a model: by maskings and seeds."""

    def run(
        code: dict[str, str] = CODE,
        top: int = 0,
        unknown_tokens: float = 0.1,
        shuffled: int | None = None,
        seeds: Sequence[int] = (),
        measures: Sequence[str] = ("AUL", "CPS"),
        untrained_code: str = "one",
    ) -> set[str]:
        names = [*code, *(f"{masking}.top" for masking in code if top)]
        of_variants = {ORIGINAL: {"code": code, "seed": None, "top": top}}
        if shuffled is not None:
            names.append(of_shuffled(NONE))
            of_variants[SHUFFLED] = {"code": {NONE: code[NONE]}, "seed": shuffled, "top": 0}
        outputs: dict[str, Any] = {output_name(name): table(folder, name) for name in names}
        parts: dict[str, Any] = {"maskings": of_variants} if code else {}
        if seeds:
            outputs["untrained"] = [table(folder, str(seed)) for seed in seeds]
            parts["untrained"] = {"code": untrained_code, "measures": measures, "seeds": list(seeds)}
        for name in [*names, *map(str, seeds)]:
            table(folder, name).unlink(missing_ok=True)
        run_script(
            "score_evidence",
            {"pairs": folder / "pairs.parquet", "manifest": folder / "manifest.json"},
            outputs,
            folder / "job.log",
            wildcards={"model": "m", "benchmark": "b"},
            config={"runtime": {"device": "cpu", "threads": 1, "batch_tokens": None}},
            parts=parts,
            maskings=list(code) or [NONE, ONE_SHARED],
            dtype="float32",
            attention={"stack": None},
            unknown_tokens=unknown_tokens,
        )
        log = (folder / "job.log").read_text()
        read = re.findall(r"(\w+), masking ([\w-]+), shards", log)
        of_maskings = {masking if variant == ORIGINAL else of_shuffled(masking) for variant, masking in read}
        return of_maskings | set(re.findall(r"untrained network of seed (\d+)", log))

    return run


def test_every_table_is_that_of_a_model_loaded_for_it_alone(folder: Path, score: Score) -> None:
    assert score() == set(MASKINGS)
    for masking in MASKINGS:
        path = table(folder, masking)
        facts = read_metadata(path)
        assert (facts["masking"], facts["variant"], facts["code"]) == (masking, ORIGINAL, "one")
        alone = folder / "alone" / path.name
        model = load(folder / "model", pick_device("cpu"), with_attention=masking == NONE)
        del facts["sentences"]
        # the tiny tokenizer has all letters
        assert facts["unknown_tokens"]["unknown"] == 0 < facts["unknown_tokens"]["tokens"]
        write_evidence(alone, example_pairs(), model, masking, ORIGINAL, 0, 128, facts)
        assert path.read_bytes() == alone.read_bytes()


def test_a_model_is_loaded_twice_at_most_and_only_where_something_is_missing(
    score: Score, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[bool] = []

    def counted(*arguments: object, **named: object) -> object:
        loaded.append(bool(arguments[2]))
        return load(*arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(maskings, "load", counted)
    score()
    assert loaded == [True, False]
    score()
    assert loaded == [True, False]
    score(CODE | {ALL: "two"})
    assert loaded == [True, False, False]


def test_the_likeliest_tokens_are_kept_beside_evidence_and_like_it(folder: Path, score: Score) -> None:
    code = {NONE: "one", ALL: "one"}
    assert score(code) == set(code)
    before = {masking: table(folder, masking).read_bytes() for masking in code}
    assert score(code, top=3) == set(code)
    assert {masking: table(folder, masking).read_bytes() for masking in code} == before
    rows = {masking: pd.read_parquet(table(folder, f"{masking}.top")) for masking in code}
    assert all(len(own) == 3 * len(pd.read_parquet(table(folder, name))) for name, own in rows.items())
    assert score(code, top=3) == set()
    # one of the two is damaged: both are made again
    cached(table(folder, f"{ALL}.top")).write_bytes(b"x")
    assert score(code, top=3) == {ALL}
    assert score(code) == set()


def count_reads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many sequences networks read from now on, by pass."""
    read: list[int] = []
    forward = BertModel.forward

    def counted(self: BertModel, input_ids: Any, *arguments: Any, **more: Any) -> Any:
        read.append(len(input_ids))
        return forward(self, input_ids, *arguments, **more)

    monkeypatch.setattr(BertModel, "forward", counted)
    return read


def test_an_added_control_or_seed_is_read_alone(
    folder: Path, score: Score, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = {NONE: "one", ONE_SHARED: "one"}
    read = count_reads(monkeypatch)

    def passes(wanted: set[str], **asked: Any) -> int:
        read.clear()
        assert score(code, **asked) == wanted
        return sum(read)

    own = passes(set(code))
    before = {name: table(folder, name).read_bytes() for name in code}
    # each sentence of every pair once
    assert 0 < passes({of_shuffled(NONE)}, shuffled=1) < own
    first = passes({"1"}, shuffled=1, seeds=[1])
    scores = table(folder, "1").read_bytes()
    assert passes({"2", "3"}, shuffled=1, seeds=[1, 2, 3]) == 2 * first > 0
    # nothing new, a seed less, a control less
    for less in ({"shuffled": 1, "seeds": [1, 2, 3]}, {"shuffled": 1, "seeds": [1, 2]}, {"seeds": [1]}, {}):
        assert passes(set(), **less) == 0
    assert {name: table(folder, name).read_bytes() for name in code} == before
    assert passes({of_shuffled(NONE)}, shuffled=2, seeds=[1]) > 0
    assert table(folder, "1").read_bytes() == scores
    # by itself the job of untrained networks leaves the same table
    table(folder, "1").unlink()
    cached(table(folder, "1")).unlink()
    assert score({}, seeds=[1]) == {"1"}
    assert table(folder, "1").read_bytes() == scores


def test_untrained_networks_are_scored_again_for_what_their_scores_hang_on(
    folder: Path, score: Score
) -> None:
    code = {NONE: "one"}
    score(code, seeds=[1, 2])
    assert score(code, seeds=[1, 2], measures=["AUL"]) == {"1", "2"}
    assert score(code, seeds=[1, 2], measures=["AUL"], untrained_code="two") == {"1", "2"}
    assert score({NONE: "two"}, seeds=[1, 2], measures=["AUL"], untrained_code="two") == {NONE}
    write_pairs(folder, {"read by": "other code"})
    assert score({NONE: "two"}, seeds=[1, 2], measures=["AUL"], untrained_code="two") == set()
    pairs = folder / "pairs.parquet"
    assert read_metadata(table(folder, "2"))["made_from"][str(pairs)] == sha256_of_file(pairs)
    write_pairs(folder, stereotype="the nurse is very good")
    again = score({NONE: "two"}, seeds=[1, 2], measures=["AUL"], untrained_code="two")
    assert again == {NONE, "1", "2"}


def test_what_was_read_before_a_network_failed_is_not_read_again(
    folder: Path, score: Score, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = make_untrained

    def failing(base: Path, directory: Path, seed: int, kind: str) -> None:
        if seed == 2:
            raise InputError("no")
        make(base, directory, seed, kind)

    with monkeypatch.context() as patched:
        patched.setattr(untrained, "make_untrained", failing)
        with pytest.raises(SystemExit):
            score({NONE: "one"}, seeds=[1, 2])
    assert "error: model m, benchmark b, no" in (folder / "job.log").read_text()
    assert not table(folder, NONE).exists() and not table(folder, "1").exists()
    assert score({NONE: "one"}, seeds=[1, 2]) == {"2"}


def test_untrained_networks_of_other_seeds_have_other_scores_of_all_pairs(folder: Path, score: Score) -> None:
    measures = ["AUL", "AULA", "CPS", "SSS"]
    assert score({}, seeds=[1, 2], measures=measures) == {"1", "2"}
    assert [read_metadata(table(folder, seed))["seed"] for seed in "12"] == ["1", "2"]
    one, other = (read_table(table(folder, seed), SCORES) for seed in "12")
    for scores in (one, other):
        assert len(decisions(example_pairs(), scores).series) == 8
    assert not np.allclose(one["margin"].fillna(0), other["margin"].fillna(0))


def test_an_added_masking_is_scored_alone(folder: Path, score: Score) -> None:
    few = {NONE: "one", MODIFIED: "one"}
    assert score(few) == set(few)
    before = {masking: table(folder, masking).stat() for masking in few}
    assert score(few | {ALL: "one"}) == {ALL}
    for masking in few:
        after = table(folder, masking).stat()
        assert after.st_ino == before[masking].st_ino
        # younger than all that they are made from
        assert after.st_mtime_ns > before[masking].st_mtime_ns
    assert read_metadata(table(folder, ALL))["masking"] == ALL


def test_the_code_of_one_masking_is_scored_alone(folder: Path, score: Score) -> None:
    score()
    assert score(CODE | {ONE_SHARED: "two"}) == {ONE_SHARED}
    assert [read_metadata(table(folder, masking))["code"] for masking in (ONE_SHARED, NONE)] == ["two", "one"]
    # and back again: what was made before the change is gone
    assert score() == {ONE_SHARED}


def test_a_job_that_fails_gives_nothing_and_loses_nothing(
    folder: Path, score: Score, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(
        path: Path, pairs: object, model: object, masking: str, *others: object, **more: object
    ) -> None:
        if masking == MODIFIED:
            raise InputError("pair 1: no")
        write_evidence(path, pairs, model, masking, *others, **more)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(maskings, "write_evidence", failing)
        with pytest.raises(SystemExit):
            score()
    assert "error: model m, benchmark b, pair 1: no" in (folder / "job.log").read_text()
    assert not any(table(folder, masking).exists() for masking in MASKINGS)
    assert score() == {MODIFIED, ONE_MODIFIED, ONE_SHARED}


def test_another_version_or_device_scores_nothing_again(
    folder: Path, score: Score, monkeypatch: pytest.MonkeyPatch
) -> None:
    score()
    before = table(folder, NONE).read_bytes()
    monkeypatch.setattr("unmask.facts.VERSION", "another")
    assert score() == set()
    assert table(folder, NONE).read_bytes() == before


def test_a_damaged_table_is_made_again(folder: Path, score: Score) -> None:
    score()
    path = table(folder, NONE)
    whole = path.read_bytes()
    # by either name it is the same file
    path.write_bytes(whole[:4] + b"\xff" * 2000 + whole[2004:])
    assert score() == {NONE}
    assert path.read_bytes() == whole
    path.write_bytes(whole[:-100])
    assert score() == {NONE}
    assert path.read_bytes() == whole


def test_a_file_system_without_hard_links_has_each_table_once(
    folder: Path, score: Score, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(path: Path, target: Path) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "hardlink_to", refused)
    assert score() == set(MASKINGS)
    for masking in MASKINGS:
        assert table(folder, masking).is_file() and not cached(table(folder, masking)).exists()
    assert score() == set(MASKINGS)


def test_a_table_that_was_damaged_under_either_name_is_scored_again(folder: Path, score: Score) -> None:
    score()
    whole = {masking: table(folder, masking).read_bytes() for masking in MASKINGS}
    # one byte in place, which both names show; the file can still be read
    damaged = bytearray(whole[NONE])
    damaged[len(damaged) // 3] ^= 1
    with open(table(folder, NONE), "r+b") as file:
        file.write(damaged)
    assert cached(table(folder, NONE)).read_bytes() == damaged
    # another file under the given name leaves the kept one as it was
    table(folder, ALL).unlink()
    table(folder, ALL).write_bytes(b"nonsense")
    assert score() == {NONE}
    assert {masking: table(folder, masking).read_bytes() for masking in MASKINGS} == whole


def write_pairs(folder: Path, facts: dict[str, str] | None = None, **changed: str) -> None:
    """The example pairs, of which the first has other sentences."""
    pairs = example_pairs()
    for role, text in changed.items():
        pairs.loc[0, role] = text
    write_table(folder / "pairs.parquet", pairs, PAIRS, {"sha256": "p", **(facts or {})})


def as_if_earlier(folder: Path, masking: str) -> None:
    """A table as code has left it that did not count unknown tokens."""
    path = table(folder, masking)
    facts = {key: value for key, value in read_metadata(path).items() if key != "unknown_tokens"}
    write_table(cached(path), read_table(path, EVIDENCE), EVIDENCE, facts)
    digest_file(path).write_text(sha256_of_file(cached(path)))
    path.unlink()
    path.hardlink_to(cached(path))


@pytest.mark.parametrize("top", [0, 2])
def test_evidence_by_earlier_code_stands_where_no_row_would_be_another(
    folder: Path, score: Score, top: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_earlier = {masking: min(EARLIER[masking]) for masking in MASKINGS}
    score(by_earlier, top=top)
    if not top:
        for masking in MASKINGS:
            as_if_earlier(folder, masking)
    before = {masking: read_table(table(folder, masking), EVIDENCE) for masking in MASKINGS}
    said = {masking: read_metadata(table(folder, masking)) for masking in MASKINGS}
    with monkeypatch.context() as patched:
        patched.setattr(maskings, "load", None)
        assert score(top=top) == set()
    for masking in MASKINGS:
        pd.testing.assert_frame_equal(read_table(table(folder, masking), EVIDENCE), before[masking])
        now = read_metadata(table(folder, masking))
        assert now["code"] == "one" and now["unknown_tokens"]["unknown"] == 0
        assert now[ROWS_BY] == min(EARLIER[masking])
        assert {key for key in now if now[key] != said[masking].get(key)} <= {*UPDATED, ROWS_BY}
        if top:
            assert read_metadata(table(folder, f"{masking}.top"))["code"] == "one"
    assert score(top=top) == set()
    # the rows are by the same code as before, whichever has noted them
    assert score(dict.fromkeys(MASKINGS, "three"), top=top) == set()
    # another code that is not known to make the same
    write_pairs(folder, stereotype="the nurse is good")
    assert score(top=top) == set(MASKINGS)
    assert ROWS_BY not in read_metadata(table(folder, ALL))
    assert score(CODE | {ALL: "two"}, top=top) == {ALL}


@pytest.mark.parametrize("changed", ["special token", "damage"])
def test_evidence_by_earlier_code_is_made_anew_where_a_row_may_be_another(
    folder: Path, score: Score, changed: str
) -> None:
    if changed == "special token":
        write_pairs(folder, stereotype="the [MASK] is good")
    score({masking: min(EARLIER[masking]) for masking in MASKINGS})
    for masking in MASKINGS:
        as_if_earlier(folder, masking)
    if changed == "damage":
        with open(table(folder, NONE), "r+b") as file:
            file.seek(300)
            file.write(b"x")
    assert score() == ({NONE} if changed == "damage" else set(MASKINGS))


def test_evidence_by_code_that_makes_the_same_rows_stands_whatever_the_sentences(
    folder: Path, score: Score, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_pairs(folder, stereotype="the [MASK] is good")
    by_that = {masking: min(ALIKE[masking]) for masking in MASKINGS}
    score(by_that)
    before = {masking: read_table(table(folder, masking), EVIDENCE) for masking in MASKINGS}
    with monkeypatch.context() as patched:
        patched.setattr(maskings, "load", None)
        assert score() == set()
    for masking in MASKINGS:
        now = read_metadata(table(folder, masking))
        assert (now["code"], now[ROWS_BY]) == ("one", min(ALIKE[masking]))
        pd.testing.assert_frame_equal(read_table(table(folder, masking), EVIDENCE), before[masking])


@pytest.mark.parametrize(
    ("of", "alike"),
    [
        (Survey(9, 0, 1, longest=199, literal=0), True),
        (Survey(9, 0, 1, longest=200, literal=0), False),
        (Survey(9, 0, 1, longest=9, literal=1), False),
    ],
)
def test_earlier_code_makes_other_rows_of_long_pairs_and_special_tokens(of: Survey, alike: bool) -> None:
    for masking in MASKINGS:
        assert set(valid_codes(masking, of)) == ALIKE[masking] | (EARLIER[masking] if alike else set())


def test_another_file_of_the_same_sentences_is_noted(folder: Path, score: Score) -> None:
    score()
    before = {masking: read_metadata(table(folder, masking))["made_from"] for masking in MASKINGS}
    write_pairs(folder, {"read by": "other code"})
    assert score() == set()
    pairs = folder / "pairs.parquet"
    for masking in MASKINGS:
        now = read_metadata(table(folder, masking))["made_from"]
        assert now != before[masking] and now[str(pairs)] == sha256_of_file(pairs)
    write_pairs(folder, stereotype="the nurse is very good")
    assert score() == set(MASKINGS)


def test_a_benchmark_of_unknown_words_is_not_scored_unless_the_study_allows_it(
    folder: Path, score: Score, monkeypatch: pytest.MonkeyPatch
) -> None:
    strange = " ".join(["\u2603"] * 60)
    write_pairs(folder, stereotype=strange, antistereotype=f"{strange} he")
    with monkeypatch.context() as patched:
        patched.setattr(maskings, "load", None)
        with pytest.raises(SystemExit):
            score()
    (line,) = [line for line in (folder / "job.log").read_text().splitlines() if "error:" in line]
    assert "model m, benchmark b" in line and "120 of" in line and "scoring.unknown_tokens" in line
    assert score(unknown_tokens=1.0) == set(MASKINGS)
    said = {json.dumps(read_metadata(table(folder, masking))["unknown_tokens"]) for masking in MASKINGS}
    (facts,) = map(json.loads, said)
    assert facts["unknown"] == 120 and 120 / facts["tokens"] > 0.1
    # a limit decides whether there are rows, not what they are
    assert score(unknown_tokens=120 / facts["tokens"]) == set()


def test_a_sentence_that_cannot_be_read_stops_before_any_is(
    folder: Path, score: Score, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_pairs(folder, antistereotype="the nurse said " * 60)
    monkeypatch.setattr(maskings, "load", None)
    with pytest.raises(SystemExit):
        score()
    assert (
        "benchmark b, pair p0: the antistereotype sentence has 182 tokens" in (folder / "job.log").read_text()
    )
