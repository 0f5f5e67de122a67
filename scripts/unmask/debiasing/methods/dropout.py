"""Dropout debiasing (Webster et al. 2020): training on the corpus with higher rates of dropout."""

from pathlib import Path
from typing import Any

from transformers import AutoConfig, PretrainedConfig

from unmask.debiasing.inputs import Base, Entry, Texts
from unmask.debiasing.masked_training import train_masked
from unmask.debiasing.model_files import load_base, save
from unmask.errors import InputError
from unmask.models.devices import Device
from unmask.terms import CORRECTED

RATES = {"attention": 0.15, "hidden": 0.20}
"""The paper's, where the study states no others."""

_NAMES = {
    "attention": (("attention_probs_dropout_prob",), ("attention_dropout",)),
    "hidden": (("hidden_dropout_prob",), ("mlp_dropout", "embedding_dropout"), ("dropout",)),
}
"""What architectures call them; the first that a configuration has."""


def debias(
    base: Base, texts: Texts, entry: Entry, directory: Path, work: Path, device: Device
) -> dict[str, Any]:
    """Write the model after training with the entry's rates (options attention, hidden) to `directory`.

    published: the rates stay in its configuration, so that it is fine-tuned with them as well, and it has no
    pooler; corrected: its configuration has the base's rates again, and its pooler.
    Raises InputError for an architecture that has no such rates.
    """
    config = AutoConfig.from_pretrained(base.directory, local_files_only=True, trust_remote_code=False)
    rates = {name: rate for kind in RATES for name, rate in _settings(config, kind, entry).items()}
    before = {name: getattr(config, name) for name in rates}
    model = load_base(base, **rates)
    facts = train_masked(model, base, texts, entry, work, device)
    corrected = entry["reading"] == CORRECTED
    if corrected:
        for name, rate in before.items():
            setattr(model.config, name, rate)
    save(model, base, entry, directory, keep_pooler=corrected)
    return facts | {"rates": rates, "rates_before": before}


def _settings(config: PretrainedConfig, kind: str, entry: Entry) -> dict[str, float]:
    rate = entry["options"].get(kind, RATES[kind])
    for names in _NAMES[kind]:
        if all(hasattr(config, name) for name in names):
            return dict.fromkeys(names, rate)
    raise InputError(f"{entry['from']}: a {config.model_type} has no rate of {kind} dropout")
