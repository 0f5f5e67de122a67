"""A study's file says which folder its results lie in, and no two studies share one."""

import shutil
import subprocess
from pathlib import Path

import pytest

from library import InputError, choose_study, results_folder

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", ["../up", "a/b", "", ".", "$(touch x)", "a b"])
def test_a_name_that_is_no_name_of_a_folder(tmp_path: Path, name: str) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(f"study: '{name}'\n")
    with pytest.raises(InputError, match="config key study"):
        results_folder(str(path))


@pytest.mark.parametrize("shipped", ["config.yaml", "configs/paper.yaml"])
def test_a_copy_with_the_name_of_a_study_that_comes_with_unmask(tmp_path: Path, shipped: str) -> None:
    copy = tmp_path / "mine.yaml"
    shutil.copy(ROOT / shipped, copy)
    whole = choose_study({"study": str(ROOT / shipped)}, ROOT, [])
    for config, files in (({"study": str(copy)}, []), (whole, [str(copy)])):
        with pytest.raises(InputError, match=rf"^{copy}: its study is named \w+, as that of {shipped} is"):
            choose_study(config, ROOT, files)
    # the file itself, by whatever path, is no other
    assert choose_study({"study": str(ROOT / "rules/.." / shipped)}, ROOT, [])["study"]


def test_results_lie_where_a_study_says(tmp_path: Path) -> None:
    (tmp_path / "demo.yaml").write_text("study: t1\n")
    assert results_folder(str(tmp_path / "demo.yaml")) == Path("results/t1")
    with pytest.raises(InputError, match=r"nowhere\.yaml: no such file"):
        results_folder("nowhere.yaml")


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
@pytest.mark.parametrize(("target", "command"), [("verify", "verify"), ("clean-evidence", "clean")])
def test_make_hands_the_study_on(target: str, command: str) -> None:
    printed = subprocess.check_output(["make", "-n", target, "STUDY=x/demo.yaml"], cwd=ROOT, text=True)
    # within another make, lines say which folder it enters and leaves
    assert any(line.rstrip().endswith(f"unmask {command} 'x/demo.yaml'") for line in printed.splitlines())
