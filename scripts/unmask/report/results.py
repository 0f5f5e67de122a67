"""All numbers that tables, figures and page of one study are made from."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from unmask.report.captions import load_captions
from unmask.report.paper_tables import paper_tables, with_holm
from unmask.report.published import Published
from unmask.report.sheets import Sheet, lay_out
from unmask.report.study import Study
from unmask.statistics.schema import ACCURACY, AGREEMENT, BIAS, OVERALL, TESTS
from unmask.terms import ORIGINAL


@dataclass(frozen=True)
class Results:
    """bias, accuracy, tests (with p_holm) and agreement are the tables of unmask.statistics.schema over the
    whole study, with the columns model and benchmark; `tables` are those of the paper, by name."""

    study: Study
    bias: pd.DataFrame
    accuracy: pd.DataFrame
    tests: pd.DataFrame
    agreement: pd.DataFrame
    tables: Mapping[str, pd.DataFrame]
    captions: Mapping[str, str]
    published: Published

    @classmethod
    def gather(
        cls,
        study: Study,
        bias: Iterable[str | Path],
        accuracy: Iterable[str | Path],
        tests: Iterable[str | Path],
        agreement: Iterable[str | Path],
        published: str | Path,
        captions: str | Path,
        alpha: float,
    ) -> "Results":
        """From the files of every model and benchmark, and the YAML of published values and of captions."""
        bias_rows, accuracy_rows = study.collect(bias, BIAS), study.collect(accuracy, ACCURACY)
        test_rows = with_holm(study.collect(tests, TESTS))
        agreement_rows = study.collect(agreement, AGREEMENT)
        facts = Published.from_file(published)
        return cls(
            study,
            bias_rows,
            accuracy_rows,
            test_rows,
            agreement_rows,
            paper_tables(study, bias_rows, accuracy_rows, test_rows, facts, alpha),
            load_captions(captions, alpha, bias_rows, test_rows, agreement_rows),
            facts,
        )

    def overall(self) -> pd.DataFrame:
        """The bias scores over all pairs of a benchmark, in their original order."""
        original = self.original()
        return original[original["grouping"] == OVERALL]

    def original(self) -> pd.DataFrame:
        """The bias scores of sentences in their original order."""
        return self.bias[self.bias["variant"] == ORIGINAL]

    def tidy(self) -> dict[str, pd.DataFrame]:
        """The machine-readable tables by name."""
        return {
            "bias": self.bias,
            "accuracy": self.accuracy,
            "tests": self.tests,
            "agreement": self.agreement,
            **self.tables,
        }

    def sheets(self) -> dict[str, Sheet]:
        """The paper's tables as they are shown, by name."""
        empty = self.captions["empty"]
        return {name: lay_out(rows, self.captions[name], empty) for name, rows in self.tables.items()}
