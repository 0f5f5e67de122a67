"""Evidence: a table for each variant of the sentences and each masking."""

import gc
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unmask.errors import InputError
from unmask.evidence.cache import cached, discard
from unmask.evidence.earlier import Table, are_valid, valid_codes
from unmask.evidence.origin import SOURCE_KEYS
from unmask.evidence.reading_job import ReadingJob
from unmask.evidence.schema import EVIDENCE, LIKELIEST
from unmask.evidence.streaming import Likeliest, whole_facts, write_evidence
from unmask.models.loading import load
from unmask.terms import NONE


@dataclass(frozen=True)
class _Output:
    """The evidence of a variant under a masking, with the likeliest tokens where the study keeps them."""

    variant: str
    masking: str
    seed: int | None
    paths: list[Path]
    likeliest: Likeliest | None
    facts: dict[str, Any]

    def is_cached(self, job: ReadingJob) -> bool:
        """Whether all its tables are in the cache; their facts are then brought up to date."""
        facts = whole_facts(job.pairs, self.facts, self.likeliest)
        tables = map(Table, self.paths, (EVIDENCE, LIKELIEST), facts)
        return are_valid(tables, valid_codes(self.masking, job.surveyed))


def read(job: ReadingJob, settings: Mapping[str, Any], outputs: Mapping[str, Any]) -> list[Path]:
    """Read every variant of the settings under every masking whose tables are not in the cache.

    settings: by variant, `code` (a digest by masking), `seed` (of shuffled sentences) and `top` (how many of
    the likeliest tokens are kept beside the evidence). Raises InputError as `write_evidence` does.
    """
    tables = [
        _output(job, variant, masking, code, of_variant, outputs)
        for variant, of_variant in settings.items()
        for masking, code in of_variant["code"].items()
    ]
    missing = [table for table in tables if not table.is_cached(job)]
    for table in missing:
        for path in table.paths:
            discard(path)
    # attention maps are read where nothing is hidden, and cost time elsewhere
    for with_attention in (True, False):
        alike = [table for table in missing if (table.masking == NONE) == with_attention]
        if alike:
            _write(job, alike, with_attention)
            # the network has reference cycles: two would be in memory while the next is loaded
            gc.collect()
    return [path for table in tables for path in table.paths]


def _output(
    job: ReadingJob,
    variant: str,
    masking: str,
    code: str,
    settings: Mapping[str, Any],
    outputs: Mapping[str, Any],
) -> _Output:
    name = f"{variant}_{masking}".replace("-", "_")
    paths, likeliest = [Path(outputs[name])], None
    if settings["top"]:
        paths.append(Path(outputs[f"{name}_top"]))
        likeliest = Likeliest(cached(paths[-1]), settings["top"])
    entry = job.manifest["entry"]
    facts = {
        **job.names,
        "variant": variant,
        "masking": masking,
        "shuffle_seed": settings["seed"],
        **job.shared_facts,
        "unknown_tokens": job.surveyed.facts,
        "model_source": {key: entry[key] for key in SOURCE_KEYS if key in entry},
        **job.record(code, "torch", "transformers", "tokenizers", "pyarrow"),
    }
    return _Output(variant, masking, settings["seed"], paths, likeliest, facts)


def _write(job: ReadingJob, tables: list[_Output], with_attention: bool) -> None:
    model = load(job.manifest["directory"], job.device, with_attention, job.stack, job.dtype, start=job.start)
    for table in tables:
        try:
            write_evidence(
                cached(table.paths[0]),
                job.pairs,
                model,
                table.masking,
                table.variant,
                table.seed or 0,
                job.manifest["max_length"],
                table.facts,
                # Snakemake has a display of its own
                bar=False,
                likeliest=table.likeliest,
            )
        except InputError as error:
            raise job.with_names(error) from None
