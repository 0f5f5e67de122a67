"""Every pair as a model reads it, for the explorer: scores, and tokens with what each adds.

Numbers are rounded here, scores to SCORE_DECIMALS, log-probabilities to LOG_PROB_DECIMALS, coefficients to
COEFFICIENT_DECIMALS. The explorer shows three decimals of them and of what it works out from them, and is off
by one in the last of these at most.
"""

import base64
import gzip
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from unmask.measures.formulas import SENTENCE, maskings_of, measure
from unmask.measures.scoring import counted
from unmask.pairs.surfaces import surfaces
from unmask.terms import ALL, CORRECTED, LEFT, MODIFIED, NONE, ONE_MODIFIED, ONE_SHARED, SIDES, START

SCORE_DECIMALS, LOG_PROB_DECIMALS, COEFFICIENT_DECIMALS = 6, 4, 6

LIKELY_DECIMALS = 2
"""Of probabilities of the likeliest tokens; those that round to 0 are left out, but for the first."""

PIECE = "\N{MIDDLE DOT}"
"""Before a likeliest token that goes on with a word."""

TOKEN = [*SENTENCE, "position"]
PARTS = ("scores", "tokens", "likeliest")
"""What there is of a model on a benchmark."""

HIDES = {
    NONE: "nothing",
    ONE_SHARED: "itself",
    ONE_MODIFIED: "itself",
    MODIFIED: "together",
    ALL: "together",
    LEFT: "following",
    START: "others",
}
"""What a masking hides while a token is predicted: nothing, the token itself, or together all that it
predicts; of causal language models the token with all that follows, or the whole sentence."""


def shown_pairs(pairs: pd.DataFrame, most: int) -> pd.DataFrame:
    """The pairs of a benchmark that the explorer shows: all, or `most` of them, evenly spread."""
    places = np.linspace(0, len(pairs) - 1, min(most, len(pairs))).round().astype(int)
    return pairs.iloc[np.unique(places)].reset_index(drop=True)


def explored(
    pairs: pd.DataFrame,
    scores: pd.DataFrame,
    measures: Sequence[str],
    evidence: Mapping[str, pd.DataFrame] | None = None,
    likeliest: Mapping[str, pd.DataFrame] | None = None,
) -> dict[str, str | None]:
    """What the explorer has of one model on one benchmark, packed: PARTS, null of what is not known.

    pairs: those that are shown; scores: SCORES; evidence: by masking; likeliest: LIKELIEST by masking. All
    three may be of other pairs too. Of scores that were made elsewhere there is no evidence.
    """
    parts: dict[str, str | None] = {
        "scores": packed(score_columns(pairs, scores, measures)),
        "tokens": None,
        "likeliest": None,
    }
    if evidence:
        read = {name: evidence[name] for name in maskings_of(measures)}
        added = {name: counted(measure(name), read, CORRECTED) for name in measures}
        tokens = _tokens(pairs, read, added)
        parts["tokens"] = packed(token_columns(pairs, tokens, read, added))
        parts["likeliest"] = packed(likeliest_columns(tokens, likeliest)) if likeliest else None
    return parts


def score_columns(
    pairs: pd.DataFrame, scores: pd.DataFrame, measures: Sequence[str]
) -> dict[str, dict[str, Any]]:
    """By measure, in the order of pairs, protocol corrected: the score of each side, null where it has none,
    and the outcomes, a letter each."""
    columns = {}
    corrected = scores[scores["protocol"] == CORRECTED]
    for name in measures:
        rows = corrected[corrected["measure"] == name].set_index("pair_id").loc[pairs["pair_id"]]
        sides = {side: _numbers(rows[side].round(SCORE_DECIMALS)) for side in SIDES}
        columns[name] = {**sides, "outcome": "".join(str(outcome)[0] for outcome in rows["outcome"])}
    return columns


