"""Every pair as a model reads it, for the explorer: scores, and tokens with what each adds.

Numbers are rounded here, scores to SCORE_DECIMALS, log-probabilities to LOG_PROB_DECIMALS, coefficients to
COEFFICIENT_DECIMALS. The explorer shows three decimals of them, and three or four of what it works out from
them, and is off by one in the last of these at most.
"""

import base64
import gzip
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

import numpy as np
import pandas as pd

from unmask.measures.formulas import maskings_of, measure
from unmask.measures.scoring import contributions, spread_sample
from unmask.pairs.surfaces import Surface, surfaces
from unmask.terms import ALL, CORRECTED, LEFT, MODIFIED, NONE, ONE_MODIFIED, ONE_SHARED, SIDES, START

SCORE_DECIMALS, LOG_PROB_DECIMALS, COEFFICIENT_DECIMALS = 6, 4, 6

LIKELY_DECIMALS = 2
"""Of probabilities of the likeliest tokens; those that round to 0 are left out, but for the first."""

TOKEN = ["pair_id", "role", "position"]
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
    return spread_sample(pairs, most).reset_index(drop=True)


def models_within(
    models: Sequence[str], explored: Mapping[tuple[str, str], Mapping[str, Any]], megabytes: float
) -> list[str]:
    """The first of these models, as many as take no more than that of a page.

    explored: what `explored` has of each, by model and benchmark.
    """
    sizes = dict.fromkeys(models, 0.0)
    for (model, _), facts in explored.items():
        sizes[model] += size_of(facts)
    together = accumulate(sizes.values())
    return [model for model, size in zip(models, together, strict=True) if size <= megabytes]


def size_of(facts: Mapping[str, Any]) -> float:
    """How many MB (a million bytes) of a page are taken by what `explored` has of a model on a benchmark."""
    return sum(len(facts[part] or "") for part in PARTS) / 1e6


def explored(
    pairs: pd.DataFrame,
    scores: pd.DataFrame,
    evidence: Mapping[str, pd.DataFrame],
    measures: Sequence[str],
    likeliest: Mapping[str, pd.DataFrame] | None = None,
) -> dict[str, str | None]:
    """What the explorer has of one model on one benchmark: `scores`, `tokens` and `likeliest`, packed.

    pairs: those that are shown; scores: SCORES; evidence: by masking; likeliest: LIKELIEST by masking, if
    there are any. All three may be of other pairs too.
    """
    ids = set(pairs["pair_id"])
    of_maskings = {name: evidence[name] for name in maskings_of(measures)}
    shown = {
        name: rows[rows["pair_id"].isin(ids) & rows["role"].isin(SIDES)].reset_index(drop=True)
        for name, rows in of_maskings.items()
    }
    added = {name: contributions(measure(name), shown, CORRECTED) for name in measures}
    tokens = _tokens(pairs, shown, added)
    return {
        "scores": packed(score_columns(pairs, scores, measures)),
        "tokens": packed(token_columns(pairs, tokens, shown, added)),
        "likeliest": packed(likeliest_columns(tokens, likeliest)) if likeliest else None,
    }


