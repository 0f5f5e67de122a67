"""The workflow travels in the package: unmask/workflow of a wheel has what a checkout has at its top."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

FOLDERS = ("configs", "envs", "profiles", "resources", "rules")
FILES = ("Snakefile", "config.yaml", "CITATION.bib")


class WithWorkflow(build_py):
    """Copies the workflow beside the library; an editable installation has it where it is."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return
        workflow = Path(self.build_lib, "unmask/workflow")
        shutil.rmtree(workflow, ignore_errors=True)
        (workflow / "scripts").mkdir(parents=True)
        for folder in FOLDERS:
            shutil.copytree(folder, workflow / folder)
        for file in FILES:
            shutil.copy(file, workflow)
        for script in Path("scripts").glob("*.py"):
            shutil.copy(script, workflow / "scripts")


setup(cmdclass={"build_py": WithWorkflow})
