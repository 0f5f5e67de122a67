"""The start token of a decoder: what it reads before the text of a sentence.

The first token of a text has a probability only where something stands before it. In pre-training that is
what separates documents, so this is the default; evaluations that take another, or none, decide some pairs
otherwise.
"""

import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tokenizers.processors import TemplateProcessing
from transformers import PreTrainedTokenizerBase

from unmask.errors import InputError

logger = logging.getLogger(__name__)

BOS, EOS, NO_START = "bos", "eos", "none"

_PROBE = "a few words of a text"

_CHAT = re.compile(
    r"im_start|im_end|turn|header|eot|chat|inst|message|channel|user|assistant|system", re.IGNORECASE
)
"""Found in the names of tokens that mark the turns of a chat, and in those of no separator of documents."""


@dataclass(frozen=True)
class Start:
    """What stands before the text of each sentence, and why."""

    token: str | None
    """None where nothing does: the first token of a text is then not scored."""
    id: int | None
    reason: str

    @classmethod
    def of(cls, manifest: Mapping[str, Any]) -> "Start | None":
        """That of a model with this manifest; None for a model that is no decoder."""
        return cls(**manifest["start"]) if "start" in manifest else None


def choose_start(tokenizer: PreTrainedTokenizerBase, chosen: str | None, what: str) -> Start:
    """The start token of a decoder with this tokenizer.

    chosen: BOS, EOS, NO_START, or a token of the tokenizer. Without a choice it is what the tokenizer itself
    puts before a text; where it puts nothing, its BOS token, unless that marks a turn of a chat, else its EOS
    token. Raises InputError beginning with `what` where there is no such token, where nothing is left to
    choose but a token of chats, and where the tokenizer puts several tokens before a text.
    """
    ends = {BOS: tokenizer.bos_token, EOS: tokenizer.eos_token}
    vocabulary = tokenizer.get_vocab()
    if chosen == NO_START:
        return Start(None, None, "the study says none")
    if chosen is not None:
        token = str(ends.get(chosen, chosen))
        if token not in vocabulary:
            lacking = f"{chosen} token" if chosen in ends else f"token {chosen!r}"
            raise InputError(f"{what}: key start: its tokenizer has no {lacking}")
        return Start(token, vocabulary[token], f"the study says {chosen}")
    added = _added(tokenizer)
    if len(added) > 1:
        raise InputError(
            f"{what}: its tokenizer puts {' '.join(added)} before a text; say which of them is to (key start)"
        )
    stated = [(str(token), name) for name, token in ends.items() if token is not None]
    separates = (
        (token, f"its {name} token, which separates documents in training") for token, name in stated
    )
    for token, reason in (*((token, "its tokenizer puts it before a text") for token in added), *separates):
        if not _CHAT.search(token):
            return Start(token, vocabulary[token], reason)
    has = f"only {' and '.join(token for token, _ in stated)}, of chats" if stated else "no bos or eos token"
    raise InputError(
        f"{what}: its tokenizer has {has}: say what separated documents in training, or none (key start, or "
        "--start of unmask score)"
    )


def read_after(tokenizer: PreTrainedTokenizerBase, start: Start) -> None:
    """Have a tokenizer put the start token before a text, and nothing else around it.

    A text is so read behind one start token, whatever the tokenizer itself adds.
    """
    template = TemplateProcessing(
        single="$A" if start.token is None else f"{start.token} $A",
        special_tokens=[] if start.token is None else [(start.token, start.id)],
    )
    if start.token is None:
        logger.warning("no start token: Start-Alone stays undefined")
    backend: Any = tokenizer
    backend.backend_tokenizer.post_processor = template


def _added(tokenizer: PreTrainedTokenizerBase) -> list[str]:
    """The tokens that a tokenizer puts before a text."""
    with_added = tokenizer(_PROBE)["input_ids"]
    alone = tokenizer(_PROBE, add_special_tokens=False)["input_ids"]
    for before in range(len(with_added) - len(alone) + 1):
        if with_added[before : before + len(alone)] == alone:
            return [str(token) for token in tokenizer.convert_ids_to_tokens(with_added[:before])]
    return []
