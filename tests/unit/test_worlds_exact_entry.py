"""Exact models as models of a study: their manifests, and the jobs that make and ask them."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from closed_forms import log_odds
from made_worlds import CORRUPTION, DOSED, make_world, planted_pairs, settings
from running import SCRIPTS, run_script
from study_schema import statistics_with
from unmask.benchmarks.schema import PAIRS
from unmask.evidence.schema import EVIDENCE
from unmask.facts import read_facts
from unmask.measures.schema import SCORES
from unmask.statistics import STATISTICS
from unmask.statistics.decisions import is_near_tie
from unmask.statistics.quality import flaws_table
from unmask.statistics.schema import FLAWS
from unmask.tables import read_metadata, read_table, write_table
from unmask.terms import ALL, CORRECTED, MODIFIED, NONE, ONE_MODIFIED, ONE_SHARED, ORIGINAL
from unmask.worlds.exact import ExactModel, manifest_of, perfect_model
from unmask.worlds.exact_evidence import exact_evidence
from unmask.worlds.pairs import Counts

BERT = {"masked": 0.8, "kept": 0.1, "random": 0.1}
MASKINGS = (ALL, MODIFIED, NONE, ONE_MODIFIED, ONE_SHARED)
ENTRY: dict[str, Any] = {
    "source": "oracle",
    "kind": "masked-lm",
    "world": "w",
}


def test_digests_follow_what_answers_are_computed_from() -> None:
    plain = manifest_of(perfect_model(ENTRY, settings()))
    assert manifest_of(perfect_model(ENTRY, settings(sentences=50_000))) == plain
    others = [
        manifest_of(perfect_model(ENTRY, settings(associations=[0.5, 0.6, 0.75, 0.95]))),
        manifest_of(perfect_model(ENTRY, settings(corruption=BERT))),
    ]
    assert len({each["weights_digest"] for each in [plain, *others]}) == 3
    assert {each["tokenizer_digest"] for each in others} == {plain["tokenizer_digest"]}
    dosed = manifest_of(perfect_model(ENTRY, settings(**DOSED)))
    assert dosed["tokenizer_digest"] != plain["tokenizer_digest"]
    assert dosed["vocab_size"] > plain["vocab_size"] > 80


Score = Callable[..., pd.DataFrame]


@pytest.fixture
def score(tmp_path: Path) -> Score:
    """Runs the jobs from a world's pairs to the scores of an exact model, as Snakemake does."""
    pairs, _ = planted_pairs(make_world(), Counts(1, 1))
    write_table(tmp_path / "pairs.parquet", pairs, PAIRS, {"sha256": "p"})
    names = {"model": "o", "benchmark": "b", "variant": ORIGINAL}
    log = tmp_path / "job.log"

    def run(**of_world: Any) -> pd.DataFrame:
        shared = {"entry": ENTRY, "settings": settings(**of_world)}
        run_script("make_oracle", {}, [tmp_path / "manifest.json"], log, **shared)
        evidence = tmp_path / "evidence" / "digests.json"
        inputs = {"pairs": tmp_path / "pairs.parquet", "manifest": tmp_path / "manifest.json"}
        run_script("score_oracle", inputs, [evidence], log, wildcards=names, maskings=MASKINGS, **shared)
        measures = ["AUL", "CPS", "SSS", "PLL", "AllMasked"]
        write_table(tmp_path / "flaws.parquet", flaws_table(pairs), FLAWS, {})
        inputs = {"evidence": evidence, **{name: tmp_path / f"{name}.parquet" for name in ("pairs", "flaws")}}
        outputs = {name: tmp_path / f"{name}.parquet" for name in ("scores", *STATISTICS)}
        run_script(
            "measure_pairs",
            inputs,
            outputs,
            log,
            wildcards={"model": "o", "benchmark": "b"},
            measures=measures,
            scored_measures=measures,
            options=statistics_with(chance={"draws": 100, "seed": 0}),
        )
        return read_table(outputs["scores"], SCORES)

    return run


def test_the_jobs_lead_from_an_entry_to_scores(score: Score, tmp_path: Path) -> None:
    scores = score()
    pairs, planted = planted_pairs(make_world(), Counts(1, 1))
    corrected = scores[(scores["protocol"] == CORRECTED) & (scores["measure"] == "CPS")]
    even = (planted["factor"] != "length").to_numpy()
    truth = [log_odds(p) for p in planted.loc[even, "p"]]
    margins = corrected.set_index("pair_id")["margin"].loc[pairs.loc[even, "pair_id"]]
    assert margins.tolist() == pytest.approx(truth, abs=1e-6)
    # what is equal is equal on every machine: ties, and no near-tie among them
    assert (scores["outcome"] == "tie").any() and not is_near_tie(scores).any()
    assert scores["error"].eq(0).all()
    manifest = read_facts(tmp_path / "manifest.json")
    assert manifest["entry"] == ENTRY and manifest["model_type"] == "exact"
    facts = read_metadata(tmp_path / "evidence" / "original" / f"{ONE_SHARED}.parquet")
    assert facts["masking"] == ONE_SHARED
    assert facts["weights"] == manifest["weights_digest"]
    assert set(facts["made_from"]) == {str(tmp_path / "pairs.parquet"), str(tmp_path / "manifest.json")}
    rows = read_table(tmp_path / "evidence" / "original" / f"{NONE}.parquet", EVIDENCE)
    expected = exact_evidence(pairs, ExactModel(make_world(), CORRUPTION), NONE)
    assert rows["token"].tolist() == expected["token"].tolist()


def test_what_cannot_be_asked_is_said_in_one_line(score: Score, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        score(corruption={"masked": 1, "kept": 0, "random": 0})
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert line.startswith("error: model o, benchmark b: world w: its corruption masks all")


@pytest.mark.parametrize("module", ["exact", "exact_evidence"])
def test_no_network_is_loaded(module: str) -> None:
    code = f"import sys, unmask.worlds.{module}; print({{'torch', 'transformers'}} & {{*sys.modules}})"
    done = subprocess.run([sys.executable, "-c", code], cwd=SCRIPTS, check=True, capture_output=True)
    assert done.stdout.decode().strip() == "set()"
