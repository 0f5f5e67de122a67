"""The tables of calibration."""

from collections.abc import Mapping

from unmask.calibration.schema import CONTROLS, DEBIASED, DOSES, DRAWN, EXPLAINED, KEPT, METRICS
from unmask.result_files import ResultFiles

TABLES: Mapping[str, ResultFiles] = {
    "calibration_doses": ResultFiles("calibration/doses.parquet", DOSES),
    "calibration_merits": ResultFiles("calibration/merits.parquet", METRICS),
    "calibration_controls": ResultFiles("calibration/controls.parquet", CONTROLS),
    "calibration_debiased": ResultFiles("calibration/debiased.parquet", DEBIASED),
    "calibration_kept": ResultFiles("calibration/kept.parquet", KEPT),
    "calibration_kept_exact": ResultFiles("calibration/kept_exact.parquet", KEPT),
    "calibration_drawn": ResultFiles("calibration/drawn.parquet", DRAWN),
    "calibration_explained": ResultFiles("calibration/{model}/{benchmark}/explained.parquet", EXPLAINED),
}
