# What jobs ask a cluster for: memory (MB) and time (minutes), by the size of their inputs, times the attempt.
# A run on one machine is held to none of it; docs/cluster.md has the table and where its numbers are from.

import functools
import json

# what jobs that run a model ask for besides memory and time
GPU = {"gpu": 1}

SHARED_LAYERS = {"albert": 24}


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
    lists = [Path(file).parent for file in files if Path(file).name == "digests.json"]
    tables = [*(table for folder in lists for table in folder.glob("**/[!.]*.parquet")), *files]
    return sum(rows(file) for file in tables if str(file).endswith(".parquet") and os.path.exists(file))


@functools.cache
def _weights(file, _date):
    try:
        manifest = json.loads(Path(file).read_text())
        return manifest["parameters"], manifest["model_type"]
    except (OSError, ValueError, KeyError, TypeError):
        return 0, "unknown"


def weights_of(input):
    """How many numbers a model has, and its type."""
    return _weights(str(input.manifest), date_of(input.manifest))


def layers_weights(input):
    """How many numbers a model multiplies with: those of layers that share weights are counted each time."""
    parameters, model_type = weights_of(input)
    return parameters * SHARED_LAYERS.get(model_type, 1)


def training_memory(wildcards, input, attempt):
    """PyTorch, the model's weights, their gradients and AdamW's two moments, and what is read at once."""
    parameters, _ = weights_of(input)
    return round(5000 + 24e-6 * parameters) * attempt


def scoring_memory(wildcards, input, attempt):
    """PyTorch, and the model's weights twice while they are loaded."""
    parameters, _ = weights_of(input)
    return round(4000 + 8e-6 * parameters) * attempt


def scoring_time(wildcards, input, attempt):
    """Three times what one core takes for all maskings."""
    return round(20 + 2e-10 * layers_weights(input) * rows(input.pairs)) * attempt


def reading_time(wildcards, input, attempt):
    """As scoring, for each variant of the sentences."""
    return scoring_time(wildcards, input, attempt) * (1 + (wildcards.model in read_shuffled()))


def untrained_time(wildcards, input, attempt):
    """As scoring, for every network."""
    return scoring_time(wildcards, input, attempt) * len(UNTRAINED_SEEDS)


def making_memory(wildcards, input, attempt):
    """A small model that is made here."""
    return 4000 * attempt


def making_time(wildcards, input, attempt):
    """As of jobs that state none."""
    return 30 * attempt


def gguf_memory(wildcards, input, attempt):
    """PyTorch, and the weights of a GGUF file in float32 twice; most have four bits or more."""
    return round(4000 + 16 * sizes_mb(input)) * attempt


def training_time(wildcards, input, attempt):
    """Thirty times what the demonstration's models take on one core."""
    return 60 * attempt


def checking_memory(wildcards, input, attempt):
    """As scoring, for a model whose size on disk is all that is known."""
    files = input if MODELS[wildcards.model]["source"] == "path" else files_made(wildcards, input)
    return round(4000 + 3 * sizes_mb(files)) * attempt


def files_made(wildcards, input):
    """The files of a model that was fetched; Snakemake waits for its facts."""
    directory = model_directory(wildcards.model)
    return files_in(directory) if date_of(input[0]) and os.path.isdir(directory) else []


def table_memory(wildcards, input, attempt):
    """A kilobyte for every row read."""
    return round(2000 + 1e-3 * rows_of_all(input)) * attempt


def table_time(wildcards, input, attempt):
    """Mostly the lexical null, which grows with the rows read."""
    return round(30 + 1e-4 * rows_of_all(input)) * attempt


def counting_time(wildcards, input, attempt):
    """A fraction of the speed seen: 5 MB of text a second."""
    return round(20 + sizes_mb(input) / 5 / 60) * attempt
