"""What makes vectors of stimuli, whichever kind of model it is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from unmask.associations.embedding import Span, embed
from unmask.associations.encoders import load_encoder
from unmask.associations.words import WordFacts, place
from unmask.associations.writing import Encode
from unmask.errors import InputError
from unmask.models.devices import Device


@dataclass(frozen=True)
class Reader:
    """read: from distinct stimuli to their vectors by each of `poolings`, stimuli × width."""

    width: int
    poolings: tuple[str, ...]
    read: Encode


def reader_of(
    manifest: Mapping[str, Any], device: Device, poolings: Sequence[str], facts: str | Path
) -> Reader:
    """What makes vectors with the model of a manifest. facts: resources/associations/words.yaml.

    Raises InputError as `load_encoder` does; reading raises it as `embed` does.
    """
    plurals = WordFacts.from_file(facts).plurals
    encoder = load_encoder(manifest["directory"], manifest["entry"]["kind"], device, manifest["max_length"])

    def read(stimuli: pd.DataFrame) -> Mapping[str, Any]:
        return embed(encoder, stimuli["text"].tolist(), spans_of(stimuli, plurals), poolings)

    return Reader(encoder.width, tuple(poolings), read)


def spans_of(stimuli: pd.DataFrame, plurals: Mapping[str, str]) -> list[Span | None]:
    """Where in each text its word stands, at the last occurrence; None where no word is told.

    Raises InputError naming text and word where it does not.
    """
    spans: list[Span | None] = []
    for text, word in zip(stimuli["text"], stimuli["word"], strict=True):
        span = None if pd.isna(word) else place(text, word, plurals)
        if span is None and not pd.isna(word):
            raise InputError(f"{text!r}: its word {word!r} does not stand in it")
        spans.append(span)
    return spans
