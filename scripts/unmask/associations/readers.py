"""What makes vectors of stimuli, whichever kind of model it is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from unmask.associations.embedding import embed, load_encoder
from unmask.associations.tokenised import Span
from unmask.associations.words import WordFacts, place
from unmask.associations.writing import Encode, Vectors
from unmask.errors import InputError
from unmask.models.devices import Device

VISION_AND_LANGUAGE = "vision-and-language"
"""The kind of models that embed texts with pictures."""


@dataclass(frozen=True)
class Reader:
    """read: from distinct stimuli to their vectors by each of `poolings`, stimuli × width."""

    width: int
    poolings: tuple[str, ...]
    read: Encode


def reader_of(
    manifest: Mapping[str, Any],
    device: Device,
    poolings: Sequence[str],
    facts: str | Path,
    features: str | Path | None = None,
) -> Reader:
    """What makes vectors with the model of a manifest. facts: resources/associations/words.yaml. features: a
    file of regions of pictures, which an encoder that sees needs.

    Raises InputError as loading does; reading raises it as `embed` and `embed_seen` do.
    """
    plurals = WordFacts.from_file(facts).plurals
    directory, kind = manifest["directory"], manifest["entry"]["kind"]
    if kind == VISION_AND_LANGUAGE:
        # here, as encoders of text need not wait until these networks are loaded
        from unmask.associations.joint_embedding import embed_seen, load_seeing, pictures_for

        assert features is not None
        seeing = load_seeing(directory, device)
        pictures = pictures_for(seeing, features)

        def see(stimuli: pd.DataFrame) -> Mapping[str, Vectors]:
            texts, images = stimuli["text"].tolist(), stimuli["image"].tolist()
            return embed_seen(seeing, texts, spans_of(stimuli, plurals), images, pictures, poolings)

        return Reader(seeing.width, tuple(poolings), see)
    encoder = load_encoder(directory, kind, device, manifest["max_length"])

    def read(stimuli: pd.DataFrame) -> Mapping[str, Vectors]:
        return embed(encoder, stimuli["text"].tolist(), spans_of(stimuli, plurals), poolings)

    return Reader(encoder.width, tuple(poolings), read)


def spans_of(stimuli: pd.DataFrame, plurals: Mapping[str, str]) -> list[Span | None]:
    """Where in each text its word stands, at the last occurrence; None where the word is not known.

    Raises InputError naming text and word where it does not.
    """
    spans: list[Span | None] = []
    for text, word in zip(stimuli["text"], stimuli["word"], strict=True):
        span = None if pd.isna(word) else place(text, word, plurals)
        if span is None and not pd.isna(word):
            raise InputError(f"{text!r}: its word {word!r} does not stand in it")
        spans.append(span)
    return spans
