"""The page docs/papers.md, from resources/papers: python -m unmask.papers.page

Not part of the workflow: it is written anew when a study, the check list or a size has changed.
"""

from collections.abc import Iterator

from unmask.configuration import read_config
from unmask.files import write_text
from unmask.keys_page import DOCS, lines_of_table
from unmask.papers.checklist import FOLDER, MADE, REAL, Item, Paper, needs_data, read_papers
from unmask.papers.costs import Cost, cost_of

PAGE = DOCS / "papers.md"

HEAD = """# The papers, table by table

Written by `python -m unmask.papers.page` from `resources/papers`. A row says which study makes a table or
figure of a paper, and which file it is below `results/STUDY/`. Tables are there as CSV and LaTeX, too,
figures as PNG. A table or figure of a paper that has no row, such as HERB's Figure 2, is not known to us.

```
unmask reproduce -n                     # what would run, in order of cost
unmask reproduce --papers unmasking     # one paper; --data DIR for studies that need files of yours
unmask reproduce                        # all that has printed numbers, and a table of ours beside them
```

[`unmask reproduce`](command.md#reproduce) runs the rows with printed numbers.

- **printed**: printed numbers stand beside ours.
- **run on**: *real* is real text and a small real model (`configs/local.yaml`,
  `configs/debiasing-local.yaml`), *made* is the demonstration or `configs/families.yaml`. No row has been
  run on the paper's models yet, as these have to be fetched.
- **takes**: what that row needs of its study, estimated. Rows of one study share their work.

Hours are of one processor core: sizes times [measured speeds](speed.md). Sizes of models, corpora and
tasks are approximate, and were not read from what a study fetches. No GPU has been measured. Its hours are
the same operations at {gpu_teraflops} teraflops in single precision, which is assumed. So is that a step of
training takes {training_passes} passes, and a decoder {decoder_passes} over a sentence.
"""

COMMITS = """## Commits of the hub's repositories

Studies pin what they fetch to a commit where a public text names one beside the repository; none is made up.
In *named in* is one such text, where its address is known. *Files* counts stored versions of public files
with the commit that a search found, up to ten; 0 where the hub's own pages alone have it.
"""

BRANCHES = """The others are fetched from a branch. The report of a study shows the commit that it stood for,
which can be put into the study.
"""


def page() -> str:
    """The text of the page."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield HEAD.format(**read_config(FOLDER / "costs.yaml")["assumed"])
    for paper in read_papers():
        yield from (f"## {paper.title}", "", f"{paper.source}. Chosen by `--papers {paper.key}`.", "")
        yield from (*lines_of_table(HEADS, [_cells(item) for item in paper.items]), "")
        yield from _notes(paper)
    commits = read_config(FOLDER / "commits.yaml")
    yield COMMITS
    rows = [
        (f"`{repo}`", f"`{entry['commit']}`", entry.get("named_in", "–"), str(entry["files"]))
        for repo, entry in commits["pinned"].items()
    ]
    yield from (*lines_of_table(("repository", "commit", "named in", "files"), rows), "", BRANCHES)
    others = [(f"`{repo}`", why) for repo, why in commits["branches"].items()]
    yield from (*lines_of_table(("repository", "why"), others), "")


HEADS = ("", "what it shows", "command", "file", "printed", "run on", "takes")


def _cells(item: Item) -> tuple[str, ...]:
    ran = [what for what in (REAL, MADE) if what in item.ran]
    return (
        item.item,
        item.shows,
        f"`{item.command}`",
        f"`{item.file}`",
        "yes" if item.printed else "no",
        ", ".join(ran) or "not run",
        takes(item),
    )


def _notes(paper: Paper) -> Iterator[str]:
    """What differs from the paper, each once."""
    notes: dict[str, list[str]] = {}
    for item in paper.items:
        if item.note:
            notes.setdefault(item.note, []).append(item.item)
    for note, items in notes.items():
        yield f"- {', '.join(items)}: {note}."
    if notes:
        yield ""


def takes(item: Item) -> str:
    """What an item takes, in words."""
    if not item.parts:
        return "minutes, nothing to fetch"
    text = in_words(cost_of(item.study, item.parts))
    return f"{text}; files of yours" if needs_data(item.study) else text


def in_words(cost: Cost) -> str:
    """A cost in words: what is fetched, room on disk, hours."""
    words = [f"fetches {_amount(cost.fetched, 'GB')}"] if cost.fetched else []
    words += [f"disk {_amount(cost.disk, 'GB')}"] if cost.disk else []
    if cost.core_hours:
        gpu = f" (GPU {_amount(cost.gpu_hours, 'h')})" if cost.models else ""
        words.append(f"{_amount(cost.core_hours, 'core h')}{gpu}")
    if cost.unknown:
        words.append(f"without {', '.join(cost.unknown)}, whose size is not known")
    return "; ".join(words) or "minutes"


def _amount(number: float, unit: str) -> str:
    """Two digits of a number, as its size is not known better."""
    return f"< 0.1 {unit}" if number < 0.1 else f"{float(f'{number:.2g}'):,g} {unit}"


if __name__ == "__main__":
    write_text(PAGE, page())
