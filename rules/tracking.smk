# What all rules with a script have in common: their environment and, as parameters, what Snakemake does not
# see by itself: the code of the library that the script imports, and the content of files from outside the
# results, whose dates say nothing. One that loads modules by name states `code` itself.

from collections import UserDict

from snakemake.io import is_flagged

# states digests of all the parts that its output is made by, in other parameters
STATE_PARTS = ("check_model.py",)


def user_digests(rule):
    """The SHA-256 of a rule's inputs from outside the results by path, as a function of wildcards."""

    def digests(wildcards):
        files, *_ = rule.expand_input(dict(wildcards.items()))
        with refusing():
            by_path = {str(file): DIGESTS.of(file) for file in files if is_flagged(file, "local")}
        # Snakemake records no parameter of this type
        return by_path or UserDict()

    return digests


def track(scripted):
    """Add the digests to a rule's parameters."""
    # in a function, as a global variable `script` would hide the directive of that name
    script, digests = Path(scripted.script).name, {"input_sha256": user_digests(scripted)}
    if script not in STATE_PARTS and "code" not in dict(scripted.params.items()):
        digests["code"] = lambda wildcards: code(script)
    scripted.set_params(**digests)
    scripted.conda_env = "../envs/unmask.yaml"


for scripted in workflow.rules:
    # not those of a workflow that has this one as a module
    if scripted.script and Path(str(scripted.basedir)) == ROOT / "rules":
        track(scripted)
