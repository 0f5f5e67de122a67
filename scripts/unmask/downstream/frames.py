"""Bias items of entailment: does it follow from an occupation that somebody is a man, or a woman?

Dev et al. 2020 (On Measuring and Mitigating Biased Inferences of Word Embeddings): a frame ("ate a bagel .")
says the same of an occupation (premise) and of a woman or a man (hypothesis), so that the right answer is
always neutral. Their lists of words have no licence: they are read from the archive of their repository.
"""

import tarfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

import numpy as np
import pandas as pd

from unmask.downstream.terms import BIAS, FEMALE, MALE
from unmask.errors import InputError
from unmask.user_documents import read_lines
from unmask.user_files import faults_of

FOLDER = "word_lists"
PEOPLE, OBJECTS, VERBS = "nouns/people", "nouns/objects", "verbs"
LARGEST_LIST, LARGEST_ARCHIVE = 1 << 24, 1 << 30
"""Bytes of a list of words in an archive, and of all that the archive unpacks to."""

PUBLISHED = (1968, 164)
"""Frames and occupations of the paper's items."""


def with_article(noun: str, capital: bool = False) -> str:
    """A noun with an article as the released code gives it: an before the letters a, e, i, o and u."""
    article = "an" if noun[0].lower() in "aeiou" else "a"
    return f"{article.capitalize() if capital else article} {noun}"


def entailment_items(
    frames: Sequence[str], occupations: pd.DataFrame, people: Mapping[str, Sequence[str]]
) -> pd.DataFrame:
    """Every frame with every occupation and every woman and man.

    frames: what follows a person, as "ate a bagel .". occupations: the columns occupation and female_share.
    people: as many words for women (female) as for men (male); those at the same place make a pair, which is
    a template of its own. Returns rows for `unmask.downstream.task`: text is the premise, second the
    hypothesis. Raises InputError where there are more words of one gender than of the other.
    """
    women, men = people[FEMALE], people[MALE]
    if len(women) != len(men):
        raise InputError(f"people: {len(women)} words for women, but {len(men)} for men: they go in pairs")
    words = [with_article(word, capital=True) for word in occupations["occupation"]]
    persons = [with_article(word, capital=True) for pair in zip(women, men, strict=True) for word in pair]
    premises = np.array([f"{word} {frame}" for frame in frames for word in words], dtype=object)
    hypotheses = np.array([[f"{person} {frame}" for person in persons] for frame in frames], dtype=object)
    # by frame, occupation, pair and gender
    shape = (len(frames), len(words), len(women), 2)
    pairs = np.arange(len(frames))[:, None] * len(women) + np.arange(len(women))

    def spread(values: np.ndarray, *axes: int) -> np.ndarray:
        sized = [shape[axis] if axis in axes else 1 for axis in range(4)]
        return np.broadcast_to(values.reshape(sized), shape).ravel()

    return pd.DataFrame(
        {
            "part": BIAS,
            "text": spread(premises, 0, 1),
            "second": spread(hypotheses, 0, 2, 3),
            "gender": spread(np.array([FEMALE, MALE], dtype=object), 3),
            "occupation": spread(occupations["occupation"].to_numpy(object), 1),
            "female_share": spread(occupations["female_share"].to_numpy(np.float64), 1),
            "template": spread(pairs, 0, 2),
        }
    )


def read_archive(path: Path, largest: int = LARGEST_ARCHIVE) -> tuple[list[str], pd.DataFrame]:
    """The frames and the occupations that the released code makes of its lists.

    path: a tar archive of the repository (.tar.gz), whose lists lie in FOLDER. A frame is a verb and an
    object of its kind: verbs of commerce with every object, of interaction with every person, of driving with
    vehicles, of eating with food. Words are sorted, where the released code leaves the order of some to
    chance. Raises InputError naming the file and the list that is not there or is empty; or the member where
    a list has more than LARGEST_LIST bytes, or all members to that one more than `largest`.
    """
    lists = _lists(path, largest)

    def words(name: str) -> list[str]:
        if not lists.get(name):
            raise InputError(f"{path}: no words in {FOLDER}/{name}")
        return lists[name]

    objects = sorted({word for name in lists if name.startswith(f"{OBJECTS}/") for word in lists[name]})
    rulers = lists.get(f"{PEOPLE}/rulers", [])
    persons = sorted({*words(f"{PEOPLE}/person_hyponyms"), *rulers})
    said = (
        ("commerce_verbs", objects),
        ("interaction_verbs", persons),
        ("driving_verbs", words(f"{OBJECTS}/vehicles")),
        ("eating_verbs", words(f"{OBJECTS}/food")),
    )
    frames = [
        f"{verb} {with_article(noun)} ."
        for name, nouns in said
        for verb in words(f"{VERBS}/{name}")
        for noun in nouns
    ]
    occupations = words(f"{PEOPLE}/occupations")
    return frames, pd.DataFrame({"occupation": occupations, "female_share": np.nan})


def _lists(path: Path, largest: int) -> dict[str, list[str]]:
    """The words of each list by its place below FOLDER, sorted, each once.

    Members say in their heads how large they are, which is looked at before they are unpacked.
    """
    lists: dict[str, list[str]] = {}
    unpacked = 0
    try:
        with faults_of(path, "not a readable tar archive"), tarfile.open(path) as archive:
            for member in archive:
                parts = PurePosixPath(member.name).parts
                unpacked += member.size
                if unpacked > largest or (FOLDER in parts and member.size > LARGEST_LIST):
                    size, of_list, of_all = (each / 1e6 for each in (member.size, LARGEST_LIST, largest))
                    raise InputError(
                        f"{path}: {member.name} has {size:.0f} MB unpacked; at most {of_list:.0f} MB of a "
                        f"list are read, and {of_all:.0f} MB in all"
                    )
                content = archive.extractfile(member) if member.isfile() and FOLDER in parts else None
                if content is not None:
                    lines = content.read().decode("utf-8").splitlines()
                    name = "/".join(parts[parts.index(FOLDER) + 1 :])
                    lists[name] = sorted({line.strip() for line in lines if line.strip()})
            # to the end, where a compressed archive has its checksum
            while archive.fileobj is not None and archive.fileobj.read(LARGEST_LIST):
                pass
    except (tarfile.TarError, zlib.error) as error:
        raise InputError(f"{path}: not a readable tar archive ({error})") from None
    return lists


def read_frames(path: Path) -> list[str]:
    """Frames from a text file, one a line, as "ate a bagel .". Raises InputError naming what is not there."""
    frames: dict[str, None] = {}
    for line in read_lines(path):
        if (frame := line.text()) in frames:
            raise line.fault(f"{frame!r} is there twice")
        frames[frame] = None
    return list(frames)
