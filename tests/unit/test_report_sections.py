"""Sections of the report, kept in files and shown on a page that knows none of them; provenance."""

import base64
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from library import (
    LIBRARY,
    LICENCE,
    METHOD,
    NOT_STATED,
    App,
    Block,
    Chart,
    Code,
    Facts,
    Fold,
    InputError,
    Items,
    Section,
    Sheet,
    TableBlock,
    Text,
    __version__,
    arranged,
    citations,
    framed,
    provenance,
    read_section,
    record,
    render_page,
    write_sections,
    write_table,
)
from pages import Page

HOSTILE = "</script></p><b onclick='x'>&amp;<!--"


def sheet(rows: int) -> Sheet:
    return Sheet(HOSTILE, ("model",), (("", "AUL"), ("group", HOSTILE)), ((HOSTILE, "1", "2"),) * rows)


BLOCKS: tuple[Block, ...] = (
    Text(HOSTILE),
    Items((HOSTILE, "second"), warning=True),
    TableBlock(sheet(2)),
    Chart(HOSTILE, HOSTILE, {"data": {"values": [{"name": HOSTILE, "x": 1.5}]}, "mark": "point"}),
    Facts(((HOSTILE, HOSTILE),)),
    Code(HOSTILE),
    Fold(HOSTILE, (Text("inside"), Fold("deeper", (TableBlock(sheet(1)),), open=True))),
)
EVERYTHING = Section(
    "every-block", HOSTILE, (HOSTILE, "found"), BLOCKS, None, HOSTILE, ((HOSTILE, HOSTILE),), "short"
)


def write(path: Path, section: Section) -> Path:
    write_sections(path, [section], record([], "digest"))
    return path


def test_a_section_is_read_as_it_was_written(tmp_path: Path) -> None:
    assert read_section(write(tmp_path / "s.json", EVERYTHING)) == EVERYTHING
    app = Section("app", "App", (), (Fold("more", (App("a", "pairs/explorer", {HOSTILE: [1, None]}),)),))
    assert read_section(write(tmp_path / "app.json", app)) == app


_TEXT = {"kind": "text", "text": "t"}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"blocks": [{"kind": "video"}]}, "0.blocks.0: "),
        ({"blocks": [{"kind": "fold", "title": "t", "blocks": [{"kind": "x"}]}]}, "'x'"),
        ({"blocks": [_TEXT | {"html": "<b>"}]}, "html"),
        ({"blocks": [{"text": "t"}]}, "'kind'"),
        ({"blocks": [{"kind": "chart", "caption": "", "alt": "", "spec": {}}]}, "has its rows in it"),
        ({"blocks": 7}, "0.blocks: "),
        *((file, "") for file in (b"", b"[]", b"null", b"{}", b"{", b"\xff", b'{"sections": 1}')),
    ],
)
def test_what_is_not_a_section_is_named(tmp_path: Path, changed: Any, said: str) -> None:
    path = write(tmp_path / "s.json", Section("s", "S"))
    stored = json.loads(path.read_text())
    if isinstance(changed, dict):
        changed = json.dumps({**stored, "sections": [stored["sections"][0] | changed]}).encode()
    path.write_bytes(changed)
    with pytest.raises(InputError) as raised:
        read_section(path)
    assert str(raised.value).startswith(f"{path}: no sections of the report") and said in str(raised.value)
    with pytest.raises(InputError, match=r"none\.json: no such file"):
        read_section(tmp_path / "none.json")


def test_data_that_json_cannot_hold_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError):
        write(tmp_path / "s.json", Section("s", "S", (), (App("d", "pairs/explorer", float("nan")),)))
    assert not list(tmp_path.iterdir())


def test_no_text_is_markup() -> None:
    page = Page(render_page(HOSTILE, [EVERYTHING]))
    assert "b" not in page.tags
    # 2 titles, a heading, a question and its answer, sentence, text, item, 3 captions, 2 heads, 3 rows, a
    # fact's key and value, code and a fold
    assert page.texts.count(HOSTILE) == 20
    spec, themes = page.data
    assert spec["data"]["values"] == [{"name": HOSTILE, "x": 1.5}] and spec["mark"] == "point"
    assert set(themes) == {"light", "dark"}
    for kind, text in page.scripts:
        assert kind in ("application/json", "module")
        assert HOSTILE not in text
    assert {"every-block", "every-block-chart-1"} <= set(page.ids)


def test_a_page_says_what_it_is_of() -> None:
    page = render_page(HOSTILE, [Section("s", "S", ("It is.", "More."))], "a<b", "Unmask 7")
    assert page.count(' content="It is.">') == 2
    assert "".join(Page(page).texts).count("Unmask 7 (MIT licence), study a<b") == 1
    # without a finding it is the title
    assert 'content="t">' in render_page("t", [Section("s", "S", (), (Text("text"),))])


