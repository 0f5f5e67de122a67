"""Words that should tell of no gender."""

from pathlib import Path

from unmask.errors import InputError
from unmask.user_files import read_text, read_yaml


def read_stereotypes(path: str | Path) -> tuple[str, ...]:
    """The words of the YAML file of the published list (key `words`), or of a text file with one a line.

    Blank lines, and a word's further lines, are left out. Raises InputError naming the file, and the line of
    what is not one word in lower case; or where there is no word.
    """
    path = Path(path)
    if path.suffix == ".yaml":
        content = read_yaml(path)
        if not isinstance(content, dict) or not isinstance(content.get("words"), list):
            raise InputError(f"{path}: has no list called words")
        numbered = list(enumerate(map(str, content["words"]), start=1))
        place = "word"
    else:
        numbered = list(enumerate(map(str.strip, read_text(path).splitlines()), start=1))
        place = "line"
    for number, word in numbered:
        if len(word.split()) > 1 or word != word.lower():
            raise InputError(f"{path}: {place} {number}: {word!r} is not one word in lower case")
    words = tuple(dict.fromkeys(word for _, word in numbered if word))
    if not words:
        raise InputError(f"{path}: holds no word")
    return words
