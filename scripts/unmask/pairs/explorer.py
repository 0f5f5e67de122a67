"""Every pair as a model reads it, for the explorer: scores, and tokens with what each adds.

Numbers are rounded here, scores to SCORE_DECIMALS, log-probabilities to LOG_PROB_DECIMALS, coefficients to
COEFFICIENT_DECIMALS. The explorer shows three decimals of them and of what it works out from them, and is off
by one in the last of these at most.
"""

import base64
import gzip
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from tokenizers.decoders import ByteLevel

from unmask.measures.formulas import SENTENCE, maskings_of, measure
from unmask.measures.scoring import counted
from unmask.terms import ALL, CORRECTED, LEFT, MODIFIED, NONE, ONE_MODIFIED, ONE_SHARED, SIDES, START

SCORE_DECIMALS, LOG_PROB_DECIMALS, COEFFICIENT_DECIMALS = 6, 4, 6

LIKELY_DECIMALS = 2
"""Of probabilities of the likeliest tokens; those that round to 0 are left out, but for the first."""

PIECE = "\N{MIDDLE DOT}"
"""Before a likeliest token that goes on with a word."""

CONTINUES, WORD_PIECE, BYTES = "##", "\N{LOWER ONE EIGHTH BLOCK}", "\N{LATIN CAPITAL LETTER G WITH DOT ABOVE}"
"""What tokens begin with: those that go on with a word (BERT), or those that begin one (SentencePiece, and
byte-level tokenizers, which write a byte that is no letter as another letter)."""

SPACE = "\N{OPEN BOX}"
"""What stands for a token that is nothing but a space."""

Surface = tuple[str, bool]
"""The text of a token, and whether it goes on with the word before it."""

TOKEN = [*SENTENCE, "position"]
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
    """What the explorer has of one model on one benchmark, packed: `scores`, and `tokens`, null without any.

    pairs: those that are shown; scores: SCORES; evidence: by masking; likeliest: LIKELIEST by masking. All
    three may be of other pairs too. Of scores that were made elsewhere there is no evidence.
    """
    tokens = token_columns(pairs, measures, evidence, likeliest or {}) if evidence else None
    return {
        "scores": packed(score_columns(pairs, scores, measures)),
        "tokens": packed(tokens) if tokens else None,
    }


def score_columns(
    pairs: pd.DataFrame, scores: pd.DataFrame, measures: Sequence[str]
) -> dict[str, dict[str, list[Any]]]:
    """By measure, in the order of pairs, protocol corrected: the score of each side, null where it has none,
    and the outcome."""
    columns = {}
    corrected = scores[scores["protocol"] == CORRECTED]
    for name in measures:
        rows = corrected[corrected["measure"] == name].set_index("pair_id").loc[pairs["pair_id"]]
        rounded = rows[[*SIDES]].astype(float).round(SCORE_DECIMALS).astype(object)
        rows = rounded.where(rounded.notna(), None).assign(outcome=rows["outcome"].astype(str))
        columns[name] = {str(column): rows[column].tolist() for column in rows}
    return columns


