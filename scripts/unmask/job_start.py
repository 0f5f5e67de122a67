"""Imported by a job's script before all else of the library: garbage collection is off until the job begins.

Importing makes hundreds of thousands of objects that live until the job ends. Python's collector would
look through all of them again and again, a quarter of what a short job with a model takes.
`unmask.joblog.job_log` turns it on again.
"""

import gc

gc.disable()
