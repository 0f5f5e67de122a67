"""Words that should tell of no gender."""

from pathlib import Path

from unmask.gendered_words import fault_of_word
from unmask.strict_parsing import parse_yaml
from unmask.user_documents import read_document, read_lines


def read_stereotypes(path: str | Path) -> tuple[str, ...]:
    """The words of the YAML file of the published list (key `words`), or of a text file with one a line.

    Blank lines, and a word's further lines, are left out. Raises InputError naming the file, and the line of
    what is not one word in lower case; or where there is no word.
    """
    is_yaml = Path(path).suffix == ".yaml"
    nodes = read_document(path, parse_yaml)["words"].parts() if is_yaml else read_lines(path)
    return tuple(dict.fromkeys(node.text(fault_of_word) for node in nodes))
