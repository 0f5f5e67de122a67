"""The released code's likelihoods: those of its padded batches, padding tokens and all."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoModelForMaskedLM, AutoTokenizer

from test_regional_likelihoods import NAMES, TEMPLATE, model_directory, model_of, regions, words
from unmask.errors import InputError
from unmask.evidence.engine import Block, token_log_probs
from unmask.regional.padded import write_padded
from unmask.regional.schema import PADDED
from unmask.regional.terms import ORIGINAL, SUBSTITUTED
from unmask.tables import read_table

CITIES = [*NAMES, "Up/Down Street", "City/"]


def batch_of_region(architecture: str, sentences: Sequence[str]) -> list[float]:
    """What the protocol says, with the plain network: one padded batch, the mean of columns 1 to -1."""
    tokenizer = AutoTokenizer.from_pretrained(model_directory(architecture))
    network = AutoModelForMaskedLM.from_pretrained(model_directory(architecture)).eval()
    batch = tokenizer(list(sentences), return_tensors="pt", padding=True)
    with torch.no_grad():
        log_probs = torch.log_softmax(network(**batch).logits, dim=2)
    scores = []
    for row, ids in enumerate(batch["input_ids"]):
        own = [log_probs[row, column, id_].item() for column, id_ in enumerate(ids.tolist())]
        scores.append(sum(own[1:-1]) / len(own[1:-1]))
    return scores


@pytest.mark.parametrize(
    "architecture", ["bert", "roberta", "albert", "distilbert", "mpnet", "xlm-roberta", "modernbert", "bart"]
)
def test_scores_are_those_of_a_regions_padded_batch(architecture: str, tmp_path: Path) -> None:
    published = {
        ORIGINAL: ["      strong", "hard-working", "strong", "Writer"],
        SUBSTITUTED: ["weak", "writer"],
    }
    names = list(dict.fromkeys(CITIES))
    for list_, of_list in published.items():
        path = tmp_path / f"{list_}.parquet"
        write_padded(
            path,
            regions(CITIES),
            words(),
            list_,
            model_of(architecture, 60),
            TEMPLATE,
            128,
            {},
            200,
            bar=False,
        )
        found = read_table(path, PADDED)
        alone, rows = found.iloc[: len(names)], found.iloc[len(names) :]
        assert alone["name"].tolist() == names and alone["word"].isna().all()
        assert list(zip(rows["name"], rows["word"], strict=True)) == [(n, w) for n in names for w in of_list]
        wanted = [batch_of_region(architecture, [name])[0] for name in names]
        np.testing.assert_allclose(alone["log_prob"], wanted, atol=1e-5)
        for name in names:
            sentences = [f"People in {name.replace('/', '')} are {word}" for word in of_list]
            own = rows.loc[rows["name"] == name, "log_prob"]
            np.testing.assert_allclose(own, batch_of_region(architecture, sentences), atol=1e-5)


@pytest.mark.parametrize("architecture", ["bert", "roberta", "albert"])
def test_padding_is_not_attended_to(architecture: str) -> None:
    model = model_of(architecture)
    ids = np.array(model.tokenizer("People in City are strong.")["input_ids"])[None]
    length = ids.shape[1]
    filled = np.pad(ids, ((0, 0), (0, 3)), constant_values=model.tokenizer.pad_token_id)
    blocks = [Block(ids), Block(filled, mask=np.arange(length + 3)[None] < length), Block(filled)]
    alone, padded, attended = token_log_probs(model, blocks)
    np.testing.assert_allclose(padded[:, :length], alone, atol=1e-5)
    assert abs(attended[:, :length] - alone).max() > 1e-3
    assert padded.shape == (1, length + 3)


def test_a_tokenizer_without_padding_is_one_clear_line(tmp_path: Path) -> None:
    model = model_of("bert")
    model.tokenizer.pad_token = None
    with pytest.raises(InputError, match="no padding token"):
        write_padded(
            tmp_path / "p.parquet", regions(), words(), ORIGINAL, model, TEMPLATE, 128, {}, bar=False
        )
