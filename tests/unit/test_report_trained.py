"""Rows of trained models in the tables of a study, and what remains where no model is trained."""

import pandas as pd
import pytest

from library import Study

STUDY = Study.from_config(
    [
        {"name": "bert", "source": "hub"},
        {"name": "news", "source": "path"},
        {"name": "noise", "source": "random"},
        {"name": "exact", "source": "oracle"},
    ],
    [{"name": "pairs"}],
)


def of_models(*names: str) -> pd.DataFrame:
    return pd.DataFrame({"model": names})


def test_rows_of_untrained_networks_and_exact_models_are_left_out() -> None:
    rows = of_models("noise", "bert", "exact", "news", "bert")
    assert STUDY.of_trained(rows)["model"].tolist() == ["bert", "news", "bert"]
    assert STUDY.of_trained_or_all(rows)[0].equals(STUDY.of_trained(rows))
    assert STUDY.of_trained_or_all(rows)[1] == "trained "


def test_of_two_models_compared_both_are_trained() -> None:
    compared = pd.DataFrame({"first": ["bert", "bert", "noise"], "second": ["noise", "news", "news"]})
    assert STUDY.of_trained(compared).to_numpy().tolist() == [["bert", "news"]]
    of_one = compared.rename(columns={"first": "first measure"}).assign(model=["bert", "noise", "bert"])
    assert STUDY.of_trained(of_one).index.tolist() == [0, 2]


@pytest.mark.parametrize(
    ("names", "trained"),
    [(["noise", "noise"], "untrained "), (["noise", "exact"], ""), (["exact"], "")],
)
def test_without_trained_models_all_rows_remain(names: list[str], trained: str) -> None:
    rows = of_models(*names)
    remaining, said = STUDY.of_trained_or_all(rows)
    assert remaining.equals(rows) and said == trained
