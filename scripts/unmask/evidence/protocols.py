"""Evidence of sentences in which the two protocols hide different tokens.

The released code aligns some long pairs differently from `corrected` (unmask.evidence.alignment). Where a
masking then hides other tokens of a sentence, evidence has that sentence once for each protocol, and the
role says for which: `stereotype (published)`, `stereotype (corrected)`.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from unmask.terms import ANTISTEREOTYPE, PROTOCOLS, STEREOTYPE

if TYPE_CHECKING:
    import pandas as pd

SIDES = (STEREOTYPE, ANTISTEREOTYPE)


def role_in(role: str, protocol: str) -> str:
    """The role of a sentence that is read for one protocol alone."""
    return f"{role} ({protocol})"


ROLE_OF = {protocol: {role_in(role, protocol): role for role in SIDES} for protocol in PROTOCOLS}
"""By protocol: the roles of sentences that are read for it alone, and what these are in their pair."""


def is_split(rows: "pd.DataFrame") -> bool:
    """Whether rows with a column `role` have sentences that are read for one protocol alone."""
    roles = rows["role"].unique()
    return any(role in names for names in ROLE_OF.values() for role in roles)


def in_protocol(rows: "pd.DataFrame", protocol: str) -> "pd.DataFrame":
    """The rows (of evidence, or of likeliest tokens) that a protocol reads, with the roles of their pair."""
    if not is_split(rows):
        return rows
    others = [role for name, roles in ROLE_OF.items() if name != protocol for role in roles]
    of_protocol = rows[~rows["role"].isin(others)]
    return of_protocol.assign(role=of_protocol["role"].replace(ROLE_OF[protocol]))


def all_in_protocol(evidence: "Mapping[str, pd.DataFrame]", protocol: str) -> "dict[str, pd.DataFrame]":
    """The same of evidence by masking."""
    return {masking: in_protocol(rows, protocol) for masking, rows in evidence.items()}
