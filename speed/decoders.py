"""Reading a decoder's sentences, side by side in one run: one at a time, the engine, the floor.

    python speed/decoders.py --data DIR [--model DIR/models/llama-4m] [--rounds 5]

DIR has the folders crows_pairs/ and models/. One at a time is a plain loop over transformers: each sentence
of a pair is tokenised and read by itself, and its log-likelihood summed, without ranks. The engine makes all
evidence of the masking `left`, ranks among it, from the same pairs. Both take turns for several rounds; each
figure is the median over rounds. On a CPU, seconds are those of the processor.

The floor is the operations of reading every distinct sentence over the speed of the fastest matrix product
that this machine showed in the same rounds.
"""

import argparse
import platform
import statistics
from pathlib import Path
from typing import Any

import pandas as pd
import torch
import transformers
from scoring import clock, peak, processor
from transformers import AutoModelForCausalLM, AutoTokenizer

from unmask.benchmarks.reading import read_benchmark
from unmask.evidence.collecting import Wanted, evidence_of, prepare
from unmask.evidence.tokenising import tokenise
from unmask.models.checking import check_model
from unmask.models.devices import Device, pick_device
from unmask.models.directory import CAUSAL_LM
from unmask.models.loading import LoadedModel, load
from unmask.models.tokenizer import Start
from unmask.terms import LEFT, ORIGINAL

WAYS = {"naive": "one sentence at a time", "engine": "engine"}
SIDES = ["stereotype", "antistereotype"]


class Naive:
    """One sentence at a time."""

    def __init__(self, directory: Path, device: Device, start: int | None) -> None:
        self.tokenizer = AutoTokenizer.from_pretrained(directory)
        network: Any = AutoModelForCausalLM.from_pretrained(directory, dtype=torch.float32)
        self.network, self.device = network.eval().to(device.torch), device.torch
        self.before = [] if start is None else [start]

    @torch.inference_mode()
    def run(self, pairs: pd.DataFrame) -> None:
        for text in pd.concat([pairs[side] for side in SIDES]):
            ids = [*self.before, *self.tokenizer(text, add_special_tokens=False)["input_ids"]]
            sequence = torch.tensor([ids], device=self.device)
            log_probs = self.network(sequence).logits[0, :-1].log_softmax(-1)
            log_probs.gather(1, sequence[0, 1:, None]).sum().item()


def operations(model: LoadedModel, pairs: pd.DataFrame) -> float:
    """Floating-point operations of the matrix products of weights, those within attention left out."""
    inputs = prepare(tokenise(pairs, model.tokenizer), Wanted(ORIGINAL, LEFT), None).queries.inputs
    base: Any = model.network.base_model
    body = sum(
        2 * module.weight.numel() if hasattr(module, "weight") else 2 * module.packed.numel()
        for name, module in base.named_modules()
        if type(module).__name__ in ("Linear", "Conv1D", "PackedLinear")
    )
    network: Any = model.network
    head = 2 * network.get_input_embeddings().weight.numel()
    return sum(map(len, inputs)) * float(body + head)


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="directory with benchmarks and models")
    parser.add_argument("--model", type=Path, help="a decoder's folder")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    device = pick_device(options.device)
    directory = options.model or options.data / "models" / "llama-4m"
    pairs = read_benchmark(options.data / "crows_pairs/crows_pairs_anonymized.csv", {"format": "crows-pairs"})
    start = Start.of(check_model(directory, CAUSAL_LM, directory.name))
    model = load(directory, device, with_attention=False, start=start)
    naive = Naive(directory, device, None if start is None else start.id)
    # one at a time every fourth pair, as if it were all
    few = pairs.iloc[::4]
    work = operations(model, pairs)
    scale = work / operations(model, few) / len(pairs)
    seconds: dict[str, list[float]] = {"naive": [], "engine": []}
    peaks: list[float] = []

    def read(some: pd.DataFrame) -> None:
        evidence_of(tokenise(some, model.tokenizer), model, Wanted(ORIGINAL, LEFT))

    read(few)
    for _ in range(options.rounds):
        peaks.append(peak(device, model.network.config.hidden_size, "float32"))
        seconds["naive"].append(clock(lambda: naive.run(few), device) * scale)
        seconds["engine"].append(clock(lambda: read(pairs), device) / len(pairs))
    ratios = [one / other for one, other in zip(seconds["naive"], seconds["engine"], strict=True)]
    best = max(peaks)
    machine = processor() if device.name == "cpu" else device.name
    print(
        f"{machine}, {options.threads} thread(s), Python {platform.python_version()}, torch "
        f"{torch.__version__}, transformers {transformers.__version__}; {directory.name}, "
        f"{len(pairs)} pairs with the engine and {len(few)} one sentence at a time, "
        f"{options.rounds} rounds, peak {best / 1e9:.0f} GFLOP/s\n"
    )
    print("| way | ms a pair | of the floor |\n| --- | --- | --- |")
    for way, values in seconds.items():
        value = statistics.median(values)
        print(f"| {WAYS[way]} | {1000 * value:.2f} | {work / len(pairs) / best / value:.0%} |")
    print(
        f"\nengine against one at a time: {statistics.median(ratios):.1f}x "
        f"({min(ratios):.1f} to {max(ratios):.1f})"
    )


if __name__ == "__main__":
    main()