def explored_without_tokens(
    pairs: pd.DataFrame, scores: pd.DataFrame, measures: Sequence[str]
) -> dict[str, str | None]:
    """The same of a model of which there are scores (SCORES) alone: its sentences have no tokens."""
    nothing: dict[str, list[Any]] = {"words": [], "pieces": [], "token": []}
    by_name: dict[str, dict[str, Any]] = {"surprisal": {}, "coefficient": {}, "hidden": {}}
    sentences = len(SIDES) * len(pairs)
    tokens = {**nothing, **by_name, "modified": "", "lengths": [0] * sentences}
    return {
        "scores": packed(score_columns(pairs, scores, measures)),
        "tokens": packed(tokens),
        "likeliest": None,
    }


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

    Special tokens are there where a measure counts them. words, pieces: texts of tokens; a piece goes on
    with the word before it, which no first token of a sentence does. lengths: tokens of each sentence.
    token: of each, its place in words and then pieces. modified: of each, 1 where the other side does not
    share it. surprisal: by masking, -log P of each in units of the last of LOG_PROB_DECIMALS, null where it
    is not predicted. coefficient: by measure and masking, what log P is multiplied with, in units of the last
    of COEFFICIENT_DECIMALS. hidden: what each masking hides from the model (HIDES).
    """
    place = pd.MultiIndex.from_frame(tokens[TOKEN])
    firsts = ~tokens.duplicated(["pair_id", "role"])
    surface = surfaces(tokens["token"])
    vocabulary, numbers = _vocabulary(
        [
            (surface[token][0], surface[token][1] and not first)
            for token, first in zip(tokens["token"], firsts, strict=True)
        ]
    )
    return {
        **vocabulary,
        "lengths": _lengths(pairs, tokens),
        "token": numbers,
        "modified": "".join("1" if modified else "0" for modified in tokens["modified"].eq(True)),
        "surprisal": {
            masking: _numbers((-_placed(rows, rows["log_prob"], place)).mul(10**LOG_PROB_DECIMALS).round())
            for masking, rows in evidence.items()
        },
        "coefficient": {
            name: {
                masking: _numbers(
                    _placed(part, part["coefficient"], place).fillna(0).mul(10**COEFFICIENT_DECIMALS).round()
                )
                for masking, part in rows.groupby("masking", sort=False)
            }
            for name, rows in added.items()
        },
        "hidden": {masking: HIDES[masking] for masking in evidence},
    }


def likeliest_columns(tokens: pd.DataFrame, likeliest: Mapping[str, pd.DataFrame]) -> dict[str, Any]:
    """What the model would have put in the place of each of `tokens` (as `_tokens` gives them).

    words, pieces: as in `token_columns`. By masking, lengths: how many likeliest tokens there are for each;
    token, share: of each of these, one behind the other, its place in words and then pieces, and its
    probability in units of the last of LIKELY_DECIMALS.
    """
    rows = pd.concat([part.assign(masking=masking) for masking, part in likeliest.items()], ignore_index=True)
    rows["row"] = pd.MultiIndex.from_frame(tokens[TOKEN]).get_indexer(pd.MultiIndex.from_frame(rows[TOKEN]))
    probability = np.exp(rows["log_prob"].to_numpy(float))
    rows["share"] = np.rint(probability * 10**LIKELY_DECIMALS).astype(int)
    rows = rows[(rows["row"] >= 0) & ((rows["share"] > 0) | (rows["place"] == 1))]
    known = surfaces([*tokens["token"], *rows["token"].unique()])
    vocabulary, numbers = _vocabulary([known[token] for token in rows["token"]])
    rows = rows.assign(token=numbers).sort_values(["row", "place"])
    of_maskings = {masking: rows[rows["masking"] == masking] for masking in likeliest}
    counts = {name: np.bincount(part["row"], minlength=len(tokens)) for name, part in of_maskings.items()}
    return {
        **vocabulary,
        "lengths": {name: count.tolist() for name, count in counts.items()},
        "token": {name: part["token"].tolist() for name, part in of_maskings.items()},
        "share": {name: part["share"].tolist() for name, part in of_maskings.items()},
    }


def _tokens(
    pairs: pd.DataFrame, evidence: Mapping[str, pd.DataFrame], added: Mapping[str, pd.DataFrame]
) -> pd.DataFrame:
    """The tokens that are shown, each once."""
    rows = pd.concat([rows[[*TOKEN, "token", "special", "modified"]] for rows in evidence.values()])
    rows = rows.drop_duplicates(TOKEN, ignore_index=True)
    counted = pd.MultiIndex.from_frame(pd.concat([part[TOKEN] for part in added.values()]))
    rows = rows[~rows["special"] | pd.MultiIndex.from_frame(rows[TOKEN]).isin(counted)]
    order = pd.DataFrame(
        {
            "pair": pd.Index(pairs["pair_id"]).get_indexer(pd.Index(rows["pair_id"])),
            "side": pd.Index(SIDES).get_indexer(pd.Index(rows["role"])),
            "position": rows["position"].to_numpy(),
        }
    )
    return rows.iloc[order.sort_values(["pair", "side", "position"]).index].reset_index(drop=True)


def _placed(rows: pd.DataFrame, values: "pd.Series[float]", place: pd.MultiIndex) -> "pd.Series[float]":
    """A value for every shown token, null where `rows` has none of it.

    Raises ValueError where it has two: a measure counts a token under one masking once.
    """
    index = pd.MultiIndex.from_frame(rows[TOKEN])
    if index.has_duplicates:
        raise ValueError("a token is predicted twice under one masking")
    return pd.Series(values.to_numpy(float), index=index).reindex(place)


def _vocabulary(surfaces: Sequence[Surface]) -> tuple[dict[str, list[str]], list[int]]:
    """The distinct texts, words and then pieces, the most frequent first, and each token's place there."""
    counts = Counter(surfaces)
    ordered = sorted(counts, key=lambda each: (each[1], -counts[each], each[0]))
    places = {each: place for place, each in enumerate(ordered)}
    words, pieces = ([text for text, goes_on in ordered if goes_on == is_piece] for is_piece in (False, True))
    return {"words": words, "pieces": pieces}, [places[each] for each in surfaces]


def _lengths(pairs: pd.DataFrame, tokens: pd.DataFrame) -> list[int]:
    """How many tokens each sentence has, both sides of every pair in turn."""
    sizes = tokens.groupby(["pair_id", "role"], sort=False).size()
    sentences = pd.MultiIndex.from_product([pairs["pair_id"], SIDES])
    lengths: list[int] = sizes.reindex(sentences, fill_value=0).tolist()
    return lengths


def _numbers(values: "pd.Series[float]") -> list[float | int | None]:
    """Numbers as JSON has them: whole ones without a point, null for nan."""
    return [None if value != value else int(value) if value.is_integer() else value for value in values]


def packed(value: Any) -> str:
    """What JSON can hold as gzip in Base64; the same value gives the same text.

    Raises ValueError for what JSON cannot hold, such as NaN.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode(), compresslevel=9, mtime=0)).decode()


def unpacked(text: str) -> Any:
    """What `packed` has packed."""
    return json.loads(gzip.decompress(base64.b64decode(text)))
