"""Write down the settings that a study's results are of, and checksums of its final files."""

from pathlib import Path

from unmask.job import job
from unmask.files import sha256_of_file, write_facts, write_text

with job() as run:
    write_facts(run.output.settings, run.params.settings)
    folder = Path(run.output.checksums).parent
    names = sorted(Path(file).relative_to(folder).as_posix() for file in [*run.input, run.output.settings])
    # written last: a study that has them is finished
    write_text(run.output.checksums, "".join(f"{sha256_of_file(folder / name)}  {name}\n" for name in names))
