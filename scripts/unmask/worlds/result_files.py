"""The tables of synthetic worlds."""

from collections.abc import Mapping

from unmask.result_files import ResultFiles
from unmask.worlds.judgement_schema import JUDGEMENTS

TABLES: Mapping[str, ResultFiles] = {"planted": ResultFiles("tables/planted.csv", JUDGEMENTS)}
