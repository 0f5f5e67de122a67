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
from itertools import accumulate, chain, groupby
from typing import Any

import numpy as np
import pandas as pd

from unmask.evidence.sentences import MASKINGS, Sentence
from unmask.measures.formulas import maskings_of, measure
from unmask.measures.scoring import contributions, spread_sample
from unmask.pairs.surfaces import surfaces
from unmask.terms import (
    CAUSAL_MASKINGS,
    CORRECTED,
    SIDES,
    START,
    STEREOTYPE,
)

SCORE_DECIMALS, LOG_PROB_DECIMALS, COEFFICIENT_DECIMALS = 6, 4, 6

LIKELY_DECIMALS = 2
"""Of probabilities of the likeliest tokens; those that round to 0 are left out, but for the first."""

TOKEN = ["pair_id", "role", "position"]
PARTS = ("scores", "tokens", "likeliest")
"""What there is of a model on a benchmark."""


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
    tokens = {**nothing, **by_name, "modified": "", "lengths": [0] * sentences, "opening": "0" * sentences}
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
    opening: of each sentence, 1 where its first token, as it is written, would go on with a word. token: of
    each, its place in words and then pieces. modified: of each, 1 where the other side does not share it.
    surprisal: by masking, -log P of each in units of the last of LOG_PROB_DECIMALS, null where it is not
    predicted. coefficient: by measure and masking, what log P is multiplied with, in units of the last of
    COEFFICIENT_DECIMALS. hidden: what each masking hides from the model (see `hides`).
    """
    place = pd.MultiIndex.from_frame(tokens[TOKEN])
    firsts = ~tokens.duplicated(["pair_id", "role"])
    surface = surfaces(tokens["token"])
    texts = [surface[token][0] for token in tokens["token"]]
    goes_on = [surface[token][1] and not first for token, first in zip(tokens["token"], firsts, strict=True)]
    vocabulary, numbers = _vocabulary(texts, goes_on)
    first = tokens[firsts]
    keys = zip(first["pair_id"], first["role"], strict=True)
    opening = {key: surface[token][1] for key, token in zip(keys, first["token"], strict=True)}
    return {
        **vocabulary,
        "lengths": _lengths(pairs, tokens),
        "opening": "".join(
            "1" if opening.get((pair, side)) else "0" for pair in pairs["pair_id"] for side in SIDES
        ),
        "token": numbers,
        "modified": "".join("1" if modified is True else "0" for modified in tokens["modified"]),
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
        "hidden": {masking: hides(masking) for masking in evidence},
    }


def likeliest_columns(tokens: pd.DataFrame, likeliest: Mapping[str, pd.DataFrame]) -> dict[str, Any]:
    """What the model would have put in the place of each of `tokens` (as `_tokens` gives them).

    words, pieces: as in `token_columns`. lengths: of every list of likeliest tokens that there is. token,
    share: of each in these lists, one behind the other, its place in words and then pieces, and its
    probability in units of the last of LIKELY_DECIMALS. of: by masking, which list each token has: -1 for the
    next that no token before it has, its number for one that others have, null where the token is not
    predicted.
    """
    known = surfaces(
        [*tokens["token"], *(name for rows in likeliest.values() for name in rows["token"].unique())]
    )
    rows = pd.concat([part.assign(masking=masking) for masking, part in likeliest.items()], ignore_index=True)
    rows["row"] = pd.MultiIndex.from_frame(tokens[TOKEN]).get_indexer(pd.MultiIndex.from_frame(rows[TOKEN]))
    probability = np.exp(rows["log_prob"].to_numpy(float))
    rows["likely"] = np.rint(probability * 10**LIKELY_DECIMALS).astype(int)
    rows = rows[(rows["row"] >= 0) & ((rows["likely"] > 0) | (rows["place"] == 1))]
    # as `of` has them, which is masking by masking
    rows = pd.concat([rows[rows["masking"] == name].sort_values(["row", "place"]) for name in likeliest])
    texts, goes_on = zip(*(known[token] for token in rows["token"]), strict=True) if len(rows) else ((), ())
    vocabulary, numbers = _vocabulary(texts, goes_on)
    lists: dict[tuple[tuple[int, int], ...], int] = {}
    of: dict[str, list[int | None]] = {masking: [None] * len(tokens) for masking in likeliest}
    likely = zip(
        rows["masking"], rows["row"], zip(numbers, rows["likely"].tolist(), strict=True), strict=True
    )
    for (masking, row), group in groupby(likely, key=lambda each: each[:2]):
        entries = tuple(entry for _, _, entry in group)
        of[masking][row] = lists.get(entries, -1)
        lists.setdefault(entries, len(lists))
    every = list(chain(*lists))
    return {
        **vocabulary,
        "lengths": [len(entries) for entries in lists],
        "token": [token for token, _ in every],
        "share": [share for _, share in every],
        "of": of,
    }


def hides(masking: str) -> str:
    """What a masking hides while a token is predicted: `nothing`, `itself`, or `together` all it predicts;
    of causal language models `following`, itself with all that follows, or `others`, the whole
    sentence."""
    if masking in CAUSAL_MASKINGS:
        return "others" if masking == START else "following"
    flags = np.array([False, False, True, True])
    sentence = Sentence("", STEREOTYPE, np.arange(4), np.zeros(4, dtype=bool), flags)
    most = max(len(positions) for positions in MASKINGS[masking].hidden(sentence))
    return ("nothing", "itself", "together")[min(most, 2)]


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


def _vocabulary(texts: Sequence[str], goes_on: Sequence[bool]) -> tuple[dict[str, list[str]], list[int]]:
    """The distinct texts, words and then pieces, the most frequent first, and each token's place there."""
    keys = list(zip(goes_on, texts, strict=True))
    counts = Counter(keys)
    places = {key: place for place, key in enumerate(sorted(counts, key=lambda k: (k[0], -counts[k], k[1])))}
    lists = {name: [text for on, text in places if on == is_piece] for name, is_piece in _LISTS.items()}
    return lists, [places[key] for key in keys]


_LISTS = {"words": False, "pieces": True}


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
