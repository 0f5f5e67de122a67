"""Read a labelled table with a text classifier behind the prefixes of regions: what each of them changes."""

from pathlib import Path

from unmask.models.job import model_job
from unmask.evidence.tables import Table, digest_of_parts, is_renewed
from unmask.regional.prefixes import (
    PLACELESS,
    label_number,
    load_classifier,
    prefix_table,
    read_labelled,
    region_groups,
)
from unmask.regional.schema import PREFIXES, REGIONS
from unmask.tables import read_table, write_table

with model_job("classifier {params.classifier}, table {params.table}") as run:
    params, manifest, output = run.params, run.manifest, Path(run.output[0])
    labels, entry, origin = manifest["labels"], params.entry, run.record()
    key = f"config key regional.prefixes.{params.table}"
    groups = region_groups(read_table(run.input.regions, REGIONS), entry["prefixes"], f"{key}.prefixes")
    facts = {
        "classifier": params.classifier,
        "table": params.table,
        "source": params.source,
        "entry": dict(entry),
        "templates": [each["template"] for each in entry["prefixes"]],
        "labels": labels,
        "positive": entry["positive"],
        "control": PLACELESS,
        "device": run.device.name,
        "weights": manifest["weights_digest"],
        "tokenizer": manifest["tokenizer_digest"],
        "texts": origin["made_from"][str(run.input.table)],
        "prefixes": digest_of_parts(groups),
        **origin,
    }
    # regions are read with the words about them, of which other ones change nothing here
    if not is_renewed(Table(output, PREFIXES, facts)):
        positive = label_number(f"{key}.positive", entry["positive"], labels)
        items = read_labelled(run.input.table, entry, labels)
        classifier = load_classifier(manifest["directory"], run.device, manifest["max_length"])
        write_table(output, prefix_table(classifier, items, groups, positive), PREFIXES, facts)
