"""What stands outside of digests changes no result, and no result is made of it."""

import ast
import gc
import inspect
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from unmask import code_digest as digests
from unmask.code_digest import PLUMBING, code_digest, files_of
from unmask.evidence.progress import Progress
from unmask.joblog import job_log

SCRIPTS = Path(digests.__file__).resolve().parents[1]

CONTEXT, STATEMENT, EXCEPTION = "in a with statement", "as a statement", "raised or caught"
EXTRA, TOLD, TELLER = "as extra of a log line", "in a log line", "made, handed on or named as a type"

AT_START = "unmask.job_start"
"""What a script imports as a whole, for what it does: the first module of the library."""

MAY_BE_IMPORTED = {
    "unmask.atomic": {"written_whole": CONTEXT, "partial_beside": CONTEXT, "remove_if_abandoned": STATEMENT},
    "unmask.downloads": {"reading_download": CONTEXT},
    "unmask.errors": {"InputError": EXCEPTION, "PassingError": EXCEPTION},
    "unmask.evidence.progress": {"Progress": TELLER},
    AT_START: {},
    "unmask.joblog": {"job_log": CONTEXT, "PROGRESS": EXTRA, "duration": TOLD},
    "unmask.locks": {"locked": CONTEXT},
    "unmask.models.quiet": {"quiet_transformers": CONTEXT},
}
"""What other modules may import of plumbing, and how alone they may use it: never for a value."""

FALLS_BACK = {"results/verifying.py"}
"""Modules that go on after an InputError: problems are listed."""

PACKAGES = {"tqdm", "transformers"}
"""What plumbing imports beside the standard library: a bar of progress, and what is to be quiet."""


def module_name(path: str) -> str:
    return path.removesuffix(".py").replace("/", ".")


class Uses:
    """Faults of a module in its use of plumbing."""

    def __init__(self, source: str) -> None:
        tree = ast.parse(source)
        self.parent = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
        self.faults: list[str] = []
        self.kinds: dict[str, str] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                self._imported(node, [alias.name for alias in node.names])
            elif isinstance(node, ast.ImportFrom) and node.module:
                self._imported(node, [f"{node.module}.{alias.name}" for alias in node.names])
                self._names_imported(node, node.module)
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and node.id in self.kinds and not self._is_so(node):
                self.faults.append(f"line {node.lineno}: {node.id}: only {self.kinds[node.id]}")

    def _imported(self, node: ast.stmt, modules: list[str]) -> None:
        whole = sorted(set(modules) & {module_name(path) for path in PLUMBING} - {AT_START})
        self.faults += [f"line {node.lineno}: {module}: as a whole" for module in whole]

    def _names_imported(self, node: ast.ImportFrom, module: str) -> None:
        elsewhere = {name for names in MAY_BE_IMPORTED.values() for name in names}
        for alias in node.names:
            if module in MAY_BE_IMPORTED and alias.name in MAY_BE_IMPORTED[module]:
                self.kinds[alias.asname or alias.name] = MAY_BE_IMPORTED[module][alias.name]
            elif module in MAY_BE_IMPORTED:
                self.faults.append(f"line {node.lineno}: {alias.name} of {module}: not to be imported")
            elif module.partition(".")[0] == "unmask" and alias.name in elsewhere:
                self.faults.append(f"line {node.lineno}: {alias.name}: by way of {module}")

    def _above(self, node: ast.AST) -> Iterator[ast.AST]:
        while node in self.parent:
            node = self.parent[node]
            yield node

    def _is_so(self, node: ast.Name) -> bool:
        kind, above = self.kinds[node.id], self.parent[node]
        call = above if isinstance(above, ast.Call) and above.func is node else None
        of_call = self.parent[call] if call else None
        if kind == CONTEXT:
            entered = isinstance(of_call, ast.Call) and "enter_context" in _names(of_call.func)
            return isinstance(of_call, ast.withitem) or entered
        if kind == STATEMENT:
            return isinstance(of_call, ast.Expr)
        if kind == EXTRA:
            return isinstance(above, ast.keyword) and above.arg == "extra" and self._is_told(above)
        if kind == TOLD:
            return call is not None and self._is_told(call)
        if kind == TELLER:
            return call is not None or self._is_type(node)
        return self._is_exception(node, call)

    def _is_told(self, node: ast.AST) -> bool:
        """Whether a node is part of a call of the logger whose value nobody has."""
        return any(
            isinstance(above, ast.Call)
            and isinstance(above.func, ast.Attribute)
            and isinstance(above.func.value, ast.Name)
            and above.func.value.id == "logger"
            and isinstance(self.parent[above], ast.Expr)
            for above in self._above(node)
        )

    def _is_type(self, node: ast.AST) -> bool:
        below = node
        for above in self._above(node):
            annotations = (getattr(above, field, None) for field in ("annotation", "returns"))
            if any(below is annotation for annotation in annotations):
                return True
            below = above
        return False

    def _is_exception(self, node: ast.Name, call: ast.Call | None) -> bool:
        place = self.parent[call or node]
        if isinstance(place, ast.Raise | ast.Return if call else ast.Raise):
            return True
        if call:
            return False
        if isinstance(place, ast.Tuple):
            place = self.parent[place]
        if isinstance(place, ast.keyword):
            return place.arg == "raises"
        told_apart = isinstance(place, ast.Call) and {"suppress", "isinstance"} & _names(place.func)
        return bool(told_apart) or isinstance(place, ast.ExceptHandler | ast.ClassDef) or self._is_type(node)


