"""The keys of pairs of sentences: benchmarks, which a study may only name (`benchmarks: [crows-pairs]`),
measures, controls, and scores that were made elsewhere."""

from collections.abc import Iterable
from os.path import isfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, Tag, model_validator

from unmask import workflow_root
from unmask.errors import InputError, known_names
from unmask.keys import (
    ABSENT,
    BY_TYPE,
    UNIQUE,
    Chosen,
    Count,
    Family,
    GitBlob,
    Keys,
    Licence,
    ModelNames,
    Name,
    Seed,
    Sha256,
    Statistics,
    Table,
    Texts,
    Url,
    UserFile,
    WorldName,
    among,
    one_of,
)
from unmask.measures.formulas import MEASURES
from unmask.models.directory import CAUSAL_LM, MASKED_LM, SCORE_FILE
from unmask.models.keys import Model, Published
from unmask.user_files import read_config

if TYPE_CHECKING:
    Measure = str
else:
    Measure = Literal[MEASURES]

OF_MASKED = ("AUL", "AULA", "CPS", "SSS", "AllMasked", "AllMaskedSum")
OF_DECODERS = ("LL", "LLMean", "CCPS", "CSSS", "StartAlone")
"""The measures of masked and of causal language models in a study that names none."""

BenchmarkName = Annotated[str, among("benchmarks")]
TwoColumns = Annotated[list[str], Field(min_length=2, max_length=2), UNIQUE]


class Benchmark(Chosen):
    """A benchmark, by its format."""

    format: str
    url: Url = ABSENT
    path: UserFile = ABSENT
    sha256: Sha256 = ABSENT
    git_blob: GitBlob = ABSENT
    limit: Count = ABSENT
    """At most so many pairs are read, evenly spread, for a quick look."""
    licence: Licence = ABSENT
    published: Literal["crows-pairs", "stereoset", "crows-pairs-revised", "crows-pairs-french"] = ABSENT
    """Its name in the literature's numbers, which are in resources/pairs/published.csv."""


class Shuffled(Keys):
    seed: Seed = 0


class Untrained(Keys):
    seeds: Count = 5
    """How many untrained networks, each with a seed of its own."""


class Controls(Keys):
    """What the measures are compared with."""

    shuffled: Shuffled | None = Shuffled()
    """Score AUL and AULA, and LL and LLMean of causal language models, on shuffled subtokens too; null leaves
    this control out."""
    untrained: Untrained | None = None
    """Score the benchmarks with untrained networks of each model's own architecture too, so many of them;
    each takes as long as the model itself. null leaves this control out."""


class Explorer(Keys):
    """Every pair in the report, token by token, with what each token adds to its margin, and three example
    pairs. null leaves both out."""

    models: ModelNames = ABSENT
    """The models that it shows; without this key the first four that are scored."""
    top: Annotated[int, Field(ge=0, le=10)] = 0
    """How many of the likeliest tokens are shown that a model would have put in the place of each token. They
    are found while its evidence is made, so another number makes that evidence anew. 0 leaves them out."""
    pairs: Count = 5000
    """So many pairs of a benchmark are shown at most, evenly spread where it has more."""


class Chance(Keys):
    """How often the null of word choice is drawn: the scores where only the identities of words count."""

    draws: Annotated[int, Field(ge=100)] = 20000
    """Draws of random word scores."""
    seed: Seed = 0


class PairStatistics(Statistics):
    """How sure results are, and what is called a finding."""

    clusters: Annotated[list[Literal["words", "target", "writer"]], UNIQUE] = ["words", "target"]
    """What makes two pairs vary together, where both have it: a modified word, the target, the writer.
    Intervals and tests allow for that; an empty list takes pairs as independent. Where a script has no spaces
    between words, each of its characters is a word."""
    chance: Chance = Chance()

    @model_validator(mode="after")
    def _has_enough_draws(self) -> "PairStatistics":
        # else no score has a p below the level, however far from all draws; 1 - 0.99 is more than 0.01
        if 2 / (self.chance.draws + 1) > 1 - self.confidence - 1e-9:
            what = f"{self.chance.draws} are too few for confidence {self.confidence:g}"
            raise ValueError(f"chance.draws: {what}")
        return self


