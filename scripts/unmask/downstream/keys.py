"""The keys of downstream tasks: the tasks, how models are fine-tuned for them, and models after it."""

from itertools import product
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, model_validator

from unmask.downstream.study import are_scored_after, fine_tuned_models
from unmask.keys import (
    ABSENT,
    ALIKE,
    DIFFERING,
    UNIQUE,
    Chosen,
    Count,
    DataFile,
    Family,
    Keys,
    Licence,
    ModelName,
    Name,
    Rate,
    Seed,
    WorldName,
)
from unmask.models.keys import Model

Kind = Annotated[Literal["occupations", "similarity", "entailment"], Field(description="The kind of task.")]
Values = Annotated[list[Any], Field(min_length=1)]


class Search(Keys):
    """What a search tries."""

    batch: Annotated[list[Count], Field(min_length=1)] = [16, 32, 64]
    """Examples of a step."""
    learning_rate: Annotated[list[Rate], Field(min_length=1)] = [1.0e-5, 3.0e-5, 5.0e-5]
    """Largest learning rates."""
    epochs: Annotated[list[Count], Field(min_length=1)] = [1, 3, 5]
    """Numbers of epochs."""


class FineTuning(Keys):
    """How models are fine-tuned. A task may state what differs."""

    how: Literal["fixed", "search", "curve"] = "fixed"
    """fixed: as stated here. search: the best on the held-out part of `search`, one setting after another.
    curve: as fixed, with predictions at 0, `every`, 2 · `every` … steps."""
    batch: Count = 32
    """Examples of a step."""
    learning_rate: Rate = 3.0e-5
    """The largest learning rate of the schedule."""
    epochs: Count = 3
    """How often all examples are read."""
    steps: Count | None = None
    """So many steps, however many epochs that is; null for all of `epochs`."""
    every: Count = 500
    """Steps between two predictions of a curve."""
    max_length: Annotated[int, Field(ge=8)] = 128
    """Tokens that are read of an example at most."""
    search: Search = Search()


class Task(Chosen):
    """A task, by its format."""

    format: str
    seed: Seed = 0
    fine_tuning: Annotated[FineTuning, DIFFERING] = ALIKE
    """What differs for this task from `downstream.fine_tuning`, whose keys it has."""


class Downstream(Keys):
    """The tasks, and how models are fine-tuned for them."""

    tasks: Annotated[dict[Name, Task], Field(min_length=1)]
    """The tasks by name."""
    models: Annotated[list[Name], Field(min_length=1), UNIQUE] | None = None
    """The masked language models that are fine-tuned; null for all with files."""
    seeds: Annotated[list[Seed], Field(min_length=1), UNIQUE] = [0]
    """A run for each, of first weights of the head and the order of the examples."""
    after: bool = True
    """Whether models are scored on the benchmarks once more after fine-tuning (with the first of the seeds,
    under their own head for masked words): they are called {model}@{task}."""
    draws: Annotated[int, Field(ge=100)] = 2000
    """How many times genders are permuted, for what chance alone gives."""
    fine_tuning: FineTuning = FineTuning()


class DownstreamFamily(Family):
    """Models fine-tuned on tasks, and how unequally they then treat the genders; docs/debiasing.md explains
    the tasks."""

    needs = ("models",)

    downstream: Downstream

    @model_validator(mode="after")
    def _has_models_after(self: Any) -> Any:
        """An entry {model}@{task} under `models` for every model after fine-tuning on every task, where these
        are scored on benchmarks."""
        study = self.model_dump(serialize_as_any=True)
        tasks = study["downstream"]["tasks"] if are_scored_after(study) else ()
        # that those which are named can be fine-tuned is checked later
        tuned = [name for name in fine_tuned_models(study) if name in self.models]
        for of, task in product(tuned, tasks):
            name = TypeAdapter(Name).validate_python(f"{of}@{task}")
            self.models[name] = FineTuned.model_construct(source="fine-tuned", from_=of, task=task)
        return self