def _names(function: ast.expr) -> set[str | None]:
    """What a function or method is called by."""
    return {getattr(function, "id", None), getattr(function, "attr", None)}


def others() -> list[Path]:
    """The scripts, and the modules that are in digests."""
    plumbing = {SCRIPTS / path for path in PLUMBING}
    return sorted(set(SCRIPTS.rglob("*.py")) - plumbing)


def relative(path: Path) -> str:
    return path.relative_to(SCRIPTS).as_posix()


def test_nothing_of_plumbing_is_imported_for_a_value() -> None:
    found = {relative(path): Uses(path.read_text()) for path in others()}
    assert {path: uses.faults for path, uses in found.items() if uses.faults} == {}
    # it has seen every way of using it
    assert {kind for uses in found.values() for kind in uses.kinds.values()} == {
        *(CONTEXT, STATEMENT, EXCEPTION, EXTRA, TOLD, TELLER)
    }


def modules_of(path: Path) -> list[str]:
    """What a file imports of this library, in order."""
    names: list[str] = []
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.append(node.module)
    return [name for name in names if name.partition(".")[0] == "unmask"]


def test_every_script_of_a_job_turns_the_collector_off_before_it_imports_the_library() -> None:
    jobs = [path for path in SCRIPTS.glob("*.py") if "unmask.joblog" in modules_of(path)]
    assert jobs
    assert [path.name for path in jobs if modules_of(path)[0] != AT_START] == []


def test_the_library_itself_never_turns_the_collector_off() -> None:
    modules = [path for path in SCRIPTS.rglob("*.py") if path.parent != SCRIPTS]
    assert modules
    assert [relative(path) for path in modules if AT_START in digests._module(path).names] == []


@pytest.mark.parametrize(
    "source",
    [
        "from unmask.errors import LONGEST",
        "from unmask.atomic import why_not_written",
        "from unmask import joblog",
        "from unmask.evidence import progress",
        "import unmask.locks",
        "from unmask.tables import written_whole",
        "from unmask.joblog import duration\ntold = duration(3)",
        "from unmask.joblog import duration\nx = logger.handle(duration(3))",
        "from unmask.joblog import PROGRESS\nx = dict(PROGRESS)",
        "from unmask.errors import InputError\ntext = str(InputError('a'))",
        "from unmask.errors import InputError as E\nx = [E]",
        "from unmask.atomic import written_whole\nmanager = written_whole('a')",
        "from unmask.atomic import remove_if_abandoned\nx = remove_if_abandoned('a')",
        "from unmask.evidence.progress import Progress\nx = Progress.speed",
    ],
)
def test_a_use_for_a_value_is_found(source: str) -> None:
    assert len(Uses(source).faults) == 1


def test_what_is_used_without_its_value_is_not_found() -> None:
    source = """
from unmask.atomic import remove_if_abandoned, written_whole
from unmask.errors import InputError
from unmask.evidence.progress import Progress
from unmask.joblog import PROGRESS, duration

def f(progress: Progress | None) -> InputError:
    with written_whole("a") as partial, suppress(OSError, InputError):
        logger.info("%s", duration(1.0), extra=PROGRESS)
    remove_if_abandoned("a")
    made = Progress(1.0)
    try:
        stack.enter_context(written_whole("b"))
    except (OSError, InputError):
        raise InputError("c") from None
    return InputError("d")
"""
    assert Uses(source).faults == []


