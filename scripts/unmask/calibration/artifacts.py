"""The tables and figures of calibration, by name. Nothing is imported here: rules read this."""

TABLES = ("merits", "power", "false_alarms", "lengths", "doses", "controls", "debiased", "kept", "explained")
"""Each is made as csv, md and tex: the names of files are {table}_{form}."""

FIGURES = (
    "response_figure",
    "frequency_figure",
    "power_figure",
    "alarms_figure",
    "worlds_figure",
    "debiased_figure",
    "kept_figure",
    "explained_figure",
)
"""Each is drawn as svg and png: the names of files are {figure}_{form}."""
