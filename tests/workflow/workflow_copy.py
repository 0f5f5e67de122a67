"""What a clone of the repository has: a copy of its workflow, and the examples of its docs."""

import re
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PARTS = (
    "Snakefile",
    "rules",
    "scripts",
    "profiles",
    "envs",
    "configs",
    "resources",
    "config.yaml",
    "workflow",
    "CITATION.bib",
)


def copy_workflow(folder: Path) -> Path:
    """Copy what a clone of the repository would have, and what Python has compiled of it, to save time."""
    folder.mkdir(parents=True, exist_ok=True)
    for part in PARTS:
        source = ROOT / part
        if source.is_dir():
            shutil.copytree(source, folder / part, ignore=shutil.ignore_patterns("*.egg-info"))
        else:
            shutil.copy2(source, folder / part)
    return folder


def docs_section(page: str, heading: str) -> str:
    """What a page of docs/ says below a heading, to the next of its level or above."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    (found,) = re.findall(rf"^(#+) {re.escape(heading)}\n", text, flags=re.MULTILINE)
    after = text.split(f"{found} {heading}\n", 1)[1]
    return re.split(rf"^#{{1,{len(found)}}} ", after, maxsplit=1, flags=re.MULTILINE)[0]
