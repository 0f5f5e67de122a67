"""What a prefix that names a region does to a text classifier (Tables 4 and 5 and Figure 4 of the paper).

Every text of a labelled table is read as it is, and behind each prefix: that of a region, and that of a
control, the same words around a place that is no region, which shows what any prefix does.
"""

import copy
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.stats import t as student

from unmask.errors import InputError
from unmask.regional.classifying import Classifier, Predictions, predict
from unmask.regional.labelled import Items
from unmask.regional.schema import PREFIXES
from unmask.regional.terms import CONTROL, NO_PREFIX
from unmask.regional.wording import PARENT, places_of
from unmask.statistics.intervals import effective_wilson, wilson
from unmask.statistics.student import student as student_of
from unmask.tables import framed

logger = logging.getLogger(__name__)

Floats = npt.NDArray[np.float64]

MOST_ITEMS = np.iinfo(np.int32).max


class Prefix(NamedTuple):
    region: str
    """The region's own id, or the words of a control."""
    text: str


class Group(NamedTuple):
    """Prefixes that are looked at together."""

    level: str
    template: str
    prefixes: tuple[Prefix, ...]
    without: tuple[str, ...] = ()
    """Regions that the group is counted without, one at a time, besides as a whole."""


def region_groups(regions: pd.DataFrame, entries: Iterable[Mapping[str, Any]]) -> list[Group]:
    """The prefixes of regions: one group for each of `entries`.

    regions: a Regions table. entries: `level`, `template`, and `regions`, names at that level, all of it
    where there are none; of several regions with one name, each has its prefix. `without` names those that
    the group is counted without, one at a time. Raises InputError naming the level or the region that is not
    there.
    """
    name_of = dict(zip(regions["region"], regions["name"], strict=True))
    groups = []
    for each in entries:
        level, template, names = each["level"], each["template"], each.get("regions")
        places = places_of(template)
        chosen = regions[regions["level"] == level]
        if chosen.empty:
            known = ", ".join(regions["level"].unique())
            raise InputError(f"no region is a {level} (levels: {known})")
        if names:
            unknown = sorted(set(names) - set(chosen["name"]))
            if unknown:
                raise InputError(f"no {level} is called {unknown[0]!r}")
            chosen = chosen[chosen["name"].isin(names)]
        left_out = list(each.get("without") or ())
        for name in left_out:
            if name not in set(chosen["name"]):
                raise InputError(f"without: no {level} with a prefix is called {name!r}")
        if left_out and len(chosen) < 2:
            raise InputError(f"without: {left_out[0]!r} is the only {level} with a prefix, nothing is left")
        prefixes = []
        for row in chosen.itertuples():
            if PARENT in places and pd.isna(row.parent):
                raise InputError(
                    f"template {template!r}: {row.name} lies in no region, so it has no {{parent}}"
                )
            parent = name_of.get(row.parent, "")
            prefixes.append(Prefix(str(row.region), template.format(region=row.name, parent=parent)))
        without = chosen.loc[chosen["name"].isin(left_out), "region"]
        groups.append(Group(level, template, tuple(prefixes), tuple(map(str, without))))
    return groups


def control_groups(templates: Iterable[str], words: Sequence[str]) -> list[Group]:
    """The same prefixes with words that name no region, for every template that names one place alone."""
    alone = [each for each in dict.fromkeys(templates) if PARENT not in places_of(each)]
    return [
        Group(CONTROL, each, tuple(Prefix(word, each.format(region=word)) for word in words))
        for each in alone
        if words
    ]


def prefixed(prefix: str, text: str) -> str:
    """A text behind a prefix, with a space between."""
    return f"{prefix} {text}" if prefix else text


def prefix_table(
    classifier: Classifier, items: Items, groups: Sequence[Group], positive: int, confidence: float
) -> pd.DataFrame:
    """What each prefix does, as the table `PREFIXES`: no prefix first, then group by group.

    positive: the number of the label whose probability is followed; all others count as negative. The rows
    of a group's prefixes are followed by that of all of them together, and those of all but one. Groups of
    controls come before those with the same template, which are compared with them. Prefixes that read the
    same are read once. What is kept in memory does not grow with the number of prefixes. Raises InputError
    for a group with more texts than can be counted.
    """
    for group in groups:
        if len(group.prefixes) * len(items.texts) > MOST_ITEMS:
            raise InputError(
                f"{len(group.prefixes)} prefixes (level {group.level}) before {len(items.texts)} texts "
                "are too many: choose fewer regions"
            )
    before = predict(classifier, items.texts)
    plain = Effects(items, before, positive)
    plain.add(before)
    # without a prefix nothing can change: not an estimate from these items, so no interval around it
    unchanged = dict.fromkeys(_CHANGE_ENDS, 0.0)
    rows = [{"region": None, "level": NO_PREFIX, "prefix": None} | plain.row(confidence) | unchanged]
    # by template, the mean change of each item behind prefixes that name no region
    controls: dict[str, Floats] = {}
    for group in groups:
        rows += _rows(classifier, items, before, group, positive, confidence, controls)
    return framed(rows, PREFIXES)