class Scoring(Keys):
    """In which arithmetic the models run, and which benchmarks their tokenizers may read."""

    dtype: Literal["float32", "tf32", "bfloat16"] = "float32"
    """float32, or one that is faster and moves scores: tf32 (on a GPU) or bfloat16. `states:
    {dtype: [float32, bfloat16]}` of a model compares it with itself."""
    unknown_tokens: Annotated[float, Field(ge=0, le=1)] = 0.1
    """The largest share of the tokens of a benchmark that may be unknown to a model's tokenizer. Above it the
    model is not scored and the job stops; 1 allows any share."""


def _measures(valid: dict[str, Any]) -> list[str]:
    # what is made from another model is of that one's kind
    kinds = {getattr(model, "kind", None) for model in valid.get("models", {}).values()}
    of_masked = OF_MASKED if MASKED_LM in kinds or not kinds & {CAUSAL_LM, SCORE_FILE} else ()
    return [*of_masked, *(OF_DECODERS if CAUSAL_LM in kinds else ())]


class PairsFamily(Family):
    """Which sentence of a pair a language model prefers (AUL, AULA, CPS, SSS, or LL and its kin)."""

    benchmarks: Annotated[dict[Name, Benchmark], Field(min_length=1)]
    """The benchmarks, in the order of the report; or a list of names of resources/pairs/benchmarks.yaml."""
    measures: Annotated[list[Measure], UNIQUE] = Field(default_factory=_measures)
    """The measures to compute, each on the models of its kind, in the order of the report. The first is the
    headline measure, whose scores are the report's answer. By default AUL, AULA, CPS, SSS, AllMasked and
    AllMaskedSum of masked, LL, LLMean, CCPS, CSSS and StartAlone of causal language models."""
    controls: Controls = Controls()
    explorer: Explorer | None = Explorer()
    statistics: PairStatistics = PairStatistics()
    scoring: Scoring = Scoring()

    @classmethod
    def spelt_out(cls, study: dict[str, Any]) -> dict[str, Any]:
        """The study with an entry for each benchmark that it names. Raises InputError for one that is not
        known, and for a name that is in no list."""
        named = study["benchmarks"]
        if isinstance(named, str):
            raise InputError(f"config key benchmarks: {named!r} is no list of names such as [crows-pairs]")
        if isinstance(named, list) and named and all(isinstance(name, str) for name in named):
            study["benchmarks"] = entries(named, study.get("data"), "config key benchmarks")
        return study


def known_benchmarks() -> dict[str, dict[str, Any]]:
    """What resources/pairs/benchmarks.yaml says of each benchmark: about, files, entry, version_of if any."""
    return read_config(workflow_root() / "resources/pairs/benchmarks.yaml")


def entries(names: Iterable[str], data: object, where: str) -> dict[str, dict[str, Any]]:
    """The entries of named benchmarks: the file of the data directory where it is there, else its url.

    One that is a version of another one says so where that is named, too.

    data: a directory, if any. where: what an error begins with. Raises InputError for an unknown name.
    """
    known, names = known_benchmarks(), list(names)
    result = {}
    for name in names:
        if name not in known:
            raise InputError(f"{where}: there is no {name!r} ({known_names(name, known)})")
        entry = dict(known[name]["entry"])
        if (original := known[name].get("version_of")) in names:
            entry["version_of"] = original
        folder = Path(data) if isinstance(data, str) else None
        if folder and (path := next((p for f in known[name]["files"] if isfile(p := folder / f)), None)):
            del entry["url"]
            entry["path"] = str(path)
        result[name] = entry
    return result


class InItsOwnFormat(Benchmark):
    """CrowS-Pairs, or StereoSet (its intrasentence part), as its authors publish it or a world writes it."""

    format: Literal["crows-pairs", "stereoset"]
    world: WorldName = ABSENT
    """The world that makes it."""
    _one = one_of("url", "path", "world")


class Constant(Keys):
    value: str
    """What all rows of the table have there."""


