"""What a study or a part of it takes: hours and gigabytes, from measured speeds and from sizes.

The numbers are in resources/papers/costs.yaml. These are estimates: they say whether something takes
minutes or days, and which of two studies is the longer.
"""

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from unmask.configuration import Config, read_config
from unmask.models.detecting import CAUSAL_LM
from unmask.papers.checklist import FOLDER, completed_study

HOUR = 3600
BYTES = 4
"""Of a number in single precision."""


@dataclass(frozen=True)
class Cost:
    """core_hours: of one core; models: whether a model is run, which a GPU does faster; fetched, disk:
    gigabytes; unknown: what is left out, as its size is not known."""

    core_hours: float = 0
    models: bool = False
    fetched: float = 0
    disk: float = 0
    unknown: tuple[str, ...] = ()

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(
            self.core_hours + other.core_hours,
            self.models or other.models,
            self.fetched + other.fetched,
            self.disk + other.disk,
            tuple(dict.fromkeys([*self.unknown, *other.unknown])),
        )

    @property
    def gpu_hours(self) -> float:
        """The same operations on one GPU, at the rate that is assumed for it; 0 where no model is run."""
        sizes = _sizes()
        measured = sizes["measured"]
        of_a_core = measured["gigaflops"] * measured["share_of_floor"] / 100
        rate = 1000 * sizes["assumed"]["gpu_teraflops"] / of_a_core
        return self.core_hours / rate if self.models else 0


@functools.cache
def _sizes() -> dict[str, Any]:
    return read_config(FOLDER / "costs.yaml")


@functools.cache
def cost_of(study: str, parts: tuple[str, ...]) -> Cost:
    """What parts (PARTS) of a study that comes with Unmask take. Raises KeyError for what has no size."""
    config = completed_study(study)
    return _sum(PARTS[part](config) for part in _with_models(parts))


def _with_models(parts: Iterable[str]) -> list[str]:
    """The parts and, where any of them runs a model, the models."""
    parts = list(parts)
    return [*parts, "models"] if any(part not in WITHOUT_MODELS for part in parts) else parts


def _sum(costs: Iterable[Cost]) -> Cost:
    return sum(costs, Cost())


def origin_of(config: Config, model: str) -> dict[str, Any]:
    """The entry of the model that a model of a study comes from, however far back."""
    entry: dict[str, Any] = config["models"][model]
    return origin_of(config, entry["from"]) if "from" in entry else entry


def _network(config: Config, model: str) -> Mapping[str, Any]:
    network: Mapping[str, Any] = _sizes()["networks"][origin_of(config, model)["repo"]]
    return network


def _gigabytes(config: Config, model: str) -> float:
    return float(_network(config, model)["parameters"] * BYTES / 1000)


def token_seconds(config: Config, model: str) -> float:
    """Seconds of a core for one token, nothing hidden, all of them predicted."""
    measured = _sizes()["measured"]
    milliseconds = measured["unmasked"][_network(config, model)["like"]]
    return float(milliseconds / 1000 * measured["pairs"] / measured["unmasked_tokens"])


def _training(config: Config, model: str, tokens: float) -> Cost:
    seconds = tokens * token_seconds(config, model) * _sizes()["assumed"]["training_passes"]
    return Cost(seconds / HOUR, models=True)


def _made_by(config: Config, *sources: str) -> list[str]:
    return [name for name, entry in config["models"].items() if entry["source"] in sources]


def models(config: Config) -> Cost:
    """The models of the hub, each commit or branch once; what is made of them has weights of its own."""
    entries = config["models"]
    repos = {(entries[name]["repo"], entries[name]["revision"]): name for name in _made_by(config, "hub")}
    fetched = sum(_gigabytes(config, name) for name in repos.values())
    derived = [name for name in config["models"] if "from" in config["models"][name]]
    return Cost(fetched=fetched, disk=fetched + sum(_gigabytes(config, name) for name in derived))


