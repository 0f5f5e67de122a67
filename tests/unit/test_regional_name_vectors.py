"""Vectors of regions' names alone: against one forward pass a name, token by token."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoModelForMaskedLM, AutoTokenizer

from running import run_script
from test_regional_prefixes import RUNTIME, regions
from tiny_models import tiny_model
from unmask.errors import InputError
from unmask.models.devices import pick_device
from unmask.models.kinds import check_model
from unmask.regional.name_vectors import name_vectors
from unmask.regional.region_index import RegionIndex
from unmask.regional.schema import NAME_VECTORS, REGIONS
from unmask.tables import read_metadata, read_table, write_table

CPU = pick_device("cpu")
NAMES = ["the city", "Oz", "my country", "the city", "Mexico"]


def literal(directory: Path, name: str) -> np.ndarray:
    """The mean of the last hidden states under the head for masked words, special tokens left out."""
    tokenizer = AutoTokenizer.from_pretrained(directory)
    network = AutoModelForMaskedLM.from_pretrained(directory).eval()
    ids = tokenizer(name)["input_ids"]
    with torch.inference_mode():
        states = network(torch.tensor([ids]), output_hidden_states=True).hidden_states[-1][0]
    content = [
        state for state, token in zip(states, ids, strict=True) if token not in tokenizer.all_special_ids
    ]
    return torch.stack(content).mean(0).numpy()


@pytest.mark.parametrize("architecture", ["bert", "roberta", "albert"])
def test_a_vector_is_the_mean_over_the_tokens_of_the_name(architecture: str, tmp_path: Path) -> None:
    base = tiny_model(architecture, tmp_path / "base")
    vectors = name_vectors(base, NAMES, CPU)
    for vector, name in zip(vectors, NAMES, strict=True):
        np.testing.assert_allclose(vector, literal(base, name), atol=1e-5)
    # whatever else is read, and in which order
    assert (name_vectors(base, NAMES[::-1], CPU) == vectors[::-1]).all()
    assert not np.allclose(vectors[0], vectors[1])


def test_names_that_cannot_be_read_are_one_line(tmp_path: Path) -> None:
    base = tiny_model("bert", tmp_path / "base")
    with pytest.raises(InputError, match=r"the region 'my country' has 4 tokens, the model takes 3"):
        name_vectors(base, ["my country"], CPU, 3)
    with pytest.raises(InputError, match="has no token"):
        name_vectors(base, ["\u200b"], CPU)


def test_the_script(tmp_path: Path) -> None:
    base = tiny_model("bert", tmp_path / "base")
    manifest = check_model(base, "masked-lm", "tiny") | {"directory": str(base), "entry": {"source": "path"}}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    write_table(tmp_path / "regions.parquet", regions(), REGIONS, {})
    run_script(
        "embed_names",
        {"regions": tmp_path / "regions.parquet", "manifest": tmp_path / "manifest.json"},
        [tmp_path / "names.parquet"],
        tmp_path / "log",
        config=RUNTIME,
        model="tiny",
    )
    table = read_table(tmp_path / "names.parquet", NAME_VECTORS)
    # the continent and its countries
    assert table["region"].tolist() == RegionIndex.of(regions()).laid_out() == ["EU", "MX", "FR"]
    expected = [literal(base, name) for name in ("Europe", "Mexico", "France")]
    np.testing.assert_allclose(np.stack(table["vector"].tolist()), expected, atol=1e-5)
    assert read_metadata(tmp_path / "names.parquet")["model"] == "tiny"
