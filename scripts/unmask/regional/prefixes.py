"""What a prefix that names a region does to a text classifier (Tables 4 and 5 and Figure 4 of the paper).

Every text of a labelled table is read as it is, behind the prefix of each region, and behind one that names
no region, which shows what any prefix does.
"""

import logging
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import softmax
from transformers import AutoModelForSequenceClassification

from unmask.errors import InputError
from unmask.models.classifiers import predict_logits, tokenise
from unmask.models.devices import Device
from unmask.models.embedding import Encoder
from unmask.models.loading import load_network, use_fast_linear_layers
from unmask.models.tokenizer import load_tokenizer
from unmask.regional.schema import PREFIXES
from unmask.regional.terms import CONTROL, NO_PREFIX, PARENT
from unmask.statistics.uncertainty import exact_mcnemar
from unmask.tables import framed
from unmask.user_files import published_text
from unmask.user_tables import Column, Table, choices_of

logger = logging.getLogger(__name__)

Floats = npt.NDArray[np.float64]

PLACELESS = "this place"
"""What stands in the prefix that names no region."""


class Items(NamedTuple):
    """Texts of a labelled table; of each, the number of its label among the classifier's."""

    texts: tuple[str, ...]
    labels: npt.NDArray[np.int64]


class Group(NamedTuple):
    """The prefixes of a level with one template, by region. without: regions that are left out in turn."""

    level: str
    template: str
    prefixes: Mapping[str, str]
    without: tuple[str, ...] = ()


def read_labelled(path: str | Path, entry: Mapping[str, Any], labels: Sequence[str]) -> Items:
    """The texts of a table and their labels, in the order of the file.

    entry: `columns` {text, label} names its columns; `labels` says which values of the label's column mean
    which label of the classifier (label: [values]), by default each under its own name; and what
    `unmask.user_tables` knows. labels: the classifier's, in the order of its outputs.

    Raises InputError naming the file and the row where there is no text, or a label that is none of these;
    and naming the key where a label is none of the classifier's.
    """
    where = f"{path}: labels"
    named: Mapping[str, Sequence[Any]] = entry.get("labels") or {label: [label] for label in labels}
    choices = {value: label_number(where, of, labels) for value, of in choices_of(named, where).items()}
    header = entry["columns"]
    columns = [
        # reviews of IMDB have control characters of Windows-1252
        Column("text", published_text, required=True, header=header["text"]),
        Column("label", required=True, choices=choices, header=header["label"]),
    ]
    rows = list(Table(columns).rows(path, entry))
    return Items(tuple(row["text"] for row in rows), np.array([row["label"] for row in rows]))


def label_number(where: str, label: str, labels: Sequence[str]) -> int:
    """A label's number among the classifier's. Raises InputError beginning with `where` if it is none."""
    if label not in labels:
        raise InputError(f"{where}: {label!r} is no label of the classifier (it has {', '.join(labels)})")
    return labels.index(label)


def load_classifier(directory: str | Path, device: Device, max_length: int | None) -> Encoder:
    """A text classifier in a directory that has been checked, in evaluation mode and single precision.

    max_length: of tokens, special ones among them. Faster layers are taken where they give the same
    probabilities. Raises InputError where the device's memory is too small.
    """
    tokenizer = load_tokenizer(directory, truncation_side="right")
    network = load_network(AutoModelForSequenceClassification, directory, device)
    classifier = Encoder(network, tokenizer, device, max_length)
    if device.torch.type == "cpu":
        expected = predict(classifier, [PLACELESS])
        if use_fast_linear_layers(network) and not np.allclose(
            predict(classifier, [PLACELESS]), expected, rtol=0, atol=1e-4
        ):
            logger.warning("faster layers differ from the plain ones: this classifier runs without them")
            network = load_network(AutoModelForSequenceClassification, directory, device)
            return Encoder(network, tokenizer, device, max_length)
    return classifier


def predict(classifier: Encoder, texts: Sequence[str], level: int = logging.WARNING) -> Floats:
    """The probabilities of the labels, texts × labels. level: of the line on texts that are too long.

    Raises InputError as `predict_logits` does.
    """
    tokens = tokenise(classifier.network, classifier.tokenizer, texts, None, classifier.max_length)
    if tokens.truncated:
        logger.log(level, "%d of %d texts are too long and lose their end", tokens.truncated, len(texts))
    # in double precision a sure prediction can still become surer
    logits = predict_logits(classifier.network, tokens, classifier.device).astype(np.float64)
    probabilities: Floats = softmax(logits, axis=1)
    return probabilities


