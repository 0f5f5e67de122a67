"""SentenceDebias and INLP: what they find; folded into a head it is what projecting by hand gives."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoModelForMaskedLM, AutoTokenizer

from tiny_models import tiny_model
from unmask.debiasing.inputs import Base, Texts
from unmask.debiasing.methods import inlp, sentence_debias
from unmask.debiasing.projecting import fold, removing
from unmask.errors import InputError
from unmask.gendered_words import WordPairs
from unmask.models.devices import pick_device
from unmask.models.directory import PROJECTION
from unmask.models.kinds.masked_lm import check

CPU = pick_device("cpu")
PAIRS = WordPairs((("she", "he"), ("her", "his"), ("mother", "father"), ("woman", "man")))
KNOWN = (
    "bert",
    "roberta",
    "albert",
    "distilbert",
    "electra",
    "xlm-roberta",
    "mpnet",
    "modernbert",
    "deberta-v2",
)
VERBS = ("helped", "loved", "wanted", "needed", "looked", "worked", "lived", "cared")
PLACES = ("home", "school", "office", "hospital", "store", "street")


def made_texts(folder: Path, words: WordPairs = PAIRS, held_out: int = 0) -> Texts:
    lines = [
        f"{who} {verb} in the {place}"
        for verb in VERBS
        for place in PLACES
        for who in ("she", "he", "the woman", "his father")
    ]
    path = folder / "lines.txt"
    path.write_text("".join(f"{line}\n" for line in lines))
    return Texts(path, held_out, None, words, ())


def entry(method: str, **options: Any) -> dict[str, Any]:
    keys = {"source": "debiased", "from": "base", "method": method, "reading": "corrected", "seed": 0}
    return keys | {"training": {"max_length": 64}, "options": options}


def random_projection(width: int, rank: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    return removing(np.random.default_rng(0).normal(size=(width - rank, width)))


def test_a_projection_removes_its_directions_and_nothing_else() -> None:
    rng = np.random.default_rng(0)
    directions = rng.normal(size=(3, 8))
    # two that depend on the others
    projection = removing(np.vstack([directions, directions[0] - directions[1], 0 * directions[0]]))
    assert np.allclose(projection @ directions.T, 0) and np.allclose(projection @ projection, projection)
    assert np.allclose(projection, projection.T) and round(np.trace(projection)) == 5
    other = np.linalg.svd(directions)[2][3:]
    assert np.allclose(other @ projection, other)
    with pytest.raises(InputError, match="takes away all 8 dimensions"):
        removing(rng.normal(size=(9, 8)))


@pytest.mark.parametrize("architecture", KNOWN)
@torch.no_grad()
def test_folded_is_projected_by_hand(architecture: str, tmp_path: Path) -> None:
    directory = tiny_model(architecture, tmp_path / "m")
    folded, plain = (AutoModelForMaskedLM.from_pretrained(directory).eval() for _ in range(2))
    projection = random_projection(32, 20)
    ids = torch.tensor([AutoTokenizer.from_pretrained(directory)("The nurse said she knew.")["input_ids"]])
    before = plain(input_ids=ids).logits
    fold(folded, projection)

    def by_hand(_: Any, __: Any, output: Any) -> Any:
        output.last_hidden_state = output.last_hidden_state @ torch.from_numpy(projection).float()
        return output

    plain.base_model.register_forward_hook(by_hand)
    expected, logits = plain(input_ids=ids).logits, folded(input_ids=ids).logits
    assert torch.allclose(logits, expected, rtol=1e-5, atol=1e-5)
    assert not torch.allclose(before, expected, atol=1e-2)


def test_a_head_that_is_not_known_is_one_line(tmp_path: Path) -> None:
    model = AutoModelForMaskedLM.from_pretrained(tiny_model("bart", tmp_path / "bart"))
    with pytest.raises(
        InputError, match="the head for masked words of bart does not begin with a dense layer"
    ):
        fold(model, random_projection(32, 20))


def embedding(model: Any, tokenizer: Any, text: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Slowly: one sentence by itself."""
    ids = torch.tensor([tokenizer(text)["input_ids"]])
    with torch.no_grad():
        mean: np.ndarray[Any, np.dtype[np.float64]]
        mean = model.base_model(input_ids=ids).last_hidden_state[0].double().mean(0).numpy()
    return mean


@pytest.mark.parametrize("architecture", ["bert", "roberta"])
def test_sentence_debias_removes_the_first_component(architecture: str, tmp_path: Path) -> None:
    base, texts = Base(tiny_model(architecture, tmp_path / "base"), 128), made_texts(tmp_path, held_out=8)
    stated = entry("sentence-debias", components=2)
    facts = sentence_debias.debias(base, texts, stated, tmp_path / "x", tmp_path, CPU)
    assert (facts["pairs"], facts["components"], facts["rank"]) == (184, 2, 30)
    model = AutoModelForMaskedLM.from_pretrained(base.directory).eval()
    tokenizer = AutoTokenizer.from_pretrained(base.directory)
    swaps = {"she": "he", "he": "she", "his": "her", "woman": "man", "father": "mother"}
    differences = []
    for line in texts.lines.read_text().splitlines()[8:]:
        swapped = " ".join(swaps.get(word, word) for word in line.split())
        differences.append(embedding(model, tokenizer, line) - embedding(model, tokenizer, swapped))
    table = np.array(differences)
    # slowly: eigenvectors of the second moments
    values, vectors = np.linalg.eigh(table.T @ table)
    assert facts["explained"] == pytest.approx((values[::-1] / values.sum())[:2], rel=1e-4)
    expected = np.eye(32) - vectors[:, -2:] @ vectors[:, -2:].T
    projection = load_file(tmp_path / "x" / PROJECTION)["projection"].numpy()
    assert np.allclose(projection, expected, atol=1e-4)
    made_model = AutoModelForMaskedLM.from_pretrained(tmp_path / "x")
    ours, theirs = (dict(m.named_parameters()) for m in (made_model, model))
    assert [name for name in ours if not torch.equal(ours[name], theirs[name])] == [
        "cls.predictions.transform.dense.weight" if architecture == "bert" else "lm_head.dense.weight"
    ]
    check(tmp_path / "x", "debiased")


