"""The explorer of a study: its pairs and likeliest tokens are in the report, and outlast the evidence."""

from library import read_facts, unpacked
from small_study import Workflow

EXPLORED = "results/small/explorer/bert/pairs/pairs.json"


def test_its_pairs_and_their_likeliest_tokens_are_in_the_report(whole: Workflow) -> None:
    facts = read_facts(whole.folder / EXPLORED)
    assert len(unpacked(facts["scores"])["CPS"]["outcome"]) > 10
    likeliest = unpacked(facts["tokens"])["likeliest"]
    assert likeliest and all(len(of_masking) > 10 for of_masking in likeliest.values())
    report = whole.read("report", "index.html")
    assert report.count('<div id="pairs-explorer"') == 1 and facts["tokens"] in report
    # braces are no wildcards, and a title is text
    assert '<p class="study">All {families}, &lt;little&gt; of each</p>' in report
    assert whole.read("report", "summary.txt").startswith("All {families}, <little> of each\n")


def test_it_outlasts_the_evidence(whole: Workflow) -> None:
    evidence = whole.folder / "results/small/evidence"
    aside = evidence.rename(whole.folder / "evidence")
    try:
        assert whole.planned() == set()
    finally:
        aside.rename(evidence)