def region_groups(
    regions: pd.DataFrame, entries: Iterable[Mapping[str, Any]], place: str = "prefixes"
) -> list[Group]:
    """The prefixes of regions, a group for each of `entries`.

    regions: a REGIONS table. entries: `level`, `template`, and `regions`, names at that level, all of it
    where there are none; of several regions with one name, each has its prefix. `without` names regions that
    are left out in turn. place: the key of the entries. Raises InputError naming the key of the level or
    region that is not there.
    """
    name_of = dict(zip(regions["region"], regions["name"], strict=True))
    groups = []
    for number, each in enumerate(entries):
        key, level, template = f"{place}.{number}", each["level"], each["template"]
        chosen = regions[regions["level"] == level]
        if chosen.empty:
            levels = ", ".join(regions["level"].unique())
            raise InputError(f"{key}.level: no region is a {level} (levels: {levels})")
        if PARENT in template and chosen["parent"].isna().any():
            raise InputError(
                f"{key}.template: {chosen['name'].iloc[0]} lies in no region, as {{parent}} asks"
            )
        for part in ("regions", "without"):
            if unknown := [name for name in each.get(part) or () if name not in set(chosen["name"])]:
                raise InputError(f"{key}.{part}: no {level} with a prefix is called {unknown[0]!r}")
            if part == "regions" and each.get(part):
                chosen = chosen[chosen["name"].isin(each[part])]
        without = chosen.loc[chosen["name"].isin(each.get("without") or ()), "region"]
        if len(without) and len(chosen) < 2:
            raise InputError(f"{key}.without: nothing is left without the only {level} that has a prefix")
        prefixes = {
            region: template.format(region=name, parent=name_of.get(parent))
            for region, name, parent in chosen[["region", "name", "parent"]].itertuples(index=False)
        }
        groups.append(Group(level, template, prefixes, tuple(without)))
    return groups


def prefix_table(classifier: Encoder, items: Items, groups: Sequence[Group], positive: int) -> pd.DataFrame:
    """What each prefix does, as PREFIXES: no prefix first, then group by group, its control before it.

    positive: the number of the label whose probability is followed; all others count as negative. The rows of
    a group's prefixes are followed by those of all together, and of all but one. Prefixes that read the same
    are read once.
    """
    before = predict(classifier, items.texts)
    rows = [{"level": NO_PREFIX} | _row([_effects(items, before, before, positive)])]

    @cache
    def behind(prefix: str) -> tuple[dict[str, Any], npt.NDArray[np.bool_]]:
        """What a prefix does, and which texts are predicted positive behind it."""
        # of hundreds of prefixes: the line on the texts themselves is enough for a terminal
        after = predict(classifier, [f"{prefix} {text}" for text in items.texts], logging.INFO)
        return _effects(items, before, after, positive), after.argmax(axis=1) == positive

    for level, template, prefixes, left_out in groups:
        keys, placeless, net = {"level": level, "template": template}, "", None
        if PARENT not in template:
            placeless = template.format(region=PLACELESS)
            control = _row([behind(placeless)[0]])
            row = keys | {"level": CONTROL, "region": PLACELESS, "prefix": placeless} | control
            # once for all levels
            rows += [row] if row not in rows else []
            net = float(control["net"])
        for region, prefix in prefixes.items():
            effects, is_positive = behind(prefix)
            p = _p_of_changes(is_positive, behind(placeless)[1]) if placeless else None
            rows.append(keys | {"region": region, "prefix": prefix, "p": p} | _row([effects], net))
        for without in (None, *left_out):
            several = [behind(prefix)[0] for region, prefix in prefixes.items() if region != without]
            rows.append(keys | {"prefix": template, "without": without} | _row(several, net))
        logger.info("%s: %d prefixes", level, len(prefixes))
    return framed(rows, PREFIXES)


def _effects(items: Items, before: Floats, after: Floats, positive: int) -> dict[str, Any]:
    """What one prefix does, in sums over items, from probabilities. confusion: true × predicted label."""
    change = (after - before)[:, positive]
    was, labels = before.argmax(axis=1) == positive, after.argmax(axis=1)
    confusion = np.zeros((after.shape[1],) * 2, dtype=np.int64)
    np.add.at(confusion, (items.labels, labels), 1)
    return {
        "confusion": confusion,
        "up": (change > 0).sum(),
        "risen": change[change > 0].sum(),
        "down": (change < 0).sum(),
        "fallen": -change[change < 0].sum(),
        "to_positive": (~was & (labels == positive)).sum(),
        "to_negative": (was & (labels != positive)).sum(),
    }


def _row(effects: Sequence[Mapping[str, Any]], control: float | None = None) -> dict[str, Any]:
    """The columns of PREFIXES from `items` on, of one prefix or several. control: `net` of the control."""
    total = {name: sum(each[name] for each in effects) for name in effects[0]}
    count = int(total["confusion"].sum())
    shares = {name: total[name] / count for name in ("to_positive", "to_negative")}
    net = (total["to_positive"] - total["to_negative"]) / count
    return {name: total[name] for name in ("up", "down")} | {
        "items": count,
        "accuracy": np.trace(total["confusion"]) / count,
        "macro_f1": macro_f1(total["confusion"]),
        "mean_up": total["risen"] / total["up"] if total["up"] else None,
        "mean_down": total["fallen"] / total["down"] if total["down"] else None,
        **shares,
        "net": net,
        "over_control": None if control is None else net - control,
    }


def macro_f1(confusion: npt.NDArray[np.int64]) -> float:
    """The mean of F1 over the labels that occur, from counts of true label × predicted label."""
    # F1 = 2 · right / (true + predicted)
    occurs = confusion.sum(axis=0) + confusion.sum(axis=1)
    return float(np.mean(2 * np.diag(confusion)[occurs > 0] / occurs[occurs > 0]))


def _p_of_changes(one: npt.NDArray[np.bool_], other: npt.NDArray[np.bool_]) -> float:
    """McNemar's exact p of two predictions of the same items, (n,) each."""
    return exact_mcnemar(int((one & ~other).sum()), int((~one & other).sum()))
