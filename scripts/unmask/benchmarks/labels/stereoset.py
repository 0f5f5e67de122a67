"""StereoSet (Nadeem et al. 2021): five annotators labelled each sentence; some in the file have no label."""

from collections.abc import Iterator
from pathlib import Path

from unmask.benchmarks.formats.stereoset import ROLES, items_of, role_of


def read(path: Path) -> Iterator[tuple[str, str, str]]:
    """Yield pair, role and label of every label of every intrasentence item.

    A label is that of a role, or `related`, which is none. Raises InputError naming the file, the item and
    the key where labels are no list of objects with a text as their `label`.
    """
    for item in items_of(path):
        for sentence in item["sentences"].parts():
            labels = sentence.mapping().get("labels")
            for each in labels.parts() if labels and labels.value else ():
                label = each["label"].text()
                yield item["id"].value, role_of(sentence), ROLES.get(label, label)
