"""Rows of trained models in the tables of a study."""

import pandas as pd

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


def test_of_two_models_compared_both_are_trained() -> None:
    compared = pd.DataFrame({"first": ["bert", "bert", "noise"], "second": ["noise", "news", "news"]})
    assert STUDY.of_trained(compared).to_numpy().tolist() == [["bert", "news"]]
    of_one = compared.rename(columns={"first": "first measure"}).assign(model=["bert", "noise", "bert"])
    assert STUDY.of_trained(of_one).index.tolist() == [0, 2]
