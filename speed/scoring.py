"""Scoring, side by side in one run: a naive way, the engine, and the arithmetic floor.

    python speed/scoring.py --data DIR [--sizes bert-base roberta-large albert-large] [--device cpu]
    python speed/scoring.py --data DIR --device cuda --dtype tf32 --whole --naive-pairs 48

DIR has the layout of configs/local.yaml: crows_pairs/, stereoset/ and tokenizers/. Networks have the
real sizes and random weights: speed does not depend on what a model knows. The two ways take turns,
one measure after the other, for several rounds; each figure is the median over rounds.

The naive way is one sentence at a time in the manner of the papers' scripts: a forward pass for each
sentence and measure (for CPS one over all copies of a sentence), attention maps and hidden states kept,
the whole vocabulary projected at every position and sorted for the right token's rank, always in single
precision. It runs on fewer pairs than the engine, which needs a crowd to fill its batches; both samples
are every n-th pair of both benchmarks (with --whole the engine reads all), and seconds are compared per
unit of work that the sample holds (the operations that it needs at least). On a CPU, seconds are those of
the processor, so that a busy machine disturbs less.

The engine's time is that of tokenising, once for all measures, and for each measure of laying out, of
reading and of making rows. The floor is the engine's counted floating-point operations over the fastest
matrix product of this machine in the arithmetic of --dtype, measured in the same rounds. Results go into
docs/architecture.md#speed.
"""

import argparse
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
import transformers
from torch import nn
from transformers import AutoModelForMaskedLM, AutoTokenizer

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))

from unmask.benchmarks.reading import read_benchmark
from unmask.evidence.collecting import Wanted, as_rows, prepare
from unmask.evidence.engine import answer
from unmask.evidence.sentences import Pair
from unmask.evidence.tokenising import tokenise
from unmask.models.devices import Device, pick_device
from unmask.models.loading import LoadedModel, PackedLinear, load
from unmask.models.random_weights import make_random
from unmask.terms import ORIGINAL

SIZES: dict[str, tuple[str, dict[str, Any]]] = {
    "bert-base": (
        "bert-base-cased",
        {"model_type": "bert"},
    ),
    "roberta-large": (
        "roberta",
        {
            "model_type": "roberta",
            "hidden_size": 1024,
            "num_hidden_layers": 24,
            "num_attention_heads": 16,
            "intermediate_size": 4096,
            "max_position_embeddings": 514,
            "type_vocab_size": 1,
        },
    ),
    "albert-large": (
        "albert-v2",
        {
            "model_type": "albert",
            "hidden_size": 1024,
            "num_hidden_layers": 24,
            "num_attention_heads": 16,
            "intermediate_size": 4096,
            "hidden_act": "gelu_new",
        },
    ),
}
"""The tokenizer's folder and the configuration of each size."""

MEASURES = {"AUL+AULA+accuracy": "none", "SSS": "modified", "CPS": "one-shared"}
"""What is timed, and the masking that it needs."""


# the naive way


class Naive:
    """One sentence and measure at a time; every position's vocabulary, sorted to know each token's rank."""

    def __init__(self, directory: Path, device: torch.device) -> None:
        self.tokenizer = AutoTokenizer.from_pretrained(directory)
        network = AutoModelForMaskedLM.from_pretrained(directory, attn_implementation="eager")
        self.network = network.eval().to(device)
        self.device = device

    def read(self, ids: torch.Tensor) -> Any:
        return self.network(ids, output_attentions=True, output_hidden_states=True)

    def rank(self, log_probs: torch.Tensor, token_ids: torch.Tensor) -> list[int]:
        order = log_probs.sort(dim=1, descending=True).indices
        return (1 + (order == token_ids[:, None]).nonzero()[:, 1]).tolist()

    def unmasked(self, ids: torch.Tensor, with_attention: bool) -> tuple[float, list[int]]:
        output = self.read(ids[None])
        log_probs = output.logits[0].log_softmax(-1)
        own = log_probs.gather(1, ids[:, None])[:, 0]
        if with_attention:
            own = own * torch.cat(output.attentions).mean((0, 1, 2))
        return own[1:-1].mean().item(), self.rank(log_probs, ids)

    def modified(self, ids: torch.Tensor, positions: list[int]) -> tuple[float, list[int]]:
        hidden = ids.clone()
        hidden[positions] = self.tokenizer.mask_token_id
        log_probs = self.read(hidden[None]).logits[0].log_softmax(-1)[positions]
        return log_probs[:, ids[positions]].mean().item(), self.rank(log_probs, ids[positions])

    def shared(self, ids: torch.Tensor, positions: list[int]) -> tuple[float, list[int]]:
        # all copies of a sentence, each with another token hidden, are read together
        copies = torch.arange(len(positions), device=self.device)
        hidden = ids.repeat(len(positions), 1)
        hidden[copies, positions] = self.tokenizer.mask_token_id
        log_probs = self.read(hidden).logits[copies, positions].log_softmax(-1)
        own = log_probs.gather(1, ids[positions][:, None])
        return own.sum().item(), self.rank(log_probs, ids[positions])

    @torch.inference_mode()
    def run(self, measure: str, pairs: pd.DataFrame) -> None:
        for texts in zip(pairs["stereotype"], pairs["antistereotype"], strict=True):
            sides = [self.tokenizer(text, return_tensors="pt").input_ids[0].to(self.device) for text in texts]
            if measure == "AUL+AULA+accuracy":
                for ids in sides:
                    self.unmasked(ids, with_attention=False)
                    self.unmasked(ids, with_attention=True)
                continue
            names = [[str(token) for token in ids.tolist()] for ids in sides]
            matcher = SequenceMatcher(None, names[0], names[1])
            for side, ids in enumerate(sides):
                positions: list[int] = []
                for tag, *ends in matcher.get_opcodes():
                    if (tag == "equal") == (measure == "CPS"):
                        positions.extend(range(*ends[2 * side : 2 * side + 2]))
                if measure == "CPS" and len(positions) > 2:
                    self.shared(ids, positions[1:-1])
                if measure == "SSS" and positions:
                    self.modified(ids, positions)


