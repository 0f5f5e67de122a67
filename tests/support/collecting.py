"""Evidence of a model on a Pairs table, without a job."""

import pandas as pd

from unmask.evidence.collecting import Wanted, evidence_of
from unmask.evidence.sentences import MASKINGS
from unmask.evidence.tokenising import tokenise
from unmask.models.loading import LoadedModel


def collect_evidence(
    pairs: pd.DataFrame,
    model: LoadedModel,
    masking: str,
    variant: str,
    shuffle_seed: int = 0,
    max_length: int | None = None,
) -> pd.DataFrame:
    """The rows under a masking. Raises InputError as `tokenise` and `evidence_of` do."""
    sentences = tokenise(pairs, model.tokenizer, max_length, MASKINGS[masking].roles)
    return evidence_of(sentences, model, Wanted(variant, masking, shuffle_seed))[0]
