"""Blocks: text in pieces that fit into memory."""

from collections.abc import Iterable, Iterator

from unmask.errors import InputError

BLOCK = 1 << 21
"""Bytes of a piece to read, and about those of a block."""

LONGEST = 64 << 20
"""Bytes that may come without a space or a line break."""


def in_blocks(pieces: Iterable[bytes], name: str) -> Iterator[bytes]:
    """Cut UTF-8 text that comes in pieces of any size into blocks, a document a line.

    A block ends with a line break, or, in a line longer than a block, after a space. Raises InputError
    with the file's `name` for text that is not UTF-8, has no spaces at all, or is empty.
    """
    waiting: list[bytes] = []
    size = done = 0
    for piece in pieces:
        waiting.append(piece)
        size += len(piece)
        if size < BLOCK:
            continue
        text = b"".join(waiting)
        while len(text) >= BLOCK and (end := _last_break(text)):
            yield _checked(text[:end], done, name)
            done += end
            text = text[end:]
        waiting, size = [text], len(text)
        if size > LONGEST:
            raise InputError(f"{name}: no space or line break in {LONGEST >> 20} MB; this is not text")
    rest = b"".join(waiting)
    if not done and not rest.strip():
        raise InputError(f"{name}: holds no text")
    if rest:
        yield _checked(rest if rest.endswith(b"\n") else rest + b"\n", done, name)


def _last_break(text: bytes) -> int:
    """Where a block can end; 0 if nowhere."""
    return text.rfind(b"\n", 0, 2 * BLOCK) + 1 or text.rfind(b" ", 0, 2 * BLOCK) + 1


def _checked(block: bytes, before: int, name: str) -> bytes:
    if not block.isascii():
        try:
            block.decode()
        except UnicodeDecodeError as error:
            byte, place = block[error.start], before + error.start
            raise InputError(
                f"{name}: not UTF-8: byte {byte:#04x} at {place}; convert the file to UTF-8"
            ) from None
    return block
