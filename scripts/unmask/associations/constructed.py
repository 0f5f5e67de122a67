"""What grounded tests find of encoders whose every bias is known: the table CONSTRUCTED.

Each world is written to files and read again, and goes the way of any other model, test and pictures.
"""

import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from unmask.associations.constructed_model import Files, write_world
from unmask.associations.constructed_world import MEASURED, World, truths, word_of
from unmask.associations.formats import grounded
from unmask.associations.joint_embedding import embed_seen, load_seeing, pictures_for
from unmask.associations.readers import spans_of
from unmask.associations.schema import CONSTRUCTED
from unmask.associations.stimuli import Worded, stimuli_of
from unmask.associations.testing import Options, association_tests
from unmask.associations.writing import Vectors, distinct_stimuli
from unmask.models.devices import Device
from unmask.tables import framed
from unmask.terms import CORRECTED


def constructed_table(worlds: Mapping[str, World], options: Options, device: Device) -> pd.DataFrame:
    """CONSTRUCTED of worlds by their names: a row for each world, pooling, experiment and level.

    E1 to E3 are of texts with their pictures, and of the words in them; E4 with the word or the picture
    hidden (Ross, Katz & Barbu 2021). `truth` is the oracle's.
    """
    suites = []
    embeddings: dict[str, list[Vectors]] = {pooling: [] for pooling in MEASURED}
    number = 0
    for name, world in worlds.items():
        with tempfile.TemporaryDirectory() as folder:
            files = write_world(Path(folder), world)
            stimuli = _stimuli(files)
            for pooling, part in _embedded(files, stimuli, device).items():
                embeddings[pooling].append(part)
        # as tests of one suite they are made in one pass
        suites.append(stimuli.assign(test=name, stimulus=stimuli["stimulus"] + number))
        number += stimuli["stimulus"].nunique()
    vectors = {pooling: np.concatenate(parts) for pooling, parts in embeddings.items()}
    tested = association_tests(pd.concat(suites, ignore_index=True), vectors, options).rows
    tested = tested[tested["protocol"].eq(CORRECTED)]
    truth = {name: truths(world) for name, world in worlds.items()}
    rows = [
        {
            "world": row["test"],
            "truth": truth[row["test"]][row["pooling"], row["experiment"], row["level"]],
            **{key: row[key] for key in ("pooling", "experiment", "level", "gap", "d", "p_two")},
        }
        for row in tested.to_dict("records")
    ]
    return framed(rows, CONSTRUCTED)


def _stimuli(files: Files) -> pd.DataFrame:
    test = grounded.read(files.test, {})
    return stimuli_of([Worded(test, tuple(word_of(item.text) for item in test.items), ())])


def _embedded(files: Files, stimuli: pd.DataFrame, device: Device) -> dict[str, Vectors]:
    """stimuli × width by pooling."""
    distinct = distinct_stimuli(stimuli)
    texts, images = distinct["text"].tolist(), distinct["image"].tolist()
    encoder = load_seeing(files.model, device)
    pictures = pictures_for(encoder, None, files.features)
    return embed_seen(encoder, texts, spans_of(distinct, {}), images, pictures, MEASURED)
