"""The keys of worlds, and of models that are trained on them or know them."""

from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from unmask.keys import ABSENT, Count, Family, Keys, Name, Seed, Whole, WorldName
from unmask.models.directory import DECODERS
from unmask.models.keys import LanguageModel, Model, language_model

Probability = Annotated[float, Field(gt=0, lt=1)]
Ratio = Annotated[float, Field(ge=1)]


class Both(Keys):
    """Faiths, which have an association and frequencies at once."""

    association: Probability = 0.8
    """P(own kind of trait | group)."""
    ratios: Annotated[list[Ratio], Field(min_length=1, max_length=10)] = [1, 4, 8]
    """As the ratios of nations."""


class PairsOfWorld(Keys):
    """How many pairs each benchmark has per occupation (up to 38; with names, three for each) and per group
    pair and trait (up to 26), where the stereotype is about the disadvantaged group. stereo_share says how
    many the others are."""

    per_occupation: Count = 8
    """Pairs of each occupation."""
    per_trait: Count = 4
    """Pairs of each two groups and trait."""
    stereo_share: Annotated[float, Field(ge=0.5, le=1)] = 0.5
    """Share of the pairs whose stereotype is about the disadvantaged group. CrowS-Pairs has .86."""


class World(Keys):
    """What is planted in a world. How many levels, ratios and names there may be follows from the words of
    its grammar."""

    seed: Seed = 0
    """Which word plays which part, and the order of the corpus."""
    sentences: Annotated[int, Field(ge=2000)] = 40000
    """How many sentences the corpus has; models would learn fewer by heart, and not how probable they are."""
    associations: list[Probability] = [0.5, 0.6, 0.75, 0.9]
    """P(stereotyped gender | occupation), for equally many occupations each; 1, 2, 3, 4, 6 or 12 levels,
    which may repeat."""
    ratios: Annotated[list[Ratio], Field(min_length=1, max_length=12)] = [1, 2, 4, 8]
    """How many times as often as the other one nation of a pair is spoken of."""
    both: Both = Both()
    lengths: Annotated[int, Field(ge=0, le=10)] = 2
    """Pairs of peoples of which one has a name of two subtokens, in turn either."""
    names: Annotated[int, Field(ge=0, le=20)] = 0
    """How many names each gender has. They show it in sentences of their own and in those of occupations;
    with 0, pronouns do."""
    pairs: PairsOfWorld = PairsOfWorld()

    @field_validator("associations")
    @classmethod
    def _are_of_all_occupations(cls, levels: list[float]) -> list[float]:
        if len(levels) not in (1, 2, 3, 4, 6, 12):
            raise ValueError(
                f"the number of levels must divide the 12 occupations of each gender, not {len(levels)}"
            )
        return levels

    @model_validator(mode="after")
    def _has_sentences(self) -> "World":
        # here, as the grammar is wanted where there are worlds
        from unmask.worlds.make_world import most_pairs

        for key, most in most_pairs(self.names).items():
            if (count := getattr(self.pairs, key)) > most:
                raise ValueError(f"pairs.{key}: at most {most} pairs, not {count}")
        return self


class WorldsFamily(Family):
    """Small synthetic worlds whose bias is known, and models trained on them. docs/planted-world.md explains
    them."""

    worlds: dict[Name, World]
    """The worlds by name; each makes a corpus, benchmarks and the truth about them."""


class Trained(Model):
    """A small language model trained here on the corpus of a world."""

    source: Literal["train"]
    architecture: Literal["bert", "roberta", "albert", "gpt2", "llama"]
    """The type of network; gpt2 and llama are causal language models, the others masked ones."""
    kind: LanguageModel = Field(
        default_factory=lambda valid: language_model(valid["architecture"] in DECODERS)
    )
    world: WorldName
    """The world whose corpus it is trained on."""
    seed: Seed = 0
    # what follows has no defaults here: a study without it does not train its models anew
    steps: Whole | None = ABSENT
    """For how many steps to train; null for as many as were measured to be enough, 0 for an untrained
    network."""
    gate: bool = ABSENT
    """Whether a model that did not learn what is planted is refused (the default) or kept. Its gate.json says
    in either case how far it follows."""

    @model_validator(mode="after")
    def _is_trained(self) -> "Trained":
        if self.steps == 0 and self.gate is not False:
            raise ValueError("steps: 0 leaves a network untrained, which wants gate: false")
        return self


class Oracle(Model):
    """A perfect language model of a world: it has no weights, its answers are computed. It knows the
    sentences of its world and no others. With kind causal-lm it predicts each token from those before it."""

    has_files = False
    on_shuffled = False

    source: Literal["oracle"]
    kind: LanguageModel = "masked-lm"
    world: WorldName
    """The world that the model knows."""
