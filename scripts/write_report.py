"""Write the report: one HTML page that needs nothing but itself, its provenance, and a summary."""

from unmask.job import job
from unmask import __version__
from unmask.files import write_text
from unmask.report.page import provenance, render_page, render_summary
from unmask.report.presenting import read_sections, write_sections

with job() as run:
    inputs, output, params = run.input, run.output, run.params
    # not of the sections, which say themselves what they are made from
    facts = run.record(inputs.get("origins", []))
    write_sections(output.provenance, [provenance(params.settings, params.entries)], facts)
    paths = [*inputs.sections, output.provenance]
    sections = [section for path in paths for section in read_sections(path)]
    write_text(output.summary, render_summary(params.title, sections))
    page = render_page(params.title, sections, params.settings["study"], f"Unmask {__version__}")
    write_text(output.page, page)
