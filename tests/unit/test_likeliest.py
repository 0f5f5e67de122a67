"""The likeliest tokens beside evidence: against a slow look, evidence unchanged, resumed after a kill."""

import hashlib
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import pandas as pd
import pytest
import torch

from examples import example_pairs
from study_schema import MASKED_MASKINGS
from tiny_models import tiny_model
from unmask.evidence import streaming
from unmask.evidence.engine import answer
from unmask.evidence.masking import hidden_positions
from unmask.evidence.schema import EVIDENCE, LIKELIEST
from unmask.evidence.streaming import Likeliest, is_done, write_evidence
from unmask.evidence.tokenising import tokenise_pairs
from unmask.models.devices import pick_device
from unmask.models.loading import LoadedModel, load
from unmask.tables import read_metadata, read_table
from unmask.terms import ORIGINAL

FACTS = {"weights": "one"}
TOP = 4


@cache
def bert() -> LoadedModel:
    return load(tiny_model("bert", Path(mkdtemp(prefix="tiny-bert-"))), pick_device("cpu", 64), True)


def write(folder: Path, masking: str, top: int | None = TOP, shard_tokens: int = 60) -> tuple[Path, Path]:
    path, other = folder / f"{masking}.parquet", folder / f"{masking}.top.parquet"
    wanted = None if top is None else Likeliest(other, top)
    pairs = example_pairs()
    write_evidence(path, pairs, bert(), masking, ORIGINAL, 0, 128, FACTS, shard_tokens, likeliest=wanted)
    return path, other


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("masking", MASKED_MASKINGS)
def test_they_are_those_of_the_plain_model_read_one_by_one(masking: str, tmp_path: Path) -> None:
    path, other = write(tmp_path, masking)
    evidence, found = read_table(path, EVIDENCE), read_table(other, LIKELIEST)
    keys = ["pair_id", "role", "position"]
    repeated = evidence.loc[evidence.index.repeat(TOP), keys].reset_index(drop=True)
    pd.testing.assert_frame_equal(found[keys], repeated)
    assert found["place"].tolist() == list(range(1, TOP + 1)) * len(evidence)
    model, tokenizer = bert(), bert().tokenizer
    grouped = {key: rows for key, rows in found.groupby(keys, sort=False)}
    seen = 0
    sides = ("stereotype", "antistereotype")
    for sentence in tokenise_pairs(example_pairs(), tokenizer, sides):
        for hidden in hidden_positions(masking)(sentence):
            ids = sentence.ids.copy()
            ids[hidden] = tokenizer.mask_token_id
            with torch.no_grad():
                encoded = model.encode(torch.from_numpy(ids[None]), torch.arange(len(ids)))
                log_probs = model.head(encoded.hidden).double().log_softmax(1).numpy()
            for position in range(len(ids)) if masking == "none" else hidden.tolist():
                rows = grouped[sentence.pair_id, sentence.role, position]
                want = np.sort(log_probs[position])[::-1][:TOP]
                np.testing.assert_allclose(rows["log_prob"], want, rtol=1e-4, atol=1e-4)
                ids_of = tokenizer.convert_tokens_to_ids(rows["token"].tolist())
                np.testing.assert_allclose(log_probs[position][ids_of], want, rtol=1e-4, atol=1e-4)
                seen += 1
    assert seen >= 10


def test_evidence_is_the_same_byte_for_byte_with_and_without_them(tmp_path: Path) -> None:
    ranked = 0
    for masking in MASKED_MASKINGS:
        plain, none = write(tmp_path / "plain", masking, top=None)
        path, other = write(tmp_path / "with", masking)
        assert not none.exists() and digest(plain) == digest(path)
        facts = read_metadata(other)
        assert facts == read_metadata(path) | {"top": TOP}
        # a token of a high rank is among them, at that place
        evidence = read_table(path, EVIDENCE)
        keys = ["pair_id", "role", "position", "token"]
        both = evidence.merge(read_table(other, LIKELIEST), on=keys, suffixes=("", "_found"))
        assert len(both) == (evidence["rank"] <= TOP).sum() and (both["rank"] == both["place"]).all()
        ranked += len(both)
    assert ranked


def test_a_smaller_vocabulary_is_given_whole(tmp_path: Path) -> None:
    model = bert()
    _, other = write(tmp_path, "all", top=len(model.tokenizer) + 5)
    assert read_table(other, LIKELIEST)["place"].max() == len(model.tokenizer)


def test_a_killed_job_goes_on_at_the_last_whole_shard_of_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = [digest(path) for path in write(tmp_path / "whole", "none")]
    read: list[int] = []

    def dying(model, work, *others):  # type: ignore[no-untyped-def]
        read.append(len(work.inputs))
        if len(read) == 3:
            raise KeyboardInterrupt
        return answer(model, work, *others)

    monkeypatch.setattr(streaming, "answer", dying)
    with pytest.raises(KeyboardInterrupt):
        write(tmp_path / "killed", "none")
    assert not list((tmp_path / "killed").glob("*.parquet"))
    shards = tmp_path / "killed/.none.shards"
    assert (shards / "000000.parquet").exists() and (shards / "000000.beside.parquet").exists()
    # a shard that lacks its other table is read again
    (shards / "000000.beside.parquet").unlink()

    def counted(*args):  # type: ignore[no-untyped-def]
        read.append(0)
        return answer(*args)

    monkeypatch.setattr(streaming, "answer", counted)
    done = write(tmp_path / "killed", "none")
    assert [digest(path) for path in done] == whole
    assert not shards.exists()
    parts = len(streaming.divide(example_pairs(), "none", 60))
    assert parts > 3 and read.count(0) in (parts - 1, parts)


def test_what_is_done_is_not_done_again_and_another_number_is_another_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, other = write(tmp_path, "all")
    asked: list[int] = []

    def noted(*args):  # type: ignore[no-untyped-def]
        asked.append(args[3])
        return answer(*args)

    monkeypatch.setattr(streaming, "answer", noted)
    write(tmp_path, "all")
    write(tmp_path, "all", top=None)
    assert asked == []
    pairs = example_pairs()
    assert is_done(path, pairs, FACTS, Likeliest(other, TOP))
    assert not is_done(path, pairs, FACTS, Likeliest(other, 2))
    before = digest(path)
    write(tmp_path, "all", top=2)
    assert set(asked) == {2} and digest(path) == before
    assert read_table(other, LIKELIEST)["place"].max() == 2
