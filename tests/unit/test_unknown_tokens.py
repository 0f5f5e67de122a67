"""Unknown words are counted and limited; special tokens that a text spells out are text."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from examples import example_pairs
from synthetic import pair_results, with_tables
from tiny_models import ARCHITECTURES, tiny_tokenizer
from unmask.errors import InputError
from unmask.evidence.survey import survey
from unmask.evidence.tokenising import tokenise_pairs
from unmask.pairs.findings import UNKNOWN_TOKENS
from unmask.pairs.quality import UNKNOWN
from unmask.statistics.quality import unknown_tokens as pairs_with_unknown
from unmask.statistics.schema import QUALITY
from unmask.tables import write_table
from unmask.terms import ROLES

SIDES = ("stereotype", "antistereotype")
STRANGE = "\u2603"
"""A snowman, which no tiny vocabulary has but for those of bytes."""


def pairs_of(*texts: tuple[str, str]) -> pd.DataFrame:
    return (
        example_pairs()
        .iloc[: len(texts)]
        .assign(
            stereotype=[one for one, _ in texts], antistereotype=[other for _, other in texts], unrelated=None
        )
    )


SOME = pairs_of(
    (f"the {STRANGE} is very good", f"the {STRANGE} {STRANGE} is very good"), ("she cooks", "he drives")
)


def test_unknown_tokens_are_counted_exactly() -> None:
    tokenizer = tiny_tokenizer("bert")
    found = survey(SOME, tokenizer, SIDES)
    # one by one, and without the special tokens
    tokens = [
        token
        for role in SIDES
        for text in SOME[role]
        for token in tokenizer.convert_ids_to_tokens(tokenizer(text, add_special_tokens=False)["input_ids"])
    ]
    assert tokens.count("[UNK]") == 3 == found.unknown
    assert found.tokens == len(tokens)
    assert found.facts == {"id": tokenizer.unk_token_id, "unknown": 3, "tokens": len(tokens)}
    assert found.longest == 8 and found.literal == 0


@pytest.mark.parametrize("architecture", ["roberta", "modernbert"])
def test_tokenizers_of_bytes_know_everything(architecture: str) -> None:
    found = survey(SOME, tiny_tokenizer(architecture), SIDES)
    assert found.unknown == 0 < found.tokens
    found.check(0)


def test_above_the_limit_one_line_says_how_to_allow_it() -> None:
    found = survey(SOME, tiny_tokenizer("bert"), SIDES)
    share = found.unknown / found.tokens
    found.check(share)
    with pytest.raises(InputError) as caught:
        found.check(share - 1e-9)
    line = str(caught.value)
    assert "\n" not in line and f"3 of {found.tokens} tokens" in line
    allowed = float(line.rpartition("scoring.unknown_tokens to ")[2])
    assert share <= allowed < share + 0.01 + 1e-9
    found.check(allowed)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("name", ["mask", "sep", "cls", "pad"])
def test_a_special_token_in_a_text_is_text_or_refused(architecture: str, name: str) -> None:
    tokenizer = tiny_tokenizer(architecture)
    token = getattr(tokenizer, f"{name}_token")
    pairs = pairs_of(("she cooks", "he cooks"), (f"the {token} is good", f"the {token} is very good"))
    assert survey(pairs.iloc[:1], tokenizer, SIDES).literal == 0
    try:
        sentences = tokenise_pairs(pairs, tokenizer, SIDES)
    except InputError as error:
        # these have the token as a piece of its own among the words
        assert architecture in ("albert", "xlm-roberta", "deberta-v2")
        assert str(error).startswith("pair p1: the stereotype sentence") and repr(token) in str(error)
        with pytest.raises(InputError, match="pair p1"):
            survey(pairs, tokenizer, SIDES)
        return
    assert survey(pairs, tokenizer, SIDES).literal == 2
    for sentence in sentences:
        text = sentence.ids[~sentence.special]
        assert not set(text.tolist()) & (set(tokenizer.all_special_ids) - {tokenizer.unk_token_id})
        # what the text says comes back, and the ends are the tokenizer's
        plain = str(tokenizer.decode(text.tolist())).replace(" ", "").lower()
        assert (token.lower() in plain) == (sentence.pair_id == "p1")
        assert sentence.special.sum() == 2 and sentence.special[[0, -1]].all()


def test_a_special_token_in_a_text_is_read_like_its_letters() -> None:
    tokenizer = tiny_tokenizer("bert")
    spelt, apart = (
        tokenise_pairs(pairs_of((text, text)), tokenizer, SIDES)[0]
        for text in ("the [MASK] is [UNK]", "the [ MASK ] is [ UNK ]")
    )
    np.testing.assert_array_equal(spelt.ids, apart.ids)
    assert survey(pairs_of(("the [UNK] is", "the")), tokenizer, SIDES).unknown == 0
    # in other letters it never was a special token
    pairs = pairs_of(("the [mask] is good", "he cooks"))
    ids = tokenise_pairs(pairs, tokenizer, SIDES)[0].ids
    np.testing.assert_array_equal(ids, tokenizer("the [mask] is good")["input_ids"])


def test_an_unrelated_sentence_is_looked_at_too() -> None:
    tokenizer = tiny_tokenizer("xlm-roberta")
    pairs = example_pairs().iloc[:1].assign(unrelated="a <mask> is good")
    assert survey(pairs, tokenizer, SIDES).literal == 0
    with pytest.raises(InputError, match="pair p0: the unrelated sentence"):
        survey(pairs, tokenizer, ROLES)


def test_texts_without_a_special_token_are_read_as_ever() -> None:
    for architecture in ARCHITECTURES:
        tokenizer = tiny_tokenizer(architecture)
        pairs = example_pairs()
        for sentence in tokenise_pairs(pairs, tokenizer, ROLES):
            text = pairs.set_index("pair_id").loc[sentence.pair_id, sentence.role]
            np.testing.assert_array_equal(sentence.ids, tokenizer(text)["input_ids"])


def test_pairs_with_unknown_tokens_are_a_flaw_of_the_model() -> None:
    rows = pd.DataFrame(
        {
            "pair_id": ["a", "a", "b", "c", "d"],
            "role": ["stereotype", "antistereotype", "unrelated", "stereotype", "antistereotype"],
            "token_id": [5, 1, 1, 1, 1],
            "special": [False, False, False, True, False],
        }
    )
    pairs = pd.DataFrame({"pair_id": list("abcde")})
    whole = pairs_with_unknown(pairs, {"none": rows}, 1)
    assert whole.tolist() == [True, False, False, True, False]
    halves = {"one-shared": rows.iloc[:2], "one-modified": rows.iloc[2:]}
    assert pairs_with_unknown(pairs, halves, 1).tolist() == whole.tolist()


def test_the_report_has_the_share_of_each_model_and_benchmark(tmp_path: Path) -> None:
    said = {("m", "c"): (9, 2000), ("m", "b"): (300, 2000), ("o", "b"): None}
    paths = []
    for (model, benchmark), counts in said.items():
        paths.append(tmp_path / f"{model}-{benchmark}.parquet")
        unknown = counts and {"id": 1, "unknown": counts[0], "tokens": counts[1]}
        facts = {"model": model, "benchmark": benchmark, "unknown_tokens": unknown}
        write_table(paths[-1], pd.DataFrame(columns=QUALITY.names), QUALITY, facts)
    results = pair_results([{"name": "m"}, {"name": "o"}], [{"name": "b"}, {"name": "c"}], {"quality": paths})
    found = results.unknown
    assert found[["model", "benchmark"]].to_numpy().tolist() == [["m", "b"], ["m", "c"]]
    assert found["share"].tolist() == [15.0, 0.45]
    (caution,) = UNKNOWN_TOKENS.sentences(results)
    assert all(part in caution for part in ("m", "b", "300", "2,000", "15.0%"))
    assert UNKNOWN.sheet(found).rows == (
        ("m", "b", "2000", "300", "15.00"),
        ("m", "c", "2000", "9", "0.45"),
    )
    assert not list(UNKNOWN_TOKENS.sentences(with_tables(results, unknown=found.iloc[:0])))
