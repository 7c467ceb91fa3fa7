# `make` builds the site and the checker and tries the checker; `make test` passes all tests.
# Both set up what they need the first time, and are quick when nothing changed.

PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
TORCH_VENV := .venv-torch
BUNDLED_LOG := tests/logs/host_oom_kill/tee

SOURCES := $(shell find checker generator entries site_overrides -type f -not -name '*.pyc') mkdocs.yml
# Stamps, because npm empties its folder whenever it installs: what the site serves, and what only tests need besides.
NPM_RUNTIME := build/npm/runtime
NPM_TESTS := build/npm/tests
# More than there are cores: many tests wait for what they look at.
TEST_PROCESSES ?= 3
NPM_CI := npm ci --no-audit --no-fund --silent

.PHONY: all build try test test-torch repro lint lock clean setup pyodide npm-tests serve \
	site-zip annotate review links upstream release labels
.DELETE_ON_ERROR:

all: build try

setup: $(VENV)/.ready

$(VENV)/.ready: requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

build: site/index.html

site/index.html: $(VENV)/.ready $(SOURCES) $(wildcard $(NPM_RUNTIME)) | pyodide
	$(BIN)/trainwreck-dev build
	@touch $@

# Status 1 means that something was diagnosed, which is what this log is for.
try: build
	@echo
	@echo '$$ python3 dist/trainwreck.py $(BUNDLED_LOG)'
	@$(BIN)/python -I -S dist/trainwreck.py $(BUNDLED_LOG); status=$$?; \
	if [ $$status -ne 1 ]; then echo "make: the bundled log was not diagnosed (status $$status)" >&2; exit 1; fi

pyodide:
	@if command -v npm >/dev/null; then $(MAKE) --silent $(NPM_RUNTIME); \
	else echo 'skipped: npm is not installed, so no page diagnoses in the browser, the checker is not tried on Python 3.14, and its SARIF not validated'; fi

npm-tests: pyodide
	@if command -v npm >/dev/null; then $(MAKE) --silent $(NPM_TESTS); fi

$(NPM_RUNTIME): tests/script/package-lock.json
	cd tests/script && $(NPM_CI) --omit=dev
	@mkdir -p $(@D) && touch $@

$(NPM_TESTS): tests/script/package-lock.json
	cd tests/script && $(NPM_CI)
	@mkdir -p $(@D) && touch $@

test: setup build npm-tests
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/mypy --no-error-summary
	$(BIN)/trainwreck-dev fmt --check
	$(BIN)/trainwreck-dev lint
	$(BIN)/trainwreck-dev examples
	$(BIN)/trainwreck-dev check
	$(BIN)/pytest --numprocesses $(TEST_PROCESSES) --dist loadgroup

$(TORCH_VENV)/.ready: tests/repro/requirements.txt
	$(PYTHON) -m venv $(TORCH_VENV)
	$(TORCH_VENV)/bin/pip install --quiet --disable-pip-version-check -r tests/repro/requirements.txt
	@touch $@

# Makes the failures really happen, with real torch on the CPU.
test-torch: $(TORCH_VENV)/.ready
	$(TORCH_VENV)/bin/python tests/repro/run.py

# The same, but what has passed and has not changed since is left out: make repro NAMES="rank_killed"
repro: $(TORCH_VENV)/.ready
	$(TORCH_VENV)/bin/python tests/repro/run.py --resume $(NAMES)

# Shows the site while entries are written.
serve: setup
	$(BIN)/trainwreck-dev serve

# The site as one file that works from a file system: build/trainwreck-site.zip
site-zip: build
	$(BIN)/trainwreck-dev offline

# What workflows run on GitHub besides: problems as annotations, the review of a pull request,
# what has grown stale, and the files of a release.
BASE ?= origin/main
annotate: setup
	$(BIN)/trainwreck-dev lint --format github

review: setup
	@mkdir -p build/review
	printf '%s\n' "$${PULL_REQUEST:-}" > build/review/number
	$(BIN)/trainwreck-dev review --base "$(BASE)" --output build/review/review.md

links: setup
	@mkdir -p build
	$(BIN)/trainwreck-dev links --output build/stale.md

upstream: setup $(TORCH_VENV)/.ready
	@mkdir -p build
	$(BIN)/trainwreck-dev upstream $(TORCH_VENV)/lib/python3*/site-packages --output build/stale.md

release: build site-zip
	rm -rf build/release
	mkdir -p build/release
	cp dist/* build/trainwreck-site.zip build/release/
	cd build/release && sha256sum trainwreck-site.zip >> SHA256SUMS

labels:
	@while read -r name color says; do gh label create "$$name" --color "$$color" --description "$$says" --force; done < .github/labels.txt

# Writes requirements.lock anew from pyproject.toml.
lock: setup
	$(PYTHON) -m venv build/lock-tools
	build/lock-tools/bin/pip install --quiet 'pip-tools>=7,<8'
	build/lock-tools/bin/pip-compile --quiet --generate-hashes --strip-extras --all-extras \
	  --no-header --no-emit-index-url --no-emit-find-links --no-emit-trusted-host \
	  -o requirements.lock pyproject.toml

clean:
	rm -rf build dist site
