# make report    install what is missing, run the demonstration, say what it found and where its report is
# make test      all tests
# make check     format, lint and types
# make verify    hold a study's results against what they were made from
# make clean-evidence    say what evidence could go; with ARGS=--yes remove it
#
# STUDY=paper    another study of configs/     DATA=dir   its data directory     CORES=4   fewer cores
# ARGS=…         more for snakemake, such as ARGS="--resources gpu=1"

PYTHON ?= python3
VENV ?= .venv
CORES ?= all
STUDY ?= demo
DATA ?=
BIN := $(VENV)/bin
ARGS ?=
# as many jobs that need a GPU at a time as there are GPUs
GPUS := $(shell nvidia-smi --list-gpus 2>/dev/null | wc -l)
# the study's folder of results, which only its file knows; where there is none, the recipe ends with the reason
FOLDER = folder=$$($(BIN)/python -m unmask.results.folder '$(STUDY)') || exit 1
STUDY_CONFIG := study=$(STUDY) $(if $(DATA),'data=$(DATA)')

.PHONY: report test check verify clean-evidence clean

report: $(VENV)/.installed
	$(BIN)/snakemake --cores $(CORES) --logger rich $(if $(filter-out 0,$(GPUS)),--resources gpu=$(GPUS)) \
		--config $(STUDY_CONFIG) $(ARGS)
	@$(FOLDER); if [ -f "$$folder/report/summary.txt" ]; then cat "$$folder/report/summary.txt"; \
		echo "The report is $$folder/report/index.html"; fi

test: $(VENV)/.installed-dev check
	$(BIN)/python -m pytest -n logical --dist loadfile

check: $(VENV)/.installed-dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/snakefmt --check Snakefile rules
	$(BIN)/mypy -p unmask
	$(BIN)/mypy --scripts-are-modules scripts/*.py benchmarks/*.py tests/unit tests/workflow tests/cluster tests/browser
	$(BIN)/snakemake --lint

verify: $(VENV)/.installed
	@$(FOLDER); $(BIN)/python -m unmask.results.verifying "$$folder"

clean-evidence: $(VENV)/.installed
	@$(FOLDER); $(BIN)/python -m unmask.results.cleaning "$$folder" $(ARGS)

clean:
	rm -rf $(VENV)

# Python compiles what is imported, which is a small part of what is installed, and keeps that: else every process
# compiles PyTorch and transformers again, which takes longer than most jobs
unexport PYTHONDONTWRITEBYTECODE
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile \
	--constraint requirements.lock --editable

$(VENV)/.installed: pyproject.toml requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "error: Unmask needs Python 3.11 or newer; name one with make PYTHON=…")'
	$(PYTHON) -m venv $(VENV)
	$(PIP_INSTALL) .
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	$(PIP_INSTALL) '.[dev]'
	@touch $@
