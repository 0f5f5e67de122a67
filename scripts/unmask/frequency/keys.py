"""The keys of corpora, whose words are counted."""

from typing import Annotated, Literal

from pydantic import Field, Tag

from unmask.keys import (
    ABSENT,
    BY_TYPE,
    UNIQUE,
    Chosen,
    Count,
    Family,
    Licence,
    Name,
    Repo,
    Revision,
    Sha256,
    Text,
    Url,
    UserFiles,
    WorldName,
    one_of,
)

Counted = Annotated[
    bool,
    Field(description="Whether its words are counted; not needed of texts that only train models."),
]
ParquetFile = Annotated[str, Field(pattern="^[^/{}][^{}]*[.]parquet$")]
ParquetFiles = Annotated[list[ParquetFile], Field(min_length=1), UNIQUE]


class Corpus(Chosen):
    """Texts, by their format."""

    format: str


class FrequencyFamily(Family):
    """How often corpora use the words that name groups, and which measures follow that."""

    corpora: Annotated[dict[Name, Corpus], Field(min_length=1)]
    """Texts whose words are counted."""


class TextCorpus(Corpus):
    """UTF-8 text, plain or with the endings .gz, .zst or .bz2; each line is a document, each file a shard."""

    format: Literal["text"]
    path: UserFiles = ABSENT
    """A file, or a pattern with *, ?, [] and ** for folders."""
    url: Url = ABSENT
    world: WorldName = ABSENT
    """The world whose corpus it is."""
    sha256: Sha256 = ABSENT
    counted: Counted = True
    licence: Licence = ABSENT
    _one = one_of("path", "url", "world")


class HubParquet(Corpus):
    """Parquet files of a data set on the Hugging Face hub; each row is a document, each file a shard."""

    format: Literal["hub-parquet"]
    repo: Repo
    revision: Revision = "main"
    subset: Text = ABSENT
    """The folder of the repository that has the files."""
    column: Text = "text"
    """The column with the text."""
    shards: Annotated[Annotated[Count, Tag("int")] | Annotated[ParquetFiles, Tag("list")], BY_TYPE]
    """How many of the files, from the first in order of their names; or their paths in the repository."""
    counted: Counted = True
    licence: Licence = ABSENT
