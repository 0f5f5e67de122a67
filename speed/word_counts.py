"""Counting words, side by side in one run: ours, Python's Counter, and libraries.

    pip install -e '.[speed]'
    python speed/word_counts.py --corpus DIR [--megabytes 100] [--rounds 5]

DIR is searched for text (.txt, .txt.gz, .txt.bz2, .txt.zst), which is put together, over again until it has
the size asked for. It is counted as it is, and once more with every English letter replaced by a Cyrillic
one, so that no word is ASCII. Each way has a process and one thread of its own; they take turns, for several
rounds, and each figure is the median. Seconds are those of the processor, so that a busy machine disturbs
less; imports do not count. Peak memory is the process's, imports included.

Only ours has the whole rule of what a word is; the others get what their users would write, and the table
says how many tokens they find. Those of them whose library is missing are left out, and the table says so.
It goes into docs/architecture.md#speed.
"""

import argparse
import importlib.metadata
import importlib.util
import json
import os
import platform
import re
import resource
import statistics
import string
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "scripts"))

WORDS = r"[\p{L}\p{N}]+(?:['’][\p{L}\p{N}]+)*"
PYTHON_WORDS = r"[^\W_]+(?:['’][^\W_]+)*"
ENGLISH, CYRILLIC = "English", "Cyrillic"
_CYRILLIC = str.maketrans(string.ascii_letters, "абцдефгхийклмнопярстувшхызАБЦДЕФГХИЙКЛМНОПЯРСТУВШХЫЗ")
CORPUS_TOKENS = 3e9

# each way loads what it needs, and gives what counts a file and says how many tokens it found
Count = Callable[[str], int]


def unmask_() -> Count:
    import pyarrow as pa
    import pyarrow.compute as pc

    from unmask.corpora.reading import read_blocks
    from unmask.frequency.counting import count_words
    from unmask.frequency.schema import WORD_COUNTS
    from unmask.tables import write_table

    # as in the workflow's job
    pa.set_memory_pool(pa.system_memory_pool())

    def count(file: str) -> int:
        counts = count_words(read_blocks(file, {"format": "text"}), file)
        with tempfile.TemporaryDirectory(dir=Path(file).parent) as folder:
            write_table(Path(folder, "counts.parquet"), counts, WORD_COUNTS, {})
        return int(pc.sum(counts["count"]).as_py())

    return count


def counter() -> Count:
    words = re.compile(PYTHON_WORDS).findall

    def count(file: str) -> int:
        counts: Counter[str] = Counter()
        with open(file, encoding="utf-8") as lines:
            for line in lines:
                counts.update(words(line.lower()))
        return counts.total()

    return count


def split() -> Count:
    table = bytes(b if chr(b).isalnum() or b in b"'" or b >= 128 else 32 for b in range(256)).lower()

    def count(file: str) -> int:
        counts: Counter[bytes] = Counter()
        rest = b""
        with open(file, "rb") as text:
            while block := text.read(1 << 18):
                *tokens, rest = (rest + block).translate(table).split(b" ")
                counts.update(filter(None, tokens))
        return counts.total() + bool(rest)

    return count


def pyarrow() -> Count:
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    pa.set_cpu_count(1)
    table = bytes(b if chr(b).isalnum() or b in b"'" or b >= 128 else 32 for b in range(256)).lower()

    def count(file: str) -> int:
        counts: list[pa.Table] = []
        rest = b""

        def gather() -> None:
            rows = pa.concat_tables(counts).group_by("values", use_threads=False)
            counts[:] = [rows.aggregate([("counts", "sum")]).rename_columns(["values", "counts"])]

        with open(file, "rb") as text:
            while block := text.read(1 << 22):
                block = rest + block
                end = block.rfind(b"\n") + 1
                rest, block = block[end:], block[:end].translate(table)
                offsets = pa.py_buffer(np.array([0, len(block)], np.int32))
                array = pa.Array.from_buffers(pa.string(), 1, [None, offsets, pa.py_buffer(block)])
                found = pc.value_counts(pc.list_flatten(pc.ascii_split_whitespace(array)))
                counts.append(pa.Table.from_arrays(found.flatten(), ["values", "counts"]))
                if len(counts) == 16:
                    gather()
        gather()
        return int(pc.sum(counts[0]["counts"]).as_py())

    return count


def polars() -> Count:
    os.environ["POLARS_MAX_THREADS"] = "1"
    import polars as pl

    def count(file: str) -> int:
        words = pl.col("line").str.to_lowercase().str.extract_all(WORDS).explode()
        found = pl.scan_lines(file).select(word=words).group_by("word").len().collect(engine="streaming")
        return int(found.filter(pl.col("word").is_not_null())["len"].sum())

    return count


def duckdb() -> Count:
    import duckdb as db

    def count(file: str) -> int:
        connection = db.connect(config={"threads": 1})
        tokens = connection.execute(
            "select sum(n) from (select word, count(*) as n from (select"
            f" unnest(regexp_extract_all(lower(line), '{WORDS.replace(chr(39), chr(39) * 2)}')) as word"
            " from read_csv(?, columns={'line': 'varchar'}, header=false, delim='\x01', quote='', escape='',"
            " auto_detect=false, max_line_size=10000000)) group by word)",
            [file],
        ).fetchone()
        assert tokens is not None
        return int(tokens[0])

    return count


