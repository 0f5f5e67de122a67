"""Sentences about regions as a model reads them: token ids of every name with every word, by the array.

Millions of sentences are made of some thousand names and a hundred words, and tokenising takes longer than
all else that is not the model's. So their ids are put together from those of a head, up to and with what
stands first (the name, in most templates), and a tail, from there on. Heads and tails are cut from the ids of
real sentences: every name with one word, and one name with every word. Where they do not fit together, or a
sample of other sentences shows that tokens depend on more, sentences are tokenised as they are.
"""

import logging
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import numpy.typing as npt
from transformers import PreTrainedTokenizerBase

from unmask.errors import InputError
from unmask.regional.wording import PLACES, check_template

logger = logging.getLogger(__name__)

Indices = npt.NDArray[np.int64]
Arrays = list[tuple[Indices, Indices]]
"""For each length: which inputs, by number, and their token ids (inputs × length)."""

REGION, WORD = PLACES
SAMPLE = 500
"""Sentences that are put together and tokenised, too, before any is scored."""


class Template:
    """A sentence with a place for a region's name and one for a word; what stands there is only text.

    Raises InputError for a text without just these two places.
    """

    def __init__(self, text: str) -> None:
        check_template(text)
        self.text = text
        self.region_first = text.index(REGION) < text.index(WORD)
        first, second = (REGION, WORD) if self.region_first else (WORD, REGION)
        self.before, rest = text.split(first)
        self.between, self.after = rest.split(second)

    def fill(self, name: str, word: str) -> str:
        """The sentence."""
        first, second = (name, word) if self.region_first else (word, name)
        return self.before + first + self.between + second + self.after


class Names:
    """Names alone, each as a sentence.

    Raises InputError for a name that has no token, or more than `max_length` with the special ones.
    """

    def __init__(
        self, names: Sequence[str], tokenizer: PreTrainedTokenizerBase, max_length: int | None = None
    ) -> None:
        self.names = names
        self._ids: list[Indices] = []
        self.lead = self.trail = 0
        """How many special tokens stand before and behind every sentence."""
        unknown = []
        for name, (ids, special) in zip(names, _encode(names, tokenizer), strict=True):
            if all(special):
                raise InputError(f"region {name!r}: the tokenizer makes no token of this name")
            if max_length is not None and len(ids) > max_length:
                raise _too_long(f"region {_shortened(name)}: its name", len(ids), max_length)
            self.lead, self.trail = _run(special), _run(special[::-1])
            self._ids.append(np.array(ids))
            unknown.append(sum(id_ == tokenizer.unk_token_id for id_ in ids))
        self.unknown = np.array(unknown, dtype=np.int16)
        """Tokens of each name that are the unknown one."""
        self.tokens = np.array([len(ids) for ids in self._ids], dtype=np.int64)
        """What is read for each name, special tokens included."""

    def arrays(self, part: range) -> Arrays:
        """Those of a run of names, numbered from its first."""
        return _by_length(enumerate(self._ids[part.start : part.stop]))


