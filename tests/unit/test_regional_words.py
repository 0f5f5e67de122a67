"""The paper's lists of words as printed and as its code has them, a user's own, and sets of words."""

from pathlib import Path

import pandas as pd
import pytest

from library import (
    WORDS,
    InputError,
    as_table,
    check_list_name,
    check_template,
    read_list,
    read_metadata,
    read_table,
    read_words,
    word_sets,
)
from running import run_script

RESOURCE = Path(__file__).resolve().parents[2] / "resources" / "regional" / "words.yaml"
TOPICS = {"intelligence": 25, "appearance": 25, "strength": 23, "morality": 19, "occupation": 20}

LEADING = {
    ("intelligence", "wise"): 4,
    ("appearance", "alluring"): 8,
    ("appearance", "feeble"): 4,
    ("strength", "powerful"): 8,
    ("strength", "weak"): 3,
    ("morality", "upright"): 4,
    ("morality", "narrow-minded"): 4,
    ("occupation", "homemaker"): 4,
    ("occupation", "nanny"): 4,
    ("occupation", "philosopher"): 4,
}
"""Spaces before the words with which a line of the released code's string begins."""


@pytest.fixture(scope="module")
def paper() -> pd.DataFrame:
    return read_words({"original": None, "substituted": None}, RESOURCE)[0]


def of(words: pd.DataFrame, name: str) -> pd.DataFrame:
    return words[words["list"] == name]


@pytest.mark.parametrize("name", ["original", "substituted"])
def test_the_lists_of_the_paper(paper: pd.DataFrame, name: str) -> None:
    rows = of(paper, name)
    assert len(rows) == 112
    # in the order of the code: it leaves out topics by the rows 0, 25, 50, 73, 92
    runs = rows.groupby((rows["topic"] != rows["topic"].shift()).cumsum())["topic"]
    assert [(topics.iloc[0], len(topics)) for _, topics in runs] == list(TOPICS.items())


def test_words_of_the_released_code(paper: pd.DataFrame) -> None:
    rows = of(paper, "original")
    expected = [
        " " * LEADING.get((topic, word), 0) + ("Homemaker" if word == "homemaker" else word)
        for topic, word in zip(rows["topic"], rows["word"], strict=True)
    ]
    assert list(rows["word_published"]) == expected
    assert sum(word.startswith(" ") for word in expected) == 10
    assert (of(paper, "substituted")["word_published"] == of(paper, "substituted")["word"]).all()


# a user's list


def read(folder: Path, content: str) -> pd.DataFrame:
    path = folder / "mine.yaml"
    path.write_text(content, encoding="utf-8")
    words = read_list(path, "mine")
    as_table(words, WORDS)
    return words


def test_a_list_of_a_user(tmp_path: Path) -> None:
    words = read(tmp_path, "b topic: [kind, hard working, Kind]\na: [kind, 'no', 'né']\n")
    assert list(words.itertuples(index=False, name=None)) == [
        ("mine", topic, word, word)
        for topic, word in [
            ("b topic", "kind"), ("b topic", "hard working"), ("b topic", "Kind"),
            ("a", "kind"), ("a", "no"), ("a", "né"),
        ]
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is not a mapping but None"),
        ("a: kind", "a: is not a list but 'kind'"),
        ("a: [b, c]\nd: [e, f, e]", "d.3: 'e' is there more than once"),
        ("a: [caf\u00e9, cafe\u0301]", "a.2: 'cafe\u0301' and 'caf\u00e9' (word 1) look alike"),
        ("a: [b, no]", "a.2: is not a text but False; put quotation marks around it"),
        ("a: [b, {word: c, published: d}]", "a.2: is not a text but a dict"),
        ("a: [b, ' c']", "a.2: ' c' has spaces around it"),
        ("a: [b, '{region}']", "a.2: '{region}' has a brace in it"),
        ('a: [b, "c\\nd"]', "a.2: 'c\\nd' has a control character"),
        ("a: [b]", "only one word, by which no two regions differ"),
        ("1: [b, c]", "a key: is not a text but 1; put quotation marks around it"),
        ("a: [b, c", "not valid YAML: "),
    ],
)
def test_what_is_no_list(content: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, content)
    line = str(caught.value)
    assert line.isprintable()
    assert line.removeprefix(f"{tmp_path / 'mine.yaml'}: ").startswith(message)


@pytest.mark.parametrize(
    ("name", "own", "message"),
    [
        ("mine", False, "'mine' is not published (published are original, substituted)"),
        ("original", True, "'original' is the name of a list of the paper; give that of "),
        ("full", True, "'full' is the name of a part of a list; give this list another"),
        ("without-strength", True, "'without-strength' is the name of a part of a list"),
        ("replace-", True, "'replace-' is the name of a part of a list"),
        ("", True, "a list's name: is empty"),
        ("a\nb", True, "a list's name: 'a\\nb' has a control character"),
    ],
)
def test_names_of_lists(name: str, own: bool, message: str) -> None:
    with pytest.raises(InputError) as caught:
        check_list_name(name, "mine.yaml" if own else None)
    assert str(caught.value).startswith(f"words: {message}")


