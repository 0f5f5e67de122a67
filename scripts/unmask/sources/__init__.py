"""Ways to make a model, by the `source` of its entry: a module each with `make`.

`make(run, work)` writes the files of the model to `run.output.directory`, whole or not at all, and returns
facts about it. run: the job (unmask.models.job.making_job), with the parameters `entry`, which the facts of
the model state, and `settings`; for a model that is made from another it has a device, and the other's
manifest. work: a folder for what a killed job leaves to the next one. Raises InputError for what the study
asks and cannot be had.
"""
