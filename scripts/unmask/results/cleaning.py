"""What may be removed of a study's results when disk is short: evidence, and what killed jobs have left.

python -m unmask.results.cleaning results/STUDY            says what it would remove
python -m unmask.results.cleaning results/STUDY --yes      removes it
"""

import argparse
import shutil
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from unmask.errors import InputError
from unmask.files import remove_if_abandoned
from unmask.runlock import hold_run_lock

EVIDENCE = "evidence"
CORPORA = "downloaded corpora, whose words are counted"
LEFT = "left by jobs that were killed"
NEEDED = "kept: evidence that has no statistics yet"
UNFINISHED = "kept: what an interrupted job goes on from"
REMOVED = (EVIDENCE, CORPORA, LEFT)
KEPT = (NEEDED, UNFINISHED)

WHAT_THEN = """\
A finished study without evidence still has nothing to be done, and a new model or benchmark is scored alone.
What makes scores or statistics anew (another measure, other statistics, new code) runs every model again."""


@dataclass(frozen=True)
class Item:
    """Files that stay or go together: `kind` is one of REMOVED or KEPT, `name` says which they are."""

    kind: str
    name: str
    paths: tuple[Path, ...]
    size: int
    """In bytes."""


def items(results: str | Path, corpora: bool = False) -> list[Item]:
    """What may be removed of a study's results, and what is like it but is still needed.

    `corpora`: downloaded corpora too. No run may be at work in the results meanwhile.
    """
    results = Path(results)
    found = [*_evidence(results), *(_corpora(results) if corpora else ()), *_left(results)]
    return sorted(found, key=lambda item: ((*REMOVED, *KEPT).index(item.kind), item.name))


def _evidence(results: Path) -> Iterator[Item]:
    for folder in sorted(results.glob("evidence/*/*")):
        model, benchmark = folder.parts[-2:]
        statistics = results / "statistics" / model / benchmark / "bias.parquet"
        made = statistics.stat().st_mtime_ns if statistics.is_file() else -1
        files = sorted(folder.glob("*/[!.]*.parquet"))
        # statistics that are older are made again, from this evidence
        done = all(file.stat().st_mtime_ns <= made for file in files)
        if files:
            yield _item(EVIDENCE if done else NEEDED, f"{model} on {benchmark}", files)


def _corpora(results: Path) -> Iterator[Item]:
    for folder in sorted(results.glob("corpora/*")):
        # the facts about a download are small, and the counts are made from them too
        files = [file for file in _files(folder) if not file.name.endswith(".facts.json")]
        if files and (results / "frequency" / f"{folder.name}.parquet").is_file():
            yield _item(CORPORA, folder.name, files)


def _left(results: Path) -> Iterator[Item]:
    partial = sorted(results.rglob(".*.partial-*"))
    for path in partial:
        if not any(parent in partial for parent in path.parents):
            yield _item(LEFT, str(path.relative_to(results)), [path])
    for folder in sorted(results.glob("evidence/*/*/*/.*.shards")):
        whole = folder.with_name(folder.name.removeprefix(".").removesuffix(".shards") + ".parquet")
        kind = LEFT if whole.is_file() else UNFINISHED
        yield _item(kind, str(folder.relative_to(results)), [folder])


def _item(kind: str, name: str, paths: Iterable[Path]) -> Item:
    paths = tuple(paths)
    return Item(kind, name, paths, sum(map(_size, paths)))


def _size(path: Path) -> int:
    return sum(file.stat().st_size for file in _files(path))


def _files(path: Path) -> list[Path]:
    return [path] if path.is_file() else [file for file in sorted(path.rglob("*")) if file.is_file()]


def remove(found: Iterable[Item], results: str | Path) -> int:
    """Remove what may go of the `found`, and folders that are empty then; gives the bytes removed.

    A partial file whose writer still lives stays. No run may be at work in the results meanwhile.
    """
    removed = 0
    for item in found:
        if item.kind not in REMOVED:
            continue
        for path in item.paths:
            if ".partial-" in path.name:
                remove_if_abandoned(path)
            elif path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
            _remove_empty(path.parent, Path(results))
        removed += item.size - sum(_size(path) for path in item.paths)
    return removed


def _remove_empty(folder: Path, results: Path) -> None:
    while folder != results and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent


def describe(found: Iterable[Item]) -> Iterator[str]:
    """The items in words, by kind, with their sizes and a total of what may be removed."""
    found = list(found)
    for kind in (*REMOVED, *KEPT):
        of_kind = [item for item in found if item.kind == kind]
        if of_kind:
            yield f"{kind}:"
            width = max(len(item.name) for item in of_kind)
            yield from (f"  {item.name:{width}}  {megabytes(item.size):>10}" for item in of_kind)
    total = sum(item.size for item in found if item.kind in REMOVED)
    yield f"to remove: {megabytes(total)}"


def megabytes(size: int) -> str:
    """A number of bytes in words."""
    return f"{size / 1e6:.1f} MB" if size >= 50_000 else f"{size / 1e3:.1f} kB"


def main() -> None:
    parser = argparse.ArgumentParser(description="Say what may be removed of a study's results; remove it.")
    parser.add_argument("folder", metavar="results/STUDY")
    parser.add_argument("--corpora", action="store_true", help="downloaded corpora too")
    parser.add_argument("--yes", action="store_true", help="remove it; without this, only say what would be")
    arguments = parser.parse_args()
    try:
        folder = Path(arguments.folder)
        if not any((folder / part).is_dir() for part in ("evidence", "scores", "models", "benchmarks")):
            raise InputError(f"{folder}: no results of a study in this folder; give results/STUDY")
        hold_run_lock(folder)
        found = items(folder, arguments.corpora)
        for line in describe(found):
            print(line)
        if not any(item.kind in REMOVED for item in found):
            return
        print(WHAT_THEN)
        if arguments.yes:
            print(f"removed: {megabytes(remove(found, folder))}")
        else:
            print("nothing is removed yet; --yes removes it")
    except InputError as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
