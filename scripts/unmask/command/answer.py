"""The answer of a study, for a terminal and for machines, and where its page is."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

from unmask.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = (
    *("model", "benchmark", "measure", "protocol", "n", "score", "low", "high", "confidence"),
    *("p", "null_low", "null_high", "null_p", "p_holm", "verdict"),
)
"""Of a score, for machines."""

WIDTH = 80
"""Characters of a line in a terminal."""

PAGE = "report/index.html"
"""The report of a study, in its folder."""


def scores(folder: Path) -> "pd.DataFrame":
    """The bias scores of a study over all pairs of a benchmark, protocol corrected, with the columns COLUMNS.

    Empty where the study scores no pairs. Raises InputError where the folder has no finished study.
    """
    # pandas, which the answer as text does without
    from unmask.study_results import bias_scores

    _check_finished(folder)
    return bias_scores(folder, "overall", COLUMNS)


def _check_finished(folder: Path) -> None:
    if not (folder / PAGE).is_file():
        raise InputError(f"{folder}: no finished study (no {PAGE})")


def as_json(folder: Path) -> str:
    """The answer for machines: its title, what it says to each question, and the scores, with where the page
    is; raises as `scores` does."""
    rows = json.loads(scores(folder).to_json(orient="records"))
    path = folder / "report/sections/pairs.json"
    sections = json.loads(path.read_bytes())["sections"] if path.is_file() else []
    said = next(({key: each[key] for key in ("title", "answers")} for each in sections if each["title"]), {})
    where = {"results": str(folder), "page": str(Path(folder, PAGE))}
    return json.dumps({**where, **said, "scores": rows}, indent=2)


def as_text(folder: Path) -> str:
    """The answer of a finished study, as `report/summary.txt` has it, and where its page is.

    Raises InputError where the folder has no finished study.
    """
    _check_finished(folder)
    lines = [(folder / "report/summary.txt").read_text(encoding="utf-8")]
    if (study := folder / "study.yaml").is_file():
        line = f"Study   {study}    (edit it to add models, benchmarks)"
        lines.append(line if len(line) <= WIDTH else f"Study   {study}")
    lines += [f'Python  unmask.load("{folder}")', f"Page    {(folder / PAGE).resolve().as_uri()}"]
    return "\n".join(lines)
