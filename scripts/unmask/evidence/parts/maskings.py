"""Evidence: a table for each variant of the sentences and each masking."""

import gc
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unmask.errors import InputError
from unmask.evidence.earlier import Table, stand, standing
from unmask.evidence.keeping import forget, kept
from unmask.evidence.likeliest import LIKELIEST
from unmask.evidence.origin import SOURCE
from unmask.evidence.reading import Reading
from unmask.evidence.schema import EVIDENCE
from unmask.evidence.streaming import Likeliest, whole_facts, write_evidence
from unmask.models.loading import load
from unmask.terms import NONE


@dataclass(frozen=True)
class _Wanted:
    """The evidence of a variant under a masking, with the likeliest tokens where the study wants them."""

    variant: str
    masking: str
    seed: int | None
    paths: list[Path]
    likeliest: Likeliest | None
    facts: dict[str, Any]

    def stands(self, reading: Reading) -> bool:
        """Whether all its tables are there; what they say of themselves is then of today."""
        of_each = whole_facts(reading.pairs, self.facts, self.likeliest)
        tables = map(Table, self.paths, (EVIDENCE, LIKELIEST), of_each)
        return stand(tables, standing(self.masking, reading.surveyed))


def read(reading: Reading, wanted: Mapping[str, Any], outputs: Mapping[str, Any]) -> list[Path]:
    """Read every variant that is wanted under every masking of which the tables are not kept.

    wanted: by variant, `code` (a digest by masking), `seed` (of shuffled sentences) and `top` (how many of
    the likeliest tokens are kept beside the evidence). Raises InputError as `write_evidence` does.
    """
    tables = [
        _wanted(reading, variant, masking, code, of, outputs)
        for variant, of in wanted.items()
        for masking, code in of["code"].items()
    ]
    missing = [each for each in tables if not each.stands(reading)]
    for each in missing:
        for path in each.paths:
            forget(path)
    # attention maps are wanted where nothing is hidden, and cost time where it is
    for with_attention in (True, False):
        alike = [each for each in missing if (each.masking == NONE) == with_attention]
        if alike:
            _write(reading, alike, with_attention)
            # its parts refer to each other: there would be two in memory while the next is loaded
            gc.collect()
    return [path for each in tables for path in each.paths]


def _wanted(
    reading: Reading,
    variant: str,
    masking: str,
    code: str,
    of: Mapping[str, Any],
    outputs: Mapping[str, Any],
) -> _Wanted:
    name = f"{variant}_{masking}".replace("-", "_")
    paths, likeliest = [Path(outputs[name])], None
    if of["top"]:
        paths.append(Path(outputs[f"{name}_top"]))
        likeliest = Likeliest(kept(paths[-1]), of["top"])
    entry = reading.manifest["entry"]
    facts = {
        **reading.names,
        "variant": variant,
        "masking": masking,
        "shuffle_seed": of["seed"],
        **reading.made_with,
        "unknown_tokens": reading.surveyed.facts,
        "model_source": {key: entry[key] for key in SOURCE if key in entry},
        **reading.record(code, "torch", "transformers", "tokenizers", "pyarrow"),
    }
    return _Wanted(variant, masking, of["seed"], paths, likeliest, facts)


def _write(reading: Reading, tables: list[_Wanted], with_attention: bool) -> None:
    model = load(reading.manifest["directory"], reading.device, with_attention, reading.stack, reading.dtype)
    for each in tables:
        try:
            write_evidence(
                kept(each.paths[0]),
                reading.pairs,
                model,
                each.masking,
                each.variant,
                each.seed or 0,
                reading.manifest["max_length"],
                each.facts,
                # Snakemake has a display of its own
                bar=False,
                likeliest=each.likeliest,
            )
        except InputError as error:
            raise reading.named(error) from None
