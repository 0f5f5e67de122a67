"""SentenceDebias (Liang et al. 2020): what tells sentences from their swaps is projected out of the last
layer."""

import logging
from pathlib import Path
from typing import Any

import numpy as np
import torch

from unmask.debiasing.attributes import Mention
from unmask.debiasing.inputs import Base, Entry, Texts
from unmask.debiasing.projecting import (
    Floats,
    gendered_sentences,
    head_of,
    refuse_published,
    removed_before,
    removing,
    sampled,
    save_projected,
)
from unmask.debiasing.swapping import Counts, swapper
from unmask.debiasing.tokenized import load, longest_of, sentence_embeddings
from unmask.errors import InputError
from unmask.models.devices import Device
from unmask.terms import CORRECTED

logger = logging.getLogger(__name__)

ROUNDING = 1e-5
"""Differences that are this small, relative to the embeddings, are rounding error."""


def debias(
    base: Base, texts: Texts, entry: Entry, directory: str | Path, work: Path, device: Device
) -> dict[str, Any]:
    """Project the first `components` (an option, 1 by default) principal components of the differences
    between sentences and their swaps out of the last layer, and write the model to `directory`, all or
    nothing.

    A sentence's embedding is the mean of the last layer over its tokens, special ones included; its swap is
    that of CDA, corrected. The pairs lie on both sides of their middle, so that the components are those of
    the differences about 0. `work` is not used: this takes minutes.

    Returns pairs (how many), too_long, components, explained (the share of the squared differences that each
    component has), rank (of the projection) and torch.
    Raises InputError where there are no pairs or they do not differ, for more components than they have, and
    for a head that the projection cannot be made part of.
    """
    refuse_published(entry)
    model, tokenizer = load(base, "SentenceDebias")
    head_of(model)
    swap = swapper(texts.words, CORRECTED)
    sentences = sampled(gendered_sentences(texts, _any), entry["seed"], 0)
    pairs = [(s.text, further[0]) for s in sentences if (further := swap(s.text, Counts()))]
    longest = longest_of(base, entry["training"]["max_length"])
    ids = [tokenizer(list(side), verbose=False)["input_ids"] for side in zip(*pairs, strict=True)]
    fitting = [
        (one, other) for one, other in zip(*ids, strict=True) if max(len(one), len(other)) <= longest
    ] if pairs else []  # fmt: skip
    if not fitting:
        raise InputError(
            f"{texts.lines}: no sentence with a word to be swapped and at most {longest} tokens (the first "
            f"{texts.held_out} lines are held out)"
        )
    model.to(device.torch)  # type: ignore[arg-type]
    padding = tokenizer.pad_token_id
    one, other = (sentence_embeddings(model, side, padding, device) for side in zip(*fitting, strict=True))
    before = removed_before(base.directory, one.shape[1])
    components, explained = principal(
        (one - other) - (one - other) @ before.T @ before,
        entry["options"].get("components", 1),
        np.abs(one).max(),
    )
    projection = removing(np.vstack([before, components]))
    logger.info("%d pairs of sentences; explained: %s", len(fitting), explained)
    save_projected(model.cpu(), projection, base, entry, directory)
    return {
        "pairs": len(fitting),
        "too_long": len(pairs) - len(fitting),
        "components": len(components),
        "explained": explained,
        "rank": round(float(np.trace(projection))),
        "torch": str(torch.__version__),
    }


def principal(differences: Floats, components: int, scale: float) -> tuple[Floats, list[float]]:
    """The first principal components of differences (rows × width) about 0, as rows, and what each explains.

    scale: of the embeddings; what is ROUNDING relative to it is nothing. Raises InputError where there are
    fewer.
    """
    _, lengths, axes = np.linalg.svd(differences, full_matrices=False)
    rank = int((lengths > ROUNDING * scale * np.sqrt(len(differences))).sum())
    if rank == 0:
        raise InputError("sentences and their swaps have the same embeddings: there is nothing to remove")
    if components > rank:
        raise InputError(
            f"options.components: {components}, and sentences differ from their swaps in {rank} dimensions"
        )
    shares = lengths**2 / (lengths**2).sum()
    return axes[:components], [float(share) for share in shares[:components]]


def _any(mentions: list[Mention]) -> bool:
    return True
