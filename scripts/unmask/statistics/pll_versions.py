"""How many decisions change between the versions of PLL, and whether they follow the number of tokens."""

from itertools import combinations

import numpy as np
import pandas as pd

from unmask.statistics import names
from unmask.statistics.decisions import Decisions, code
from unmask.statistics.intervals import Ints
from unmask.statistics.schema import EQUAL, PLL_VERSIONS, UNEQUAL
from unmask.tables import framed
from unmask.terms import ANTISTEREOTYPE, STEREOTYPE, UNDEFINED


def pll_versions_table(decisions: Decisions, more_tokens: Ints | None) -> pd.DataFrame:
    """A row for every two versions of PLL, protocol and kind of pairs, as PLL_VERSIONS of
    unmask.statistics.schema.

    more_tokens: of each pair how many tokens the stereotypical sentence has more than the other; shape
    (pairs,). Empty where it is not known, and with fewer than two versions.
    """
    rows: list[dict[str, object]] = []
    for protocol in dict.fromkeys(protocol for _, protocol in decisions.series):
        columns = {
            version: decisions.series.index((version, protocol))
            for version in names.PLL_VERSIONS
            if (version, protocol) in decisions.series
        }
        if more_tokens is None:
            continue
        # what a version that follows length alone would decide
        longer = np.where(more_tokens > 0, code(STEREOTYPE), code(ANTISTEREOTYPE))
        for first, second in combinations(columns, 2):
            outcomes = decisions.outcome[:, [columns[first], columns[second]]]
            defined = (outcomes != code(UNDEFINED)).all(axis=1)
            for tokens, members in ((EQUAL, more_tokens == 0), (UNEQUAL, more_tokens != 0)):
                counted = outcomes[members & defined]
                follows = (counted == longer[members & defined][:, None]).sum(axis=0)
                of_longer = follows.tolist() if tokens == UNEQUAL else [None, None]
                rows.append(
                    {
                        "first": first,
                        "second": second,
                        "protocol": protocol,
                        "tokens": tokens,
                        "n": len(counted),
                        "changed": int((counted[:, 0] != counted[:, 1]).sum()),
                        "first_longer": of_longer[0],
                        "second_longer": of_longer[1],
                    }
                )
    return framed(rows, PLL_VERSIONS).astype({"first_longer": "Int32", "second_longer": "Int32"})
