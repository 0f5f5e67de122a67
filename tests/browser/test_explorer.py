"""The explorer in a browser: pairs are found and shown, with the numbers of the tables."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Locator, Page, expect

import synthetic
from browsing import PHONE, Visit
from examples import example_pairs
from library import (
    ANTISTEREOTYPE,
    CORRECTED,
    FLAWS,
    PAIR_FLAWS,
    PAIRS,
    STEREOTYPE,
    PairResults,
    Section,
    Text,
    counted,
    explored,
    flaws_table,
    measure,
    pairs_presenting,
    render_page,
    score_pairs,
    write_facts,
    write_table,
)
from study_schema import MEASURES
from test_explored import HOSTILE, every_pair, likeliest_of
from tiny_evidence import evidence_of

ODD = "1/2 ?#%é"
"""The id of a pair, every letter of which means something else in an address."""
SIZES = {"crows": 300, "stereo": 150}
ROWS = 8
"""Of the list at first."""
MODELS = ("one", "two", HOSTILE, "bert", "gpt2")
SIGNED = {STEREOTYPE: 1, ANTISTEREOTYPE: -1}


@dataclass
class Study:
    """Three made-up models on two benchmarks, and a masked model and a decoder on a third; and their page."""

    path: Path
    pairs: dict[str, pd.DataFrame]
    flaws: dict[str, pd.DataFrame]
    scores: dict[tuple[str, str], pd.DataFrame]
    evidence: dict[tuple[str, str], Mapping[str, pd.DataFrame]]

    def margins(self, benchmark: str, name: str, model: str = "one") -> "pd.Series[float]":
        scores = self.scores[model, benchmark]
        chosen = scores[(scores["measure"] == name) & (scores["protocol"] == CORRECTED)]
        return chosen.set_index("pair_id")["margin"].astype(float)


def address(benchmark: str, pair: str, measure: str = "AUL", model: str = "one", **beside: str) -> str:
    how = urlencode({"measure": measure, "model": model, **beside})
    return f"#pair/{quote(benchmark, safe='')}/{quote(pair, safe='')}?{how}"


def as_read(evidence: dict[str, pd.DataFrame], rng: np.random.Generator) -> dict[str, pd.DataFrame]:
    """The same tokens as another model reads them."""
    words = np.array([HOSTILE, *(f"word{n}" for n in range(4000)), *(f"##piece{n}" for n in range(6000))])
    found = {}
    for masking, rows in evidence.items():
        # a token is the same under every masking
        keys = pd.util.hash_pandas_object(rows[["pair_id", "role", "position"]], index=False)
        token = words[(keys.to_numpy() % len(words)).astype(int)].astype(object)
        found[masking] = rows.assign(
            pair_id=rows["pair_id"].replace("p7", ODD),
            log_prob=-rng.exponential(2, len(rows)),
            attention_content=rng.uniform(0.02, 0.2, len(rows)),
            token=token,
        )
    return found


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    folder, rng = tmp_path_factory.mktemp("explorer"), np.random.default_rng(0)
    made = Study(folder / "index.html", {"b": example_pairs()}, {}, {}, {})
    made.evidence.update({(model, "b"): evidence_of(model) for model in ("bert", "gpt2")})
    for benchmark, size in SIZES.items():
        parts = synthetic.make(size, seed=size, rated=benchmark == "crows", directed=benchmark == "crows")
        pairs = parts.pairs.assign(pair_id=parts.pairs["pair_id"].replace("p7", ODD))
        pairs.loc[5, ["stereotype", "bias_type", "target"]] = HOSTILE
        made.pairs[benchmark] = pairs
        made.evidence.update({(model, benchmark): as_read(parts.evidence, rng) for model in MODELS[:3]})
    files: dict[str, list[Path]] = {"pairs": [], "flaws": [], "explored": []}
    benchmarks = [*SIZES, "b"]
    for name in benchmarks:
        made.flaws[name] = flaws_table(made.pairs[name])
        for kind, rows, schema in (("pairs", made.pairs[name], PAIRS), ("flaws", made.flaws[name], FLAWS)):
            files[kind].append(folder / f"{name}-{kind}.parquet")
            write_table(files[kind][-1], rows, schema, {"benchmark": name})
    for place, evidence in made.evidence.items():
        pairs, measures = made.pairs[place[1]], {"gpt2": ["LL"], "bert": ["AUL"]}.get(place[0], MEASURES)
        made.scores[place] = score_pairs(list(pairs["pair_id"]), evidence, measures)
        likeliest = likeliest_of(evidence) if place == ("one", "stereo") else None
        facts = explored(pairs, made.scores[place], measures, evidence, likeliest)
        files["explored"].append(folder / f"{len(made.scores)}.json")
        write_facts(files["explored"][-1], {"model": place[0], "benchmark": place[1], **facts})
    settings = {
        "measures": [*MEASURES, "LL"],
        "models": [{"name": name, "source": "hub"} for name in MODELS],
        "benchmarks": [{"name": name} for name in benchmarks],
        "explorer": {"models": list(MODELS), "benchmarks": benchmarks, "most": 5000},
    }
    sections = [
        Section("summary", "Summary", (), (Text("Nothing."),)),
        pairs_presenting.every_pair(PairResults(files, settings)),
    ]
    made.path.write_text(render_page("A study", sections), encoding="utf-8")
    return made


Show = Callable[..., Page]


@pytest.fixture
def show(visit: Visit, study: Study) -> Show:
    """Opens the page at an address in it."""

    def show(fragment: str = "", **options: Any) -> Page:
        page = visit(study.path, fragment, **options).page
        page.wait_for_selector("ol.rows li")
        return page

    return show


def shown(value: float, signed: bool = False) -> str:
    """A number as the explorer shows it."""
    text = f"{abs(value):.3f}"
    sign = "" if float(text) == 0 else "\N{MINUS SIGN}" if value < 0 else "+" if signed else ""
    return sign + text


def shown_margin(value: float) -> str:
    """A margin as the explorer shows it: with the first digit that it has, however small."""
    if round(abs(value), 3) == 0 != value:
        small = np.format_float_positional(abs(value), precision=1, fractional=False, trim="-")
        return ("+" if value > 0 else "\N{MINUS SIGN}") + small
    return shown(value, True)


def shown_margins(values: "pd.Series[float]", rows: int = ROWS) -> list[str]:
    return [shown_margin(value) for value in values[:rows]]


def numbers_in(written: Iterable[str]) -> list[float]:
    """The number at the end of each text; 0 for what is a dash."""
    ends = [text.split(" ")[-1].replace("\N{MINUS SIGN}", "-") for text in written]
    return [0.0 if end == "\N{EN DASH}" else float(end) for end in ends]


def texts(found: Locator) -> list[str]:
    return [text.strip() for text in found.all_text_contents()]


def field_of(page: Page, label: str) -> Locator:
    return page.get_by_role("searchbox" if label == "Search" else "combobox", name=label, exact=True)


def choose(page: Page, label: str, choice: str) -> None:
    field = field_of(page, label)
    field.fill(choice) if label == "Search" else field.select_option(label=choice)


def count_of(page: Page) -> int:
    """How many pairs the list says that it has found."""
    told = re.match(r"([\d,]+) pair", page.get_by_role("status").inner_text())
    assert told
    return int(told[1].replace(",", ""))


def listed(page: Page) -> list[str]:
    """The margins of the rows that are shown."""
    return [text.removeprefix("; margin ") for text in texts(page.locator("ol.rows .margin"))]


def test_pairs_are_found_by_what_they_say_and_what_is_preferred(show: Show, study: Study) -> None:
    page = show()
    # as many for each model and measure
    assert study.path.stat().st_size < 9e6 / 3614 / 4 / 7 * sum(SIZES.values()) * 3 * len(MEASURES)
    assert count_of(page) == sum(SIZES.values())
    pairs = pd.concat([study.pairs[name] for name in SIZES], keys=SIZES, names=["benchmark"])
    pairs = pairs.reset_index("benchmark").set_index(["benchmark", "pair_id"])
    margin = pd.concat({name: study.margins(name, "AUL") for name in SIZES})
    flaws = pd.concat({name: study.flaws[name].set_index("pair_id") for name in SIZES})
    flawed = flaws[list(PAIR_FLAWS)].eq(True)
    said = pairs["stereotype"] + pairs["antistereotype"]
    is_stereo = pairs.index.get_level_values(0) == "stereo"
    # each choice beside those above it, and how many pairs it leaves
    for label, choice, left in (
        ("Search", "RED12 sentence", said.str.contains("red12")),
        ("Benchmark", "stereo", said.str.contains("red12") & is_stereo),
        ("Search", "", is_stereo),
        ("Bias type", "age", is_stereo & (pairs["bias_type"] == "age")),
        ("Outcome", "antistereotype", is_stereo & (pairs["bias_type"] == "age") & (margin < 0)),
        ("Outcome", "any", is_stereo & (pairs["bias_type"] == "age")),
        ("Benchmark", "any", pairs["bias_type"] == "age"),
        ("Bias type", "any", is_stereo | ~is_stereo),
        ("Flaw", "few votes", flawed["few_votes"]),
        ("Flaw", "many words differ", flawed["many_words"]),
        ("Flaw", "none", ~flawed.any(axis=1)),
    ):
        choose(page, label, choice)
        assert count_of(page) == int(np.sum(left)) > 0, (label, choice)
    choose(page, "Flaw", "few votes")
    page.locator("ol.rows a").first.click()
    expect(page.locator(".facts")).to_contain_text("few votes")
    choose(page, "Flaw", "any or none")
    choose(page, "Measure", "SSS")
    choose(page, "Outcome", "undefined")
    undefined = [study.margins(name, "SSS").isna().sum() for name in SIZES]
    assert count_of(page) == sum(undefined) > 0
    choose(page, "Search", "no such words")
    assert count_of(page) == 0


def test_the_list_is_in_the_order_that_is_chosen_and_grows(show: Show, study: Study) -> None:
    page = show()
    choose(page, "Benchmark", "crows")
    choose(page, "Measure", "PLL")
    margins = study.margins("crows", "PLL")
    assert listed(page) == shown_margins(margins)
    for rows in (ROWS, 2 * ROWS):
        page.get_by_role("button", name="More").press("Enter")
        assert listed(page) == shown_margins(margins, 2 * rows)
        expect(page.locator("ol.rows a").nth(rows)).to_be_focused()
    for order, wanted in (
        ("most for the stereotype", margins.sort_values(ascending=False)),
        ("most against it", margins.sort_values()),
        ("nearest to no preference", margins.loc[margins.abs().sort_values().index]),
    ):
        choose(page, "Order", order)
        assert listed(page) == shown_margins(wanted)
    # there are no more
    choose(page, "Search", "red12")
    while page.get_by_role("button", name="More").is_visible():
        page.get_by_role("button", name="More").click()
    assert len(listed(page)) == count_of(page) > ROWS
    expect(page.locator("ol.rows a:focus")).to_have_count(1)


@pytest.mark.parametrize(
    ("name", "model", "benchmark"),
    [*((name, "two", "crows") for name in MEASURES), ("LL", "gpt2", "b")],
)
def test_what_is_shown_of_a_pair_equals_the_tables(
    show: Show, study: Study, name: str, model: str, benchmark: str
) -> None:
    evidence = study.evidence[model, benchmark]
    scores = study.scores[model, benchmark].query("protocol == 'corrected' and measure == @name")
    of_all = counted(measure(name), evidence, CORRECTED)
    content = next(iter(evidence.values())).query("not special")
    pairs = ("p0", ODD) if benchmark == "crows" else ("p0",)
    for pair in pairs:
        page = show(address(benchmark, pair, name, model))
        page.get_by_role("heading", name=f"{benchmark}, pair {pair}").wait_for()
        row = scores.set_index("pair_id").loc[pair]
        sides = [shown(float(str(row[side]))) for side in SIGNED]
        assert texts(page.locator(".scores b")) == [*sides, shown_margin(float(str(row["margin"])))]
        own = of_all[of_all["pair_id"] == pair].set_index(["role", "position"])
        for role, sign in SIGNED.items():
            tokens = content[(content["pair_id"] == pair) & (content["role"] == role)]
            tokens = tokens.sort_values("position")
            buttons = page.locator(f".pair ol.strip .{role} button")
            for (_, token), element in zip(tokens.iterrows(), buttons.all(), strict=True):
                element.click()
                expect(page.locator('[aria-pressed="true"]')).to_have_count(1)
                lines = texts(page.locator(".token dd"))
                if (role, token["position"]) not in own.index:
                    assert lines == []
                    continue
                text = (
                    str(token["token"])
                    .removeprefix("##")
                    .removeprefix("\N{LATIN CAPITAL LETTER G WITH DOT ABOVE}")
                )
                expect(page.locator(".token h4")).to_contain_text(f"\N{LEFT DOUBLE QUOTATION MARK}{text}")
                of_token = own.loc[(role, token["position"])]
                wanted = (of_token["log_prob"], of_token["coefficient"], sign * of_token["adds"])
                found = numbers_in([lines[0].rstrip(")"), *lines[1:]])
                assert np.abs(np.array(found) - np.array(wanted, float)).max() < 0.6e-3
        # what the places add is the margin, but for rounding
        adds = numbers_in(texts(page.locator(".pair ol.strip .adds")))
        assert abs(sum(adds) - float(str(row["margin"]))) < 0.6e-3 * (len(adds) + 1)


def test_a_link_leads_to_a_pair_and_back_leads_to_the_list(show: Show, study: Study) -> None:
    page = show(address("stereo", ODD, "SSS", "two"))
    heading = page.get_by_role("heading", name=f"stereo, pair {ODD}")
    heading.wait_for()
    assert field_of(page, "Measure").input_value() == "SSS"
    assert field_of(page, "Model").input_value() == "two"
    assert page.evaluate("document.activeElement.tagName") == "H3"
    # another measure: the address goes with it, and one step back still leaves the pair
    choose(page, "Measure", "CPS")
    page.wait_for_url(re.compile("measure=CPS"))
    page.get_by_text("CPS of two").wait_for()
    page.goto(f"{study.path.as_uri()}#summary")
    heading.wait_for(state="hidden")
    page.go_back()
    heading.wait_for()
    page.get_by_role("button", name="Close").click()
    heading.wait_for(state="hidden")
    page.locator("ol.rows a").nth(3).click()
    page.get_by_role("heading", name=re.compile("^crows, pair")).wait_for()
    page.go_back()
    page.locator(".pair").wait_for(state="hidden")


@pytest.mark.parametrize(
    ("fragment", "said"),
    [
        (address("crows", "no such pair"), "pair no such pair of crows"),
        (address("stereo", ODD, "<b>other</b>", "<i>none</i>"), "model <i>none</i>, measure <b>other</b>"),
        (address("stereo", ODD, "SSS", "two", beside="x"), "beside x"),
        ("#pair/%zz/%", "pair % of %zz"),
    ],
)
def test_a_link_of_another_report_says_what_is_not_in_this_one(
    show: Show, study: Study, fragment: str, said: str
) -> None:
    page = show(fragment)
    note = page.locator(".pair").get_by_text(f"Not in this report: {said}")
    note.wait_for()
    page.goto(study.path.as_uri() + address("stereo", ODD, "SSS", "two"))
    page.get_by_text("SSS of two").wait_for()
    expect(page.locator(".pair")).not_to_contain_text("Not in this report")
    # the pair, if there is one, stays open
    page.goto(study.path.as_uri() + fragment)
    note.wait_for()
    heading = f"Not in this report: {said}" if said.startswith("pair") else f"stereo, pair {ODD}"
    expect(page.locator("h3:focus")).to_have_text(heading)
    assert page.locator(".pair ol.strip").count() == (not said.startswith("pair"))


def test_the_keyboard_alone_is_enough(show: Show) -> None:
    page = show()
    page.locator("ol.rows a").first.focus()
    page.keyboard.press("Enter")
    page.locator("h3:focus").wait_for()
    # behind the button that closes the pair each token is one
    for _ in range(2):
        page.keyboard.press("Tab")
    first = page.locator(".pair ol.strip button").first
    expect(first).to_be_focused()
    page.keyboard.press("Enter")
    expect(first).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(first).to_have_attribute("aria-pressed", "false")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("AUL", "nothing hidden"),
        ("CPS", "itself hidden"),
        ("AllMasked", "{} tokens of its sentence hidden at once"),
    ],
)
def test_what_is_hidden_from_the_model_is_marked(show: Show, study: Study, name: str, told: str) -> None:
    page = show(address("crows", "p0", name))
    page.locator(".token h4").wait_for()
    own = study.evidence["one", "crows"]["all"].query("pair_id == 'p0' and role == 'stereotype'")
    assert told.format(len(own)) in page.locator(".token").inner_text()
    hidden = page.locator(".pair ol.strip button.masked")
    assert hidden.count() == {"AUL": 0, "AllMasked": len(own)}.get(name, 1)
    assert page.locator(".token .masked").count() == hidden.count()


def test_what_the_model_would_have_put_there_is_shown_where_it_is_known(show: Show) -> None:
    page = show(address("stereo", "p0", "CPS"))
    page.locator(".likeliest li").first.wait_for()
    assert texts(page.locator(".likeliest li")) == [f"{HOSTILE}80%", "\N{MIDDLE DOT}ly20%"]
    page = show(address("stereo", "p0", "CPS", "two"))
    page.locator(".token h4").wait_for()
    assert "likeliest" not in page.locator(".token").inner_text()


def test_text_is_text_whatever_it_looks_like(show: Show) -> None:
    page = show(address("crows", "p5", "AUL", HOSTILE))
    page.get_by_role("heading", name="crows, pair p5").wait_for()
    for place in (".facts", ".scores"):
        assert HOSTILE in page.locator(place).inner_text()
    choose(page, "Search", HOSTILE)
    assert count_of(page) == 2
    assert HOSTILE in page.locator("ol.rows").inner_text()
    assert page.locator("img").count() == 0
    # its data, its program and the page's
    assert page.evaluate("document.querySelectorAll('script').length") == 3


def test_two_models_stand_beside_each_other(show: Show, study: Study) -> None:
    page = show()
    choose(page, "Benchmark", "crows")
    choose(page, "Second model", "two")
    margins = {model: study.margins("crows", "AUL", model) for model in ("one", "two")}
    assert listed(page) == shown_margins(margins["one"])
    beside = [text.removeprefix("; ").split(",")[0] for text in texts(page.locator("ol.rows .second"))]
    assert beside == [f"two: {text}" for text in shown_margins(margins["two"])]
    page.locator("ol.rows a").first.click()
    page.locator(".beside h4").first.wait_for()
    assert "model=one&beside=two" in page.url
    pair = study.pairs["crows"]["pair_id"][0]
    stated = texts(page.locator(".scores dd:last-child b"))
    assert stated == [shown_margin(margins[model][pair]) for model in ("one", "two")]
    # no model is beside itself
    choose(page, "Model", "two")
    page.get_by_text("AUL of two").wait_for()
    assert field_of(page, "Second model").input_value() == "" and "beside" not in page.url
    # a model that has not read the pair
    page.goto(study.path.as_uri() + address("crows", pair, beside="bert"))
    expect(page.locator(".beside > div").nth(1)).to_contain_text("outcome: not read")


def test_a_decoder_has_its_measures(show: Show, study: Study) -> None:
    page = show(address("b", "p0", "AUL", "bert"))
    measures, beside = (field_of(page, label).locator("option") for label in ("Measure", "Second model"))
    assert [each.is_disabled() for each in measures.all()] == [False, *[True] * len(MEASURES)]
    assert [each.is_disabled() for each in beside.all()] == [False, False, False, False, True, True]
    choose(page, "Model", "gpt2")
    assert field_of(page, "Measure").input_value() == "LL"
    assert listed(page)[0] == shown_margin(study.margins("b", "LL", "gpt2").iloc[0])
    # a link with a measure of the other kind opens what the model has
    page.goto(study.path.as_uri() + address("b", "p1", "AUL", "gpt2"))
    stated = page.locator(".scores dd:last-child b")
    expect(stated).to_have_text(shown_margin(study.margins("b", "LL", "gpt2")["p1"]))


def test_three_example_pairs_lead_into_the_explorer(show: Show, study: Study) -> None:
    pairs = study.pairs["crows"].set_index("pair_id")
    flawed = study.flaws["crows"].set_index("pair_id")[list(PAIR_FLAWS)].eq(True).any(axis=1)
    sides = [pairs[side].str.split() for side in SIGNED]
    short = (sides[0].map(len) <= 15) & (sides[1].map(len) <= 15) & (sides[0] != sides[1])
    margins = study.margins("crows", "AUL")[short & ~flawed]
    for_it = margins[margins > 0].sort_values(ascending=False, kind="stable")
    wanted = [for_it.index[0], for_it.index[len(for_it) // 2], margins.idxmin()]
    page = show()
    headings = page.locator(".examples h4")
    expect(headings).to_have_count(3)
    stated = [shown_margin(margins[pair]) for pair in wanted]
    assert [text.split(": ")[-1] for text in texts(headings)] == stated
    for place, pair in enumerate(wanted):
        strip = page.locator(".examples ol.strip").nth(place)
        adds = numbers_in(texts(strip.locator(".adds")))
        assert abs(sum(adds) - margins[pair]) < 0.6e-3 * (len(adds) + 1)
        page.get_by_role("link", name="Open this pair").nth(place).click()
        page.get_by_role("heading", name=f"crows, pair {pair}").wait_for()
        expect(page.locator(".scores dd:last-child b")).to_have_text(stated[place])
        # it opens at the token that adds most
        largest = strip.locator("li").nth(int(np.argmax(np.abs(adds))))
        chosen = page.locator('.pair ol.strip button[aria-pressed="true"]').inner_text()
        assert chosen.split("\n")[0] in largest.inner_text()
        page.get_by_role("button", name="Close").click()
        page.locator(".pair").wait_for(state="hidden")


def test_a_small_study_leaves_out_what_is_not_there(visit: Visit, tmp_path: Path) -> None:
    path, long = tmp_path / "index.html", "he " * 16
    marked = [
        ("the <mark>young</mark> man is <mark>ill</mark>", "the <mark>old</mark> man is <mark>well</mark>"),
        # where a sentence has no word that the other lacks
        ("the <mark>men feed the women</mark>", "the <mark>women feed the men</mark>"),
        ("men fear other <mark>men</mark>", "men fear other <mark>women</mark>"),
    ]
    sentences = [(re.sub("</?mark>", "", one), re.sub("</?mark>", "", other)) for one, other in marked]
    path.write_text(render_page("A study", [every_pair(tmp_path, "scored", sentences)]), encoding="utf-8")
    page = visit(path, address("b", "p0", model="m")).page
    page.get_by_text("Tokens are not known.", exact=True).wait_for()
    expect(page.locator(".legend")).to_be_hidden()
    for label in ("Second model", "Benchmark", "Flaw"):
        expect(field_of(page, label)).to_have_count(0)
    rows = [each.inner_html().replace("</mark><mark>", "") for each in page.locator(".rows .text").all()]
    stated = [text.split("against: </span>")[-1] for text in rows[:6]]
    assert stated == [text for both in marked for text in both]
    # no pair is short enough for an example
    sections = [every_pair(tmp_path, "path", [(f"{long} cooks", f"{long} drives")] * 12)]
    path.write_text(render_page("A study", sections), encoding="utf-8")
    expect(visit(path).page.locator(".examples .legend")).to_contain_text("There is no such pair.")


@pytest.mark.thorough
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_needs_no_scrolling_sideways_and_nothing_is_hard_to_use(
    visit: Visit, study: Study, scheme: str
) -> None:
    fragment = address("crows", "p5", "PLL", HOSTILE, beside="one")
    opened = visit(study.path, fragment, viewport=PHONE, color_scheme=scheme)
    opened.page.locator(".token h4").first.wait_for()
    assert opened.broader_than_the_screen() == []
    assert opened.violations() == []