def pairs(config: Config) -> Cost:
    """Scores on pairs, and accuracy on shuffled ones, which masked language models read."""
    measured, sizes = _sizes()["measured"], _sizes()
    count = sum(sizes["pairs"][name] for name in config["benchmarks"])
    once_more = int(config["controls"].get("shuffled") is not None)
    milliseconds = 0.0
    for name in config["models"]:
        like = _network(config, name)["like"]
        if origin_of(config, name)["kind"] == CAUSAL_LM:
            milliseconds += count * sizes["assumed"]["decoder_passes"] * measured["unmasked"][like]
        else:
            milliseconds += count * (measured["all_measures"][like] + once_more * measured["unmasked"][like])
    seconds = milliseconds / 1000
    share = count / measured["pairs"]
    evidence = share * measured["evidence_megabytes"] * len(config["models"]) / 1000
    return Cost(seconds / HOUR, models=True, disk=evidence)


def words(config: Config) -> Cost:
    """Corpora whose words are counted."""
    counted = {name: entry for name, entry in config["corpora"].items() if entry["counted"]}
    return _sum(_corpus(name) for name in counted)


def _corpus(name: str) -> Cost:
    size = _sizes()["corpora"][name]
    seconds = size["words"] / _sizes()["measured"]["million_words_per_second"]
    return Cost(seconds / HOUR, fetched=size["gigabytes"], disk=size["gigabytes"])


def regions(config: Config) -> Cost:
    """Likelihoods of all sentences about regions, for each list of words; `published` takes as many again."""
    measured, regional = _sizes()["measured"], config["regional"]
    names = regional["models"] or [name for name in config["models"] if name not in _classifiers(config)]
    readings = len(regional["words"]) * (1 + ("published" in regional["variants"]))
    sentences = measured["regional_rows"] * readings
    seconds = 0.0
    for name in names:
        like = _network(config, name)["like"]
        slower = measured["unmasked"][like] / measured["unmasked"]["bert-base"]
        # the speed is that of two threads
        seconds += sentences * slower * 2 / measured["regional_sentences_per_second"]
    return Cost(seconds / HOUR, models=True, disk=2 * BYTES * sentences * len(names) / 1e9)


def _classifiers(config: Config) -> list[str]:
    return [name for name, entry in config["models"].items() if entry.get("kind") == "text-classification"]


def prefixes(config: Config) -> Cost:
    """Classifiers fine-tuned on labelled tables, and what each makes of a table behind names of regions."""
    sizes, cost = _sizes()["labelled"], Cost()
    for table, entry in config["regional"]["prefixes"].items():
        size = sizes[table]
        cost += Cost(fetched=size["gigabytes"], disk=size["gigabytes"])
        tokens = size["tested"] * size["tokens"] * (1 + _prefixes(entry))
        for name in entry["classifiers"] or _classifiers(config):
            cost += Cost(tokens * token_seconds(config, name) / HOUR, models=True)
    for name in _made_by(config, "fine-tuned-classifier"):
        entry = config["models"][name]
        size = sizes[entry["table"]]
        cost += _training(config, name, size["texts"] * size["tokens"] * entry["epochs"])
    return cost


def _prefixes(entry: Mapping[str, Any]) -> int:
    """How many prefixes a labelled table is read behind: of regions, and of places that are none."""
    alone = {each["template"] for each in entry["prefixes"] if "{parent}" not in each["template"]}
    regions = sum(len(each["regions"] or range(_sizes()["countries"])) for each in entry["prefixes"])
    return regions + len(alone) * len(entry["control"])


def debiasing(config: Config) -> Cost:
    """Models debiased by training on a corpus."""
    settings = config["debiasing"]
    corpus = _sizes()["corpora"][settings["corpus"]]
    tokens = 1e6 * corpus["words"] * _sizes()["tokens_per_word"] * settings["training"]["epochs"]
    debiased = _made_by(config, "debiased")
    trained = _sum(_training(config, name, tokens) for name in debiased)
    return trained + Cost(fetched=corpus["gigabytes"], disk=corpus["gigabytes"])


