"""profiles/slurm stands alone: it takes the place of profiles/default."""

import re
from typing import Any

import yaml

from workflow_copy import ROOT


def profile(name: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / "profiles" / name / "profile.yaml").read_text())
    return found


def test_it_has_what_the_default_profile_has() -> None:
    default, slurm = profile("default"), profile("slurm")
    assert default and default.items() <= slurm.items()


def test_jobs_on_a_gpu_have_its_partition_and_no_others() -> None:
    rules = "".join(path.read_text() for path in (ROOT / "rules").glob("*.smk"))
    with_gpu: set[str] = set()
    for text in re.split(r"\n(?=rule |use rule )", rules)[1:]:
        old, new = re.findall(r"^(?:use rule (\w+) as|rule) (\w+)", text)[0]
        # one that is another but for some lines has its resources, unless it states its own
        if "        **GPU" in text or ("    resources:" not in text and old in with_gpu):
            with_gpu.add(new)
    assert with_gpu
    assert profile("slurm")["set-resources"].keys() == with_gpu
