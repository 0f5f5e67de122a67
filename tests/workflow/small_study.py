"""A copy of the workflow in a temporary folder, with a small study that needs no training."""

import csv
import json
import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from examples import SENTENCES
from preloading import preloaded_python
from tiny_models import tiny_tokenizer

COLUMNS = [
    "",
    "sent_more",
    "sent_less",
    "stereo_antistereo",
    "bias_type",
    "annotations",
    "anon_writer",
    "anon_annotators",
]
PAGE = ("report/index.html", "report/summary.txt", "report/sections/provenance.json")
"""What the rule of the report writes."""
FINISHED = ("SHA256SUMS", "settings.json")
"""What the last rule writes."""
AGGREGATES = ("comparisons/", "tables/", "figures/", "report/", *FINISHED)
"""What is made of all models and benchmarks of a study."""
Done = subprocess.CompletedProcess[str]


def errors(done: Done) -> list[str]:
    """The lines that say what is wrong."""
    return [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("error: ")]


@dataclass
class Workflow:
    """The workflow in a folder of its own, and a configuration to run it with."""

    folder: Path
    config: dict[str, Any] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)
    """Environment variables beside those of the tests."""
    python: str = field(default_factory=preloaded_python)
    """The interpreter of Snakemake and of its jobs."""

    def snakemake(
        self, *arguments: str, config: dict[str, Any] | None = None
    ) -> "subprocess.CompletedProcess[str]":
        (self.folder / "study.yaml").write_text(yaml.safe_dump(config or self.config))
        # last, as --configfile takes every word that follows it
        return self.command(*arguments, "--configfile", "study.yaml")

    def command(self, *arguments: str) -> Done:
        # as in a user's shell: no path to the library, no threads of an outer run
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        return subprocess.run(
            [self.python, "-m", "snakemake", "--cores", "2", *arguments],
            cwd=self.folder,
            env=environment | self.environment,
            capture_output=True,
            text=True,
            timeout=1800,
        )

    def run(self, *arguments: str, config: dict[str, Any] | None = None) -> str:
        """Run to the end, or to targets; what is printed. Fails where Snakemake does."""
        done = self.snakemake(*arguments, config=config)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    def planned(self, config: dict[str, Any] | None = None) -> set[str]:
        """The rules of the jobs that Snakemake would run, each with its output's place in results."""
        done = self.snakemake("--summary", config=config)
        assert done.returncode == 0, done.stdout + done.stderr
        header, *rows = [line.split("\t") for line in done.stdout.splitlines() if "\t" in line]
        name, plan = header.index("output_file"), header.index("plan")
        return {row[name].removeprefix("results/small/") for row in rows if row[plan] == "update pending"}

    def read(self, *place: str) -> str:
        return self.folder.joinpath("results", "small", *place).read_text()


def write_crows_pairs(path: Path, times: int = 1) -> None:
    """The example pairs in the format of CrowS-Pairs, all of them several `times` over."""
    with open(path, "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(COLUMNS)
        for number, (more, less, _) in enumerate(SENTENCES * times):
            bias_type = ("gender", "race-color")[number % 2]
            votes = [[bias_type] if vote < number % 6 else [] for vote in range(5)]
            direction = "antistereo" if number % 3 == 0 else "stereo"
            rows.writerow(
                [number, more, less, direction, bias_type, str(votes), "a0", str([f"a{i}" for i in range(5)])]
            )


def write_stereoset(path: Path) -> None:
    """The example pairs that have an unrelated sentence, in the format of StereoSet."""
    items = []
    for number, sentences in enumerate(SENTENCES):
        if sentences[2] is not None:
            labels = ("stereotype", "anti-stereotype", "unrelated")
            items.append(
                {
                    "id": f"item{number}",
                    "target": "someone",
                    "bias_type": "gender",
                    "context": "BLANK",
                    "sentences": [
                        {"sentence": text, "id": f"{number}{label}", "labels": [], "gold_label": label}
                        for text, label in zip(sentences, labels, strict=True)
                    ],
                }
            )
    path.write_text(json.dumps({"version": "test", "data": {"intersentence": [], "intrasentence": items}}))


def random_model(architecture: str, folder: Path, **settings: object) -> dict[str, Any]:
    """A configuration entry for an untrained tiny model with its own tokenizer."""
    tokenizer = folder / f"{architecture}-tokenizer"
    if not tokenizer.exists():
        tiny_tokenizer(architecture).save_pretrained(tokenizer)
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    config = {"model_type": architecture, **sizes, "initializer_range": 0.5, **settings}
    return {"source": "random", "config": config, "tokenizer": tokenizer.name, "seed": 1}


def whole_study(folder: Path) -> dict[str, Any]:
    """A study of all families over a small world: models that barely learn, and the one that knows."""
    trained = {"source": "train", "architecture": "bert", "world": "planted", "gate": False}
    shared = {"batch": 16, "learning_rate": 1.0e-3, "steps": 4}
    task = {"format": "planted", "world": "planted", "examples": 500, "items": 100}
    return {
        "study": "small",
        "title": "All {families}, <little> of each",
        "worlds": {"planted": {"sentences": 4000, "pairs": {"per_occupation": 3, "per_trait": 2}}},
        "models": {
            "oracle": {"source": "oracle", "world": "planted"},
            "bert": {**trained, "steps": 20},
            "untrained": {**trained, "steps": 0},
        },
        "benchmarks": {
            "pairs": {"format": "crows-pairs", "world": "planted"},
        },
        "corpora": {"text": {"format": "text", "world": "planted"}},
        "measures": ["AUL", "CPS", "SSS"],
        "statistics": {"chance": {"draws": 100}},
        "explorer": {"models": ["bert"], "top": 3},
        "debiasing": {
            "corpus": "text",
            "held_out": 100,
            "training": shared,
            "of": ["bert"],
            "methods": {"cda": {}},
        },
        "downstream": {
            "models": ["bert", "bert-cda"],
            "after": False,
            "seeds": [0, 1],
            "draws": 100,
            "fine_tuning": shared,
            "tasks": {kind: {**task, "kind": kind} for kind in ("occupations", "similarity", "entailment")},
        },
        "regional": {
            "models": ["bert"],
            "regions": {"source": "table", "path": "resources/regional/synthetic_regions.csv"},
            "template": "Most {region} people are {word}.",
            "words": {"traits": "resources/regional/synthetic_words.yaml"},
            "draws": 20,
        },
        "associations": {
            "tests": {
                "synthetic": {"format": "sent-bias", "path": "resources/associations/synthetic/*.jsonl"}
            },
            "models": ["bert", "bert-cda"],
            "poolings": ["cls", "mean"],
        },
    }


def small_study(folder: Path) -> dict[str, Any]:
    """Two untrained models and the two known formats over ten pairs."""
    write_crows_pairs(folder / "crows.csv")
    write_stereoset(folder / "stereo.json")
    return {
        "study": "small",
        "models": {name: random_model(name, folder) for name in ("bert", "roberta")},
        "benchmarks": {
            "crows": {"format": "crows-pairs", "path": "crows.csv"},
            "stereo": {"format": "stereoset", "path": "stereo.json"},
        },
        "measures": ["AUL", "AULA", "CPS", "SSS"],
        "statistics": {"chance": {"draws": 100}},
        "explorer": None,
    }
