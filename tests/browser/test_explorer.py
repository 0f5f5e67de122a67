"""The explorer in a browser: pairs are found and shown, with the numbers of the tables, and without lag."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

import synthetic
from browsing import WAIT
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
    render_page,
    score_pairs,
    section,
    write_facts,
    write_table,
)
from study_schema import MEASURES
from tiny_evidence import evidence_of

HOSTILE = "</script><img src=x onerror=alert(1)>"
ODD = "1/2 ?#%é"
"""The id of a pair, every letter of which means something else in an address."""
SIZES = {"crows": 1508, "stereo": 2106}
PAGE = 8
"""Rows of the list at a time."""
MODELS = ("one", "two", "three", HOSTILE)
SIGNED = {STEREOTYPE: 1, ANTISTEREOTYPE: -1}


@dataclass
class Study:
    """A made study of the size of a real one, and its page."""

    path: Path
    pairs: dict[str, pd.DataFrame] = field(default_factory=dict)
    flaws: dict[str, pd.DataFrame] = field(default_factory=dict)
    scores: dict[tuple[str, str], pd.DataFrame] = field(default_factory=dict)
    evidence: dict[tuple[str, str], dict[str, pd.DataFrame]] = field(default_factory=dict)

    def address(self, benchmark: str, pair: str, measure: str = "AUL", model: str = "one") -> str:
        how = urlencode({"measure": measure, "model": model})
        return f"{self.path.as_uri()}#pair/{quote(benchmark, safe='')}/{quote(pair, safe='')}?{how}"

    def margins(self, benchmark: str, name: str, model: str = "one") -> "pd.Series[float]":
        scores = self.scores[model, benchmark]
        chosen = scores[(scores["measure"] == name) & (scores["protocol"] == CORRECTED)]
        return chosen.set_index("pair_id")["margin"].astype(float)


def shown(value: float, signed: bool = False) -> str:
    """A number as the explorer shows it."""
    text = f"{abs(value):.3f}"
    sign = "" if float(text) == 0 else "\N{MINUS SIGN}" if value < 0 else "+" if signed else ""
    return sign + text


def number_in(text: str) -> float | None:
    return None if text == "\N{EN DASH}" else float(text.replace("\N{MINUS SIGN}", "-"))


def shown_margin(value: float) -> str:
    """A margin as the explorer shows it: with the first digit that it has, however small."""
    if round(abs(value), 3) == 0 != value:
        small = np.format_float_positional(abs(value), precision=1, fractional=False, trim="-")
        return ("+" if value > 0 else "\N{MINUS SIGN}") + small
    return shown(value, True)


def made_evidence(
    evidence: dict[str, pd.DataFrame], words: list[str], rng: np.random.Generator
) -> dict[str, pd.DataFrame]:
    """The same tokens as another model reads them."""
    found = {}
    for masking, rows in evidence.items():
        # a token is the same under every masking
        keys = pd.util.hash_pandas_object(rows[["pair_id", "role", "position"]], index=False)
        token_id = (keys.to_numpy() % len(words)).astype(int)
        found[masking] = rows.assign(
            log_prob=-rng.exponential(2, len(rows)),
            attention_content=rng.uniform(0.02, 0.2, len(rows)),
            token_id=token_id,
            token=np.array(words, dtype=object)[token_id],
        )
    return found


def made_likeliest(evidence: dict[str, pd.DataFrame], rng: np.random.Generator) -> dict[str, pd.DataFrame]:
    """The token itself and two others in the place of each, the likeliest first."""
    found = {}
    for masking, rows in evidence.items():
        keys = rows.loc[rows.index.repeat(3), ["pair_id", "role", "position"]].reset_index(drop=True)
        tokens = np.stack([np.full(len(rows), HOSTILE), rows["token"], np.full(len(rows), "##ness")], axis=1)
        shares = -np.sort(-rng.dirichlet([5, 3, 1], len(rows)), axis=1) * 0.9
        log_prob = np.log(shares).ravel().astype(np.float32)
        place = np.tile([1, 2, 3], len(rows))
        found[masking] = keys.assign(place=place, token=tokens.ravel(), log_prob=log_prob)
    return found


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    folder = tmp_path_factory.mktemp("explorer")
    made = Study(folder / "index.html")
    rng = np.random.default_rng(0)
    words = [HOSTILE, *(f"word{number}" for number in range(4000)), *(f"##piece{n}" for n in range(6000))]
    files: dict[str, Any] = {"pairs": [], "flaws": [], "explored": []}
    for benchmark, size in SIZES.items():
        parts = synthetic.make(size, seed=size, rated=benchmark == "crows", directed=benchmark == "crows")
        pairs = parts.pairs
        pairs.loc[5, ["stereotype", "bias_type", "target"]] = HOSTILE
        pairs["pair_id"] = pairs["pair_id"].replace("p7", ODD)
        made.pairs[benchmark] = pairs
        files["pairs"].append(folder / f"{benchmark}.parquet")
        write_table(files["pairs"][-1], pairs, PAIRS, {"benchmark": benchmark})
        made.flaws[benchmark] = flaws_table(pairs)
        files["flaws"].append(folder / f"{benchmark}-flaws.parquet")
        write_table(files["flaws"][-1], made.flaws[benchmark], FLAWS, {"benchmark": benchmark})
        for model in MODELS:
            place = (model, benchmark)
            evidence = made_evidence(parts.evidence, words, rng)
            for rows in evidence.values():
                rows["pair_id"] = rows["pair_id"].replace("p7", ODD)
            scores = score_pairs(list(pairs["pair_id"]), evidence, MEASURES)
            made.scores[place], made.evidence[place] = scores, evidence
            files["explored"].append(folder / f"{len(files['explored'])}.json")
            likeliest = made_likeliest(evidence, rng) if place == ("one", "stereo") else None
            facts = explored(pairs, scores, MEASURES, evidence, likeliest)
            write_facts(files["explored"][-1], {"model": model, "benchmark": benchmark, **facts})
    explorer = {"models": list(MODELS), "benchmarks": list(SIZES), "most": 5000}
    results = PairResults(files, settings_of(MODELS, SIZES, MEASURES, explorer))
    every_pair = section(results)
    sections = [Section("summary", "Summary", (), (Text("Nothing."),)), every_pair]
    made.path.write_text(render_page("A study", sections), encoding="utf-8")
    return made


def settings_of(
    models: Iterable[str], benchmarks: Iterable[str], measures: Iterable[str], explorer: dict[str, Any]
) -> dict[str, Any]:
    """What the results of a study with these models of the hub need."""
    return {
        "measures": list(measures),
        "models": [{"name": name, "source": "hub"} for name in models],
        "benchmarks": [{"name": name} for name in benchmarks],
        "explorer": explorer,
    }


@pytest.fixture
def page(browser: Browser, study: Study) -> Iterator[Page]:
    """A page of its own; it may say nothing in the console and ask for nothing but itself."""
    page = browser.new_page(viewport={"width": 1200, "height": 900})
    page.set_default_timeout(WAIT)
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("dialog", lambda dialog: said.append(dialog.message))
    page.on("request", lambda request: said.append(request.url) if not is_page(request.url, study) else None)
    yield page
    page.close()
    assert said == []


def is_page(url: str, study: Study) -> bool:
    return url.split("#")[0] == study.path.as_uri()


def opened(page: Page, address: str) -> Page:
    page.goto(address)
    page.wait_for_selector("ol.rows li")
    return page


def texts(found: Locator) -> list[str]:
    return [text.strip() for text in found.all_text_contents()]


def field_of(page: Page, label: str) -> Locator:
    return page.get_by_label(label, exact=True)


def choose(page: Page, label: str, choice: str) -> None:
    field_of(page, label).select_option(label=choice)


def count_of(page: Page) -> int:
    """How many pairs the list says that it has found."""
    told = re.match(r"([\d,]+) pair", page.get_by_role("status").inner_text())
    return int(told[1].replace(",", "")) if told else 0


def listed(page: Page) -> list[str]:
    """The margins of the rows that are shown."""
    return [text.removeprefix("; margin ") for text in texts(page.locator("ol.rows .margin"))]


def test_a_study_of_real_size_opens(page: Page, study: Study) -> None:
    # as many for each measure
    assert study.path.stat().st_size < 9e6 / 7 * len(MEASURES)
    opened(page, study.path.as_uri())
    assert count_of(page) == sum(SIZES.values())
    assert page.locator("ol.rows li").count() == PAGE


def test_pairs_are_found_by_what_they_say_and_what_is_preferred(page: Page, study: Study) -> None:
    opened(page, study.path.as_uri())
    field_of(page, "Search").fill("RED12 sentence")
    rows = [
        pairs["stereotype"].str.contains("red12") | pairs["antistereotype"].str.contains("red12")
        for pairs in study.pairs.values()
    ]
    assert count_of(page) == sum(int(part.sum()) for part in rows) > PAGE
    choose(page, "Benchmark", "stereo")
    assert count_of(page) == int(rows[1].sum())
    field_of(page, "Search").fill("no such words")
    assert page.get_by_role("status").inner_text() == "No pair fits."
    field_of(page, "Search").fill("")
    choose(page, "Bias type", "age")
    pairs = study.pairs["stereo"].set_index("pair_id")
    assert count_of(page) == int((pairs["bias_type"] == "age").sum())
    field_of(page, "Measure").select_option("CPS")
    margins = study.margins("stereo", "CPS")[pairs["bias_type"] == "age"]
    choose(page, "Prefers", "the antistereotype")
    assert count_of(page) == int((margins < 0).sum()) > 0
    choose(page, "Prefers", "undefined")
    assert count_of(page) == int(margins.isna().sum())


def test_the_list_is_in_the_order_that_is_chosen_and_comes_in_pages(page: Page, study: Study) -> None:
    opened(page, study.path.as_uri())
    choose(page, "Benchmark", "crows")
    field_of(page, "Measure").select_option("PLL")
    margins = study.margins("crows", "PLL")
    assert listed(page) == [shown_margin(value) for value in margins[:PAGE]]
    page.get_by_role("button", name="Next").click()
    assert listed(page) == [shown_margin(value) for value in margins[PAGE : 2 * PAGE]]
    for order, wanted in (
        ("most for the stereotype", margins.sort_values(ascending=False)),
        ("most against it", margins.sort_values()),
        ("nearest to no preference", margins.loc[margins.abs().sort_values().index]),
    ):
        field_of(page, "Order").select_option(order)
        assert listed(page) == [shown_margin(value) for value in wanted[:PAGE]]
    assert page.get_by_role("button", name="Previous").is_disabled()


@pytest.mark.parametrize("name", MEASURES)
def test_what_is_shown_of_a_pair_equals_the_tables(page: Page, study: Study, name: str) -> None:
    pairs = study.pairs["crows"]
    evidence = study.evidence["two", "crows"]
    scores = study.scores["two", "crows"].query("protocol == 'corrected' and measure == @name")
    of_all = counted(measure(name), evidence, CORRECTED)
    content = evidence["none"][~evidence["none"]["special"]]
    for pair in (pairs["pair_id"][0], ODD):
        opened(page, study.address("crows", pair, name, "two"))
        page.get_by_role("heading", name=f"crows, pair {pair}").wait_for()
        row = scores.set_index("pair_id").loc[pair]
        sides = [shown(float(str(row[side]))) for side in SIGNED]
        assert texts(page.locator(".scores b")) == [*sides, shown_margin(float(str(row["margin"])))]
        own = of_all[of_all["pair_id"] == pair].set_index(["role", "position"])
        for role, sign in SIGNED.items():
            tokens = content[(content["pair_id"] == pair) & (content["role"] == role)]
            buttons = page.locator(f".pair ol.strip .{role} button")
            assert buttons.count() == len(tokens)
            for token, position, element in zip(
                tokens["token"], tokens["position"], buttons.all(), strict=True
            ):
                element.click()
                text = token.removeprefix("##")
                expect(page.locator(".token h4")).to_contain_text(f"\N{LEFT DOUBLE QUOTATION MARK}{text}")
                lines = texts(page.locator(".token dd"))
                if (role, position) not in own.index:
                    assert lines == []
                    continue
                of_token = own.loc[(role, position)]
                numbers = [lines[0].split(" is ")[1].rstrip(")"), *lines[1:3], lines[3].split(",")[0]]
                adds = of_token["adds"]
                expected = (of_token["log_prob"], of_token["coefficient"], adds, sign * adds)
                for number, value in zip(numbers, expected, strict=True):
                    assert abs((number_in(number) or 0) - float(value)) < 0.6e-3
        # what the places add is the margin, but for rounding
        places = [text.split(" ")[-1] for text in texts(page.locator(".pair ol.strip .adds"))]
        added = [float(text.replace("\N{MINUS SIGN}", "-")) for text in places if text != "\N{EN DASH}"]
        assert abs(sum(added) - float(str(row["margin"]))) < 0.6e-3 * (len(added) + 1)


def test_a_link_leads_to_a_pair_and_back_leads_to_the_list(page: Page, study: Study) -> None:
    opened(page, study.address("stereo", ODD, "SSS", "three"))
    heading = page.get_by_role("heading", name=f"stereo, pair {ODD}")
    heading.wait_for()
    assert field_of(page, "Measure").input_value() == str(MEASURES.index("SSS"))
    assert field_of(page, "Model").input_value() == str(MODELS.index("three"))
    assert page.evaluate("document.activeElement.tagName") == "H3"
    # another measure: the address goes with it, and one step back still leaves the pair
    field_of(page, "Measure").select_option("CPS")
    page.wait_for_url(re.compile("measure=CPS"))
    page.get_by_text("CPS of three").wait_for()
    page.goto(study.path.as_uri() + "#summary")
    heading.wait_for(state="hidden")
    page.go_back()
    heading.wait_for()
    page.get_by_role("button", name="Close").click()
    heading.wait_for(state="hidden")
    link = page.locator("ol.rows a").nth(3)
    link.click()
    page.get_by_role("heading", name=re.compile("^crows, pair")).wait_for()
    page.go_back()
    page.locator(".pair").wait_for(state="hidden")
    page.goto(study.address("crows", "no such pair"))
    page.get_by_role("heading", name="There is no pair no such pair of crows").wait_for()


def test_a_link_of_another_report_says_what_is_not_in_this_one(page: Page, study: Study) -> None:
    opened(page, study.address("stereo", ODD, "<b>other</b>", "<i>none</i>"))
    page.get_by_role("heading", name=f"stereo, pair {ODD}").wait_for()
    said = (
        "The link's measure, <b>other</b>, is not in this report. "
        "The link's model, <i>none</i>, is not in this report."
    )
    expect(page.locator(".pair")).to_contain_text(said)
    # what is known stays as it was, and is told from what a link asks for
    page.goto(study.address("stereo", ODD, "SSS", "three"))
    page.get_by_text("SSS of three").wait_for()
    expect(page.locator(".pair")).not_to_contain_text("not in this report")


def test_the_keyboard_alone_is_enough(page: Page, study: Study) -> None:
    opened(page, study.path.as_uri())
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
    assert page.locator('.pair ol.strip button[aria-pressed="true"]').count() == 1
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(first).to_have_attribute("aria-pressed", "false")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("AUL", "nothing hidden"),
        ("CPS", "itself hidden"),
        ("AllMasked", "tokens of its sentence hidden at once"),
    ],
)
def test_what_is_hidden_from_the_model_is_marked(page: Page, study: Study, name: str, told: str) -> None:
    opened(page, study.address("crows", "p0", name))
    page.locator(".token h4").wait_for()
    assert told in page.locator(".token").inner_text()
    hidden = page.locator(".pair ol.strip button.masked")
    own = study.evidence["one", "crows"]["all"].query("pair_id == 'p0' and role == 'stereotype'")
    assert hidden.count() == {"AUL": 0, "AllMasked": len(own)}.get(name, 1)
    assert page.locator(".token .masked").count() == hidden.count()


def test_what_the_model_would_have_put_there_is_shown_where_it_is_known(page: Page, study: Study) -> None:
    opened(page, study.address("stereo", "p0", "CPS"))
    rows = page.locator(".likeliest li")
    rows.first.wait_for()
    found = texts(rows)
    chosen = study.evidence["one", "stereo"]["one-shared"].query("pair_id == 'p0'")["token"]
    own = {token.replace("##", "\N{MIDDLE DOT}") for token in chosen}
    assert len(found) == 3 and found[0].startswith(HOSTILE) and found[2].startswith("\N{MIDDLE DOT}ness")
    assert any(found[1].startswith(token) for token in own)
    shares = [float(text.removesuffix("%")) for text in texts(page.locator(".likeliest .share"))]
    assert shares == sorted(shares, reverse=True) and abs(sum(shares) - 90) < 1.6
    opened(page, study.address("stereo", "p0", "CPS", "two"))
    page.locator(".token h4").wait_for()
    assert "likeliest" not in page.locator(".token").inner_text()


def test_text_is_text_whatever_it_looks_like(page: Page, study: Study) -> None:
    opened(page, study.address("crows", "p5", "AUL", HOSTILE))
    page.get_by_role("heading", name="crows, pair p5").wait_for()
    assert HOSTILE in page.locator(".facts").inner_text()
    assert HOSTILE in page.locator(".scores").inner_text()
    field_of(page, "Search").fill(HOSTILE)
    assert count_of(page) == 2
    assert HOSTILE in page.locator("ol.rows").inner_text()
    assert page.locator("img").count() == 0
    # its data, its program and the page's
    assert page.evaluate("document.querySelectorAll('script').length") == 3


def test_pairs_are_found_by_their_flaws_and_show_them(page: Page, study: Study) -> None:
    opened(page, study.path.as_uri())
    every = pd.concat(study.flaws.values())
    any_flaw = every[list(PAIR_FLAWS)].eq(True).any(axis=1)
    for chosen, expected in (
        ("few votes", every["few_votes"].eq(True)),
        ("many words differ", every["many_words"].eq(True)),
        ("none", ~any_flaw),
    ):
        choose(page, "Flaw", chosen)
        assert count_of(page) == expected.sum() > 0
    # what no pair has cannot be chosen
    options = texts(field_of(page, "Flaw").locator("option"))
    assert "few votes" in options and "identical sentences" not in options
    few = study.flaws["crows"].query("few_votes == True")["pair_id"].iloc[3]
    opened(page, study.address("crows", few))
    page.locator(".token h4").wait_for()
    assert "flaws: few votes" in page.locator(".facts").inner_text()


def test_two_models_stand_beside_each_other(page: Page, study: Study) -> None:
    opened(page, study.path.as_uri())
    choose(page, "Benchmark", "crows")
    field_of(page, "Second model").select_option("two")
    margins = {model: study.margins("crows", "AUL", model) for model in ("one", "two")}
    assert listed(page) == [shown_margin(value) for value in margins["one"][:PAGE]]
    beside = [text.removeprefix("; ") for text in texts(page.locator("ol.rows .second"))]
    assert [text.split(",")[0] for text in beside] == [
        f"two: {shown_margin(value)}" for value in margins["two"][:PAGE]
    ]
    page.locator("ol.rows a").first.click()
    page.locator(".beside h4").first.wait_for()
    assert "model=one&beside=two" in page.url
    pair = study.pairs["crows"]["pair_id"][0]
    scores = texts(page.locator(".scores b.margin"))
    assert scores == [shown_margin(margins[model][pair]) for model in ("one", "two")]
    # no model is beside itself
    field_of(page, "Model").select_option("two")
    page.get_by_text("AUL of two").wait_for()
    assert field_of(page, "Second model").input_value() == "" and "beside" not in page.url


@pytest.fixture(scope="module")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """A masked model and a decoder on the example pairs."""
    folder = tmp_path_factory.mktemp("kinds")
    made = Study(folder / "index.html", {"b": example_pairs()})
    files: dict[str, Any] = {"pairs": [folder / "p.parquet"], "flaws": [folder / "f.parquet"]}
    write_table(files["pairs"][0], made.pairs["b"], PAIRS, {"benchmark": "b"})
    write_table(files["flaws"][0], flaws_table(made.pairs["b"]), FLAWS, {"benchmark": "b"})
    files["explored"] = []
    of_model = {"bert": (["AUL"], evidence_of("bert")), "gpt2": (["LL"], evidence_of("gpt2"))}
    for model, (measures, evidence) in of_model.items():
        scores = score_pairs(list(made.pairs["b"]["pair_id"]), evidence, measures)
        made.scores[model, "b"], made.evidence[model, "b"] = scores, dict(evidence)
        files["explored"].append(folder / f"{model}.json")
        facts = explored(made.pairs["b"], scores, measures, evidence)
        write_facts(files["explored"][-1], {"model": model, "benchmark": "b", **facts})
    explorer = {"models": list(of_model), "benchmarks": ["b"], "most": 5000}
    every_pair = section(PairResults(files, settings_of(of_model, ["b"], ["AUL", "LL"], explorer)))
    made.path.write_text(render_page("Kinds", [every_pair]), encoding="utf-8")
    return made


def test_a_decoder_has_its_measures_and_each_token_its_share(browser: Browser, kinds: Study) -> None:
    page = browser.new_page()
    page.set_default_timeout(WAIT)
    opened(page, kinds.path.as_uri())
    measures, beside = (field_of(page, label).locator("option") for label in ("Measure", "Second model"))
    assert [each.is_disabled() for each in measures.all()] == [False, True]
    assert [each.is_disabled() for each in beside.all()] == [False, True, True]
    assert listed(page)[0] == shown_margin(kinds.margins("b", "AUL", "bert").iloc[0])
    choose(page, "Model", "gpt2")
    assert field_of(page, "Measure").input_value() == "1"
    assert listed(page)[0] == shown_margin(kinds.margins("b", "LL", "gpt2").iloc[0])
    # a link with a measure of the other kind opens what the model has
    page.goto(kinds.address("b", "p0", "AUL", "gpt2"))
    expect(page.locator(".scores b.margin")).to_have_text(
        shown_margin(kinds.margins("b", "LL", "gpt2")["p0"])
    )
    rows = kinds.evidence["gpt2", "b"]["left"].query(
        "pair_id == 'p0' and role == 'antistereotype' and not special"
    )
    buttons = page.locator(".pair ol.strip .antistereotype button")
    for value, element in zip(rows.sort_values("position")["log_prob"], buttons.all(), strict=True):
        element.click()
        assert texts(page.locator(".token dd"))[1:3] == ["1.000", shown(float(value), True)]
        assert texts(page.locator(".token dd"))[3].split(",")[0] == shown(-float(value), True)
    page.close()


def test_three_example_pairs_lead_into_the_explorer(page: Page, study: Study) -> None:
    pairs = study.pairs["crows"].set_index("pair_id")
    flawed = study.flaws["crows"].set_index("pair_id")[list(PAIR_FLAWS)].eq(True).any(axis=1)
    sides = [pairs[side].str.split() for side in SIGNED]
    short = (sides[0].map(len) <= 15) & (sides[1].map(len) <= 15) & (sides[0] != sides[1])
    margins = study.margins("crows", "AUL")[short & ~flawed]
    for_it = margins[margins > 0].sort_values(ascending=False, kind="stable")
    wanted = [for_it.index[0], for_it.index[len(for_it) // 2], margins.idxmin()]
    opened(page, study.path.as_uri())
    headings = page.locator(".examples h4")
    expect(headings).to_have_count(3)
    stated = [shown_margin(margins[pair]) for pair in wanted]
    assert [text.split(": ")[-1] for text in texts(headings)] == stated
    for place, pair in enumerate(wanted):
        strip = page.locator(".examples ol.strip").nth(place)
        adds = [number_in(text.split(" ")[-1]) or 0 for text in texts(strip.locator(".adds"))]
        assert abs(sum(adds) - margins[pair]) < 0.6e-3 * (len(adds) + 1)
        page.get_by_role("link", name="Open this pair").nth(place).click()
        page.get_by_role("heading", name=f"crows, pair {pair}").wait_for()
        expect(page.locator(".scores b.margin")).to_have_text(shown_margin(margins[pair]))
        # it opens at the token that adds most
        largest = strip.locator("li").nth(int(np.argmax(np.abs(adds))))
        chosen = page.locator('.pair ol.strip button[aria-pressed="true"]').inner_text()
        assert chosen.split("\n")[0] in largest.inner_text()
        page.get_by_role("button", name="Close").click()
        page.locator(".pair").wait_for(state="hidden")


@pytest.mark.thorough
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_needs_no_scrolling_sideways_and_nothing_is_hard_to_use(
    browser: Browser, study: Study, scheme: Any
) -> None:
    page = browser.new_page(viewport={"width": 360, "height": 740}, color_scheme=scheme)
    opened(page, study.address("crows", "p5", "PLL", HOSTILE) + "&beside=one")
    page.locator(".token h4").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    found = axe.run(page, context={"include": [["[data-program]"]]}).response["violations"]
    problems = [(each["id"], [node["html"] for node in each["nodes"]][:3]) for each in found]
    page.close()
    assert problems == []
