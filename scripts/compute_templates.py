"""Test what one model makes of the templates of one test: LPBS or DisCo, and what chance gives."""

from typing import TYPE_CHECKING

import unmask.job_start  # noqa: F401
from unmask.facts import record
from unmask.joblog import job_log
from unmask.tables import read_metadata, read_table, write_table
from unmask.templates.schema import FILLS, TARGETS, TESTED_WORDS, TESTS
from unmask.templates.terms import LPBS
from unmask.templates.testing import Options, disco_tests, lpbs_tests

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input):
    evidence, params = snakemake.input[0], snakemake.params
    options = Options(params.draws, params.seed, params.confidence)
    if params.entry["measure"] == LPBS:
        tests, words = lpbs_tests(read_table(evidence, TARGETS), list(params.entry["targets"]), options)
    else:
        tests, words = disco_tests(read_table(evidence, FILLS), len(params.entry["templates"]), options)
    facts = {
        "model": params.model,
        "test": params.test,
        **{key: read_metadata(evidence)[key] for key in ("words", "left_out")},
        **record(snakemake.input, params.code, "numpy", "scipy", "pandas", "pyarrow"),
    }
    write_table(snakemake.output.tests, tests, TESTS, facts)
    write_table(snakemake.output.words, words, TESTED_WORDS, facts)
