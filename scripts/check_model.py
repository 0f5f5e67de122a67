"""Check that a model is what it is said to be, and write its manifest."""

from unmask.job import job  # isort: split

import torch

from unmask.models.checking import write_manifest

with job() as run:
    # on all cores PyTorch's threads wait longer for each other than they work
    torch.set_num_threads(run.threads)
    about = run.params.manifest
    # a model that was fetched has facts about it
    facts = [] if about["entry"]["source"] == "path" else run.input.files
    write_manifest(run.output[0], about, facts)