def test_genders_that_look_the_same_leave_nothing_to_remove(tmp_path: Path) -> None:
    """Both words of each pair fall to the unknown token."""
    base = Base(tiny_model("bert", tmp_path / "base"), 128)
    texts = made_texts(tmp_path, WordPairs((("ж", "ш"),)))
    texts.lines.write_text("".join(f"{word} {verb} here\n" for verb in VERBS for word in ("ж", "ш")))
    with pytest.raises(InputError, match="have the same embeddings: there is nothing to remove"):
        sentence_debias.debias(base, texts, entry("sentence-debias"), tmp_path / "x", tmp_path, CPU)
    with pytest.raises(InputError, match="as many as by guessing: there is nothing to remove"):
        inlp.debias(base, texts, entry("inlp"), tmp_path / "x", tmp_path, CPU)
    assert not (tmp_path / "x").exists()


def test_sentence_debias_refuses_what_cannot_be(tmp_path: Path) -> None:
    base, texts = Base(tiny_model("bert", tmp_path / "base"), 128), made_texts(tmp_path)
    for method in (sentence_debias, inlp):
        with pytest.raises(InputError, match="has one reading, ours"):
            method.debias(base, texts, entry("x") | {"reading": "published"}, tmp_path / "x", tmp_path, CPU)
    with pytest.raises(InputError, match="components: 33, and sentences differ from their swaps in"):
        sentence_debias.debias(
            base, texts, entry("sentence-debias", components=33), tmp_path / "x", tmp_path, CPU
        )
    none = made_texts(tmp_path, WordPairs((("queen", "king"),)))
    with pytest.raises(InputError, match=r"lines\.txt: no sentence with a word to be swapped"):
        sentence_debias.debias(base, none, entry("sentence-debias"), tmp_path / "x", tmp_path, CPU)
    with pytest.raises(InputError, match="0 sentences with feminine words alone and 0 with masculine"):
        inlp.debias(base, none, entry("inlp"), tmp_path / "x", tmp_path, CPU)


def test_inlp_ends_where_nothing_tells_the_genders(tmp_path: Path) -> None:
    base, texts = Base(tiny_model("bert", tmp_path / "base"), 128), made_texts(tmp_path)
    facts = inlp.debias(base, texts, entry("inlp"), tmp_path / "x", tmp_path, CPU)
    assert facts["accuracy"][0] > 0.7 and facts["accuracy"][-1] <= 0.52
    assert len(facts["accuracy"]) == facts["rounds"] + 1
    assert facts["rank"] == 32 - facts["rounds"]
    projection = load_file(tmp_path / "x" / PROJECTION)["projection"].double().numpy()
    assert np.allclose(projection @ projection, projection, atol=1e-6)
    one = inlp.debias(base, texts, entry("inlp", rounds=1), tmp_path / "one", tmp_path, CPU)
    assert (one["rounds"], one["rank"]) == (1, 31) and len(one["accuracy"]) == 2
    # what was removed stays removed where the model is debiased again
    again = inlp.debias(
        Base(tmp_path / "one", 128), texts, entry("inlp", rounds=1), tmp_path / "two", tmp_path, CPU
    )
    assert (again["rounds"], again["rank"]) == (1, 30)
    assert again["accuracy"][0] == one["accuracy"][1]
    first, both = (load_file(tmp_path / n / PROJECTION)["projection"].numpy() for n in ("one", "two"))
    assert np.allclose(both @ first, both, atol=1e-6)


def test_inlp_refuses_to_remove_all() -> None:
    """Genders that only ever more dimensions tell apart: at the end none is left."""
    rng = np.random.default_rng(0)
    genders = np.repeat([0, 1], 50)

    class Guessing:
        """A classifier that always does better than guessing."""

        def fit(self, left: Any, _: Any) -> "Guessing":
            self.coef_ = left[:1] + rng.normal(size=(1, 4))
            return self

        def score(self, _: Any, __: Any) -> float:
            return 0.9

    with pytest.raises(InputError, match="take away all 4 dimensions"):
        inlp.directions(rng.normal(size=(100, 4)), genders, Guessing, 80, np.empty((0, 4)))


def test_without_scikit_learn_it_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.svm", None)
    base = Base(tmp_path, 128)
    with pytest.raises(InputError, match="INLP needs scikit-learn, which is not installed"):
        inlp.debias(base, made_texts(tmp_path), entry("inlp"), tmp_path / "x", tmp_path, CPU)
