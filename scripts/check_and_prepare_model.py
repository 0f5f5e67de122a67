"""Check that a model uses all of its checkpoint; then check the rest of it, and write its manifest.

The manifest says the code of prepare_model.py, which is all that its content depends on, and the rule is run
again for that alone. So another check is for models that are new or changed: nothing that was made with the
others is made anew.
"""

import runpy  # noqa: TID251  the rule has the digest of what is run
from pathlib import Path
from typing import TYPE_CHECKING

from unmask.given import unchanged
from unmask.joblog import job_log
from unmask.models.unused import check_all_used

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input), unchanged(snakemake.params.given):
    check_all_used(snakemake.params.directory, snakemake.params.entry["kind"], snakemake.params.name)
runpy.run_path(str(Path(__file__).with_name("prepare_model.py")), init_globals={"snakemake": snakemake})
