"""The captions of regional bias, with what the tables say of themselves."""

from collections.abc import Mapping
from typing import Any

from unmask.loading import shared_facts
from unmask.report.captions import Captions, load_captions
from unmask.tables import read_metadata


def captions_of(files: Mapping[str, Any], settings: Mapping[str, Any]) -> Captions:
    """The captions with what they name filled in, from settings and from what the tables say of themselves.

    files: captions, scores, likelihoods, planted; settings: alpha, confidence, word.
    """
    facts = shared_facts(files["scores"], "draws", "resamples")
    planted = read_metadata(files["planted"]) if files.get("planted") else {}
    template = shared_facts(files.get("likelihoods") or [], "template").get("template")
    return load_captions(
        files["captions"],
        alpha=f"{settings['alpha']:g}",
        confidence=f"{100 * settings['confidence']:g}",
        draws=str(facts.get("draws", 0)),
        resamples=str(facts.get("resamples", 0)),
        template=str(template or ""),
        word=str(settings.get("word") or ""),
        planted_alpha=f"{planted.get('alpha', settings['alpha']):g}",
    )