# the floor


def operations(model: LoadedModel, pairs: Sequence[Pair], masking: str) -> float:
    """Floating-point operations of the engine's matrix products."""
    queries = prepare(pairs, Wanted(ORIGINAL, masking), model.tokenizer.mask_token_id).queries
    config = model.network.config
    width, inner, layers = config.hidden_size, config.intermediate_size, config.num_hidden_layers
    narrow = getattr(config, "embedding_size", width)
    lengths = np.array([len(ids) for ids in queries.inputs])
    places = len(np.unique(np.stack([queries.input, queries.position]), axis=1).T)
    per_token = layers * 2 * (4 * width * width + 2 * width * inner)
    attention = layers * 4 * width * float((lengths**2).sum())
    embedding = 2 * narrow * width * float(lengths.sum()) if narrow != width else 0.0
    head = places * 2 * (width * narrow + narrow * config.vocab_size)
    return float(float(lengths.sum()) * per_token + attention + embedding + head)


def peak(device: Device, width: int, dtype: str) -> float:
    """Operations per second of the fastest product of a layer's shape that this machine shows."""
    arithmetic = torch.bfloat16 if dtype == "bfloat16" else torch.float32
    rows = torch.randn(1024, width, device=device.torch, dtype=arithmetic)
    layer = nn.Linear(width, 4 * width).to(device.torch, arithmetic)
    ways: list[Callable[[], object]] = [lambda: layer(rows)]
    if device.torch.type == "cpu" and dtype == "float32":
        packed = PackedLinear(layer)
        ways.append(lambda: packed(rows))
    return max(2 * rows.numel() * 4 * width / _best(way, device) for way in ways)


@torch.inference_mode()
def _best(action: Callable[[], object], device: Device, seconds: float = 1.0) -> float:
    best, start = float("inf"), time.perf_counter()
    while time.perf_counter() - start < seconds:
        best = min(best, clock(action, device))
    return best


def clock(action: Callable[[], object], device: Device) -> float:
    """Seconds of an action: of the processor on a CPU, wall-clock with the device's queue on a GPU."""
    if device.torch.type == "cpu":
        start = time.process_time()
        action()
        return (time.process_time() - start) / torch.get_num_threads()
    torch.cuda.synchronize(device.torch)
    start = time.perf_counter()
    action()
    torch.cuda.synchronize(device.torch)
    return time.perf_counter() - start


# the comparison


def engine(model: LoadedModel, pairs: Sequence[Pair], masking: str, device: Device) -> list[float]:
    """Seconds of laying out, of reading, and of making rows."""
    results: dict[str, Any] = {}

    def timed(name: str, action: Callable[[], object]) -> float:
        return clock(lambda: results.__setitem__(name, action()), device)

    return [
        timed("layout", lambda: prepare(pairs, Wanted(ORIGINAL, masking), model.tokenizer.mask_token_id)),
        timed("answers", lambda: answer(model, results["layout"].queries)),
        timed("rows", lambda: as_rows(results["layout"], results["answers"], model.tokenizer)),
    ]


