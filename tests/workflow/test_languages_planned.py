"""The study configs/languages.yaml is planned whole."""

import pytest

from small_study import Workflow


@pytest.mark.slow
def test_the_study_of_languages_is_planned(fresh: Workflow) -> None:
    done = fresh.command("--summary", "--config", "study=languages")
    assert done.returncode == 0, done.stdout + done.stderr
    planned = {line.split("\t")[0].removeprefix("results/languages/") for line in done.stdout.splitlines()}
    languages = ("", "-revised", "-french", "-dutch", "-maltese")
    assert {
        f"scores/{model}/crows-pairs{language}/original.parquet"
        for model in ("mbert", "xlm-roberta-base", "bloom-560m")
        for language in languages
    } <= planned
    assert {f"comparisons/crows-pairs{language}.parquet" for language in languages} <= planned
