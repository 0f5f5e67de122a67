# make report    install what is missing, run the demonstration, say where its report is
# make test      all tests
# make check     format, lint and types
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
STUDY_CONFIG := study=$(STUDY) $(if $(DATA),'data=$(DATA)')

.PHONY: report test check clean

report: $(VENV)/.installed
	$(BIN)/snakemake --cores $(CORES) --logger rich --config $(STUDY_CONFIG) $(ARGS)
	@echo "The report is results/$(STUDY)/report/index.html"

test: $(VENV)/.installed check
	$(BIN)/python -m pytest

check: $(VENV)/.installed
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/snakefmt --check Snakefile rules
	$(BIN)/mypy -p unmask
	$(BIN)/mypy --scripts-are-modules scripts/*.py benchmarks/*.py tests/unit tests/workflow
	$(BIN)/snakemake --lint

clean:
	rm -rf $(VENV)

$(VENV)/.installed: pyproject.toml requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "error: Unmask needs Python 3.11 or newer; name one with make PYTHON=…")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint requirements.lock --editable '.[dev]'
	@touch $@