@pytest.mark.parametrize(("section", "charted"), [(EVERYTHING, True), (Section("s", "S", ("found",)), False)])
def test_the_page_allows_its_own_programs_alone(section: Section, charted: bool) -> None:
    page = Page(render_page("t", [section]))
    # what draws charts is there where there are some
    assert ["window.vegaEmbed" in program for program in page.programs] == [*[True] * charted, False]
    digests = [hashlib.sha256(each.encode()).digest() for each in page.programs]
    rules = dict(rule.split(" ", 1) for rule in page.policy.split("; "))
    assert rules["default-src"] == "'none'"
    allowed = [f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests]
    assert rules["script-src"].split() == allowed


def test_the_page_has_any_sections_in_their_order() -> None:
    names = ["zebra", "aardvark", "made-up-family"]
    sections = [Section(name, f"About {name}", (f"{name} was found.",)) for name in names]
    parts = [Section(METHOD, "", ("First.",)), Section("zebra", "Other", ("And this.",))]
    page = Page(
        render_page("t", [*sections[:2], Section("empty", "Empty"), parts[0], *sections[2:], parts[1]])
    )
    # parts of one section are one, and how numbers come about is last
    assert [name for name in page.ids if name in (*names, METHOD)] == [*names, METHOD]
    assert page.links == ["#main", *(f"#{name}" for name in (*names, METHOD))]
    assert page.texts.count("About zebra") == 2 and "Other" not in page.texts
    whole = arranged([*sections, *parts, Section(METHOD, "Method", ("Second.",), label="M")])
    assert whole[0].sentences == ("zebra was found.", "And this.")
    assert (whole[-1].heading, whole[-1].sentences) == ("Method", ("First.", "Second."))


def test_a_page_has_each_program_once_and_the_data_of_each_app_as_text() -> None:
    apps = (App("one", "pairs/explorer", {HOSTILE: HOSTILE}), Fold("f", (App("two", "pairs/explorer", 2),)))
    text = render_page("t", [Section("s", "S", (), apps), Section("other", "O", (), (Text("no app"),))])
    page = Page(text)
    source, style = ((LIBRARY / f"pairs/explorer.{kind}").read_text() for kind in ("js", "css"))
    assert text.count(source) == text.count(style) == 1
    assert page.data == [{HOSTILE: HOSTILE}, 2]
    assert [program.strip() for program in page.programs[1:]] == [source.strip()]
    assert not any("<" in data for kind, data in page.scripts if kind == "application/json")
    assert {"s-one", "s-two"} <= set(page.ids) and "b" not in page.tags


def test_provenance_is_what_was_registered(tmp_path: Path) -> None:
    schema = pa.schema([("x", pa.int64())])
    for name, seed in (("one", None), ("two", 3)):
        evidence = {"none": {"seed": seed, "code": "c", "left": "out"}, "all": {"seed": None, "code": "d"}}
        facts = {"who": name, "evidence": evidence}
        write_table(tmp_path / f"{name}.parquet", framed([], schema), schema, facts)
    (tmp_path / "facts.json").write_text(json.dumps({"source": "hub", "files": [{"name": "x", "size": 3}]}))
    tables = [str(tmp_path / f"{name}.parquet") for name in ("one", "two")]
    of_model = {"files": [str(tmp_path / "facts.json")], "stated": {LICENCE: NOT_STATED, "kind": "k"}}
    entries: list[dict[str, Any]] = [
        {"title": "Model m", "keys": [], **of_model},
        {"title": "Scoring", "files": tables, "keys": ["seed", "code"], "within": "evidence"},
        {"title": "Measures", "files": tables, "keys": ["who", "absent"]},
    ]
    found = provenance({"alpha": 0.01}, entries)
    assert found.name == METHOD
    software, papers = (block.text for block in found.every_block() if isinstance(block, Code))
    assert (software, papers) == citations() and f"  version = {{{__version__}}}" in software
    # each entry has a name of its own, and its braces match
    names = re.findall(r"^@\w+\{(\w+),$", papers, re.MULTILINE)
    assert len(names) == len(set(names)) == papers.count("@") > 5
    assert all(text.count("{") == text.count("}") for text in (software, papers))
    lines = {fold.title: fold.blocks[0] for fold in found.every_block() if isinstance(fold, Fold)}
    assert isinstance(lines.pop("Inputs, code and versions"), Fold)
    assert lines.pop("The papers") == Code(papers)
    of_m = ((LICENCE, NOT_STATED), ("kind", "k"), ("source", "hub"))
    assert lines == {
        "Settings": Facts((("alpha", "0.01"),)),
        "Licences of the data that is quoted": Facts((("Model m", NOT_STATED),)),
        "Model m": Facts((*of_m, ("files.x.name", "x"), ("files.x.size", "3"))),
        # a seed of none does not count beside one; in order of their keys in the metadata
        "Scoring": Facts((("seed", "3"), ("code", "c, d"))),
        "Measures": Facts((("who", "one, two"),)),
    }