def _rows(
    classifier: Classifier,
    items: Items,
    before: Predictions,
    group: Group,
    positive: int,
    confidence: float,
    controls: dict[str, Floats],
) -> Iterator[dict[str, Any]]:
    """The rows of a group. A group of controls adds its mean changes to `controls`."""
    control = None if group.level == CONTROL else controls.get(group.template)
    regions: dict[str, list[str]] = {}
    for prefix in group.prefixes:
        regions.setdefault(prefix.text, []).append(prefix.region)
    together = Effects(items, before, positive)
    effects: dict[str, dict[str, Any]] = {}
    left_out: dict[str, Effects] = {}
    for number, (text, of_text) in enumerate(regions.items(), start=1):
        after = predict(classifier, [prefixed(text, item) for item in items.texts])
        alone = Effects(items, before, positive)
        alone.add(after)
        effects[text] = alone.row(confidence, control) | {"p": alone.p_of(control)}
        for region in of_text:
            together.add(after)
            if region in group.without:
                left_out[region] = alone
        logger.info("%s: prefix %d of %d", group.level, number, len(regions))
    if group.level == CONTROL:
        controls[group.template] = together.net / together.prefixes
    keys = {"level": group.level, "template": group.template}
    for prefix in group.prefixes:
        yield {"region": prefix.region, "prefix": prefix.text} | keys | effects[prefix.text]
    whole = {"region": None, "prefix": group.template} | keys
    yield whole | together.row(confidence, control)
    for region in group.without:
        yield whole | {"without": region} | together.less(left_out[region]).row(confidence, control)


_CHANGE_ENDS = ("shift_low", "shift_high", "changed_low", "changed_high", "net_low", "net_high")

_SUMS = (
    *("confusion", "correct", "changed", "shift", "net", "prefixes", "truncated"),
    *("up", "down", "to_positive", "to_negative", "risen", "fallen"),
)
"""What Effects add up."""


class Effects:
    """What one prefix or several do, added up for each item."""

    def __init__(self, items: Items, before: Predictions, positive: int) -> None:
        self.items, self.before, self.positive = items, before, positive
        labels = before.probabilities.shape[1]
        # true label × predicted label
        self.confusion = np.zeros((labels, labels), dtype=np.int64)
        self.correct, self.changed, self.shift, self.net = (np.zeros(len(items.texts)) for _ in range(4))
        self.prefixes = self.truncated = self.up = self.down = self.to_positive = self.to_negative = 0
        self.risen = self.fallen = 0.0

    def add(self, after: Predictions) -> None:
        """Count the predictions behind a prefix in."""
        first, second = (each.probabilities.argmax(axis=1) for each in (self.before, after))
        change = (after.probabilities - self.before.probabilities)[:, self.positive]
        was, is_ = first == self.positive, second == self.positive
        np.add.at(self.confusion, (self.items.labels, second), 1)
        self.correct += second == self.items.labels
        self.changed += was != is_
        self.shift += change
        self.net += is_.astype(float) - was
        self.prefixes += 1
        self.truncated += after.truncated
        self.up += int((change > 0).sum())
        self.down += int((change < 0).sum())
        self.risen += float(change[change > 0].sum())
        self.fallen += float(-change[change < 0].sum())
        self.to_positive += int((~was & is_).sum())
        self.to_negative += int((was & ~is_).sum())

    def less(self, others: "Effects") -> "Effects":
        """These without some that are among them."""
        rest = copy.copy(self)
        for name in _SUMS:
            setattr(rest, name, getattr(self, name) - getattr(others, name))
        return rest

    def p_of(self, control: Floats | None) -> float | None:
        """The p of the mean change of items being that behind controls; None without these."""
        return None if control is None else paired_change(self.net / self.prefixes - control, 0.5).p

    def row(self, confidence: float, control: Floats | None = None) -> dict[str, Any]:
        """The columns of `PREFIXES` from `items` on, but for p. control: the mean change of each item behind
        prefixes that name no region."""
        n = len(self.items.texts)
        read = n * self.prefixes
        accuracy_low, accuracy_high = share_interval(self.correct / self.prefixes, self.prefixes, confidence)
        changed_low, changed_high = share_interval(self.changed / self.prefixes, self.prefixes, confidence)
        shift_low, shift_high = mean_interval(self.shift / self.prefixes, confidence)
        net = self.net / self.prefixes
        _, net_low, net_high, _ = paired_change(net, confidence, self.prefixes)
        over = PairedChange()
        if control is not None:
            over = paired_change(net - control, confidence, self.prefixes)
        return {
            "items": read,
            "truncated": self.truncated,
            "accuracy": self.correct.sum() / read,
            "accuracy_low": accuracy_low,
            "accuracy_high": accuracy_high,
            "macro_f1": macro_f1(self.confusion),
            "shift": self.shift.sum() / read,
            "shift_low": shift_low,
            "shift_high": shift_high,
            "up": self.up,
            "mean_up": self.risen / self.up if self.up else None,
            "down": self.down,
            "mean_down": self.fallen / self.down if self.down else None,
            "to_positive": self.to_positive / read,
            "to_negative": self.to_negative / read,
            "changed_low": changed_low,
            "changed_high": changed_high,
            "net": (self.to_positive - self.to_negative) / read,
            "net_low": net_low,
            "net_high": net_high,
            "over_control": over.mean,
            "over_control_low": over.low,
            "over_control_high": over.high,
        }


