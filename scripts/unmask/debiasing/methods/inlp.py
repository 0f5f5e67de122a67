"""INLP (Ravfogel et al. 2020): as long as a linear classifier tells the genders apart, what it sees is
removed."""

import logging
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
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
from unmask.debiasing.tokenized import load, longest_of, sentence_embeddings
from unmask.errors import InputError
from unmask.models.devices import Device

logger = logging.getLogger(__name__)

ROUNDS = 80
"""The most rounds, those of bias-bench; they end where the classifier is no better than the larger class."""
HELD_OUT = 5
"""One in so many sentences is for judging classifiers."""


def debias(
    base: Base, texts: Texts, entry: Entry, directory: str | Path, work: Path, device: Device
) -> dict[str, Any]:
    """Project out of the last layer what linear classifiers tell sentences of women from those of men by, and
    write the model to `directory`, all or nothing.

    In at most `rounds` rounds (an option) a LinearSVC is trained on what is left; they end where it is no
    better than guessing on held-out sentences. There are equally many sentences of both genders. A sentence's
    embedding is the mean of the last layer over its tokens, special ones included. `work` is not used: this
    takes minutes.

    Returns sentences (of each gender), rounds, accuracy (on held-out sentences, at the beginning of each
    round, and after the last), rank (of the projection), torch and scikit-learn (their versions).
    Raises InputError where scikit-learn is not installed, where a gender has too few sentences, where nothing
    tells the genders apart, where nothing would be left, and for a head that the projection cannot be made
    part of.
    """
    refuse_published(entry)
    fit = _classifier(entry["seed"])
    model, tokenizer = load(base, "INLP")
    head_of(model)
    longest = longest_of(base, entry["training"]["max_length"])
    sides = []
    for number, words in enumerate((texts.words.feminine, texts.words.masculine)):
        sentences = gendered_sentences(texts, partial(_only, words))
        ids = (
            tokenizer([s.text for s in sampled(sentences, entry["seed"], number)], verbose=False)["input_ids"]
            if sentences
            else []
        )
        sides.append([row for row in ids if len(row) <= longest])
    fewest = min(map(len, sides))
    if fewest < HELD_OUT:
        raise InputError(
            f"{texts.lines}: {len(sides[0])} sentences with feminine words alone and {len(sides[1])} with "
            f"masculine ones alone, of at most {longest} tokens; INLP needs {HELD_OUT} or more of each"
        )
    model.to(device.torch)  # type: ignore[arg-type]
    rows = [row for side in sides for row in side[:fewest]]
    embeddings = sentence_embeddings(model, rows, tokenizer.pad_token_id, device)
    genders = np.repeat([0, 1], fewest)
    before = removed_before(base.directory, embeddings.shape[1])
    removed, accuracies = directions(embeddings, genders, fit, entry["options"].get("rounds", ROUNDS), before)
    projection = removing(removed)
    save_projected(model.cpu(), projection, base, entry, directory)
    return {
        "sentences": fewest,
        "rounds": len(removed) - len(before),
        "accuracy": accuracies,
        "rank": round(float(np.trace(projection))),
        "torch": str(torch.__version__),
        "scikit-learn": version("scikit-learn"),
    }


def directions(
    embeddings: Floats, genders: npt.NDArray[np.int64], fit: Any, rounds: int, before: Floats
) -> tuple[Floats, list[float]]:
    """What classifiers see, a direction (row of length one) each, behind the directions `before`; and how
    well they do on every HELD_OUT-th sentence: each, and what comes after the last.

    embeddings: sentences × width; fit: makes an untrained classifier. Raises InputError where the first
    classifier is no better than guessing, and where no dimension would be left.
    """
    width = embeddings.shape[1]
    test = np.arange(len(embeddings)) % HELD_OUT == 0
    majority = max(np.mean(genders[test]), 1 - np.mean(genders[test]))
    removed, accuracies = before, []
    while True:
        rest = embeddings - embeddings @ removed.T @ removed
        classifier = fit().fit(rest[~test], genders[~test])
        accuracies.append(float(classifier.score(rest[test], genders[test])))
        logger.info("%d directions: accuracy %.3f of %.3f", len(removed), accuracies[-1], majority)
        if accuracies[-1] <= majority or len(removed) - len(before) == rounds:
            break
        if len(removed) + 1 >= width:
            raise InputError(
                f"{len(accuracies)} rounds take away all {width} dimensions of the model: nothing is left; "
                "give fewer options.rounds"
            )
        # a classifier may use what rounding has left of removed directions
        direction = np.asarray(classifier.coef_[0], dtype=np.float64)
        direction -= direction @ removed.T @ removed
        removed = np.vstack([removed, direction / np.linalg.norm(direction)])
    if len(removed) == len(before):
        raise InputError(
            f"a linear classifier is right of {accuracies[0]:.0%} of the sentences, as many as by guessing: "
            "there is nothing to remove"
        )
    return removed, accuracies


def _only(words: frozenset[str], mentions: list[Mention]) -> bool:
    return all(mention.word in words for mention in mentions)


def _classifier(seed: int) -> Any:
    try:
        from sklearn.svm import LinearSVC
    except ImportError:
        raise InputError(
            "INLP needs scikit-learn, which is not installed: pip install scikit-learn"
        ) from None
    return lambda: LinearSVC(dual=False, random_state=seed)
