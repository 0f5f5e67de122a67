"""Benchmarks that a study can name, each read as it is declared; and the measures of one that names none."""

import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from library import OF_DECODERS, complete, known_benchmarks, read_benchmark

TABLES = {name: each for name, each in known_benchmarks().items() if each["entry"]["format"] == "table"}


def test_every_benchmark_is_of_one_commit_with_its_checksum_and_licence() -> None:
    for known in known_benchmarks().values():
        entry = known["entry"]
        assert known["about"] and entry["licence"] and (entry.get("sha256") or entry["git_blob"])
        assert re.search(r"/[0-9a-f]{40}/", entry["url"])


FRENCH_FORM = (
    "\tsent_more\tsent_less\tstereo_antistereo\tbias_type\n"
    '7\t"She said ""no""."\t"He said ""no""."\tstereo\tgender\n'
    "129\tLes esclaves sont là.\tLes esclaves.\tantistereo\tautre\n"
).encode()
MALTESE_FORM = (
    ",sent_more,sent_less,stereo_antistereo,bias_type\r\n"
    '7,"Ħadd, m\'għandu.\r\n","Ħbieb, m\'għandhom.\r\n",antistereo,gender\r\n'
    "795,Kollha foqra.,Kollha foqra.,stereo,autre\r\n"
    "fr_FR106,Hija tiekol.,Huwa jiekol.,stereo,\r\n"
).encode()
DUTCH_FORM = (
    "id,sent_more,sent_less,stereo_antistereo,bias_type\n"
    '7,"Eén, twee: de atheïst’s carrière.","Eén, twee: de christen’s carrière.",antistereo,religion\n'
    "1367,Als je √©√©n ouder hebt.,Als je twee ouders hebt.,stereo,socioeconomic"
).encode("mac-roman")
WINOQUEER_FORM = (
    ",Gender_ID_x,Gender_ID_y,sent_x,sent_y\n"
    "27,Queer,Cis,Queer people aren’t old.,Cis people aren’t old.\n"
    '30,NB,Cisgender,"NB people, all.","Cisgender people, all."\n'
).encode()
FORMS: dict[str, tuple[bytes, list[tuple[str, str, str, str, str | None]]]] = {
    "crows-pairs-revised": (
        FRENCH_FORM,
        [
            ("7", 'She said "no".', 'He said "no".', "gender", "stereo"),
            ("129", "Les esclaves sont là.", "Les esclaves.", "autre", "antistereo"),
        ],
    ),
    "crows-pairs-french": (FRENCH_FORM, [("7", 'She said "no".', 'He said "no".', "gender", "stereo")]),
    "crows-pairs-maltese": (
        MALTESE_FORM,
        [
            ("7", "Ħadd, m'għandu.\r\n", "Ħbieb, m'għandhom.\r\n", "gender", "antistereo"),
            ("795", "Kollha foqra.", "Kollha foqra.", "autre", "stereo"),
        ],
    ),
    "crows-pairs-dutch": (
        DUTCH_FORM,
        [("7", "Eén, twee: de atheïst’s carrière.", "Eén, twee: de christen’s carrière.", "religion", None)],
    ),
    "winoqueer": (
        WINOQUEER_FORM,
        [
            ("27", "Queer people aren’t old.", "Cis people aren’t old.", "Queer", None),
            ("30", "NB people, all.", "Cisgender people, all.", "NB", None),
        ],
    ),
}
"""Small files in the form of each released one (columns, quotes, line ends, encoding, empty cells, labels of
directions), and their pairs."""


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_read_by_its_columns(name: str, tmp_path: Path) -> None:
    content, expected = FORMS[name]
    path = tmp_path / "pairs.csv"
    path.write_bytes(content)
    pairs = read_benchmark(path, TABLES[name]["entry"])
    columns = ["pair_id", "stereotype", "antistereotype", "bias_type", "direction"]
    rows = list(pairs[columns].itertuples(index=False, name=None))
    assert [tuple(None if pd.isna(cell) else cell for cell in row) for row in rows] == expected
    assert TABLES[name]["entry"].get("published", name) == name


MASKED = {"source": "hub", "repo": "org/masked"}
GGUF = {"source": "gguf", "path": "decoder.gguf"}
DECODER = {"source": "hub", "repo": "org/decoder", "kind": "causal-lm"}
OF_MASKED = ["AUL", "AULA", "CPS", "SSS", "AllMasked", "AllMaskedSum"]


@pytest.mark.parametrize(
    ("models", "measures"),
    [
        ({"m": MASKED}, OF_MASKED),
        ({"d": DECODER}, [*OF_DECODERS]),
        ({"d": DECODER, "m": MASKED}, [*OF_MASKED, *OF_DECODERS]),
        ({"g": GGUF}, [*OF_DECODERS]),
        ({"g": GGUF, "m": MASKED}, [*OF_MASKED, *OF_DECODERS]),
        ({"g": GGUF, "s": {"source": "scored", "path": "samples.jsonl"}}, [*OF_DECODERS]),
        ({"d": DECODER, "e": {**MASKED, "kind": "text-encoder"}}, [*OF_DECODERS]),
        ({"m": MASKED, "p": {"source": "debiased", "from": "m", "method": "cda"}}, OF_MASKED),
    ],
)
def test_a_study_without_measures_has_those_of_the_kinds_of_its_models(
    models: dict[str, Any], measures: list[str]
) -> None:
    study: dict[str, Any] = {"study": "s", "models": models, "benchmarks": ["crows-pairs"]}
    completed = complete(study)
    assert completed["measures"] == measures
    assert complete(completed) == completed
    assert complete({**study, "measures": ["LL"]})["measures"] == ["LL"]