def compare(
    size: str, directory: Path, pairs: pd.DataFrame, options: argparse.Namespace, device: Device
) -> list[dict[str, Any]]:
    """Rows of the table for one size."""
    few = every(pairs, options.naive_pairs)
    many = pairs if options.whole else every(pairs, options.engine_pairs)
    naive = Naive(directory, device.torch)
    models = {
        masking: load(directory, device, masking == "none", dtype=options.dtype)
        for masking in MEASURES.values()
    }
    tokenizer = models["none"].tokenizer
    tokenised = tokenise(many, tokenizer)
    work = {
        measure: [
            operations(models[masking], part, masking) / len(part)
            for part in (tokenise(few, tokenizer), tokenised)
        ]
        for measure, masking in MEASURES.items()
    }
    # by round and measure, and of the engine by part, too
    naively, parts = np.zeros((2, options.rounds, len(MEASURES), 3))
    tokenising, peaks = np.zeros(options.rounds), np.zeros(options.rounds)
    # what the first pass over a network takes is no measure of the others
    engine(models["modified"], tokenised, "modified", device)
    for number in range(options.rounds):
        peaks[number] = peak(device, naive.network.config.hidden_size, options.dtype)
        tokenising[number] = clock(lambda: tokenise(many, tokenizer), device) / len(many)
        for place, (measure, masking) in enumerate(MEASURES.items()):
            multiply_in("float32")
            # as if on the engine's pairs
            scale = work[measure][1] / work[measure][0] / len(few)
            naively[number, place] = clock(partial(naive.run, measure, few), device) * scale
            multiply_in(options.dtype)
            parts[number, place] = engine(models[masking], tokenised, masking, device)
    parts /= len(many)
    best, naively = float(np.median(peaks)), naively[..., 0]
    rows = [
        row(size, measure, naively[:, place], parts[:, place], work[measure][1] / best, best)
        for place, measure in enumerate(MEASURES)
    ]
    whole = parts.sum(1)
    whole[:, 0] += tokenising
    floor = sum(work[measure][1] for measure in MEASURES) / best
    return [*rows, row(size, "all of them, tokenised", naively.sum(1), whole, floor, best)]


def multiply_in(dtype: str) -> None:
    """How a GPU multiplies single precision from here on."""
    torch.backends.cuda.matmul.fp32_precision = "tf32" if dtype == "tf32" else "ieee"


def row(
    size: str, measure: str, naive: np.ndarray, parts: np.ndarray, floor: float, best: float
) -> dict[str, Any]:
    """One line of the table.

    naive: seconds a pair by round; parts: rounds × (laying out, reading, rows), likewise; floor: seconds a
    pair.
    """
    engine, ratios = float(np.median(parts.sum(1))), naive / parts.sum(1)
    return {
        "network": size,
        "measure": measure,
        "naive, ms a pair": f"{1e3 * np.median(naive):.1f}",
        "engine, ms a pair": f"{1e3 * engine:.2f}",
        "laying out / reading / rows": " / ".join(f"{1e3 * part:.2f}" for part in np.median(parts, axis=0)),
        "floor, ms a pair": f"{1e3 * floor:.2f}",
        "engine against naive": f"{np.median(ratios):.1f}x ({ratios.min():.1f} to {ratios.max():.1f})",
        "of the floor": f"{100 * floor / engine:.0f}%",
        "peak, GFLOP/s": f"{best / 1e9:.0f}",
    }


def every(pairs: pd.DataFrame, count: int) -> pd.DataFrame:
    """About `count` pairs, evenly spread."""
    return pairs.iloc[:: max(1, len(pairs) // count)]


def read_pairs(data: Path) -> pd.DataFrame:
    """All pairs of both benchmarks."""
    both = [
        read_benchmark(data / "crows_pairs/crows_pairs_anonymized.csv", {"format": "crows-pairs"}),
        read_benchmark(data / "stereoset/dev.json", {"format": "stereoset"}),
    ]
    # the naive way reads no unrelated sentences
    return pd.concat(both, ignore_index=True).assign(unrelated=None)


def processor() -> str:
    """What the operating system calls the processor."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def main() -> None:
    """Measure, print the table, and write it where it was asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="directory with benchmarks and tokenizers")
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=list(SIZES))
    parser.add_argument("--device", default="auto")
    parser.add_argument("--dtype", choices=["float32", "tf32", "bfloat16"], default="float32")
    parser.add_argument("--whole", action="store_true", help="the engine reads all pairs")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--naive-pairs", type=int, default=12)
    parser.add_argument("--engine-pairs", type=int, default=480)
    parser.add_argument("--output", type=Path, help="Markdown file to write the table to")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    device = pick_device(options.device)
    pairs = read_pairs(options.data)
    rows = []
    for size in options.sizes:
        tokenizer, config = SIZES[size]
        with tempfile.TemporaryDirectory() as folder:
            directory = Path(folder) / size
            make_random(
                {"config": config, "tokenizer": options.data / "tokenizers" / tokenizer}, directory, seed=0
            )
            rows.extend(compare(size, directory, pairs, options, device))
        print(pd.DataFrame(rows).to_string(index=False), flush=True)
    machine = processor() if device.name == "cpu" else device.name
    text = (
        f"{machine}, {options.dtype}, {options.threads} thread(s), Python {platform.python_version()}, "
        f"torch {torch.__version__}, transformers {transformers.__version__}; "
        f"{len(every(pairs, options.naive_pairs))} pairs the naive way, "
        f"{len(pairs if options.whole else every(pairs, options.engine_pairs))} with the engine, "
        f"{options.rounds} rounds.\n\n"
    )
    header = list(rows[0])
    lines = [header, ["---"] * len(header), *(list(r.values()) for r in rows)]
    text += "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"
    print("\n" + text)
    if options.output:
        options.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