def token_columns(
    pairs: pd.DataFrame,
    measures: Sequence[str],
    evidence: Mapping[str, pd.DataFrame],
    likeliest: Mapping[str, pd.DataFrame],
) -> dict[str, Any]:
    """Every token of both sides of every pair, in the order of pairs, sides and positions.

    starts: the first token of each sentence, and behind the last sentence how many tokens there are. text: of
    each token; piece: 1 where it goes on with the word before it, which no first token of a sentence does.
    modified: 1 where the other side does not share it. surprisal: by masking, -log P of each in units of the
    last of LOG_PROB_DECIMALS, null where it is not predicted. coefficient: by measure and masking, what log P
    is multiplied with, in units of the last of COEFFICIENT_DECIMALS, null where the measure does not count
    it. hidden: what each masking hides from the model (HIDES). likeliest: by masking, what the model would
    have put in the place of each token: texts, the likeliest first, with their probabilities in units of the
    last of LIKELY_DECIMALS.
    """
    read = {name: evidence[name] for name in maskings_of(measures)}
    added = {name: counted(measure(name), read, CORRECTED) for name in measures}
    tokens = _tokens(pairs, read, added)
    places = pd.MultiIndex.from_frame(tokens[TOKEN])
    surface = surfaces(tokens["token"])
    firsts = ~tokens.duplicated("sentence")
    pieces = [surface[token][1] and not first for token, first in zip(tokens["token"], firsts, strict=True)]
    return {
        "starts": np.searchsorted(tokens["sentence"], range(len(SIDES) * len(pairs) + 1)).tolist(),
        "text": [surface[token][0] for token in tokens["token"]],
        "piece": "".join("01"[piece] for piece in pieces),
        "modified": "".join("01"[modified] for modified in tokens["modified"].eq(True)),
        "surprisal": {
            masking: _units(places, rows, -rows["log_prob"], LOG_PROB_DECIMALS)
            for masking, rows in read.items()
        },
        "coefficient": {
            name: {
                masking: _units(places, part, part["coefficient"], COEFFICIENT_DECIMALS)
                for masking, part in rows.groupby("masking", sort=False)
            }
            for name, rows in added.items()
        },
        "hidden": {masking: HIDES[masking] for masking in read},
        "likeliest": _likeliest(places, tokens["token"], likeliest),
    }


def _likeliest(
    places: pd.MultiIndex, tokens: "pd.Series[str]", likeliest: Mapping[str, pd.DataFrame]
) -> dict[str, list[list[tuple[str, int]]]]:
    """Of token_columns; places: TOKEN of each of `tokens`."""
    distinct = dict.fromkeys(token for rows in likeliest.values() for token in rows["token"].unique())
    texts = {name: PIECE * piece + text for name, (text, piece) in surfaces([*tokens, *distinct]).items()}
    columns: dict[str, list[list[tuple[str, int]]]] = {}
    for masking, rows in likeliest.items():
        place = places.get_indexer(pd.MultiIndex.from_frame(rows[TOKEN]))
        share = np.rint(np.exp(rows["log_prob"].to_numpy(float)) * 10**LIKELY_DECIMALS).astype(int)
        rows = rows.assign(token_place=place, share=share)
        rows = rows[(place >= 0) & ((share > 0) | (rows["place"] == 1))].sort_values(["token_place", "place"])
        columns[masking] = [[] for _ in places]
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
    places: pd.MultiIndex, rows: pd.DataFrame, values: "pd.Series[float]", decimals: int
) -> list[int | None]:
    """A value of every token in units of its last decimal, null where `rows` has none of it.

    Raises ValueError where it has two: a measure counts a token under one masking once.
    """
    of_rows = pd.Series(values.to_numpy(float), pd.MultiIndex.from_frame(rows[TOKEN]))
    units = of_rows.reindex(places).mul(10**decimals).round()
    return [None if value != value else int(value) for value in units]


def packed(value: Any) -> str:
    """What JSON can hold as gzip in Base64; the same value gives the same text.

    Raises ValueError for what JSON cannot hold, such as NaN.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode(), compresslevel=9, mtime=0)).decode()


def surfaces(tokens: Iterable[str]) -> dict[str, Surface]:
    """The surface of every token of a tokenizer that occurs; which tokenizer it is, its marks tell.

    A token without a mark is a word of its own where no token has one.
    """
    distinct = list(dict.fromkeys(tokens))
    counts = {
        mark: sum(token.startswith(mark) for token in distinct) for mark in (CONTINUES, WORD_PIECE, BYTES)
    }
    mark = max(counts, key=lambda each: counts[each])
    if not counts[mark]:
        return {token: (token, False) for token in distinct}
    return {token: _surface(token, mark) for token in distinct}


def _surface(token: str, mark: str) -> Surface:
    marked = token.startswith(mark) and token != CONTINUES
    text = token.removeprefix(mark) if marked else token
    if mark == BYTES:
        # text with other letters stays as it is
        text = ByteLevel().decode([text])
    return text or SPACE, marked == (mark == CONTINUES)
