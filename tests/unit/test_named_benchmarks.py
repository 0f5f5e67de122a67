"""Benchmarks that a study can name: the page that lists them, and whether each is read as it is declared."""

import re
from pathlib import Path

import pytest

from unmask.benchmarks.reading import read_benchmark
from unmask.pairs.benchmarks_page import PAGE, page
from unmask.pairs.named_benchmarks import known_benchmarks

TABLES = {name: each for name, each in known_benchmarks().items() if each["entry"]["format"] == "table"}


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run python -m unmask.pairs.benchmarks_page"


def test_the_page_has_every_benchmark_with_its_address_checksum_and_licence() -> None:
    text = page()
    for name, known in known_benchmarks().items():
        (section,) = re.findall(rf"^## {name}\n(.*?)(?=^## |\Z)", text, flags=re.DOTALL | re.MULTILINE)
        entry = known["entry"]
        checksum = entry.get("sha256") or entry["git_blob"]
        assert all(part in section for part in (known["about"], entry["url"], checksum, entry["licence"]))
        # of one commit
        assert re.search(r"/[0-9a-f]{40}/", entry["url"])


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_read_by_its_columns(name: str, tmp_path: Path) -> None:
    """Of a file in the form of the released one: tabs, a first column without a name, quotes of csv."""
    entry = TABLES[name]["entry"]
    path = tmp_path / "pairs.csv"
    path.write_text(
        "\tsent_more\tsent_less\tstereo_antistereo\tbias_type\n"
        '7\t"She said ""no""."\t"He said ""no""."\tstereo\tgender\n'
        "129\tLes esclaves sont là.\tLes esclaves.\tantistereo\tautre\n"
    )
    pairs = read_benchmark(path, entry)
    left_out = entry.get("without", [])
    assert list(pairs["pair_id"]) == [pair for pair in ("7", "129") if pair not in left_out]
    assert pairs["stereotype"][0] == 'She said "no".' and pairs["direction"][0] == "stereo"
    assert entry["published"] == name
