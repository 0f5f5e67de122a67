# Commands:
#
# make                 list these commands
# make report          install what is missing, run the demonstration, print its summary and the address of its page
# make verify          check that the results of a study and their inputs are unchanged
# make clean-evidence  list what may be removed to make room; with ARGS=--yes remove it
# make test            run the tests that a change is judged by
# make test-all        run all tests, with Slurm, long trainings and simulations
# make snapshots       write again the words and numbers that tests compare, and print what changes
# make check           check format, lint and types
#
# STUDY=paper    another study of configs/, or a file     DATA=dir   its data directory
# CORES=4        fewer cores                              ARGS=…     more for snakemake, as ARGS="--resources gpu=1"

PYTHON ?= python3
VENV ?= .venv
CORES ?= all
STUDY ?= demo
DATA ?=
BIN := $(VENV)/bin
ARGS ?=
# as many jobs that need a GPU at a time as there are GPUs
GPUS := $(shell nvidia-smi --list-gpus 2>/dev/null | wc -l)

.PHONY: help report test test-all snapshots check verify clean-evidence clean

# `make` alone lists the commands, which stand on top of this file
help:
	@sed -n '/^#/!q; s/^# \{0,1\}//p' $(firstword $(MAKEFILE_LIST))

report: $(VENV)/.installed
	@$(BIN)/unmask run '$(STUDY)' --cores $(CORES) $(if $(DATA),--data '$(DATA)') \
		-- $(if $(filter-out 0,$(GPUS)),--resources gpu=$(GPUS)) $(ARGS)

PYTEST := $(BIN)/python -m pytest -n logical --dist loadfile --no-loadscope-reorder

test: $(VENV)/.installed-dev
	$(PYTEST) -m "not thorough"

test-all: $(VENV)/.installed-dev
	$(PYTEST) --hypothesis-profile=full

snapshots: $(VENV)/.installed-dev
	UNMASK_SNAPSHOTS=renew $(BIN)/python -m pytest -s -m "not thorough" tests/workflow/test_snapshots.py tests/net

check: $(VENV)/.installed-dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/snakefmt --check Snakefile rules workflow
	$(BIN)/mypy
	$(BIN)/snakemake --lint

verify: $(VENV)/.installed
	@$(BIN)/unmask verify '$(STUDY)'

clean-evidence: $(VENV)/.installed
	@$(BIN)/unmask clean '$(STUDY)' $(ARGS)

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
