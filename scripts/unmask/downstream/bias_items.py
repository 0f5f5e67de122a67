"""Items of bias: sentences about an occupation, each with the same sentence about a woman and about a man.

Similarity (Webster et al. 2020, Measuring and Reducing Gendered Correlations in Pre-trained Models): a
sentence that begins with a man or a woman, and the same one with an occupation in that place.

Entailment (Dev et al. 2020, On Measuring and Mitigating Biased Inferences of Word Embeddings): a frame
("ate a bagel .") says the same of an occupation (premise) and of a woman or a man (hypothesis), so that the
right answer is always neutral. Their lists of words have no licence: they are read from their repository's
archive.
"""

import gzip
import io
import re
import tarfile
import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from unmask.downstream.terms import BIAS, FEMALE, MALE, SIMILARITY, TEST, TRAIN
from unmask.errors import InputError
from unmask.files import faults_of
from unmask.gendered_words import read_word_pairs
from unmask.user_files import read_text, text_of
from unmask.user_tables import Column, Table, choices_of, value_text

LETTERS = re.compile(r"[^\W\d_]+")
_BEGINNING = re.compile(r"A (?:man|woman)\b(.*)", re.DOTALL)
_AN = re.compile(r"[aeio]|u(?!ni|s[aeiu]|ti|r[aeio])|h(?:eir|onest|onou?r|our)", re.IGNORECASE)
_A = re.compile(r"one\b|once\b|eu|ew", re.IGNORECASE)

PUBLISHED = (1968, 164)
"""Frames and occupations of Dev et al."""

PERCENTAGE = Column("female_share", float, optional=True, least=0, most=100)
_OCCUPATION = Column("occupation", lambda cell: text_of(cell).strip(), required=True, key=True)


def words_in(text: str) -> list[str]:
    """The runs of letters of a text, in lower case."""
    return LETTERS.findall(text.lower())


def article(noun: str) -> str:
    """`a` or `an`, by how English says the noun's first sound: an engineer, a user, an honest man."""
    return "an" if _AN.match(noun) and not _A.match(noun) else "a"


def with_article(noun: str, first: str = "a") -> str:
    """A noun with an article as the code of Dev et al. gives it, by its first letter. first: a or A."""
    return f"{first}{'n' if noun[0].lower() in 'aeiou' else ''} {noun}"


def items_of_bias(
    files: Mapping[str, Sequence[Path]], entry: Mapping[str, Any], tested: pd.DataFrame, remarks: list[str]
) -> pd.DataFrame:
    """The items of bias of a task: of a table of them, or made of its lists or of its test's sentences.

    tested: the rows of the test. Raises InputError naming the file, or the key, of what does not fit.
    """
    if "bias" in files:
        return _table_of_items(files["bias"][0], entry)
    if entry["kind"] == SIMILARITY:
        words = read_word_pairs(files["words"][0])
        sentences = tested[["text", "second"]].to_numpy().ravel().tolist()
        templates = templates_in(sentences, {word for pair in words for word in pair})
        if not templates:
            why = 'no sentence of the test begins with "A man" or "A woman"; `bias` may have items'
            raise InputError(f"{files.get(TEST, files[TRAIN])[0]}: {why}")
        if twice := len(templates) - len(set(templates)):
            what = "templates are there twice, once of a man, once of a woman"
            remarks.append(f"{twice} of {len(templates)} {what}")
        return similarity_items(templates, read_occupations(files["occupations"][0]))
    if "lists" in files:
        if {"frames", "occupations"} & files.keys():
            raise InputError("files: frames and occupations take the place of lists; give one or the other")
        frames, occupations = read_archive(files["lists"][0])
        if (len(frames), len(occupations)) != PUBLISHED:
            counts = f"{len(frames)} frames and {len(occupations)} occupations"
            remarks.append("the lists give {}, not the paper's {} and {}".format(counts, *PUBLISHED))
    elif {"frames", "occupations"} <= files.keys():
        frames = read_frames(files["frames"][0])
        occupations = read_occupations(files["occupations"][0])
    else:
        raise InputError("files: entailment needs `bias`, or `frames` and `occupations`, for items of bias")
    return entailment_items(frames, occupations)


def _table_of_items(path: Path, entry: Mapping[str, Any]) -> pd.DataFrame:
    """The items of bias of a table: each template with each occupation once for either gender."""
    columns = (
        Column("text", required=True),
        Column("second", required=True),
        Column("gender", required=True, choices=choices_of(entry["genders"], "genders")),
        Column("occupation", required=True, label=True),
        Column("template", value_text, required=True),
        PERCENTAGE,
    )
    table = Table(columns)
    rows = list(table.rows(path, entry["files"]["bias"]))
    frame = pd.DataFrame(rows).astype({"female_share": float})
    for (template, occupation), those in frame.groupby(["template", "occupation"], sort=False):
        if sorted(those["gender"]) != [FEMALE, MALE]:
            each = f"{template!r} with {occupation!r} is there for {' and '.join(those['gender'])}"
            raise rows[those.index[0]].fault("template", f"{each}, not once for either gender")
    return frame.assign(part=BIAS, template=pd.factorize(frame["template"])[0])