class Sentences:
    """Every name with every word.

    Raises InputError for a sentence of more than `max_length` tokens, naming its name and word.
    """

    def __init__(
        self,
        names: Sequence[str],
        words: Sequence[str],
        template: Template,
        tokenizer: PreTrainedTokenizerBase,
        max_length: int | None = None,
        seed: int = 0,
    ) -> None:
        self.names, self.words, self.template, self.tokenizer = names, words, template, tokenizer
        self._of_name: list[Indices | None] = [None] * len(names)
        self._of_word: list[Indices] = []
        self._cut()
        if self._of_word and not self._sample_agrees(seed):
            self._of_name = [None] * len(names)
        separate = sum(ids is None for ids in self._of_name)
        logger.info(
            "sentences: those of %d names put together, of %d tokenised", len(names) - separate, separate
        )
        self.lengths = self._lengths()
        """names × words, special tokens included"""
        if max_length is not None and self.lengths.max() > max_length:
            name, word = divmod(int(self.lengths.argmax()), len(words))
            what = f"region {_shortened(names[name])}, word {_shortened(words[word])}: the sentence"
            raise _too_long(what, int(self.lengths.max()), max_length)

    def arrays(self, part: range) -> Arrays:
        """The sentences of a run of names, numbered name by name and word by word from its first."""
        width = len(self.words)
        joined = [name for name in part if self._of_name[name] is not None]
        separate = [name for name in part if self._of_name[name] is None]
        arrays = _by_length(
            ((name - part.start) * width + word, np.array(ids))
            for name in separate
            for word, (ids, _) in enumerate(self._encode((self.names[name], word) for word in self.words))
        )
        tails = _by_length(enumerate(self._of_word)) if joined else []
        for of_name, name_ids in _by_length((name, self._of_name[name]) for name in joined):
            for of_word, word_ids in tails:
                sides = np.repeat(name_ids, len(of_word), axis=0), np.tile(word_ids, (len(of_name), 1))
                numbers = (of_name - part.start)[:, None] * width + of_word
                ids = np.concatenate(sides if self.template.region_first else sides[::-1], axis=1)
                arrays.append((numbers.ravel(), ids))
        return _merged(arrays)

    def _encode(self, pairs: Iterable[tuple[str, str]]) -> list[tuple[list[int], list[int]]]:
        return _encode([self.template.fill(name, word) for name, word in pairs], self.tokenizer)

    def _cut(self) -> None:
        """Find the parts that names and words bring."""
        if not any(character.isspace() for character in self.template.between):
            logger.info("sentences: no space in the template between name and word, so all are tokenised")
            return
        name, word = self.names[0], self.words[0]
        begun = self.template.before + (name if self.template.region_first else word)
        ((ids, specials),) = _encode([begun], self.tokenizer)
        head = ids[: len(ids) - _run(specials[::-1])]
        ((whole, _),) = self._encode([(name, word)])
        tail = whole[len(head) :]
        if whole[: len(head)] != head:
            logger.info("sentences: %r is tokenised otherwise at the end of a text, so all are", begun)
            return
        with_word = self._encode((name, word) for name in self.names)
        with_name = self._encode((name, word) for word in self.words)

        def as_head(ids: list[int]) -> Indices | None:
            return np.array(ids[: -len(tail)]) if ids[-len(tail) :] == tail else None

        def as_tail(ids: list[int]) -> Indices | None:
            return np.array(ids[len(head) :]) if ids[: len(head)] == head else None

        sides: tuple[Callable[[list[int]], Indices | None], ...] = (as_head, as_tail)
        of_name, of_word = sides if self.template.region_first else sides[::-1]
        words = [of_word(ids) for ids, _ in with_name]
        fitting = [part for part in words if part is not None]
        if len(fitting) < len(words):
            odd = self.words[next(place for place, part in enumerate(words) if part is None)]
            logger.info("sentences: word %r changes the tokens beside it, so all are tokenised", odd)
            return
        self._of_word = fitting
        self._of_name = [of_name(ids) for ids, _ in with_word]

    def _sample_agrees(self, seed: int) -> bool:
        """Whether sentences of names and words drawn at random have the ids put together for them."""
        random = np.random.default_rng(seed)
        pairs = zip(
            random.integers(len(self.names), size=SAMPLE).tolist(),
            random.integers(len(self.words), size=SAMPLE).tolist(),
            strict=True,
        )
        sample = [(name, word) for name, word in pairs if self._of_name[name] is not None]
        real = self._encode((self.names[name], self.words[word]) for name, word in sample)
        for (name, word), (ids, _) in zip(sample, real, strict=True):
            sides = self._of_name[name], self._of_word[word]
            together = np.concatenate(sides if self.template.region_first else sides[::-1])
            if together.tolist() != ids:
                logger.warning(
                    "sentences: tokens of name %r and word %r hang on each other, so all are tokenised",
                    self.names[name],
                    self.words[word],
                )
                return False
        return True

    def _lengths(self) -> Indices:
        tails = np.array([len(ids) for ids in self._of_word], dtype=np.int64)
        lengths = np.empty((len(self.names), len(self.words)), dtype=np.int64)
        for name, part in enumerate(self._of_name):
            if part is None:
                lengths[name] = [
                    len(ids) for ids, _ in self._encode((self.names[name], w) for w in self.words)
                ]
            else:
                lengths[name] = len(part) + tails
        return lengths


def _too_long(what: str, tokens: int, max_length: int) -> InputError:
    return InputError(f"{what} has {tokens} tokens, the model takes {max_length}")


def _shortened(text: str, most: int = 80) -> str:
    return repr(text if len(text) <= most else f"{text[:most]}…")


def _encode(texts: Sequence[str], tokenizer: PreTrainedTokenizerBase) -> list[tuple[list[int], list[int]]]:
    """Token ids of each text, and which of them are special."""
    if not texts:
        return []
    encoding = tokenizer(list(texts), return_special_tokens_mask=True, truncation=False, verbose=False)
    return list(zip(encoding["input_ids"], encoding["special_tokens_mask"], strict=True))


def _run(flags: Sequence[int]) -> int:
    """How many of the first flags are set."""
    return next((place for place, flag in enumerate(flags) if not flag), len(flags))


def _by_length(inputs: Iterable[tuple[int, Indices | None]]) -> Arrays:
    """Inputs with their numbers as arrays, one for each length; those that are None are left out."""
    by_length: dict[int, tuple[list[int], list[Indices]]] = {}
    for number, ids in inputs:
        if ids is not None:
            numbers, all_ids = by_length.setdefault(len(ids), ([], []))
            numbers.append(number)
            all_ids.append(ids)
    return [(np.array(numbers), np.stack(ids)) for _, (numbers, ids) in sorted(by_length.items())]


def _merged(arrays: Arrays) -> Arrays:
    """The same inputs in one array for each length, in the order of their numbers."""
    merged = []
    for length in sorted({ids.shape[1] for _, ids in arrays}):
        alike = [(numbers, ids) for numbers, ids in arrays if ids.shape[1] == length]
        numbers = np.concatenate([numbers for numbers, _ in alike])
        order = np.argsort(numbers, kind="stable")
        merged.append((numbers[order], np.concatenate([ids for _, ids in alike])[order]))
    return merged
