"""Languages: the example of docs/data.md as it stands there, and the study configs/languages.yaml."""

from pathlib import Path

import pytest
import yaml

from library import InputError, complete, known_benchmarks, read_benchmark, read_config
from study_schema import ROOT
from workflow_copy import docs_section

LANGUAGES = read_config(ROOT / "configs/languages.yaml")


def documented() -> dict[str, object]:
    """The example of the page."""
    text = docs_section("data.md", "Other languages")
    example: dict[str, object] = yaml.safe_load(text.split("```yaml\n")[1].split("```")[0])
    return example


def test_the_documented_entry_reads_chinese(tmp_path: Path) -> None:
    study = LANGUAGES | documented()
    entry = complete(study)["benchmarks"]["crows-pairs-chinese"]
    path = tmp_path / "zh_CN.csv"
    header = "\ufeffindex,sent_more,sent_less,stereo_antistereo,bias_type,sent_more_en\n"
    path.write_text(
        f"{header}0,女人不会开车。,男人不会开车。,stereo,gender,\n"
        '1,"他，很穷。","他，很富。",antistereo,socioeconomic,a\n',
        encoding="utf-8",
    )
    pairs = read_benchmark(path, entry)
    assert list(pairs["stereotype"]) == ["女人不会开车。", "他，很穷。"]
    assert list(pairs["direction"]) == ["stereo", "antistereo"]
    path.write_text(header + "0,女人,男人,stereo,,\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"zh_CN\.csv: row 0 \(line 2\): bias_type: "):
        read_benchmark(path, entry)


def test_the_study_is_complete_and_pins_what_it_downloads() -> None:
    study = complete(LANGUAGES)
    assert {entry["source"] for entry in study["models"].values()} == {"hub"}
    assert all(len(entry["revision"]) == 40 for entry in study["models"].values())
    assert list(study["benchmarks"]) == LANGUAGES["benchmarks"]
    assert set(LANGUAGES["benchmarks"]) <= set(known_benchmarks())