WAYS: dict[str, tuple[str, Callable[[], Count], str | None]] = {
    "unmask": ("**Unmask**", unmask_, None),
    "counter": ("`re` + `Counter` per line", counter, None),
    "split": ("`bytes.translate().split()` + `Counter`, 256 kB blocks", split, None),
    "pyarrow": ("PyArrow: `translate`, `ascii_split_whitespace`, `value_counts`", pyarrow, "pyarrow"),
    "polars": ("Polars: `scan_lines`, `extract_all`, streaming", polars, "polars"),
    "duckdb": ("DuckDB: `regexp_extract_all`, `group by`", duckdb, "duckdb"),
}
"""By key: what the table calls it, how it is made ready, and the library that it needs."""


def measure_one(way: str, file: str) -> None:
    """In a process of its own: count once and print what it took."""
    count = WAYS[way][1]()
    start = time.process_time()
    tokens = count(file)
    seconds = time.process_time() - start
    print(json.dumps({"tokens": tokens, "seconds": seconds, "megabytes": _peak_megabytes()}))


def _peak_megabytes() -> float:
    status = Path("/proc/self/status")
    if status.exists():
        found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text())
        if found:
            return int(found[1]) / 1e3
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)


def measured(way: str, file: Path) -> dict[str, float]:
    """What one run of a way took: tokens, seconds, megabytes."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, __file__, "--way", way, "--file", str(file)]
    done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def make_texts(corpus: Path, folder: Path, megabytes: int) -> dict[str, Path]:
    """The files to count."""
    from unmask.corpora.reading import read_blocks

    sources = sorted(
        path for path in corpus.rglob("*.txt*") if path.suffix in (".txt", ".gz", ".bz2", ".zst")
    )
    if not sources:
        sys.exit(f"error: {corpus} has no text (.txt, .txt.gz, .txt.bz2, .txt.zst)")
    files = {ENGLISH: folder / "english.txt", CYRILLIC: folder / "cyrillic.txt"}
    with open(files[ENGLISH], "wb") as english, open(files[CYRILLIC], "wb") as cyrillic:
        while english.tell() < megabytes * 1e6:
            for source in sources:
                for block in read_blocks(source, {"format": "text"}):
                    english.write(block)
                    cyrillic.write(block.decode().translate(_CYRILLIC).encode())
    return files


def processor() -> str:
    """What the machine calls its processor."""
    information = Path("/proc/cpuinfo")
    found = re.search(r"model name\s*: (.*)", information.read_text()) if information.exists() else None
    return found[1] if found else platform.processor() or platform.machine()


def table_of(runs: dict[str, list[dict[str, float]]]) -> list[str]:
    """A Markdown table of one text's runs, the medians over the rounds."""
    speeds = {
        way: statistics.median(run["tokens"] / run["seconds"] for run in all_) for way, all_ in runs.items()
    }
    lines = [
        "| | M tokens/s per core | Unmask is faster by | peak MB | tokens | hours for 3 billion |",
        "|---|---|---|---|---|---|",
    ]
    for way, speed in speeds.items():
        peak = statistics.median(run["megabytes"] for run in runs[way])
        tokens = runs[way][0]["tokens"] / runs["unmask"][0]["tokens"]
        lines.append(
            f"| {WAYS[way][0]} | {speed / 1e6:.1f} | ×{speeds['unmask'] / speed:.2f} | {peak:.0f}"
            f" | {tokens:.1%} | {CORPUS_TOKENS / speed / 3600:.2f} |"
        )
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", type=Path, help="folder with text")
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--way", choices=WAYS, help=argparse.SUPPRESS)
    parser.add_argument("--file", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.way:
        measure_one(options.way, options.file)
        return
    if options.corpus is None:
        parser.error("name a folder with text: --corpus DIR")
    here = {
        way: needed for way, (_, _, needed) in WAYS.items() if not needed or importlib.util.find_spec(needed)
    }
    missing = sorted({needed for way, (_, _, needed) in WAYS.items() if needed and way not in here})
    with tempfile.TemporaryDirectory() as folder:
        files = make_texts(options.corpus, Path(folder), options.megabytes)
        sizes = {text: file.stat().st_size / 1e6 for text, file in files.items()}
        runs: dict[str, dict[str, list[dict[str, float]]]] = {
            text: {way: [] for way in here} for text in files
        }
        for number in range(options.rounds):
            for text, of_text in runs.items():
                for way, found in of_text.items():
                    found.append(measured(way, files[text]))
                    rate = found[-1]["tokens"] / found[-1]["seconds"] / 1e6
                    print(f"round {number + 1}, {text}, {way}: {rate:.1f} M tokens/s", flush=True)
    versions = {name for name in here.values() if name} | {"numpy"}
    page = [
        "## Counting words",
        "",
        f"{processor()}, one thread; Python {platform.python_version()}, "
        + ", ".join(f"{name} {importlib.metadata.version(name)}" for name in sorted(versions))
        + f"; the median of {options.rounds} rounds.",
        *([f"Not installed, so not measured: {', '.join(missing)}."] if missing else []),
    ]
    titles = {ENGLISH: "English text", CYRILLIC: "The same with Cyrillic letters (no word is ASCII)"}
    for text, of_text in runs.items():
        tokens = of_text["unmask"][0]["tokens"]
        page += [
            "",
            f"### {titles[text]}",
            "",
            f"{sizes[text]:.0f} MB, {tokens / 1e6:.1f} million tokens.",
            "",
        ]
        page += table_of(of_text)
    page += [
        "",
        "Tokens are those that a way finds, of those that Unmask finds: the simpler rules miss letters that"
        " are not ASCII, or take apostrophes and marks around a word with it. The ways that work on bytes"
        " (split, PyArrow) do not lower-case letters that are not ASCII.",
    ]
    print("\n".join(page))


if __name__ == "__main__":
    main()
