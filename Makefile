# Everything happens in .venv inside the checkout; each target does all of its own set-up.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# pip writes one environment at a time. (Tests run in parallel all the same: see PYTEST_ARGS.)
.NOTPARALLEL:

VENV := .venv
PY := $(VENV)/bin/python
# Two workers, whole files to a worker: compiling kernels takes most of the time and is single-threaded.
PYTEST_ARGS ?= -n 2 --dist loadfile
# Hundreds of processes import the package: bytecode is kept even where the shell says otherwise (make clean removes it).
test test-all: export PYTHONDONTWRITEBYTECODE :=
DEVICE ?= cpu
TEST_EXTRAS := .[test,dev,docs]

.PHONY: help setup isaaclab demo test test-all lint format docs bench clean distclean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 12

setup: $(VENV)/.installed-core ## make .venv with the package and what it needs

isaaclab: $(VENV)/.installed-isaaclab ## let tests run Isaac Lab's own tasks, too: installs torch and its wheel

demo: $(VENV)/.installed-core ## step a real quadruped in many environments; leaves demo.zarr and demo.png
	@$(PY) examples/demo.py

test: $(VENV)/.installed-test ## run the tests but for those that take long (DEVICE=cuda:0 runs them on a GPU)
	@$(PY) -m pytest --device $(DEVICE) -m "not slow" $(PYTEST_ARGS)

test-all: $(VENV)/.installed-test-all ## run the tests that take long, too: before a release, and on GPUs
	@$(PY) -m pytest --device $(DEVICE) $(PYTEST_ARGS)

lint: $(VENV)/.installed-test ## ruff and pyright
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(PY) -m pyright --threads 2 --pythonpath $(PY)

format: $(VENV)/.installed-test ## let ruff format and fix what it can
	@$(PY) -m ruff check --fix .
	@$(PY) -m ruff format .

docs: $(VENV)/.installed-test ## build the documentation as a site into build/site; any warning is an error
	@NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --strict --quiet
	@echo "The documentation is in build/site/index.html."

bench: $(VENV)/.installed-test ## run the named benchmarks against their peers
	@$(VENV)/bin/phalanx bench --peers

clean: ## remove what the targets left, except .venv
	rm -rf demo.zarr demo.png build dist *.egg-info .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -not -path './$(VENV)/*' -prune -exec rm -rf {} +

distclean: clean ## remove .venv too
	rm -rf $(VENV)

# A stamp is written only when its install has finished, and setup.cfg is all that makes it stale. An install
# that was cut short leaves .installing behind: half-unpacked packages look complete to pip, so start afresh.
define install
	@if [ -e $(VENV)/.installing ] || ! $(PY) -c '' 2>/dev/null; then $(make_venv); fi
	@touch $(VENV)/.installing
	@echo "Installing $(1) into $(VENV) ..."
	@$(PY) -m pip install --quiet --disable-pip-version-check --editable '$(1)'
	@rm -f $(VENV)/.installing
	@touch $@
endef

define make_venv
	python=""; \
	for candidate in python3.12 python3.13 python3.11 python3; do \
		if "$$candidate" -c 'import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' \
			2>/dev/null; then python="$$candidate"; break; fi; \
	done; \
	if [ -z "$$python" ]; then \
		echo "make: no usable Python found. Phalanx needs Python 3.11, 3.12 or 3.13 with its venv module" \
			"(Debian, Ubuntu: apt install python3 python3-venv) on the PATH." >&2; exit 1; \
	fi; \
	echo "Making $(VENV) with $$("$$python" -c 'import sys; print(sys.executable, sys.version.split()[0])')"; \
	"$$python" -m venv --clear $(VENV)
endef

$(VENV)/.installed-core: setup.cfg
	$(call install,.)

$(VENV)/.installed-test: setup.cfg
	$(call install,$(TEST_EXTRAS))
	@touch $(VENV)/.installed-core

$(VENV)/.installed-test-all: $(VENV)/.installed-test
	$(call install,.[test-farm])

# The wheel is for Python 3.11 only, and asks for older versions of other packages, which it does not need.
WHEEL := isaaclab==2.3.2.post1
$(VENV)/.installed-isaaclab: $(VENV)/.installed-test
	@if $(PY) -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))'; then \
		echo "Installing torch and Isaac Lab's wheel into $(VENV) ..."; \
		$(PY) -m pip install --quiet --disable-pip-version-check --editable '.[test-isaaclab]'; \
		$(PY) -m pip install --quiet --disable-pip-version-check --no-deps '$(WHEEL)'; \
	else echo "Isaac Lab's wheel is for Python 3.11; tests that need it are skipped."; fi
	@touch $@
