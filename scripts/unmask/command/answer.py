"""The answer of a study, for a terminal and for machines, and where its page is."""

import json
from pathlib import Path

from unmask.errors import InputError

WIDTH = 80
"""Characters of a line in a terminal."""

PAGE, SUMMARY = "report/index.html", "report/summary.txt"
"""The report of a study and its answer as text, in its folder."""


def check_finished(folder: Path) -> None:
    """Raise InputError where the folder has no finished study."""
    for name in (PAGE, SUMMARY):
        if not (folder / name).is_file():
            raise InputError(f"{folder}: no finished study (no {name})")


def as_json(folder: Path) -> str:
    """The answer for machines: its title, what it says to each question, and the scores, with where the page
    is. Raises InputError where the folder has no finished study."""
    # pandas, which the answer as text does without
    from unmask.report.study_results import StudyResults

    check_finished(folder)
    rows = json.loads(StudyResults(folder).scores.to_json(orient="records", double_precision=15))
    path = folder / "report/sections/pairs.json"
    sections = json.loads(path.read_bytes())["sections"] if path.is_file() else []
    said = next(({key: each[key] for key in ("title", "answers")} for each in sections if each["title"]), {})
    where = {"results": str(folder), "page": str(Path(folder, PAGE))}
    return json.dumps({**where, **said, "scores": rows}, indent=2)


def as_text(folder: Path) -> str:
    """The answer as the report's summary has it, and where the page is; raises as `as_json` does."""
    check_finished(folder)
    lines = [(folder / SUMMARY).read_text(encoding="utf-8")]
    if (study := folder / "study.yaml").is_file():
        line = f"Study   {study}    (edit it to add models, benchmarks)"
        lines.append(line if len(line) <= WIDTH else f"Study   {study}")
    lines += [f'Python  unmask.load("{folder}")', f"Page    {(folder / PAGE).resolve().as_uri()}"]
    return "\n".join(lines)
