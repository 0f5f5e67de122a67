"""Unmask: social bias in language models, from benchmarks to a report.

snakemake --cores all                                  the demonstration (config.yaml)
snakemake --cores all --config study=paper             the study configs/paper.yaml
snakemake --cores all --config study=my_study.yaml     any other study
"""

from snakemake.utils import min_version

min_version("9.0")


include: "rules/common.smk"
include: "rules/resources.smk"
# the families, in the order of the report
include: "rules/models.smk"
include: "rules/worlds.smk"
include: "rules/pairs.smk"
include: "rules/frequency.smk"
include: "rules/regional.smk"
include: "rules/debiasing.smk"
include: "rules/downstream.smk"
include: "rules/associations.smk"
include: "rules/report.smk"
# of all rules above
include: "rules/tracking.smk"


# in the main process alone, and only where there is something to do
onstart:
    hold_results()


rule all:
    default_target: True
    input:
        rules.finish.output,
        # they are inputs of finish, too; one that was deleted is made again
        final_files(),