def read_occupations(path: Path) -> pd.DataFrame:
    """Occupations from a CSV file, in its order: the columns occupation and maybe female_share (percent, NaN
    where not stated). Raises InputError naming the file, and the row of what is none or there twice."""
    return pd.DataFrame(Table((_OCCUPATION, PERCENTAGE)).rows(path)).astype({"female_share": float})


def templates_in(sentences: Iterable[str], gendered: Collection[str]) -> list[str]:
    """What follows "A man" or "A woman" in each distinct sentence that begins so and has no more such words.

    gendered: words that show a gender, man and woman among them, in lower case. In the order of the
    sentences; two that differ in man and woman alone give the same template twice.
    """
    beginnings = map(_BEGINNING.match, dict.fromkeys(sentences))
    return [
        match[1]
        for match in filter(None, beginnings)
        if sum(word in gendered for word in words_in(match.string)) <= 1
    ]


def similarity_items(templates: Sequence[str], occupations: pd.DataFrame) -> pd.DataFrame:
    """Every template with every occupation and both genders: text is the sentence about a woman or a man,
    second that about the occupation. occupations: as `read_occupations` has them."""
    jobs = [f"{article(word).capitalize()} {word}" for word in occupations["occupation"]]
    return _crossed(templates, jobs, occupations).rename(columns={"of_person": "text", "of_job": "second"})


def entailment_items(frames: Sequence[str], occupations: pd.DataFrame) -> pd.DataFrame:
    """Every frame with every occupation and both genders: text is the premise, about the occupation, second
    the hypothesis, about a woman or a man."""
    jobs = [with_article(word, "A") for word in occupations["occupation"]]
    rows = _crossed([f" {frame}" for frame in frames], jobs, occupations)
    return rows.rename(columns={"of_job": "text", "of_person": "second"})


def _crossed(said: Sequence[str], jobs: Sequence[str], occupations: pd.DataFrame) -> pd.DataFrame:
    texts = pd.DataFrame({"said": said, "template": range(len(said)), "part": BIAS})
    people = pd.DataFrame({"person": ["A woman", "A man"], "gender": [FEMALE, MALE]})
    rows = texts.merge(occupations.assign(job=jobs), how="cross").merge(people, how="cross")
    return rows.assign(of_person=rows["person"] + rows["said"], of_job=rows["job"] + rows["said"])


def read_frames(path: Path) -> list[str]:
    """Frames from a text file, one a line, as "ate a bagel .". Raises InputError naming what is not there."""
    table, lines = Table([Column("frame", key=True)]), io.StringIO(read_text(path), newline=None)
    texts = [(f"line {number}", line.strip()) for number, line in enumerate(lines, start=1) if line.strip()]
    if not texts:
        raise InputError(f"{path}: is empty")
    return [table.check(path, place, {"frame": text})["frame"] for place, text in texts]


def read_archive(path: Path) -> tuple[list[str], pd.DataFrame]:
    """The frames and the occupations that the code of Dev et al. makes of its lists.

    path: an archive (.tar.gz) of the repository. A frame is a verb and an object of its kind: verbs of
    commerce with every object, of interaction with every person, of driving with vehicles, of eating with
    food. Words are sorted, where that code leaves the order of some to chance. Raises InputError naming the
    file, and the list that is not there or is empty.
    """
    lists = _word_lists(path)

    def words(*names: str) -> list[str]:
        if empty := [name for name in names if not lists.get(name)]:
            raise InputError(f"{path}: no words in word_lists/{empty[0]}")
        return sorted({word for name in names for word in lists[name]})

    people = "nouns/people"
    objects = [name for name in lists if name.startswith("nouns/objects/")] or ["nouns/objects"]
    rulers = [f"{people}/rulers"] if lists.get(f"{people}/rulers") else []
    objects_of_verbs = {
        "commerce": words(*objects),
        "interaction": words(f"{people}/person_hyponyms", *rulers),
        "driving": words("nouns/objects/vehicles"),
        "eating": words("nouns/objects/food"),
    }
    frames = [
        f"{verb} {with_article(noun)} ."
        for kind, nouns in objects_of_verbs.items()
        for verb in words(f"verbs/{kind}_verbs")
        for noun in nouns
    ]
    return frames, pd.DataFrame({"occupation": words(f"{people}/occupations"), "female_share": np.nan})


def _word_lists(path: Path) -> dict[str, list[str]]:
    """The words of each list by its place below the folder word_lists."""
    lists: dict[str, list[str]] = {}
    try:
        with faults_of(path, "not a readable tar archive"):
            # as a whole: the checksum stands at the end
            whole = io.BytesIO(gzip.decompress(path.read_bytes()))
            with tarfile.open(fileobj=whole) as archive:
                for member in archive:
                    _, folder, name = member.name.partition("word_lists/")
                    content = archive.extractfile(member) if folder else None
                    if content is not None:
                        lines = content.read().decode("utf-8").splitlines()
                        lists[name] = [line.strip() for line in lines if line.strip()]
    except (tarfile.TarError, zlib.error) as error:
        raise InputError(f"{path}: not a readable tar archive ({error})") from None
    return lists
