"""What may be removed of a study's results when disk is short: evidence, and what killed jobs have left.

python -m unmask.results.cleaning results/STUDY            says what it would remove
python -m unmask.results.cleaning results/STUDY --yes      removes it
"""

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unmask.atomic import remove as remove_path
from unmask.errors import InputError
from unmask.preflight import hold_run_lock
from unmask.results.register import matcher, needing, read_register
from unmask.results.walking import paths_below

ABANDONED = "left by jobs that were killed"
NEEDED = "kept: nothing is made of it yet"
UNFINISHED = "kept: what an interrupted job goes on from"
KEPT = (NEEDED, UNFINISHED)

WHAT_THEN = """\
A finished study without evidence still has nothing to be done, and a new model or benchmark is scored alone.
What measures models anew (another measure, other statistics, a corpus, new code) runs every model again."""


@dataclass(frozen=True)
class Item:
    """Files that stay or go together: `kind` says why, one of KEPT or another, and `name` which they are."""

    kind: str
    name: str
    paths: tuple[Path, ...]
    size: int
    """In bytes."""

    @property
    def is_removable(self) -> bool:
        """Whether it may be removed."""
        return self.kind not in KEPT


def items(results: str | Path, downloads: bool = False) -> list[Item]:
    """What may be removed of a study's results, and what is like it but is still needed.

    What it may be is in the study's register (unmask.results.register). `downloads`: also what has to be
    fetched again. No run may be at work in the results meanwhile.
    Raises InputError where there is no register.
    """
    results = Path(results)
    paths = paths_below(results)
    files = [path for path in paths if path.is_file() and not _is_hidden(path.relative_to(results))]
    patterns = [each for each in read_register(results) if downloads or not each.get("again")]
    candidates = [item for pattern in patterns for item in _items(pattern, results, files)]
    candidates += _abandoned(results, paths)
    return sorted(
        candidates, key=lambda item: (not item.is_removable, item.kind == ABANDONED, item.kind, item.name)
    )


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _items(pattern: Mapping[str, Any], results: Path, files: Iterable[Path]) -> Iterator[Item]:
    fits = matcher(pattern["files"])
    groups: dict[tuple[str, tuple[Path, ...]], list[Path]] = {}
    for path in files:
        if match := fits.fullmatch(path.relative_to(results).as_posix()):
            names = match.groupdict()
            needed = tuple(results / file.format(**names) for file in needing(pattern))
            groups.setdefault((pattern["name"].format(**names), needed), []).append(path)
    for (name, needed), paths in groups.items():
        age = min(file.stat().st_mtime_ns if file.is_file() else -1 for file in needed)
        # what is older is made again, from these files
        done = all(path.stat().st_mtime_ns <= age for path in paths)
        yield _item(pattern["kind"] if done else NEEDED, name, paths)


def _abandoned(results: Path, paths: Iterable[Path]) -> Iterator[Item]:
    def alike(pattern: str) -> list[Path]:
        return [path for path in paths if path.match(pattern)]

    partial = alike(".*.partial*")
    for path in partial:
        if not any(parent in partial for parent in path.parents):
            yield _item(ABANDONED, str(path.relative_to(results)), [path])
    for folder in alike(".*.shards"):
        whole = folder.with_name(folder.name.removeprefix(".").removesuffix(".shards") + ".parquet")
        kind = ABANDONED if whole.is_file() else UNFINISHED
        yield _item(kind, str(folder.relative_to(results)), [folder])


def _item(kind: str, name: str, paths: Iterable[Path]) -> Item:
    paths = tuple(paths)
    return Item(kind, name, paths, _size(paths))


def _size(paths: Iterable[Path]) -> int:
    """What files and folders take."""
    return sum(file.stat().st_size for path in paths for file in _files(path))


def _files(path: Path) -> list[Path]:
    return [path] if path.is_file() else [file for file in sorted(path.rglob("*")) if file.is_file()]


def remove(candidates: Iterable[Item], results: str | Path) -> int:
    """Remove those that are removable, and folders that are empty then; returns the bytes removed.

    No run may be at work in the results meanwhile.
    """
    removed = 0
    for item in candidates:
        if not item.is_removable:
            continue
        for path in item.paths:
            remove_path(path)
            _remove_empty(path.parent, Path(results))
        removed += item.size - _size(item.paths)
    return removed


def _remove_empty(folder: Path, results: Path) -> None:
    # a link to a folder is somebody's own, and stays
    while folder != results and not folder.is_symlink() and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent


def describe(candidates: Iterable[Item]) -> Iterator[str]:
    """The items in words, by kind, with their sizes and a total of what is removable."""
    candidates = list(candidates)
    for kind in dict.fromkeys(item.kind for item in candidates):
        alike = [item for item in candidates if item.kind == kind]
        yield f"{kind}:"
        width = max(len(item.name) for item in alike)
        yield from (f"  {item.name:{width}}  {megabytes(item.size):>10}" for item in alike)
    total = sum(item.size for item in candidates if item.is_removable)
    yield f"to remove: {megabytes(total)}"


def megabytes(size: int) -> str:
    """A number of bytes in words."""
    return f"{size / 1e6:.1f} MB" if size >= 50_000 else f"{size / 1e3:.1f} kB"


def main() -> None:
    parser = argparse.ArgumentParser(description="Say what may be removed of a study's results; remove it.")
    parser.add_argument("folder", metavar="results/STUDY")
    parser.add_argument("--downloads", action="store_true", help="downloads that have been read, too")
    parser.add_argument("--yes", action="store_true", help="remove it; without this, only say what would be")
    arguments = parser.parse_args()
    try:
        folder = Path(arguments.folder)
        read_register(folder)
        hold_run_lock(folder)
        candidates = items(folder, arguments.downloads)
        for line in describe(candidates):
            print(line)
        if not any(item.is_removable for item in candidates):
            return
        print(WHAT_THEN)
        if arguments.yes:
            print(f"removed: {megabytes(remove(candidates, folder))}")
        else:
            print("nothing is removed yet; --yes removes it")
    except InputError as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