Column = Annotated[Annotated[str, Tag("str")] | Annotated[Constant, Tag("dict")], BY_TYPE]


class Columns(Keys):
    """Column of the Pairs table -> column of the source, or {value} for the same in every row."""

    pair_id: str = ABSENT
    """The column of the pair's name; by default the number of its row is its name."""
    bias_type: Column
    """The bias type, such as gender."""
    stereotype: Column
    """The stereotypical sentence."""
    antistereotype: Column
    """The other sentence."""
    unrelated: Column = ABSENT
    """A sentence that has nothing to do with either."""
    direction: Column = ABSENT
    """Whether the pair states a stereotype (stereo) or goes against one (antistereo)."""
    ratings: Column = ABSENT
    """What each human rater chose, in a list or a text (`separator`)."""
    context: Column = ABSENT
    """The text before the sentences."""
    target: Column = ABSENT
    """Whom or what the pair is about."""
    writer: Column = ABSENT
    """Who wrote the pair."""


class Directions(Keys):
    """Values of the direction column that mean stereo and antistereo."""

    stereo: list[str] = ABSENT
    """Values that mean stereo."""
    antistereo: list[str] = ABSENT
    """Values that mean antistereo."""


class PairTable(Benchmark, Table):
    """Any table of sentence pairs."""

    format: Literal["table"]
    encoding: Literal[
        "utf-8",
        "utf-16",
        "iso-8859-1",
        "latin-1",
        "windows-1252",
        "cp1252",
        "mac-roman",
        "gb18030",
        "big5",
        "shift-jis",
        "euc-kr",
    ] = ABSENT
    """How the text of a csv, tsv or jsonl file is encoded, where it is not UTF-8."""
    columns: Columns
    directions: Directions = ABSENT
    separator: str = ABSENT
    """What separates the ratings of one row, where they stand in one field."""
    without: Texts = ABSENT
    """Pairs that are left out, by their `pair_id`, as one that lacks a sentence."""
    version_of: BenchmarkName = ABSENT
    """Another benchmark of the study, of which this one is a revision or translation: the pairs of the same
    `pair_id` are compared, under each model and measure."""
    _one = one_of("url", "path")

    @model_validator(mode="after")
    def _has_what_its_keys_are_of(self) -> "PairTable":
        for key, column in (("without", "pair_id"), ("directions", "direction"), ("separator", "ratings")):
            if key in self.model_fields_set and column not in self.columns.model_fields_set:
                raise ValueError(f"{key} needs columns.{column}")
        return self


class ScoreColumns(Keys):
    """The columns of a table. A row is a pair, by its sentences or its pair_id, with two scores."""

    sentences: TwoColumns = ABSENT
    """The columns of both sentences; which of them is the stereotype does not count."""
    pair_id: str = ABSENT
    """The column of the pair's name in the benchmark. The first score is then that of the stereotype."""
    scores: TwoColumns = ABSENT
    """The columns of their scores, in the same order."""
    _one = one_of("sentences scores", "pair_id scores")


class Scored(Model, Table):
    """A model whose scores of sentences were made elsewhere and are read from a file. It is not run: it has
    no controls, and a band of word choice only where its scores are means over all tokens."""

    has_files = False
    on_shuffled = False

    source: Literal["scored"]
    kind: Literal["score-file"] = "score-file"
    """That there is a file of scores and no more."""
    path: UserFile
    """The file; without `columns` a samples_*.jsonl of lm-evaluation-harness (--log_samples), or a JSON list
    of its rows."""
    sha256: Sha256 = ABSENT
    columns: ScoreColumns = ABSENT
    measure: Annotated[str, Field(pattern="^[A-Za-z][A-Za-z0-9 ._-]*$", max_length=40)] = "score"
    """What the scores are: one of Unmask's measures, such as LL, with whose scores they are then compared, or
    another name, which begins with a small letter."""
    benchmarks: Annotated[list[BenchmarkName], Field(min_length=1), UNIQUE] = ABSENT
    """The benchmarks that the file has scores of; without this key all."""
    published: Published = ABSENT
