# make verify   the evidence for every claim, on the examples and beyond      make test        the tests
# make proofs   the kernel-checked development (needs Coq)                    make test-slow   the tests that take minutes
# make lint     ruff and mypy                                                 make mutants     how many mutants of core die
# make bench    ours beside the peers (needs torch: 200 MB)                   make trust       the checker and the fuzzers, at length
# Each sets up what it needs in .venv; nothing is needed beforehand but Python 3.11 or newer and make.

VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
OLDEST := 3.11
PYTHON ?= $(shell for name in python3.11 python3.12 python3.13 python3.14 python3 python; do \
	$$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$name && break; done)
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

.PHONY: verify test test-slow proofs proofs-setup mutants bench trust lint clean

verify: $(INSTALLED)
	@mkdir -p build
	$(BIN)/grpocheck verify --jobs $(JOBS) --html build/verify.html

test: $(INSTALLED)
	$(BIN)/pytest

test-slow: $(INSTALLED)
	$(BIN)/pytest -m slow

mutants: $(INSTALLED)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,fast,mutants]'
	$(BIN)/python -m tests.mutants.sample

bench: $(INSTALLED)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'torch==2.13.0' --editable '.[dev,bench]'
	@mkdir -p build
	$(BIN)/pytest benchmarks -q --benchmark-json=build/benchmarks.json --benchmark-disable-gc
	$(BIN)/python -m benchmarks.report build/benchmarks.json docs/benchmarks.md

TRACES ?= 10000
FUZZ_SECONDS ?= 240
FUZZED := problem number trace property task groups parquet arrays state rollouts settings twist cases options question \
	connection conversation

trust: $(INSTALLED)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,fast,fuzz]'
	$(BIN)/python -m tests.check.trust --traces $(TRACES) --jobs $(JOBS)
	$(BIN)/pytest -q -m slow tests/check tests/fuzz tests/fast tests/hostile tests/crashes tests/packaging
	$(BIN)/python -m tests.fast.millions --millions 2
	printf '%s\n' $(FUZZED) | xargs -P $(JOBS) -I {} $(BIN)/python -m tests.fuzz.drive {} --seconds $(FUZZ_SECONDS)

lint: $(INSTALLED) .links
	$(BIN)/ruff check .
	$(BIN)/mypy -p grpocheck

proofs: $(INSTALLED)
	$(MAKE) -C proofs/coq PYTHON=$(abspath $(BIN))/python

proofs-setup:
	@command -v apt-get >/dev/null || { \
		echo "proofs-setup: no apt-get here: install Coq 8.16 or newer with Coquelicot by other means"; exit 2; }
	apt-get install --yes --no-install-recommends coq libcoq-coquelicot

$(INSTALLED): pyproject.toml
	@test -n "$(PYTHON)" || { \
		echo "no Python $(OLDEST) or newer found: install one, or say where it is: make PYTHON=/path/to/python"; exit 2; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "$(PYTHON): older than Python $(OLDEST), or no Python: expected $(OLDEST) or newer"; exit 2; }
	@$(PYTHON) -m venv $(VENV) || { \
		echo "$(PYTHON) cannot make a virtual environment: install its venv module (Debian: python3-venv)"; exit 2; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,fast]'
	@touch $@

# mypy reads the packages under the name that they are installed by.
.links: Makefile
	mkdir -p .links/grpocheck
	ln -sfn ../../package/__init__.py .links/grpocheck/__init__.py
	ln -sfn ../../package/__main__.py .links/grpocheck/__main__.py
	ln -sfn ../../package/py.typed .links/grpocheck/py.typed
	for room in contracts core proofs verifier; do ln -sfn ../../$$room .links/grpocheck/$$room; done
	@touch $@

clean:
	rm -rf $(VENV) .links build dist verify.json grpocheck.egg-info
