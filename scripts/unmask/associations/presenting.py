"""The tables and figures of association tests, by the names of unmask.associations.shown."""

from unmask.associations import tables
from unmask.associations.charts import MAKERS
from unmask.associations.results import AssociationResults
from unmask.report.presenting import Presentation, captioned

PRESENTS = Presentation(
    AssociationResults,
    {
        "table1": tables.table1,
        "overview": tables.overview,
        "published": tables.published,
        "grounded": tables.grounded,
        "cells": tables.cells,
        "experiments": tables.experiments,
        "poolings": tables.poolings,
        "pairs": tables.pairs,
    },
    MAKERS,
    captions=captioned(MAKERS),
)