def macro_f1(confusion: npt.NDArray[np.int64]) -> float:
    """The mean of F1 over the labels that occur, from counts of true label × predicted label."""
    right = np.diag(confusion)
    # F1 = 2 · right / (true + predicted)
    occurs = confusion.sum(axis=0) + confusion.sum(axis=1)
    return float(np.mean(2 * right[occurs > 0] / occurs[occurs > 0]))


def share_interval(
    of_items: Floats, readings: int, confidence: float
) -> tuple[float, float] | tuple[None, None]:
    """Interval of a share, given for each item the share of its `readings`; (None, None) where undefined.

    Wilson's of items where each is read once. Else items are clusters: Wilson's with as many trials as
    independent readings would need for the same variance, at least as many as there are items and at most as
    many as there are readings.
    """
    n, share = len(of_items), float(of_items.mean())
    if readings == 1:
        low, high = wilson(of_items.sum(), n, confidence)
    else:
        # without any variation between items one item tells all
        independent = share * (1 - share) / (n * readings)
        effect = of_items.var(ddof=1) / n / independent if n > 1 and independent > 0 else readings
        effect = min(max(effect, 1.0), readings)
        low, high = effective_wilson(share * n * readings, n * readings, effect, n - 1, confidence)
    return (None, None) if np.isnan(low) else (low / 100, high / 100)


class PairedChange(NamedTuple):
    """A mean change over items with its interval, and the p of none; None where undefined."""

    mean: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None


def paired_change(of_items: Floats, confidence: float, readings: int = 1) -> PairedChange:
    """The mean of each item's change of being predicted positive, from -1 to 1; items are the unit.

    of_items: for each item the mean change over its `readings`, one for each prefix. The interval is Agresti
    and Min's for two shares of the same items (2005, Statistics in Medicine 24), which has half an item more
    that rises, half a one that falls and one that stays, with Student's t in place of the normal: where few
    labels change, or none, the plain one is far too short. p is of the same t.

    A single reading changes by 1 or not at all, and so do these halves. Means over several readings are
    smaller. There the halves change by the size of an item's change, weighted by itself: 1 where the
    readings of an item change together, 1 / readings where they change one at a time, and never less.
    """
    n = len(of_items)
    mean = of_items.sum() / (n + 2)
    squares, sizes = (of_items**2).sum(), np.abs(of_items).sum()
    step = min(max(squares / sizes, 1 / readings), 1.0) if sizes > 0 else 1 / readings
    variance = (squares + step**2) / (n + 2) - mean**2
    of_t = student_of(np.array([mean]), np.array([variance / (n + 2)]), np.array([n - 1.0]), confidence)
    if np.isnan(of_t.p[0]):
        return PairedChange(float(of_items.mean()))
    return PairedChange(float(of_items.mean()), float(of_t.low[0]), float(of_t.high[0]), float(of_t.p[0]))


def mean_interval(of_items: Floats, confidence: float) -> tuple[float, float] | tuple[None, None]:
    """Student's interval of a mean over items; (None, None) for one item."""
    n = len(of_items)
    if n < 2:
        return None, None
    half = float(student.ppf((1 + confidence) / 2, n - 1) * of_items.std(ddof=1) / np.sqrt(n))
    return float(of_items.mean()) - half, float(of_items.mean()) + half
