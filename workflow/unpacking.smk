# Rules need the library beside them, and of a host as GitHub Snakemake reads single files: all of the repository is put
# below .snakemake first, once for each commit.

import tarfile
import tempfile
from contextlib import suppress
from pathlib import Path


def unpacked(source):
    """The folder with all of the repository that a file on a host is from, as of its version."""
    repository = source.hosted_repo.repo
    folder = Path(".snakemake/unmask", repository.commit(source.ref).hexsha).absolute()
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile() as packed, tempfile.TemporaryDirectory(dir=folder.parent) as beside:
            repository.archive(packed, source.ref)
            packed.seek(0)
            with tarfile.open(fileobj=packed) as archive:
                archive.extractall(Path(beside, "all"), filter="data")
            # where another process was first, all is there
            with suppress(OSError):
                Path(beside, "all").rename(folder)
    return folder
