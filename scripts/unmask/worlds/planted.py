"""What is planted in a world, and in every pair of its benchmarks."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from unmask.files import write_text
from unmask.worlds.grammar import NAMES, World
from unmask.worlds.oracle import Oracle
from unmask.worlds.pairs import CROWS_PAIRS, DEFAULT_COUNTS, STEREOSET, Counts, crows_pairs, stereoset


def truth(world: World, counts: Counts = DEFAULT_COUNTS) -> dict[str, Any]:
    """What is planted, and for every pair of each benchmark (by format) its facts and margins.

    Margins are natural logarithms, stereotype minus antistereotype, of whole words (see `Oracle.margins`).
    """
    oracle = Oracle(world)
    return {
        "world": world.name,
        "seed": world.seed,
        "settings": {
            "associations": world.associations,
            "ratios": world.ratios,
            "both": world.both._asdict(),
            "lengths": world.lengths,
            "names": world.names,
            "pairs": counts._asdict(),
        },
        "occupations": [occupation._asdict() for occupation in world.occupations],
        "names": {gender: list(world.names_of(gender)) for gender in NAMES},
        "group_pairs": [pair._asdict() for pair in world.group_pairs],
        "benchmarks": {
            name: {
                pair.pair_id: {
                    **pair.facts(),
                    "margins": oracle.margins(pair.stereotype, pair.antistereotype),
                }
                for pair in pairs
            }
            for name, pairs in (
                (CROWS_PAIRS, crows_pairs(world, counts)),
                (STEREOSET, stereoset(world, counts)),
            )
        },
    }


def write_truth(
    path: str | Path, world: World, provenance: Mapping[str, Any], counts: Counts = DEFAULT_COUNTS
) -> None:
    """Write `truth` as JSON, with what it says of how it was made (unmask.facts.record)."""
    write_text(path, json.dumps({**truth(world, counts), **provenance}, indent=1) + "\n")
