"""The keys of association tests: suites of tests, and the encoders that they are made with."""

from typing import Annotated, Literal

from pydantic import Field

from unmask.keys import (
    ABSENT,
    UNIQUE,
    Chosen,
    Family,
    Keys,
    Licence,
    ModelNames,
    Name,
    Place,
    Seed,
    Text,
    UserFiles,
)

Names = Annotated[list[str], Field(min_length=1), UNIQUE]


class Suite(Chosen):
    """Tests that lie in one place, by their format."""

    format: str
    path: UserFiles
    """The files of the tests; * and ? stand for any part of a name."""
    only: Names | None = None
    """The tests that are made, by the names of their files; all of them by default."""
    words: Annotated[str, Place("file")] | None = None
    """A JSON file with the words that the sentences of each set are there for; by default these are the texts
    of the test of words beside the test of sentences."""
    encoders: Names | None = None
    """The models and word vectors that the tests are made with; by default all that can read them."""
    published: bool = False
    """Whether the tests are the released ones, so that published values are of them."""
    licence: Licence = ABSENT


class SentBias(Suite):
    """Words or sentences, in the form of sent-bias (SEAT)."""

    format: Literal["sent-bias"]


class Grounded(Suite):
    """Texts with pictures, in the form of Grounded-WEAT and Grounded-SEAT."""

    format: Literal["grounded"]
    features: Annotated[str, Place("file")]
    """Regions of the pictures, a .npz file with an array {image}/features of each."""
    repeated_keys: Literal["published", "corrected"] = "corrected"
    """Of a picture that stands in a file twice, the last as in the released code (published), or all
    (corrected); of a picture with a text in place of a list of captions, a caption for each character of it
    (published), or the one caption of that id (corrected)."""


class Vectors(Keys):
    """A file of word vectors."""

    path: Annotated[Text, Place("file")]
    """A text file with a word and its numbers in every line, as word2vec, fastText and GloVe have it."""
    licence: Licence = ABSENT


class Draws(Keys):
    """How partitions and resamples are drawn."""

    seed: Seed = 0


class Associations(Keys):
    """The tests, and the encoders that they are made with."""

    tests: Annotated[dict[Name, Suite], Field(min_length=1)]
    """Suites of tests, by name; every test of a suite is made with every encoder that can read it."""
    models: ModelNames | None = None
    """The models of the study that are tested, of the kinds masked-lm, text-encoder and vision-and-language;
    by default all of these that have files."""
    vectors: dict[Name, Vectors] = {}
    """Word vectors that are tested, by name."""
    poolings: Annotated[
        list[Literal["cls", "mean", "mean-content", "word", "word-first"]], Field(min_length=1), UNIQUE
    ] = ["cls", "mean", "mean-content", "word"]
    """How the tokens of a text become one vector. Suites with pictures have the one that an encoder that sees
    has of both, and word vectors have none."""
    published: dict[str, str] = {}
    """By encoder, under which name the literature's values for it are known, in
    resources/associations/published.csv; they stand beside those of suites that are `published`."""
    statistics: Draws = Draws()


class AssociationsFamily(Family):
    """How much nearer one set of words, sentences or pictures with sentences is to an attribute than another
    (WEAT, SEAT, Grounded-WEAT, Grounded-SEAT). docs/associations.md explains it."""

    associations: Associations
