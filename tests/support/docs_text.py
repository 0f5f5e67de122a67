"""Examples of the docs: the text below one heading of a page."""

import re

from workflow_copy import ROOT


def docs_section(page: str, heading: str) -> str:
    """What a page of docs/ says below a heading, to the next of its level or above."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    (found,) = re.findall(rf"^(#+) {re.escape(heading)}\n", text, flags=re.MULTILINE)
    after = text.split(f"{found} {heading}\n", 1)[1]
    return re.split(rf"^#{{1,{len(found)}}} ", after, maxsplit=1, flags=re.MULTILINE)[0]
