"""The tables of template tests."""

from collections.abc import Mapping

from unmask.result_files import ResultFiles
from unmask.templates.schema import FILLS, TARGETS, TESTED_WORDS, TESTS

TABLES: Mapping[str, ResultFiles] = {
    "template_tests": ResultFiles("templates/{model}/{test}/tests.parquet", TESTS),
    "template_words": ResultFiles("templates/{model}/{test}/words.parquet", TESTED_WORDS),
    "template_targets": ResultFiles("templates/{model}/{test}/targets.parquet", TARGETS),
    "template_fills": ResultFiles("templates/{model}/{test}/fills.parquet", FILLS),
}
