"""What training a masked language model does to the tokens that it is to predict."""

import torch
from torch import Tensor


def corrupt(
    original: Tensor,
    rates: Tensor,
    seen: Tensor,
    mask_id: int,
    shares: tuple[float, float, float],
    generator: torch.Generator,
) -> tuple[Tensor, Tensor]:
    """BERT's corruption: some tokens are chosen; of these some are masked, some kept, the others made random.

    rates: of each token id, how often it is chosen; shares: of the chosen ones that are masked, kept and made
    random. Random tokens are uniform over `seen`. Returns the corrupted ids and what is chosen, both of the
    shape of `original`.
    """
    masked, kept, _ = shares
    chosen = torch.rand(original.shape, generator=generator) < rates[original]
    fate = torch.rand(original.shape, generator=generator)
    corrupted = torch.where(chosen & (fate < masked), mask_id, original)
    random = seen[torch.randint(len(seen), original.shape, generator=generator)]
    return torch.where(chosen & (fate >= masked + kept), random, corrupted), chosen