class FineTuned(Model):
    """A model of the study after fine-tuning on a task, under its own head for masked words. Made by
    `downstream.after`."""

    on_pairs = False

    source: Literal["fine-tuned"]
    from_: ModelName = Field(alias="from")
    """The model that is fine-tuned."""
    task: str
    """The task of `downstream.tasks`."""


class Files(Keys):
    """The files of a task; of the last two items of bias are made."""

    train: DataFile = ABSENT
    dev: DataFile = ABSENT
    test: DataFile = ABSENT
    frames: DataFile = ABSENT
    """Text, one item a line."""
    occupations: DataFile = ABSENT
    """A CSV file with the columns occupation and, in percent, female_share; for similarity by default
    Winogender's 60."""


class PublishedFiles(Files):
    """Files in place of those that were released. lists: an archive (.tar.gz) of the repository of Dev et al.
    (2020), whose place frames and occupations take."""

    lists: DataFile = ABSENT

    @model_validator(mode="after")
    def _frames_have_occupations(self) -> "PublishedFiles":
        if "frames" in self.model_fields_set and "occupations" not in self.model_fields_set:
            raise ValueError("frames need occupations")
        return self


class PublishedTask(Task):
    """Occupations of biographies (De-Arteaga et al. 2019) as LabHC/bias_in_bios has them, similarity of
    sentences (STS-B) with bias items of its test's sentences about a man or a woman, or entailment (MNLI)
    with bias items of occupations and people; resources/downstream/tasks.yaml has the rest of each."""

    format: Literal["bias-in-bios", "stsb", "mnli"]
    files: PublishedFiles = ABSENT
    licence: Licence = ABSENT


class TableFiles(Files):
    """The files of the task; `bias` has items of bias of one's own."""

    train: DataFile
    bias: DataFile = ABSENT


class TaskColumns(Keys):
    """Its columns of texts, labels, genders and, where one file has all parts, of train, dev and test."""

    text: str = "text"
    """The column of the text, or of the first of two."""
    second: str | None = None
    """The column of the second text."""
    label: str = "label"
    """The column of the label."""
    gender: str | None = None
    """The column of the gender."""
    part: str | None = None
    """The column that says train, dev or test."""


class Genders(Keys):
    """Which values of the gender's column mean female and male."""

    female: Values
    """Values that mean female."""
    male: Values
    """Values that mean male."""


class HeldOut(Keys):
    """Shares of the rows of train that are drawn for parts without a file or a column `part`."""

    dev: Annotated[float, Field(gt=0, le=0.4)] = 0.1
    """The share that settings are chosen on."""
    test: Annotated[float, Field(gt=0, le=0.4)] = 0.2
    """The share that accuracy is measured on."""


class TableTask(Task):
    """Any task in a table (csv, tsv, jsonl, parquet); docs/debiasing.md says what each kind needs."""

    format: Literal["table"]
    kind: Kind
    files: TableFiles
    columns: TaskColumns = TaskColumns()
    labels: Annotated[dict[str, Values], Field(min_length=2)] | None = None
    """Which values of the label's column mean which label, in order; by default every value is its own."""
    genders: Genders = Genders(female=["female", "f", "F"], male=["male", "m", "M"])
    scale: Annotated[list[float], Field(min_length=2, max_length=2)] = [0, 1]
    """Lowest and highest score of a table of similarity."""
    held_out: HeldOut = HeldOut()
    licence: Licence = ABSENT


class SyntheticTask(Task):
    """A synthetic task in the words of a world, whose truth is known."""

    format: Literal["planted"]
    kind: Kind
    world: WorldName
    """The world whose words the task has."""
    strength: Annotated[float, Field(ge=0, le=1)] | None = None
    """How much the labels depend on gender; 0 for a world without bias, null for what suits the kind
    (occupations 1, similarity 0.4, entailment 0.8)."""
    examples: Annotated[int, Field(ge=500)] = 20000
    """Examples that models are fine-tuned on."""
    items: Annotated[int, Field(ge=100)] = 4800
    """Items of the test; those of bias are there once each."""
