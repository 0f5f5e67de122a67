# What jobs ask a cluster for: memory (MB) by the size of their inputs, times the attempt; profiles/slurm has
# their time. A run on one machine is held to none of it; docs/running.md says where the numbers are from.
# Rules with `localrule` stay where Snakemake runs: fetches, which alone need the network, and what takes a
# moment.

import functools
import json

# what jobs that run a model ask for besides memory and time
GPU = {"gpu": 1}


def date_of(file):
    """The date of a file that a job reads. Where it is not there yet, Snakemake asks again when it is."""
    return os.stat(file).st_mtime_ns


def sizes_mb(files):
    """How large files are together."""
    return sum(os.stat(file).st_size for file in files) / 1e6


@functools.cache
def _rows(file, _date):
    # here, since a run with nothing to be done asks for no rows and should not wait for it
    import pyarrow.parquet

    try:
        return pyarrow.parquet.read_metadata(file).num_rows
    except (pyarrow.ArrowException, OSError):
        # the job that reads it says what is wrong with it
        return 0


def rows(file):
    """How many rows a table has."""
    return _rows(str(file), date_of(file))


def rows_of_all(files):
    """How many rows the tables among files, and on lists of tables among them, have together, but for those
    that a job of the same group makes."""
    # evidence is a list of its tables
    lists = [Path(file).parent for file in files if Path(file).name == "digests.json"]
    tables = [*(table for folder in lists for table in folder.glob("**/[!.]*.parquet")), *files]
    return sum(rows(file) for file in tables if str(file).endswith(".parquet") and os.path.exists(file))


@functools.cache
def _weights(file, _date):
    try:
        return json.loads(Path(file).read_text())["parameters"]
    except (OSError, ValueError, KeyError, TypeError):
        return 0


def weights_of(input):
    """How many numbers a model has."""
    return _weights(str(input.manifest), date_of(input.manifest))


def training_memory(wildcards, input, attempt):
    """PyTorch, the model's weights, their gradients and AdamW's two moments, and what is read at once."""
    return round(5000 + 24e-6 * weights_of(input)) * attempt


def scoring_memory(wildcards, input, attempt):
    """PyTorch, and the model's weights twice while they are loaded."""
    return round(4000 + 8e-6 * weights_of(input)) * attempt


def making_memory(wildcards, input, attempt):
    """A small model that is made here."""
    return 4000 * attempt


def gguf_memory(wildcards, input, attempt):
    """PyTorch, and the weights of a GGUF file in float32 twice; most have four bits or more."""
    return round(4000 + 16 * sizes_mb(input)) * attempt


def checking_memory(wildcards, input, attempt):
    """As scoring, for a model whose size on disk is all that is known."""
    files = input if MODELS[wildcards.model]["source"] == "path" else fetched_files(wildcards, input)
    return round(4000 + 3 * sizes_mb(files)) * attempt


def fetched_files(wildcards, input):
    """The files of a model that was fetched; Snakemake waits for its facts."""
    directory = result("models", wildcards.model, "files")
    return files_in(directory) if date_of(input[0]) and os.path.isdir(directory) else []


def table_memory(wildcards, input, attempt):
    """A kilobyte for every row read."""
    return round(2000 + 1e-3 * rows_of_all(input)) * attempt