def test_lists_stand_in_the_order_of_the_study(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("a: [b, c]")
    words, facts = read_words({"mine": tmp_path / "mine.yaml", "substituted": None}, RESOURCE)
    assert list(words["list"].unique()) == ["mine", "substituted"]
    assert facts["sources"]["mine"] == "mine.yaml" and "Li et al. 2022" in facts["sources"]["substituted"]
    assert list(words.index) == list(range(114))


@pytest.mark.parametrize(
    "template",
    [
        "People are {word}.",
        "People in {region}.",
        "{region} {region} {word}",
        "{region} {word} {}",
        "{{region}} {word}",
        "{re{word}gion}",
        "{region } {word}",
        "{region} {word!r}",
        "{region} {word:>3}",
        "{region} {word",
    ],
)
def test_bad_templates(template: str) -> None:
    with pytest.raises(InputError, match=r"^template: .* must have \{region\} and \{word\} once each"):
        check_template(template)
    with pytest.raises(InputError, match=r"template: .* has a control character"):
        check_template("{region} {word}\n")


# sets of words


def test_sets_of_the_paper(paper: pd.DataFrame) -> None:
    sets = word_sets(paper)
    without, replace = [f"without-{topic}" for topic in TOPICS], [f"replace-{topic}" for topic in TOPICS]
    assert list(sets) == ["full", *without, *replace, "substituted"]
    rows = list(paper.itertuples(index=False))
    assert list(sets["full"]) == list(range(112))
    assert list(sets["substituted"]) == list(range(112, 224))
    for topic, number in TOPICS.items():
        left = [rows[place] for place in sets[f"without-{topic}"]]
        assert left == [row for row in rows[:112] if row.topic != topic]
        assert len(left) == 112 - number
        replaced = [rows[place] for place in sets[f"replace-{topic}"]]
        assert replaced == [
            other if row.topic == topic else row for row, other in zip(rows[:112], rows[112:], strict=True)
        ]


def words_of(**lists: dict[str, str]) -> pd.DataFrame:
    rows = [
        (name, topic, word, word)
        for name, topics in lists.items()
        for topic, words in topics.items()
        for word in words
    ]
    return pd.DataFrame(rows, columns=["list", "topic", "word", "word_published"])


@pytest.mark.parametrize(
    ("lists", "names"),
    [
        ({"mine": {"t": "abc"}}, ["full"]),
        ({"mine": {"t": "abc", "u": "d"}}, ["full", "without-u"]),
        ({"mine": {"t": "ab"}, "substituted": {"t": "cd"}}, ["full", "replace-t", "substituted"]),
        ({"mine": {"t": "ab"}, "substituted": {"t": "cde"}}, ["full", "substituted"]),
        ({"mine": {"t": "ab"}, "substituted": {"u": "cd"}}, ["full", "substituted"]),
        ({"substituted": {"t": "ab"}, "other": {"t": "cd"}}, ["full", "other"]),
    ],
)
def test_sets_of_other_lists(lists: dict[str, dict[str, str]], names: list[str]) -> None:
    words = words_of(**lists)
    sets = word_sets(words)
    assert list(sets) == names
    for name in set(names) & set(lists):
        assert list(words["word"][sets[name]]) == list("".join(lists[name].values()))


def test_the_script(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("a: [b, c]\nd: [b]")
    out = tmp_path / "words.parquet"
    (tmp_path / "regions.csv").write_text("name,parent,level\nWorld,,world\nA,World,part\nB,World,part\n")
    inputs = {"table": tmp_path / "regions.csv", "published": RESOURCE, "lists": [tmp_path / "mine.yaml"]}

    def run(maps: bool = False, mapped_word: str | None = None) -> str:
        run_script(
            "read_regional",
            inputs,
            {"regions": tmp_path / "regions.parquet", "words": out},
            tmp_path / "log",
            regions={"source": "table", "path": "regions.csv"},
            words={"original": "published", "mine": "mine.yaml", "substituted": "published"},
            maps=maps,
            mapped_word=mapped_word,
        )
        return (tmp_path / "log").read_text()

    for maps, word, line in (
        (True, "bald", "regional.maps: no region has a country_code, which maps need"),
        (False, "balder", "regional.mapped_word: 'balder' is not in the first list of words"),
    ):
        with pytest.raises(SystemExit):
            run(maps, word)
        assert line in (tmp_path / "log").read_text()
    run(mapped_word="bald")
    words, facts = read_table(out, WORDS), read_metadata(out)
    assert list(words["list"].unique()) == ["original", "mine", "substituted"]
    assert list(of(words, "mine")["word"]) == ["b", "c", "b"]
    assert set(facts["sources"]) == {"original", "mine", "substituted"} and len(facts["made_from"]) == 2
    assert words["word_published"].str.startswith(" ").sum() == 10
