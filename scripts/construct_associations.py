"""Run grounded tests on encoders with hand-set weights, whose every bias is known."""

from typing import TYPE_CHECKING

import torch

import unmask.job_start  # noqa: F401
from unmask.associations.constructed import constructed_table
from unmask.associations.constructed_world import STRENGTH, worlds
from unmask.associations.schema import CONSTRUCTED
from unmask.associations.testing import Options
from unmask.facts import record
from unmask.joblog import job_log
from unmask.models.devices import pick_device
from unmask.tables import write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input):
    params = snakemake.params
    # the networks are too small for more
    torch.set_num_threads(1)
    all_worlds = worlds(STRENGTH)
    options = Options(permutations=params.permutations, seed=params.seed, bootstrap=0)
    rows = constructed_table(all_worlds, options, pick_device("cpu"))
    facts = {
        "worlds": {name: world._asdict() for name, world in all_worlds.items()},
        "strength": STRENGTH,
        "permutations": params.permutations,
        "seed": params.seed,
        "bootstrap": 0,
        **record(snakemake.input, params.code, "numpy", "pandas", "pyarrow", "torch", "transformers"),
    }
    write_table(snakemake.output[0], rows, CONSTRUCTED, facts)
