"""A constructed world as files that an ordinary study can name: a model, a grounded test, and regions."""

import json
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from unmask.associations.association_test import KEYS
from unmask.associations.constructed_model import make_network, make_tokenizer
from unmask.associations.constructed_world import CATEGORIES, WORDS, World, pictured_words, text_of
from unmask.associations.terms import SETS, X, Y
from unmask.files import write_text
from unmask.models.quiet import quiet_transformers


class Files(NamedTuple):
    """Where the files of a world are."""

    # a model of kind vision-and-language
    model: Path
    # a test in the format grounded
    test: Path
    # {picture}/features: regions × features
    features: Path


def write_world(folder: Path, world: World) -> Files:
    """Write the model, the test and the features of its pictures into a folder, made if it is not there."""
    files = Files(folder / "model", folder / "constructed.jsonl", folder / "features.npz")
    folder.mkdir(parents=True, exist_ok=True)
    with quiet_transformers():
        make_network(world).save_pretrained(files.model)
        make_tokenizer(world).save_pretrained(files.model)
    write_text(files.test, json.dumps(grounded_test(world), indent=2) + "\n")
    regions = {f"{each.image}/features": each.regions.astype(np.float32) for each in pictured_words(world)}
    np.savez(files.features, allow_pickle=False, **regions)
    return files


def grounded_test(world: World) -> dict[str, Any]:
    """The test as one JSON object, as Ross, Katz & Barbu (2021) lay it out."""
    images: dict[tuple[str, str], dict[str, list[str]]] = defaultdict(dict)
    for each in pictured_words(world):
        images[each.cell][each.image] = [each.word]
    groups: dict[str, dict[str, Any]] = {}
    for name in SETS:
        groups[name] = {
            "category": CATEGORIES[name],
            "captions": {word: text_of(word) for word in WORDS[name]},
        }
        if name in (X, Y):
            groups[name]["images"] = images[name, name]
        else:
            groups[name] |= {f"{CATEGORIES[owner]}_Images": images[name, owner] for owner in (X, Y)}
    return {
        "test_types": ["sentence", "contextual"],
        "test_name": "constructed",
        **{key: groups[name] for key, name in KEYS.items()},
        "contextual_words": [word for name in SETS for word in WORDS[name]],
    }
