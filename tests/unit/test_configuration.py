"""Which file is the study: chosen by one word, read strictly, never merged with another."""

from pathlib import Path

import pytest

from library import InputError, choose_study, read_config

ROOT = Path(__file__).resolve().parents[2]


def test_a_name_that_is_given_twice_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "twice.yaml"
    path.write_text("models:\n  a: {source: hub}\n  b: {source: hub}\n  a: {source: path}\n")
    with pytest.raises(InputError, match=r"twice.yaml: the key 'a' is there twice, in lines 2 and 4"):
        read_config(path)


def test_a_name_that_is_given_twice_in_json_is_an_error_too(tmp_path: Path) -> None:
    path = tmp_path / "twice.json"
    path.write_text('{"models": {"a": {},\n "a": {}}}')
    with pytest.raises(InputError, match=r"twice.json: the key 'a' is there twice, in lines 1 and 2"):
        read_config(path)


BAD = {
    "broken": b"a: [1",
    "list": b"- 1\n- 2\n",
    "empty": b"",
    "text": b"words",
    "latin-1": b"study: caf\xe9",
    "zero": b"\0",
    "two": b"a: 1\n---\nb: 2",
    "tag": b"a: !!python/object:os.system x",
    "no date": b"a: 2020-13-45",
    "no timestamp": b"a: !!timestamp x",
    "no truth": b"a: !!bool x",
    "key": b"? [1, 2]\n: 3",
    "deep": b"[" * 500,
}


@pytest.mark.parametrize("bad", BAD)
def test_files_that_hold_no_configuration_are_named(tmp_path: Path, bad: str) -> None:
    path = tmp_path / "bad.yaml"
    path.write_bytes(BAD[bad])
    with pytest.raises(InputError, match=r"bad\.yaml: [^\n]+$"):
        choose_study({"study": str(path)}, ROOT, [])


def test_files_that_are_not_there_are_named(tmp_path: Path) -> None:
    for path, why in ((tmp_path / "none.yaml", "no such file"), (tmp_path, r"cannot be read \(Is a dir")):
        with pytest.raises(InputError, match=f"^{path}: {why}"):
            read_config(path)


def test_a_key_that_a_merge_brings_in_may_be_given_anew(tmp_path: Path) -> None:
    path = tmp_path / "merged.yaml"
    path.write_text("base: &b {k: 0}\nx: {y: &a {<<: *b, k: 1}}\nz: {<<: *a}\n")
    assert read_config(path) == {"base": {"k": 0}, "x": {"y": {"k": 1}}, "z": {"k": 1}}


def test_a_study_may_be_the_path_of_its_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("study: its-own\nstatistics: {alpha: 0.05}\n")
    given = {"study": str(path), "statistics": {"confidence": 0.9}, "data": "d"}
    assert choose_study(given, ROOT, []) == {
        "study": "its-own",
        "statistics": {"alpha": 0.05, "confidence": 0.9},
        "data": "d",
    }


@pytest.mark.parametrize("name", ["x" * 5000, 5, None, ["demo"], "../config", ".yaml", "\0"])
def test_no_name_of_a_study_is_more_than_a_line(name: object) -> None:
    with pytest.raises(InputError, match=r"^[^\n]+$"):
        choose_study({"study": name}, ROOT, [])


def test_one_word_chooses_a_study_and_never_mixes_it_with_another() -> None:
    assert set(choose_study({}, ROOT, [])["models"]) == {"oracle", "tiny-bert", "tiny-albert"}
    assert choose_study({"study": "demo"}, ROOT, []) == choose_study({}, ROOT, [])
    paper = choose_study({"study": "paper"}, ROOT, [])
    assert set(paper["models"]) == {"bert-base-cased", "roberta-large", "albert-large-v2"}
    with pytest.raises(
        InputError,
        match=r"there is no configs/papr\.yaml "
        r"\(did you mean paper\? known: associations, debiasing, debiasing-local, "
        r"debiasing-steps, decoders, decoders-local, demo, families, languages, local, paper, paper-scores, "
        r"regional\)",
    ):
        choose_study({"study": "papr"}, ROOT, [])


def test_the_paper_has_a_study_without_corpora_that_is_the_same_otherwise() -> None:
    paper, scores = (choose_study({"study": name}, ROOT, []) for name in ("paper", "paper-scores"))
    assert set(paper.pop("corpora")) == {"wikipedia", "bookcorpus"}
    for study in (paper, scores):
        del study["study"], study["title"]
    assert scores == paper


def test_the_command_line_overrides_single_keys() -> None:
    config = choose_study({"study": "paper", "statistics": {"alpha": 0.05}}, ROOT, [])
    assert config["statistics"] == {"alpha": 0.05}
    assert len(config["models"]) == 3


def test_a_file_given_whole_is_the_study_and_two_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("study: mine\nmodels: {}\nbenchmarks: {}\n")
    given = {"study": "mine", "models": {}, "benchmarks": {}, "data": "here"}
    assert choose_study(given, ROOT, [str(path)]) == given
    with pytest.raises(InputError, match=r"a study is one file: give --configfile .*mine\.yaml or "):
        choose_study(given, ROOT, [str(path), str(ROOT / "configs/paper.yaml")])
    with pytest.raises(InputError, match=r"config key study: paper is not the study of .*mine\.yaml, mine"):
        choose_study({**given, "study": "paper"}, ROOT, [str(path)])


def test_a_file_that_only_chooses_is_no_study_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("study: paper\ndata: here\n")
    given = {"study": "paper", "data": "here"}
    assert choose_study(given, ROOT, [str(path)]) == choose_study(given, ROOT)
    # as the command line has it, which comes after the file
    local = choose_study({**given, "study": "local"}, ROOT, [str(path)])
    assert local == {**read_config(ROOT / "configs/local.yaml"), "data": "here"}
    # what chooses none is a study of nothing, which has an error of its own
    path.write_text("study: mine\n")
    assert choose_study({"study": "mine"}, ROOT, [str(path)]) == {"study": "mine"}


def test_a_module_is_given_a_whole_study_or_what_chooses_one(tmp_path: Path) -> None:
    whole = {"study": "mine", "models": {"a": {"source": "oracle"}}, "worlds": {}}
    # the files are those of the other workflow
    other = tmp_path / "other.yaml"
    other.write_text("samples: samples.tsv\n")
    files = [str(other), str(other)]
    chosen = choose_study(whole, ROOT, files, as_module=True)
    assert chosen == whole and chosen is not whole and chosen["models"] is not whole["models"]
    assert choose_study({}, ROOT, files, as_module=True) == choose_study({}, ROOT)
    choices: list[dict[str, object]] = [
        {"study": "paper"},
        {"study": "paper", "statistics": {"alpha": 0.05}},
        {"data": "here"},
    ]
    for given in choices:
        assert choose_study(given, ROOT, files, as_module=True) == choose_study(given, ROOT)
    path = tmp_path / "file.yaml"
    path.write_text("study: filed\nmodels: {}\n")
    filed = {"study": str(path), "measures": ["AUL"]}
    assert choose_study(filed, ROOT, files, as_module=True) == {
        "study": "filed",
        "models": {},
        "measures": ["AUL"],
    }
    # what only chooses has to choose one that is there
    with pytest.raises(InputError, match=r"there is no configs/papr\.yaml \(did you mean paper"):
        choose_study({"study": "papr", "data": "here"}, ROOT, as_module=True)
