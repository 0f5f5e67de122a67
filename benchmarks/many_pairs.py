"""What flaws, scores and statistics of ever more pairs take, in time and memory: the table of
docs/benchmarks-many-pairs.md.

    python benchmarks/many_pairs.py [--pairs 1000 10000 100000 1000000] [--templates]

Makes a benchmark of so many pairs and the evidence of a model that never was, for six measures: sentences
of 8 to 14 tokens, one modified word a side, the k-th commonest of 2000 words 1/k times as common as the
first; with --templates one of nine words against one of four, and every context in 22 pairs, as WinoQueer
fills templates. Then finds the flaws of the pairs, and runs the script measure_pairs as Snakemake runs it,
each in a process of its own.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests/unit")]

from running import run_script  # noqa: E402
from study_schema import statistics_with  # noqa: E402
from unmask.benchmarks.schema import PAIRS  # noqa: E402
from unmask.evidence.schema import EVIDENCE  # noqa: E402
from unmask.statistics.flaws import flaws_table  # noqa: E402
from unmask.statistics.schema import FLAWS, SCHEMAS  # noqa: E402
from unmask.tables import as_table, read_table, write_batches, write_table  # noqa: E402
from unmask.terms import ALL, MODIFIED, NONE, ONE_SHARED  # noqa: E402

MEASURES = ["AUL", "AULA", "CPS", "SSS", "AllMasked", "AllMaskedSum"]
AT_ONCE, WORDS, SHARED = 20_000, 2000, 5000
OF_A_TEMPLATE = 22
"""Pairs of one template, as so many combinations of a group and its counterpart."""
BIAS_TYPES = ("race", "gender", "religion", "age")
FLAWS_ALONE = "flaws"
GIBIBYTE = 2**20
"""ru_maxrss is in kibibytes."""


class Made:
    """Some pairs: the tokens of both sides, of which number 0 and the last are special."""

    def __init__(self, start: int, count: int, templates: bool = False) -> None:
        rng = np.random.default_rng([1, start])
        contexts = rng.integers(SHARED, size=(count, 14))
        if templates:
            words = np.column_stack([rng.integers(9, size=count), 9 + rng.integers(4, size=count)])
            number = np.arange(start, start + count) // OF_A_TEMPLATE
            shared = 7 + number % 7
            # whichever pairs are made together, a template has one context
            contexts = np.random.default_rng(2).integers(SHARED, size=(int(number[-1]) + 1, 14))[number]
        else:
            chances = 1 / np.arange(1, WORDS + 1)
            words = rng.choice(WORDS, size=(count, 2), p=chances / chances.sum())
            shared = rng.integers(7, 14, size=count)
        side = np.repeat(np.arange(2 * count), np.repeat(shared + 3, 2))
        first = np.searchsorted(side, np.arange(2 * count))
        self.position = np.arange(len(side)) - first[side]
        self.pair, self.role = side // 2, side % 2
        self.modified = self.position == 1
        self.special = (self.position == 0) | (self.position == shared[self.pair] + 2)
        context = contexts[self.pair, np.minimum(self.position, 13)]
        self.token = np.where(self.modified, words[self.pair, self.role] + 2 * SHARED, context)
        self.token[self.special] = 3 * SHARED + (self.position[self.special] > 0)
        self.ids = np.array([f"pair{start + number}" for number in range(count)], dtype=object)
        texts = np.array([f"t{token}" for token in range(3 * SHARED + 2)], dtype=object)
        content = ~self.special
        grouped = pd.Series(texts[self.token[content]]).groupby(side[content]).agg(" ".join).to_numpy(object)
        self.pairs = pd.DataFrame(
            {
                "pair_id": self.ids,
                "bias_type": np.array(BIAS_TYPES, dtype=object)[np.arange(count) % 4],
                "stereotype": grouped[::2],
                "antistereotype": grouped[1::2],
                "unrelated": None,
                "direction": np.where(rng.random(count) < 0.8, "stereo", "antistereo"),
                "ratings": [[bias if vote else None for vote in votes] for bias, votes in zip(
                    np.array(BIAS_TYPES, dtype=object)[np.arange(count) % 4],
                    rng.random((count, 5)) < 0.8, strict=True)],
                "context": None, "target": None, "writer": None,
            }
        )  # fmt: skip
        self.texts, self.rng = texts, rng

    def evidence(self, masking: str) -> pa.Table:
        kept = {
            NONE: np.ones(len(self.token), dtype=bool),
            ALL: ~self.special,
            MODIFIED: self.modified,
            ONE_SHARED: ~self.special & ~self.modified,
        }[masking]
        n, none = int(kept.sum()), masking == NONE
        log_prob = -self.rng.exponential(2, n)
        rows = pd.DataFrame(
            {
                "pair_id": self.ids[self.pair[kept]],
                "role": np.array(["stereotype", "antistereotype"], dtype=object)[self.role[kept]],
                "position": self.position[kept],
                "token_id": self.token[kept],
                "token": self.texts[self.token[kept]],
                "special": self.special[kept],
                "modified": self.modified[kept],
                "log_prob": log_prob,
                "rank": self.rng.integers(1, 30, n),
                "attention": self.rng.random(n) if none else None,
                "attention_content": self.rng.random(n) if none else None,
                "cross_log_prob": log_prob if masking == MODIFIED else None,
                "source_position": None,
            }
        )
        return as_table(rows, EVIDENCE)


def make(folder: Path, pairs: int, templates: bool) -> None:
    """Write pairs and evidence."""

    def parts() -> Iterator[Made]:
        starts = range(0, pairs, AT_ONCE)
        return (Made(start, min(AT_ONCE, pairs - start), templates) for start in starts)

    write_batches(folder / "pairs.parquet", (as_table(part.pairs, PAIRS) for part in parts()), PAIRS, {})
    for masking in (NONE, ALL, MODIFIED, ONE_SHARED):
        name = masking.replace("-", "_")
        write_batches(folder / f"{name}.parquet", (part.evidence(masking) for part in parts()), EVIDENCE, {})


def run(stage: str, folder: Path) -> None:
    """Find the flaws, or measure, as Snakemake runs it."""
    names = ("pairs", "flaws", "none", "all", "modified", "one_shared")
    inputs = {name: str(folder / f"{name}.parquet") for name in names}
    if stage == FLAWS_ALONE:
        write_table(inputs["flaws"], flaws_table(read_table(inputs["pairs"], PAIRS)), FLAWS, {})
        return
    made = {name: str(folder / f"{name}-table.parquet") for name in ("scores", *SCHEMAS)}
    run_script(
        "measure_pairs",
        inputs,
        made,
        folder / "log",
        wildcards={"model": "made", "benchmark": "made"},
        measures=MEASURES,
        scored_measures=MEASURES,
        options=statistics_with(),
    )


def measured(stage: str, folder: Path) -> tuple[float, float]:
    """Seconds of the processor and GiB of a script, in a process of its own."""
    command = [sys.executable, __file__, "--folder", str(folder), "--stage", stage]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    seconds, peak = json.loads(done.stdout.splitlines()[-1])
    return seconds, peak / GIBIBYTE


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--pairs", type=int, nargs="+", default=[1000, 10_000, 100_000, 1_000_000])
    parser.add_argument("--templates", action="store_true")
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--stage", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.stage:
        run(arguments.stage, arguments.folder)
        print(json.dumps([time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss]))
        return
    stages = (FLAWS_ALONE, "scores and statistics")
    heads = [f"{stage}, {unit}" for stage in stages for unit in ("s", "GiB")]
    print(f"| pairs | tokens of evidence | {' | '.join(heads)} |")
    print(f"|{'---|' * (2 + len(heads))}")
    for pairs in arguments.pairs:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            make(folder, pairs, arguments.templates)
            tokens = sum(
                pq.read_metadata(path).num_rows for path in folder.glob("*.parquet") if path.stem != "pairs"
            )
            found = [measured(stage, folder) for stage in stages]
        cells = [f"{seconds:.1f} | {peak:.2f}" for seconds, peak in found]
        print(f"| {pairs:,} | {tokens:,} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
