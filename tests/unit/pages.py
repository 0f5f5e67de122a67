"""A page of the report as its parts."""

import json
from html.parser import HTMLParser
from typing import Any

EMPTY = ("meta", "br", "link", "img", "input", "hr")
"""Tags that close themselves."""


class Page(HTMLParser):
    """The tags, ids, links and texts of a page, and what its scripts hold. Tags close in order."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.texts: list[str] = []
        self.scripts: list[tuple[str, str]] = []
        self.policy = ""
        self.feed(page)
        self.close()
        assert self.open == [] and len(self.ids) == len(set(self.ids))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag != "table" or self.open[-1] == "div", "every table scrolls in its own box"
        values = {name: value or "" for name, value in attrs}
        assert not {"onclick", "src", "action"} & {*values}
        self.tags.append(tag)
        self.open += [] if tag in EMPTY else [tag]
        self.ids += [values["id"]] if "id" in values else []
        self.links += [values["href"]] if "href" in values else []
        if values.get("http-equiv") == "Content-Security-Policy":
            self.policy = values["content"]
        if tag == "script":
            self.scripts.append((values.get("type", "program"), ""))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "script":
            kind, text = self.scripts[-1]
            self.scripts[-1] = (kind, text + data)
        else:
            self.texts.append(data)

    @property
    def data(self) -> list[Any]:
        return [json.loads(text) for kind, text in self.scripts if kind == "application/json"]

    @property
    def programs(self) -> list[str]:
        return [text for kind, text in self.scripts if kind == "module"]
