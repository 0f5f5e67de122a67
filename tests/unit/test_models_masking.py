"""What training hides of sentences, and what of a masked language model runs there alone."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy
from transformers import AutoModelForMaskedLM, PreTrainedModel

from library import IGNORED, Batch, Loss, Masking, loss_at_labels, pick_device
from tiny_models import tiny_config, tiny_tokenizer


@pytest.mark.parametrize("shares", [None, (0.1, 0.7, 0.2), (1.0, 0.0, 0.0), (0.5, 0.0, 0.5)], ids=str)
def test_chosen_tokens_are_masked_kept_and_made_random_by_their_shares(
    shares: tuple[float, float, float] | None,
) -> None:
    """Of all ordinary tokens, and by BERT's shares; or of each by its rate, and by others."""
    tokenizer = tiny_tokenizer("roberta")
    special = torch.tensor(tokenizer.all_special_ids)
    line = tokenizer("the man saw the house and the woman took the car")["input_ids"]
    lines = [line, line[:5]] * 2000
    masking, in_place = Masking.of(tokenizer), torch.tensor([5, 7])
    if shares:
        rates = torch.where(torch.arange(len(masking.rates)) % 2 == 0, masking.rates * 2, masking.rates)
        masking = replace(masking, shares=shares, rates=rates, ordinary=in_place)
    examples = [np.array(ids, np.int32) for ids in lines]
    batch = masking.batch(examples, torch.Generator().manual_seed(0))
    padded = [[*ids, *[tokenizer.pad_token_id] * (len(line) - len(ids))] for ids in lines]
    original, chosen = torch.tensor(padded), batch["labels"] != IGNORED
    assert torch.equal(batch["attention_mask"], (original != tokenizer.pad_token_id).long())
    assert torch.equal(batch["labels"][chosen], original[chosen])
    # what is not chosen is as it was: all special tokens, too, which padding is
    assert torch.equal(batch["input_ids"][~chosen], original[~chosen])
    ordinary, became = ~torch.isin(original, special), batch["input_ids"][chosen]
    assert not (chosen & ~ordinary).any() and not torch.isin(in_place, original).any()
    for odd, rate in enumerate((0.3, 0.15) if shares else (0.15, 0.15)):
        of = ordinary & (original % 2 == odd)
        assert chosen[of].float().mean().item() == pytest.approx(rate, abs=0.01)
    # some 6,000 tokens are chosen: a standard error is 0.007 at most
    masked, kept, random = shares or (0.8, 0.1, 0.1)
    others = became[(became != tokenizer.mask_token_id) & (became != original[chosen])]
    assert (became == tokenizer.mask_token_id).float().mean().item() == pytest.approx(masked, abs=0.02)
    assert (became == original[chosen]).float().mean().item() == pytest.approx(kept, abs=0.02)
    assert len(others) / len(became) == pytest.approx(random, abs=0.02)
    assert not torch.isin(others, special).any()
    assert not shares or sorted(set(others.tolist())) == ([5, 7] if random else [])


@pytest.mark.parametrize(
    "architecture", ["bert", "roberta", "albert", "distilbert", "electra", "mpnet", "modernbert", "bart"]
)
def test_the_loss_at_labels_alone_gives_the_same_gradient(architecture: str) -> None:
    tokenizer = tiny_tokenizer(architecture)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(2)
        model = AutoModelForMaskedLM.from_config(tiny_config(architecture, tokenizer))  # type: ignore[no-untyped-call]
    lines = 3 * ["the doctor took the car .", "she took the old table in the house ."]
    examples = [np.array(ids, np.int32) for ids in tokenizer(lines)["input_ids"]]
    batch = Masking.of(tokenizer).batch(examples, torch.Generator().manual_seed(1))
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
        return cross_entropy(logits.flatten(0, 1), batch["labels"].flatten())

    at_labels = loss_at_labels(model, tokenizer, pick_device("cpu"))
    sizes.clear()
    (loss, plain), (narrow_loss, narrow) = gradient(literal), gradient(at_labels)
    assert narrow_loss == pytest.approx(loss, rel=1e-5)
    assert narrow.keys() == plain.keys()
    for name in plain:
        torch.testing.assert_close(narrow[name], plain[name], rtol=1e-3, atol=1e-5)
    assert sizes == [batch["labels"].numel(), int((batch["labels"] != IGNORED).sum())]
