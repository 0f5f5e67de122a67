"""The command `unmask`: score a model in one line, run a study or reproduce papers; show, verify, clean."""

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NoReturn

from unmask.job import hold_run_lock
from unmask import __version__
from unmask.command import answer, scoring
from unmask.command.studies import BENCHMARKS, Look, new_study, study_of, write_study
from unmask.errors import InputError
from unmask.pairs.keys import known_benchmarks
from unmask.results.settings import results_folder

CLEAR = 3
"""The exit status of `--fail-on clear` where a preference is clear."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command and exit with its status.

    0; 1 where something failed; 2 where what it was given is wrong; CLEAR with `--fail-on clear`; 130 after
    Ctrl-C; 141 where nobody reads what is printed (the last two as in shells).
    """
    given = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    end = given.index("--") if "--" in given else len(given)
    parser = _parser()
    options = parser.parse_args(given[:end])
    # what stands behind `--` is for Snakemake
    options.more = given[end + 1 :]
    if options.more and options.run is not _run:
        parser.error("only run takes options of Snakemake behind --")
    try:
        status = options.run(options)
        sys.stdout.flush()
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("stopped; the same command resumes it", file=sys.stderr)
        status = 130
    except BrokenPipeError:
        # whoever read this has seen enough; what is still to be written at the end goes nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 141
    sys.exit(status)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line, as of all else that is wrong."""
        self.exit(2, f"error: {message} ({self.prog} --help)\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="unmask",
        description="Measures social bias in language models.",
        epilog="Begin with: unmask score google-bert/bert-base-uncased. More: unmask COMMAND --help.",
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    subparsers = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    commands: dict[str, argparse.ArgumentParser] = {}
    for run in (_score, _compare, _run, _reproduce, _show, _verify, _clean, _new):
        name = run.__name__.strip("_")
        about = str(run.__doc__).rstrip(".")
        commands[name] = subparsers.add_parser(name, help=about, description=about)
        commands[name].set_defaults(run=run)

    def argument(names: str, of: str, about: str | None = None, **settings: Any) -> None:
        for name in of.split():
            commands[name].add_argument(*names.split(), help=about, **settings)

    known = f"{', '.join(known_benchmarks())}, or a file of pairs (default: {BENCHMARKS[0]})"
    log = "a log of lm-evaluation-harness (samples_*.jsonl), a table, or a folder of results"
    argument("models", "score", "a folder, a GGUF file, or owner/name on the hub", nargs="+", metavar="MODEL")
    argument("a", "compare", log)
    argument("b", "compare", "another of the same form")
    argument("study", "run")
    argument("results", "show verify clean", "a folder of results, or a study", metavar="RESULTS")
    argument("file", "new")
    argument("--benchmark", "score", known, nargs="+", metavar="NAME", default=list(BENCHMARKS))
    argument("--benchmark", "compare", known, metavar="NAME", default=BENCHMARKS[0])
    argument("--measures", "score", "such as AUL CPS (default: all but PLL)", nargs="+", default=[])
    argument("--limit", "score", "at most N pairs of each benchmark, evenly spread", type=int, metavar="N")
    argument("--quick", "score", "AUL and AULA (decoders: LL), without controls", action="store_true")
    argument("--device", "score", "auto, cpu, cuda or cuda:N")
    argument("--dtype", "score", "float32, tf32 or bfloat16")
    argument("--start", "score", "what decoders read before each sentence: bos, eos, none, or a token")
    argument("--name", "score", "of the study and of its folder of results (default: that of the models)")
    argument("--fail-on", "score", f"status {CLEAR} if a score shows a clear preference", choices=["clear"])
    argument("--sentences", "compare", "columns of both sentences of a pair", nargs=2, metavar=("A", "B"))
    argument("--pair-id", "compare", "or the column with the pair's identifier", metavar="A")
    argument("--scores", "compare", "columns of their scores", nargs=2, metavar=("A", "B"))
    argument("--papers", "reproduce", "as docs/papers.md names them (default: all)", nargs="+", default=[])
    argument("--data", "score compare", "a folder in which benchmarks are looked for first", metavar="DIR")
    argument("--data", "run reproduce", "the folder that {data} in a study stands for", metavar="DIR")
    argument("--cores", "score run reproduce", "number of cores (default: all)", default="all")
    argument("-n --dry-run", "score run reproduce", "only say what would run", action="store_true")
    argument("--json", "score compare show", "print numbers for machines", action="store_true")
    argument("--yes", "clean", "remove it", action="store_true")
    return parser


def _score(options: argparse.Namespace) -> int:
    """Score models on pairs of sentences; scores, intervals and verdicts."""
    look: Any = {name: getattr(options, name) for name in Look.__annotations__}
    study = study_of(options.models, options.benchmark, **look)
    for entry in study["models"].values():
        if entry["source"] == "hub":
            print(f"{entry['repo']}: from the hub, as there is no such folder", file=sys.stderr)
    if options.dry_run:
        with TemporaryDirectory() as folder:
            file = write_study(study, Path(folder, "study.yaml"))
            return scoring.run_study(file, options.cores, dry_run=True)
    file = write_study(study)
    about = f"Results: {file.parent}; the same command resumes it"
    print(about, file=sys.stderr if options.json else sys.stdout, flush=True)
    return scoring.run_study(file, options.cores) or _answer(file.parent, options)


def _compare(options: argparse.Namespace) -> int:
    """Say whether b is less biased than a, or whether two runs of a study agree."""
    for path in (options.a, options.b):
        if not Path(path).exists():
            raise InputError(f"{path}: no such file or folder")
    if Path(options.a).is_dir() and Path(options.b).is_dir():
        from unmask.results.comparing import compare_runs, describe

        decisions = compare_runs(options.a, options.b)
        print("\n".join(describe(decisions)))
        return int(decisions["beyond"].any())
    # pandas and scipy, which other commands do without
    from unmask.command.comparing import as_text, compare, entry_of

    named = {name: getattr(options, name) for name in ("sentences", "pair_id", "scores")}
    columns = {name: value for name, value in named.items() if value is not None}
    files = options.a, options.b
    comparison = compare(files, entry_of(files, columns), options.benchmark, options.data)
    print(json.dumps(comparison, indent=2) if options.json else as_text(comparison))
    return 0


def _run(options: argparse.Namespace) -> int:
    """Run a study: a file, or the name of one of Unmask's; options behind -- are Snakemake's."""
    folder = results_folder(options.study)
    if status := scoring.run_study(options.study, options.cores, options.dry_run, options.data, options.more):
        return status
    # a study is unfinished where Snakemake was asked for a part of it
    if options.dry_run or (options.more and not (folder / answer.PAGE).is_file()):
        return 0
    return _answer(folder, options)


def _show(options: argparse.Namespace) -> int:
    """Show the scores of a finished study, and where its page is."""
    return _answer(_folder(options.results), options)


def _reproduce(options: argparse.Namespace) -> int:
    """Reproduce published values, the cheapest first, and show them beside ours."""
    # pandas, for the table
    from unmask.command.reproduce import reproduce

    return reproduce(options.papers, options.data, options.cores, options.dry_run)


def _new(options: argparse.Namespace) -> int:
    """Write a commented study to edit."""
    path = new_study(options.file)
    print(f"{path} is written. Edit it, then: unmask run {path}")
    return 0


def _verify(options: argparse.Namespace) -> int:
    """Check that results and their inputs are unchanged."""
    # pyarrow, which other commands do without
    from unmask.results.verifying import verify

    verified = verify(_folder(options.results))
    for problem in verified.problems:
        print(f"error: {problem}")
    if verified.removed:
        print(f"{len(verified.removed)} inputs were removed, as may be: {min(verified.removed)}")
    print(
        f"{verified.results} results are as they were made; "
        f"{verified.inputs} inputs are those that results were made from"
    )
    return int(bool(verified.problems))


def _clean(options: argparse.Namespace) -> int:
    """Say what may be removed of a finished study; --yes removes it."""
    from unmask.results.cleaning import removable, remove

    folder = _folder(options.results)
    if folder.is_dir():
        hold_run_lock(folder)
    files = removable(folder)
    sizes: Counter[str] = Counter()
    for path in files:
        sizes[path.relative_to(folder).parts[0]] += path.stat().st_size
    for kind, size in sizes.items():
        print(f"{folder / kind}: {size / 1e6:.1f} MB")
    if files and options.yes:
        remove(files, folder)
        print(f"removed: {len(files)} files")
    elif files:
        print("Without these, another measure or new code of measures runs every model again.")
        print("nothing is removed yet; --yes removes it")
    else:
        print("nothing is to be removed")
    return 0


def _answer(folder: Path, options: argparse.Namespace) -> int:
    as_json = getattr(options, "json", False)
    print(answer.as_json(folder) if as_json else answer.as_text(folder))
    if getattr(options, "fail_on", None) != "clear":
        return 0
    # pandas, which the answer as text does without
    from unmask.pairs import results

    table = scoring.load(folder).scores
    untested = len(table) - len(results.can_be_tested(table))
    if unclear := untested - int((table["verdict"] == results.CONTROL).sum()):
        print(f"{unclear} of {len(table)} scores cannot be tested: nothing is known of them", file=sys.stderr)
    return CLEAR if (table["verdict"] == results.CLEAR).any() else 0


def _folder(results: str) -> Path:
    """The folder of results of that path, of that name below results, or of that study."""
    for folder in (Path(results), Path("results", results)):
        if folder.is_dir():
            return folder
    try:
        return results_folder(results)
    except InputError:
        if Path(results).suffix:
            raise
        raise InputError(f"there is no folder {results}, and no study of that name") from None


if __name__ == "__main__":
    main()