def test_a_job_collects_garbage_again_but_nothing_that_was_imported(tmp_path: Path) -> None:
    program = f"""
import gc
import unmask.job_start
import unmask.tables
from unmask.joblog import job_log
assert not gc.isenabled() and gc.get_freeze_count() == 0
with job_log({str(tmp_path / "job.log")!r}):
    assert gc.isenabled() and gc.get_freeze_count() > 10_000
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_program_that_collects_garbage_is_left_as_it_is(tmp_path: Path) -> None:
    before = gc.get_freeze_count()
    with job_log(tmp_path / "job.log"):
        assert gc.isenabled() and gc.get_freeze_count() <= before


def test_every_module_of_plumbing_is_there_and_says_what_may_be_imported() -> None:
    assert {module_name(path) for path in PLUMBING} == set(MAY_BE_IMPORTED)
    assert not [path for path in PLUMBING if not (SCRIPTS / path).is_file()]


@pytest.mark.parametrize("path", sorted(PLUMBING))
def test_plumbing_imports_plumbing_alone(path: str) -> None:
    names = set(digests._module(SCRIPTS / path).names)
    own = {name for name in names if name.partition(".")[0] == "unmask"}
    assert {SCRIPTS / path, *files_of(SCRIPTS / path)} <= {
        *(SCRIPTS / each for each in PLUMBING),
        # packages, which hold nothing
        SCRIPTS / "unmask/__init__.py",
    }
    tops = {name.partition(".")[0] for name in names - own}
    assert tops <= PACKAGES | (set(sys.stdlib_module_names) - {"random"})


@pytest.mark.parametrize("path", sorted(PLUMBING))
def test_what_plumbing_gives_others_is_no_value(path: str) -> None:
    """Context managers give nothing, or the name that a file has until it is whole; functions nothing."""
    kinds = MAY_BE_IMPORTED[module_name(path)]
    given = {CONTEXT: {"Iterator[None]", "Iterator[Path]"}, STATEMENT: {"None"}, TOLD: {"str"}}
    found = {
        node.name: ast.unparse(node.returns)
        for node in ast.parse((SCRIPTS / path).read_text()).body
        if isinstance(node, ast.FunctionDef) and node.name in kinds and node.returns
    }
    assert set(found) == {name for name, kind in kinds.items() if kind in given}
    assert not [name for name, returns in found.items() if returns not in given[kinds[name]]]


def test_progress_tells_and_gives_no_value() -> None:
    public = {name: value for name, value in vars(Progress).items() if not name.startswith("_")}
    assert {
        name: inspect.signature(value).return_annotation for name, value in public.items()
    } == dict.fromkeys(("add", "close", "say", "skip"))
    progress = Progress(1.0)
    assert not [name for name in vars(progress) if not name.startswith("_")]


def handlers(path: Path) -> Iterator[ast.ExceptHandler]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ExceptHandler) and node.type and "InputError" in ast.unparse(node.type):
            yield node


def goes_on(body: list[ast.stmt]) -> bool:
    """Whether anything comes after these statements."""
    last = body[-1]
    if isinstance(last, ast.With):
        return goes_on(last.body)
    ends = isinstance(last, ast.Expr) and ast.unparse(last).startswith("sys.exit(")
    return not (ends or isinstance(last, ast.Raise))


def test_an_input_error_ends_a_job_and_decides_no_result() -> None:
    going_on = {
        relative(path).removeprefix("unmask/")
        for path in others()
        if any(goes_on(handler.body) for handler in handlers(path))
    }
    assert going_on == FALLS_BACK
    assert sum(1 for path in others() for _ in handlers(path)) > 20


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("copy") / "scripts"
    shutil.copytree(SCRIPTS, folder, ignore=shutil.ignore_patterns("*.egg-info"))
    return folder


def all_digests(folder: Path) -> dict[str, str]:
    for cached in (digests._module, digests._imports, digests._module_files):
        cached.cache_clear()
    return {path.name: code_digest(path) for path in sorted(folder.glob("*.py"))}


@pytest.fixture
def before(copy: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    monkeypatch.setattr(digests, "LIBRARY", copy / "unmask")
    yield all_digests(copy)
    for cached in (digests._module, digests._imports, digests._module_files):
        cached.cache_clear()


def reaching(folder: Path, module: str) -> set[str]:
    return {path.name for path in folder.glob("*.py") if folder / module in files_of(path)}


@pytest.mark.parametrize("module", sorted(PLUMBING))
def test_editing_plumbing_changes_no_digest(copy: Path, before: dict[str, str], module: str) -> None:
    path = copy / module
    assert reaching(copy, module)
    whole = path.read_text()
    path.write_text(f"{whole}\nEDITED = True\n")
    after = all_digests(copy)
    path.write_text(whole)
    assert before and after == before


def test_turning_the_collector_off_changes_no_digest(copy: Path, before: dict[str, str]) -> None:
    """A script that starts so is not another one: no job is redone for it."""
    path = copy / "score_oracle.py"
    whole = path.read_text()
    path.write_text(whole.replace(f"import {AT_START}", "", 1))
    after = all_digests(copy)
    path.write_text(whole.replace(f"import {AT_START}", "import unmask.files", 1))
    elsewhere = all_digests(copy)
    path.write_text(whole)
    assert f"import {AT_START}" in whole and after == before
    assert elsewhere != before


@pytest.mark.parametrize(
    "module", ["unmask/files.py", "unmask/tables.py", "unmask/facts.py", "unmask/input_digests.py"]
)
def test_editing_what_gives_values_changes_digests(copy: Path, before: dict[str, str], module: str) -> None:
    path = copy / module
    whole = path.read_text()
    path.write_text(f"{whole}\nEDITED = True\n")
    after = all_digests(copy)
    path.write_text(whole)
    reached = reaching(copy, module)
    assert reached and {name for name in before if after[name] != before[name]} == reached
