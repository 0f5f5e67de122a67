"""Templates as a masked language model reads them: which tokens are hidden, and what is asked of them.

A sentence is tokenised with words in all its slots, and then the tokens of a slot are hidden. So what stands
beside a slot is tokenised as in any sentence, whatever a tokenizer makes of a space before its mask token.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from transformers import PreTrainedTokenizerBase

from unmask.errors import InputError
from unmask.evidence.engine import Answers, Queries, answer
from unmask.evidence.tokenising import literal_specials
from unmask.models.loading import LoadedModel
from unmask.templates.schema import FILLS, TARGETS
from unmask.templates.terms import ATTRIBUTE, BLANK, DISCO, LPBS, PERSON, PLACES, SLOTS, TARGET

Words = Mapping[str, Sequence[str]]
"""Set, group or side -> its words."""

FILLER = "it"
"""Stands in a blank until its tokens are hidden."""


def read_targets(
    templates: Sequence[str],
    targets: Words,
    attributes: Words,
    model: LoadedModel,
    max_length: int | None = None,
) -> tuple[pd.DataFrame, list[str]]:
    """The Targets rows of LPBS (Kurita et al. 2019, section 2), and the attributes that are left out.

    log_prob is of "[MASK] is a nurse.", prior_log_prob of "[MASK] is a [MASK]." at the target's place. An
    attribute of several tokens has as many masks in the prior. One with a token that the tokenizer does not
    know is left out. Raises InputError naming template and word: for a target that is not one known token, a
    token that is of a word and of what stands beside it, a sentence that is too long, and a set of which
    fewer than two attributes are left.
    """
    asked = _Asked(model.tokenizer, max_length)
    asked.check_texts(templates, LPBS, [*_words(targets), *_words(attributes)])
    some_target, some_attribute = _words(targets)[0], _words(attributes)[0]
    rows: list[dict[str, Any]] = []
    unknown: dict[str, None] = {}
    for number, template in enumerate(templates, start=1):
        tokens = {}
        for word in _words(targets):
            tokens[word] = asked.single(template, {TARGET: word, ATTRIBUTE: some_attribute}, TARGET)
        for set_, attribute in _pairs(attributes):
            sentence = asked.filled(template, {TARGET: some_target, ATTRIBUTE: attribute})
            pieces = sentence.places[ATTRIBUTE]
            if asked.unknown in [sentence.ids[place] for place in pieces]:
                unknown[attribute] = None
            (place,) = sentence.places[TARGET]
            revealed = asked.hidden(sentence.ids, [place])
            prior = asked.hidden(revealed, pieces)
            for side, target in _pairs(targets):
                rows.append(
                    {
                        "template": number,
                        "set": set_,
                        "attribute": attribute,
                        "tokens": len(pieces),
                        "side": side,
                        "target": target,
                        "log_prob": asked.ask(revealed, place, tokens[target]),
                        "prior_log_prob": asked.ask(prior, place, tokens[target]),
                    }
                )
    left_out = list(unknown)
    _check_left(attributes, left_out, "attributes")
    answers = asked.answers(model)
    table = pd.DataFrame(rows)
    table = table[~table["attribute"].isin(left_out)].reset_index(drop=True)
    for column in ("log_prob", "prior_log_prob"):
        table[column] = answers.log_prob[table[column]]
    broken = ~np.isfinite(table["log_prob"] + table["prior_log_prob"])
    if broken.any():
        first = table[broken].iloc[0]
        raise InputError(
            f"template {first['template']}, {first['attribute']!r}: the probability of {first['target']!r} "
            "is no number"
        )
    return table[TARGETS.names], left_out


def read_fills(
    templates: Sequence[str], persons: Words, model: LoadedModel, max_length: int | None = None
) -> tuple[pd.DataFrame, list[str]]:
    """The Fills rows of DisCo (Webster et al. 2020), and the persons that are left out.

    Of each template and person the ten likeliest tokens of the blank, whatever they are. A person with a
    token that the tokenizer does not know is left out. Raises InputError as `read_targets` does.
    """
    asked = _Asked(model.tokenizer, max_length)
    asked.check_texts(templates, DISCO, _words(persons))
    rows: list[tuple[int, str, str]] = []
    unknown: dict[str, None] = {}
    blanks: list[tuple[list[int], int]] = []
    for number, template in enumerate(templates, start=1):
        for group, person in _pairs(persons):
            sentence = asked.filled(template, {PERSON: person, BLANK: FILLER})
            if asked.unknown in [sentence.ids[place] for place in sentence.places[PERSON]]:
                unknown[person] = None
            rows.append((number, group, person))
            blanks.append(asked.blank(sentence, BLANK))
    left_out = list(unknown)
    _check_left(persons, left_out, "persons")
    known = [number for number, (_, _, person) in enumerate(rows) if person not in unknown]
    rows = [rows[number] for number in known]
    for number in known:
        ids, place = blanks[number]
        asked.ask(ids, place, asked.mask)
    answers = asked.answers(model, PLACES)
    places = answers.likeliest.shape[1]
    token_ids, log_probs = answers.likeliest.ravel(), answers.likeliest_log_prob.ravel()
    if not np.isfinite(log_probs).all():
        number, _, person = rows[int(np.flatnonzero(~np.isfinite(log_probs))[0]) // places]
        raise InputError(f"template {number}, {person!r}: the probability of a fill is no number")
    table = pd.DataFrame(rows, columns=["template", "group", "person"])
    table = table.loc[table.index.repeat(places)].reset_index(drop=True)
    table["place"] = np.tile(np.arange(1, places + 1), len(rows))
    table["token"] = asked.tokenizer.convert_ids_to_tokens(token_ids.tolist())
    return table.assign(log_prob=log_probs)[FILLS.names], left_out


@dataclass(frozen=True)
class _Sentence:
    """A template with words in its slots: its tokens, and the places of those of each slot."""

    ids: list[int]
    places: Mapping[str, list[int]]


class _Asked:
    """Questions to a model, gathered: each input once."""

    def __init__(self, tokenizer: PreTrainedTokenizerBase, max_length: int | None) -> None:
        if not tokenizer.is_fast:
            raise InputError(
                f"{type(tokenizer).__name__} does not say where tokens are: a fast tokenizer is needed"
            )
        self.tokenizer, self.max_length = tokenizer, max_length
        self.mask: int = tokenizer.mask_token_id
        # none where the tokenizer knows everything
        self.unknown: int | None = tokenizer.unk_token_id
        self._inputs: dict[tuple[int, ...], int] = {}
        self._questions: list[tuple[int, int, int]] = []

    def check_texts(self, templates: Sequence[str], measure: str, words: Sequence[str]) -> None:
        """Raise InputError for a text that spells out a special token, which would be read as one."""
        spells_out = literal_specials(self.tokenizer)
        first, second = SLOTS[measure]
        for text in [*(text.replace(first, "").replace(second, "") for text in templates), *words]:
            if spelt := spells_out.search(text):
                raise InputError(f"{text!r}: has {spelt[0]!r} in it, a special token of the tokenizer")

    def filled(self, template: str, words: Mapping[str, str]) -> _Sentence:
        """A template with these words in its slots.

        Raises InputError where its tokens are too many, or one of them is of a word and of what stands beside
        it.
        """
        text, spans = template, dict[str, tuple[int, int]]()
        # what is filled in later may not move what was before it
        for slot in sorted(words, key=template.index):
            start = text.index(slot)
            text = f"{text[:start]}{words[slot]}{text[start + len(slot) :]}"
            spans[slot] = start, start + len(words[slot])
        encoded = self.tokenizer(text, truncation=False, verbose=False, return_offsets_mapping=True)
        ids: list[int] = encoded["input_ids"]
        if self.max_length is not None and len(ids) > self.max_length:
            raise InputError(f"{text!r}: {len(ids)} tokens, the model takes {self.max_length}")
        places: dict[str, list[int]] = {slot: [] for slot in words}
        for place, (low, high) in enumerate(encoded["offset_mapping"]):
            for slot, (start, end) in spans.items():
                if max(low, start) >= min(high, end):
                    continue
                if text[low:start].strip() or text[end:high].strip():
                    raise InputError(
                        f"{text!r}: one token is of {words[slot]!r} and of what stands beside it"
                    )
                places[slot].append(place)
        for slot, word in words.items():
            if not places[slot]:
                raise InputError(f"{text!r}: the tokenizer makes no token of {word!r}")
        return _Sentence(ids, places)

    def single(self, template: str, words: Mapping[str, str], slot: str) -> int:
        """The token of the word in a slot. Raises InputError where it is not one, or is the unknown one."""
        sentence = self.filled(template, words)
        tokens = [sentence.ids[place] for place in sentence.places[slot]]
        if len(tokens) != 1 or tokens[0] == self.unknown:
            pieces = ", ".join(self.tokenizer.convert_ids_to_tokens(tokens))
            raise InputError(
                f"template {template!r}: the target {words[slot]!r} is not one known token of this tokenizer "
                f"but {pieces}; take another word"
            )
        return tokens[0]

    def hidden(self, ids: Sequence[int], places: Collection[int]) -> list[int]:
        """The tokens, hidden at these places."""
        return [self.mask if place in places else id_ for place, id_ in enumerate(ids)]

    def blank(self, sentence: _Sentence, slot: str) -> tuple[list[int], int]:
        """The tokens with one mask in place of those of a slot, and where it is."""
        first, *others = sentence.places[slot]
        ids = self.hidden(sentence.ids, [first])
        return [id_ for place, id_ in enumerate(ids) if place not in others], first

    def ask(self, ids: Sequence[int], position: int, token: int) -> int:
        """Ask for the probability of a token; the number of the question."""
        number = self._inputs.setdefault(tuple(ids), len(self._inputs))
        self._questions.append((number, position, token))
        return len(self._questions) - 1

    def answers(self, model: LoadedModel, top: int = 0) -> Answers:
        """The model's answers to all questions, in their order."""
        inputs = list(self._inputs)
        # attention is not asked for, so no token need be said to be special
        special = [np.zeros(len(ids), dtype=np.bool_) for ids in inputs]
        return answer(model, Queries(inputs, special, *np.array(self._questions).T), top=top)


def _pairs(words: Words) -> list[tuple[str, str]]:
    return [(name, word) for name, members in words.items() for word in members]


def _words(words: Words) -> list[str]:
    return [word for _, word in _pairs(words)]


def _check_left(words: Words, left_out: Sequence[str], what: str) -> None:
    for name, members in words.items():
        if len(unknown := [word for word in members if word in left_out]) > len(members) - 2:
            raise InputError(
                f"fewer than two {what} of {name} have tokens that the tokenizer knows (it does not know "
                f"{', '.join(map(repr, unknown[:5]))}{', …' if len(unknown) > 5 else ''})"
            )
