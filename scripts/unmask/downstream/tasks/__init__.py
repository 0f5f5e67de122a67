"""Formats of tasks, a module each, by the name that a study gives as `format`.

Each has KIND, one of unmask.downstream.terms.KINDS, and `read(files, entry)`, which gives a Task
(unmask.downstream.task). `files` are by the name that the rule has for them.
"""
