"""What was planted, and what the measures find."""

from unmask.report.captions import load_captions
from unmask.report.presenting import Inputs
from unmask.report.sections import Section, Table
from unmask.report.study import Study
from unmask.worlds.truth import gather_truth, planted_sheets


def section(inputs: Inputs) -> Section:
    """files: truths (of worlds), scores (of every model on their benchmarks), captions; settings: models and
    benchmarks."""
    files, settings = inputs.files, inputs.settings
    study = Study.from_config(settings["models"], settings["benchmarks"])
    rows = gather_truth(study, files["truths"], files["scores"])
    sheets = planted_sheets(study, rows, load_captions(files["captions"])["planted"])
    return Section("planted", "What was planted, and what the measures find", (), tuple(map(Table, sheets)))
