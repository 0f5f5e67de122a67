"""The digest of code: what it depends on, and what it does not."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from library import code_digest as digests
from library import code_digest_code_digest as code_digest
from library import module_file


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    package = tmp_path / "unmask"
    (package / "measures").mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "measures" / "__init__.py").touch()
    (package / "tables.py").write_text("A = 1\n")
    (package / "other.py").write_text("B = 1\n")
    (package / "measures" / "aul.py").write_text("from unmask import tables\n")
    (tmp_path / "script.py").write_text("import json\nfrom unmask.measures.aul import x\n")
    monkeypatch.setattr(digests, "LIBRARY", package)
    yield tmp_path
    forget_files()


def forget_files() -> None:
    for cached in (digests._module, digests._imports, digests._module_files):
        cached.cache_clear()


def digest(folder: Path, *modules: str) -> str:
    forget_files()
    return code_digest(folder / "script.py", *modules)


def test_a_module_imported_indirectly_counts(library: Path) -> None:
    before = digest(library)
    (library / "unmask" / "tables.py").write_text("A = 2\n")
    assert digest(library) != before


def test_what_columns_mean_does_not_count(library: Path) -> None:
    source = 'A = schema("""\n    score f64? {meaning}\n    """)\n'
    tables = library / "unmask" / "tables.py"
    digests_of = set()
    for meaning in ("percent", "points", "points\n      of a hundred"):
        tables.write_text(source.format(meaning=meaning))
        digests_of.add(digest(library))
    assert len(digests_of) == 1
    for change in (("score", "other"), ("f64", "f32"), ("?", ""), ("schema(", "columns(")):
        tables.write_text(source.format(meaning="points").replace(*change))
        digests_of.add(digest(library))
    assert len(digests_of) == 5


def test_what_was_read_before_is_kept_beside_compiled_code(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    with monkeypatch.context() as nowhere:
        nowhere.setattr(sys, "dont_write_bytecode", True)
        before = digest(library)
    assert not list(library.rglob("*.digest.json"))
    assert digest(library) == before
    (kept,) = library.glob("unmask/__pycache__/tables.*.digest.json")
    whole = kept.read_text()
    with monkeypatch.context() as unread:
        unread.setattr(digests, "_parsed", None)
        assert digest(library) == before
    # what is cut short, or of other source, is made again
    for kept_before, source in (("", "A = 1\n"), ("{}", "A = 1\n"), (whole, "A = 2\n")):
        kept.write_text(kept_before)
        (library / "unmask" / "tables.py").write_text(source)
        found = digest(library)
        assert (found == before) == (source == "A = 1\n")
        with monkeypatch.context() as unread:
            unread.setattr(digests, "_parsed", None)
            assert digest(library) == found


def test_a_module_that_is_not_imported_does_not_count(library: Path) -> None:
    before = digest(library)
    (library / "unmask" / "other.py").write_text("B = 2\n")
    assert digest(library) == before


def test_comments_and_formatting_do_not_count(library: Path) -> None:
    before = digest(library)
    (library / "script.py").write_text("# why\nimport json\nfrom unmask.measures.aul import (\n    x,\n)\n")
    assert digest(library) == before


def test_docstrings_do_not_count(library: Path) -> None:
    tables = library / "unmask" / "tables.py"
    tables.write_text("A = 1\n\n\ndef f():\n    return A\n")
    before = digest(library)
    tables.write_text(
        '"""Tables."""\n\nA = 1\n"""What A is."""\n\n\ndef f():\n    """Say A."""\n    return A\n'
    )
    assert digest(library) == before
    tables.write_text('A = "Tables."\n\n\ndef f():\n    return A\n')
    assert digest(library) != before


def test_the_version_does_not_count(library: Path) -> None:
    (library / "unmask" / "record.py").write_text("VERSION = open('VERSION').read()\n")
    (library / "script.py").write_text("from unmask.facts import VERSION\n")
    (library / "unmask" / "VERSION").write_text("1")
    before = digest(library)
    (library / "unmask" / "VERSION").write_text("2")
    assert digest(library) == before
    # and no module of the library has a version in its text
    assert "VERSION" in SCRIPTS.joinpath("unmask/facts.py").read_text()
    assert not [
        path for path in SCRIPTS.rglob("*.py") if re.search(r"^__version__ *=", path.read_text(), re.M)
    ]


def test_a_module_loaded_by_name_counts_with_what_it_imports(library: Path) -> None:
    (library / "unmask" / "formats").mkdir()
    (library / "unmask" / "formats" / "__init__.py").touch()
    (library / "unmask" / "formats" / "one.py").write_text("from unmask import other\n")
    chosen = "unmask/formats/one.py"
    before = digest(library), digest(library, chosen)
    assert before[0] != before[1]
    (library / "unmask" / "other.py").write_text("B = 2\n")
    assert digest(library) == before[0]
    assert digest(library, chosen) != before[1]
    with pytest.raises(FileNotFoundError):
        digest(library, "unmask/formats/two.py")


def test_the_place_of_the_checkout_does_not_count(
    library: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    before = digest(library)
    moved = tmp_path_factory.mktemp("z") / "elsewhere"
    library.rename(moved)
    digests.LIBRARY = moved / "unmask"
    assert digest(moved) == before


SCRIPTS = Path(digests.__file__).resolve().parents[1]
RULES = SCRIPTS.parent / "rules"
MANIFEST = SCRIPTS / "unmask/models/kinds.py"


WITH_NETWORKS = {
    "compare_precision.py",
    "embed_names.py",
    "embed_stimuli.py",
    "fetch_model.py",
    "fine_tune.py",
    "make_model.py",
    "prefix_regions.py",
    "check_model.py",
    "score_evidence.py",
    "score_regions.py",
    "score_untrained.py",
}


def analysis_scripts() -> list[str]:
    """The scripts of rules that need no network."""
    rules = "".join(path.read_text() for path in RULES.glob("*.smk"))
    return sorted(set(re.findall(r"scripts/(\w+\.py)\"\n", rules)) - WITH_NETWORKS)


def test_evidence_does_not_depend_on_measures_nor_measures_on_evidence() -> None:
    evidence, measures = (
        {path.relative_to(SCRIPTS).as_posix() for path in digests.files_of(SCRIPTS / script)}
        for script in ("score_evidence.py", "measure_pairs.py")
    )
    later = ("unmask/measures/", "unmask/statistics/", "unmask/pairs/", "unmask/report/")
    assert not {module for module in evidence if module.startswith(later)}
    # what tables of evidence look like, how they are read and listed, and what maskings hide; nothing of how
    # they are made
    assert {module for module in measures if module.startswith(("unmask/evidence/", "unmask/models/"))} == {
        "unmask/evidence/__init__.py",
        # which kinds of models there are
        "unmask/models/__init__.py",
        "unmask/models/detecting.py",
        "unmask/evidence/lists.py",
        "unmask/evidence/schema.py",
        "unmask/evidence/sentences.py",
    }
    assert "unmask/evidence/engine.py" in evidence and "unmask/measures/scoring.py" in measures


@pytest.mark.parametrize("script", analysis_scripts())
def test_analysis_never_imports_torch(script: str) -> None:
    for path in digests.files_of(SCRIPTS / script):
        assert not re.search(r"^\s*(import|from) (torch|transformers)\b", path.read_text(), re.MULTILINE), (
            path
        )


def test_no_import_is_hidden_from_the_digest() -> None:
    for path in SCRIPTS.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{path}: line {node.lineno}: a relative import"
            if isinstance(node, ast.Name):
                assert node.id not in ("__import__", "exec", "eval"), f"{path}: line {node.lineno}: {node.id}"


def digests_in_rules() -> list[tuple[str, str, list[str]]]:
    """For each digest that a rule makes: its file, the function, and what this is given of the modules.

    Of code() the script and the modules; of presents() the family, its sections and the modules.
    """
    order = ("family", "inputs", "files", "sections", "settings", "modules")
    calls = []
    for file in sorted(RULES.rglob("*.smk")):
        for match in re.finditer(r"(?<!def )\b(code|presents)\(", file.read_text()):
            call = ast.parse(_whole_call(file.read_text()[match.start(1) :]), mode="eval").body
            assert isinstance(call, ast.Call)
            arguments = [ast.unparse(argument) for argument in call.args]
            if match[1] == "presents":
                named = dict(zip(order, arguments, strict=False))
                named |= {str(key.arg): ast.unparse(key.value) for key in call.keywords}
                arguments = [named["family"], named.get("sections", "[]"), named.get("modules", "()")]
            # in the definition of another
            if "script" not in arguments and "'present.py'" not in arguments:
                calls.append((file.name, match[1], arguments))
    return calls


def _whole_call(text: str) -> str:
    depth = 0
    for place, sign in enumerate(text):
        depth += {"(": 1, ")": -1}.get(sign, 0)
        if sign == ")" and depth == 0:
            return text[: place + 1]
    raise AssertionError(text)


@pytest.mark.parametrize(("file", "function", "given"), digests_in_rules())
def test_rules_name_the_modules_that_their_scripts_load_by_name(
    file: str, function: str, given: list[str]
) -> None:
    loader = SCRIPTS / "unmask/plugins.py"
    if function == "code":
        files = digests.files_of(SCRIPTS / ast.literal_eval(given[0]))
        assert len(given) > 1 or loader not in files
    else:
        # the sections themselves are what present.py loads, where the family has a module for them
        family, names, *modules = given
        if all(each == "()" for each in modules):
            folder = f"{ast.literal_eval(family)}/sections"
            sections = [SCRIPTS / module_file(folder, name) for name in ast.literal_eval(names)]
            assert not any(loader in digests.files_of(each) for each in sections if each.is_file())


def test_rules_that_make_models_depend_on_what_a_manifest_says() -> None:
    making = set()
    for file in RULES.glob("*.smk"):
        for rule in re.split(r"\n(?=(?:use )?rule )", file.read_text()):
            script = re.search(r"scripts/(\w+\.py)", rule)
            if script and MANIFEST in digests.files_of(SCRIPTS / script[1]):
                making.add(script[1])
                # fine_tune.py is without a manifest in the rule whose model is not kept
                assert "about_model(" in rule or "saved=False" in rule, rule
    assert making == {"check_model.py", "fine_tune.py", "make_model.py"}


def test_a_file_of_resources_that_a_module_names_counts(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(digests, "workflow_root", lambda: library)
    words = library / "resources/words.yaml"
    words.parent.mkdir()
    (library / "unmask" / "tables.py").write_text('A = "resources/words.yaml", "resources/none.yaml"\n')
    seen = []
    for content in ("a: 1\n", "a: 2\n"):
        words.write_text(content)
        seen.append(digest(library))
    assert len({*seen}) == 2
