# The commands of README.md. Everything runs in .venv, which is made when it is needed.
#   make demo                                   the whole way, on the sample documents
#   make ingest DOCS=folder; make search Q="…"  on your own; with PRUNE=1 what is gone from the folder is removed
# Variables can be given to each: DOCS PRUNE LIBRARY Q TO OUT PYTHON PIP_EXTRA

PYTHON ?= python3
DOCS ?= sample_docs
LIBRARY ?= library
Q ?= late payment interest
TO ?= pdf
OUT ?= out
PRUNE ?=
# More arguments for pip, for example an index with CPU builds of torch (see README.md).
PIP_EXTRA ?=
export DOCS LIBRARY Q TO OUT

ifeq ($(OS),Windows_NT)
BIN := .venv/Scripts
else
BIN := .venv/bin
endif
READY := .venv/ready

.PHONY: demo setup ingest search cite export test check bench clean

demo: $(READY)
	@$(BIN)/pincite demo

setup: $(READY)

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "pincite needs Python 3.11 or newer: make PYTHON=python3.12 …")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --disable-pip-version-check --quiet $(PIP_EXTRA) -c constraints.txt -e '.[dev]'
	@touch $(READY)

ingest: $(READY)
	@$(BIN)/pincite ingest "$$DOCS" --library "$$LIBRARY" $(if $(PRUNE),--prune)

search: $(READY)
	@$(BIN)/pincite search --library "$$LIBRARY" -- "$$Q"

cite: $(READY)
	@$(BIN)/pincite cite --library "$$LIBRARY" -- "$$Q"

export: $(READY)
	@$(BIN)/pincite export --library "$$LIBRARY" --to "$$TO" --out "$$OUT" -- "$$Q"

test: $(READY)
	@$(BIN)/python -m pytest

# What CI runs.
check: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest

bench: $(READY)
	@$(BIN)/python bench/ingest_speed.py "$$DOCS"
	@$(BIN)/python bench/run.py --out bench/results.md

clean:
	rm -rf .venv pincite-demo .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