def token_columns(
    pairs: pd.DataFrame,
    tokens: pd.DataFrame,
    evidence: Mapping[str, pd.DataFrame],
    added: Mapping[str, pd.DataFrame],
) -> dict[str, Any]:
    """Every token of both sides of every pair, in the order of pairs, sides and positions.

    lengths: tokens of each sentence. text: of each token; piece: 1 where it goes on with the word before it,
    which no first token of a sentence does. modified: 1 where the other side does not share it. surprisal: by
    masking, -log P of each in units of the last of LOG_PROB_DECIMALS, null where it is not predicted.
    coefficient: by measure and masking, what log P is multiplied with, in units of the last of
    COEFFICIENT_DECIMALS. hidden: what each masking hides from the model (HIDES).
    """
    surface = surfaces(tokens["token"])
    firsts = ~tokens.duplicated("sentence")
    pieces = [surface[token][1] and not first for token, first in zip(tokens["token"], firsts, strict=True)]
    return {
        "lengths": np.bincount(tokens["sentence"], minlength=len(SIDES) * len(pairs)).tolist(),
        "text": [surface[token][0] for token in tokens["token"]],
        "piece": "".join("01"[piece] for piece in pieces),
        "modified": "".join("01"[modified] for modified in tokens["modified"].eq(True)),
        "surprisal": {
            masking: _units(tokens, rows, -rows["log_prob"], LOG_PROB_DECIMALS)
            for masking, rows in evidence.items()
        },
        "coefficient": {
            name: {
                masking: _units(tokens, part, part["coefficient"].fillna(0), COEFFICIENT_DECIMALS, 0.0)
                for masking, part in rows.groupby("masking", sort=False)
            }
            for name, rows in added.items()
        },
        "hidden": {masking: HIDES[masking] for masking in evidence},
    }


def likeliest_columns(
    tokens: pd.DataFrame, likeliest: Mapping[str, pd.DataFrame]
) -> dict[str, list[list[tuple[str, int]]]]:
    """By masking, what the model would have put in the place of each of `tokens` (as `_tokens` gives them):
    a list of texts, the likeliest first, with their probabilities in units of the last of LIKELY_DECIMALS."""
    places = pd.MultiIndex.from_frame(tokens[TOKEN])
    distinct = dict.fromkeys(token for rows in likeliest.values() for token in rows["token"].unique())
    texts = {
        name: PIECE * piece + text for name, (text, piece) in surfaces([*tokens["token"], *distinct]).items()
    }
    columns: dict[str, list[list[tuple[str, int]]]] = {}
    for masking, rows in likeliest.items():
        place = places.get_indexer(pd.MultiIndex.from_frame(rows[TOKEN]))
        share = np.rint(np.exp(rows["log_prob"].to_numpy(float)) * 10**LIKELY_DECIMALS).astype(int)
        rows = rows.assign(token_place=place, share=share)
        rows = rows[(place >= 0) & ((share > 0) | (rows["place"] == 1))].sort_values(["token_place", "place"])
        columns[masking] = [[] for _ in range(len(tokens))]
        for at, token, share_of in zip(rows["token_place"], rows["token"], rows["share"], strict=True):
            columns[masking][at].append((texts[token], int(share_of)))
    return columns


def _tokens(
    pairs: pd.DataFrame, evidence: Mapping[str, pd.DataFrame], added: Mapping[str, pd.DataFrame]
) -> pd.DataFrame:
    """The tokens that are shown, each once, with the number of its `sentence`, both sides of every pair in
    turn. Special tokens are there where a measure counts them.
    """
    rows = pd.concat([rows[[*TOKEN, "token", "special", "modified"]] for rows in evidence.values()])
    sentences = pd.MultiIndex.from_product([pairs["pair_id"], SIDES])
    rows = rows.assign(sentence=sentences.get_indexer(pd.MultiIndex.from_frame(rows[SENTENCE])))
    rows = rows[rows["sentence"] >= 0].drop_duplicates(TOKEN).sort_values(["sentence", "position"])
    of_measures = pd.MultiIndex.from_frame(pd.concat([part[TOKEN] for part in added.values()]))
    is_shown = ~rows["special"] | pd.MultiIndex.from_frame(rows[TOKEN]).isin(of_measures)
    return rows[is_shown].reset_index(drop=True)


def _units(
    tokens: pd.DataFrame,
    rows: pd.DataFrame,
    values: "pd.Series[float]",
    decimals: int,
    lacking: float = float("nan"),
) -> list[float | int | None]:
    """A value of every token in units of its last decimal, `lacking` where `rows` has none of it.

    Raises ValueError where it has two: a measure counts a token under one masking once.
    """
    of_rows = pd.Series(values.to_numpy(float), pd.MultiIndex.from_frame(rows[TOKEN]))
    of_tokens = of_rows.reindex(pd.MultiIndex.from_frame(tokens[TOKEN]), fill_value=lacking)
    return _numbers(of_tokens.mul(10**decimals).round())


def _numbers(values: "pd.Series[float]") -> list[float | int | None]:
    """Numbers as JSON has them: whole ones without a point, null for nan."""
    return [None if value != value else int(value) if value.is_integer() else value for value in values]


def packed(value: Any) -> str:
    """What JSON can hold as gzip in Base64; the same value gives the same text.

    Raises ValueError for what JSON cannot hold, such as NaN.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode(), compresslevel=9, mtime=0)).decode()
