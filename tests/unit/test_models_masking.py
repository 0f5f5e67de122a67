"""What training hides of sentences, and what of a masked language model runs there alone."""

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy
from transformers import AutoModelForMaskedLM, PreTrainedModel

from library import IGNORED, Batch, Loss, Masking, loss_at_labels, pick_device
from tiny_models import tiny_config, tiny_tokenizer

LINES = [
    f"{who} took the {what} ."
    for who in ("the doctor", "she", "he")
    for what in ("car", "old table in the house")
]


@pytest.mark.parametrize("shares", [(0.6, 0.2, 0.2), (0.1, 0.7, 0.2), (1, 0, 0), (0.5, 0, 0.5)], ids=str)
def test_chosen_tokens_are_masked_kept_and_made_random_by_their_shares(
    shares: tuple[float, float, float],
) -> None:
    # tokens 1 to 3 are chosen at different rates; what is random is none of them
    generator = torch.Generator().manual_seed(0)
    original = torch.randint(1, 4, (2000, 100), generator=generator)
    rates, seen, mask = torch.tensor([0.0, 0.0, 0.1, 0.4]), torch.tensor([5, 7]), 4
    corrupted, chosen = Masking(rates, seen, mask, 0, shares).corrupt(original, generator)
    assert torch.equal(corrupted[~chosen], original[~chosen])
    for token, rate in enumerate(rates.tolist()[1:], start=1):
        assert chosen[original == token].float().mean().item() == pytest.approx(rate, abs=0.01)
    became = corrupted[chosen]
    assert set(became.tolist()) <= {2, 3, 4, 5, 7}
    # some 33,000 tokens are chosen: a standard error is 0.003 at most
    assert (became == mask).float().mean().item() == pytest.approx(shares[0], abs=0.015)
    assert (became == original[chosen]).float().mean().item() == pytest.approx(shares[1], abs=0.015)
    for token in seen.tolist():
        assert (became == token).float().mean().item() == pytest.approx(shares[2] / 2, abs=0.015)


def test_a_seventh_of_the_ordinary_tokens_is_chosen_and_most_of_it_is_hidden() -> None:
    tokenizer = tiny_tokenizer("roberta")
    special = torch.tensor(tokenizer.all_special_ids)
    line = tokenizer("the man saw the house and the woman took the car")["input_ids"]
    lines = [line, line[:5]] * 2000
    examples = [np.array(ids, np.int32) for ids in lines]
    batch = Masking.of(tokenizer).batch(examples, torch.Generator().manual_seed(0))
    padded = [[*ids, *[tokenizer.pad_token_id] * (len(line) - len(ids))] for ids in lines]
    original, chosen = torch.tensor(padded), batch["labels"] != IGNORED
    assert torch.equal(batch["attention_mask"], (original != tokenizer.pad_token_id).long())
    assert torch.equal(batch["labels"][chosen], original[chosen])
    # what is not chosen is as it was: all special tokens, too, which padding is
    assert torch.equal(batch["input_ids"][~chosen], original[~chosen])
    assert not torch.isin(original[chosen], special).any()
    ordinary = ~torch.isin(original, special)
    assert float(chosen.sum() / ordinary.sum()) == pytest.approx(0.15, abs=0.01)
    shown = batch["input_ids"][chosen]
    masked = shown == tokenizer.mask_token_id
    assert float(masked.float().mean()) == pytest.approx(0.8, abs=0.02)
    assert not torch.isin(shown[~masked], special).any()


@pytest.mark.parametrize(
    "architecture", ["bert", "roberta", "albert", "distilbert", "electra", "mpnet", "modernbert", "bart"]
)
def test_the_loss_at_labels_alone_gives_the_same_gradient(architecture: str) -> None:
    tokenizer = tiny_tokenizer(architecture)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(2)
        model = AutoModelForMaskedLM.from_config(tiny_config(architecture, tokenizer))  # type: ignore[no-untyped-call]
    rows = tokenizer(LINES)["input_ids"]
    batch = Masking.of(tokenizer).batch(
        [np.array(ids, np.int32) for ids in rows], torch.Generator().manual_seed(1)
    )
    assert (batch["attention_mask"] == 0).any() and (batch["labels"] != IGNORED).any()
    sizes: list[int] = []
    head = model.get_output_embeddings()
    head.register_forward_pre_hook(lambda module, args: sizes.append(args[0].shape[:-1].numel()))

    def gradient(loss_of: Loss) -> tuple[float, dict[str, Tensor]]:
        model.zero_grad()
        loss = loss_of(model, batch)
        loss.backward()  # type: ignore[no-untyped-call]
        grads = {n: w.grad.clone() for n, w in model.named_parameters() if w.grad is not None}
        return loss.item(), grads

    def literal(model: PreTrainedModel, batch: Batch) -> Tensor:
        logits = model(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"]).logits
        chosen = batch["labels"] != IGNORED
        return cross_entropy(logits[chosen], batch["labels"][chosen])

    at_labels = loss_at_labels(model, tokenizer, pick_device("cpu"))
    sizes.clear()
    loss, plain = gradient(literal)
    narrow_loss, narrow = gradient(at_labels)
    assert narrow_loss == pytest.approx(loss, rel=1e-5)
    assert narrow.keys() == plain.keys()
    for name in plain:
        torch.testing.assert_close(narrow[name], plain[name], rtol=1e-3, atol=1e-5)
    assert sizes == [batch["labels"].numel(), int((batch["labels"] != IGNORED).sum())]