def tasks(config: Config) -> Cost:
    """The texts of the tasks, fetched and counted."""
    texts = sum(
        _task(entry)["texts"] + _task(entry)["tested"] for entry in config["downstream"]["tasks"].values()
    )
    # some 300 bytes of a text, compressed
    return Cost(fetched=300 * texts / 1e9, disk=300 * texts / 1e9)


def _task(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    size: Mapping[str, Any] = _sizes()["tasks"][entry["format"]]
    return size


def fine_tuning(config: Config) -> Cost:
    """Models fine-tuned on every task, with all runs of a search, and predictions of test and bias items."""
    downstream = config["downstream"]
    made_after = _made_by(config, "fine-tuned")
    names = downstream["models"] or [name for name in config["models"] if name not in made_after]
    return _sum(
        _tuned(config, name, downstream["fine_tuning"] | entry["fine_tuning"], entry)
        for name in names
        for entry in downstream["tasks"].values()
    )


def _tuned(config: Config, model: str, settings: Mapping[str, Any], entry: Mapping[str, Any]) -> Cost:
    size = _task(entry)
    epochs = settings["epochs"]
    texts = size["texts"] * epochs
    if settings["how"] == "search":
        tried = settings["search"]
        # one setting after another, each with the best so far, whose run is not made again
        as_stated = len(tried["batch"]) + len(tried["learning_rate"]) - 1
        texts = size["texts"] * (as_stated * epochs + sum(tried["epochs"]) - epochs)
    elif settings["steps"] is not None:
        texts = settings["steps"] * settings["batch"]
    trained = _training(config, model, texts * size["tokens"])
    read = size["tested"] * size["tokens"] + size["items"] * size["item_tokens"]
    if settings["how"] == "curve":
        # a sample of either part at the start and on the way
        looks = settings["steps"] // settings["every"]
        tested, items = size["tested"], size["items"]
        if entry["sample"] is not None:
            # of items of bias so many pairs
            tested, items = min(tested, entry["sample"]), min(items, 2 * entry["sample"])
        read += looks * (tested * size["tokens"] + items * size["item_tokens"])
    return trained + Cost(read * token_seconds(config, model) / HOUR, models=True)


def associations(config: Config) -> Cost:
    """Embeddings of all texts by all models."""
    texts, unknown = 0, []
    for suite, entry in config["associations"]["tests"].items():
        size = _sizes()["associations"][entry["format"]]
        if size is None:
            unknown.append(suite)
        else:
            texts += size
    names = config["associations"]["models"] or list(config["models"])
    measured = _sizes()["measured"]
    tokens = texts * measured["unmasked_tokens"] / measured["pairs"] / 2
    seconds = sum(tokens * token_seconds(config, name) for name in names)
    # 12 kB a text at most (docs/disk.md)
    return Cost(seconds / HOUR, models=True, disk=12e3 * texts * len(names) / 1e9, unknown=tuple(unknown))


WITHOUT_MODELS = frozenset({"words", "tasks"})
"""Parts that run no model."""

PARTS: Mapping[str, Callable[[Config], Cost]] = {
    "models": models,
    "pairs": pairs,
    "words": words,
    "regions": regions,
    "prefixes": prefixes,
    "debiasing": debiasing,
    "tasks": tasks,
    "fine-tuning": fine_tuning,
    "associations": associations,
}
"""What of a study each part takes."""


def hub_sources(config: Config) -> Iterator[tuple[str, str]]:
    """What a study fetches of the hub: repositories with their revisions, of models, tokenizers and data."""
    for value in _mappings(config):
        if isinstance(value.get("repo"), str):
            yield value["repo"], str(value.get("revision"))


def urls(config: Config) -> Iterator[str]:
    """The addresses that a study fetches from."""
    for value in _mappings(config):
        if isinstance(value.get("url"), str):
            yield value["url"]


def _mappings(value: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, Mapping):
        yield value
        for each in value.values():
            yield from _mappings(each)
    elif isinstance(value, list):
        for each in value:
            yield from _mappings(each)
