# CI runs the same targets as people do. Each target installs what it needs on its first run.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# Test processes:
WORKERS ?= 2
# How often `make faults` kills each process:
KILLS ?= 20

.PHONY: help demo check test lint format lock docs screenshots golden corpora faults fuzz-search fuzz-api bench-crawl bench-frontier bench-rank bench-readers bench-extract bench-products bench-quality bench-known-item bench-shards bench-search bench-load compare browser clean

help:  ## Show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "make %-12s %s\n", $$1, $$2}'

$(READY): requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "byway needs Python 3.11 or newer; set PYTHON=python3.11")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || { echo 'install the Debian package python3-venv, then run make again' >&2; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $(READY)

demo: $(READY)  ## Crawl the bundled sample web, then search it in the browser
	$(BIN)/byway demo

check: $(READY) lint  ## Lint, types and the quick tests: run it while you work
	$(BIN)/python -m pytest -q -m "not alone and not slow" --numprocesses $(WORKERS) --dist loadfile

test: $(READY) lint browser  ## Everything CI runs
	$(BIN)/python -m pytest -m alone
	$(BIN)/python -m pytest -m "not alone" --numprocesses $(WORKERS) --dist loadfile --no-loadscope-reorder

faults: $(READY)  ## Kill byway, and each of its processes, KILLS (20) times in a row (minutes)
	KILLS=$(KILLS) $(BIN)/python -m pytest tests/faults --timeout 900

fuzz-search: $(READY)  ## Fuzz the query parser with 100,000 queries (minutes)
	FUZZ=100000 $(BIN)/python -m pytest tests/search/test_hostile.py

fuzz-api: $(READY)  ## Fuzz the API against its OpenAPI description (ten minutes)
	FUZZ=600 $(BIN)/python -m pytest tests/web/api/test_openapi.py

bench-crawl: $(READY)  ## Crawl speed compared with a tuned Scrapy (10 minutes)
	$(BIN)/python -m bench.speed.crawl $(ARGS)

bench-frontier: $(READY)  ## Frontier speed and memory at 1 and 5 million URLs
	$(BIN)/python -m bench.speed.frontier $(ARGS)

bench-rank: $(READY)  ## PageRank of 60 million edges compared with SciPy, NetworKit and Spark (ARGS=--huge: 500 million)
	$(BIN)/python -m bench.speed.rank $(ARGS)

bench-readers: $(READY)  ## Cost of extraction in worker processes
	$(BIN)/python -m bench.speed.readers $(ARGS)

bench-extract: $(READY)  ## Extraction quality and speed compared with three other extractors
	$(BIN)/python -m bench.quality.extract $(ARGS)

bench-products: $(READY)  ## Product extraction and product search quality
	$(BIN)/python -m bench.quality.products $(ARGS)

bench-quality: $(READY)  ## Ranking quality on judged collections compared with BM25 (5 minutes)
	$(BIN)/python -m bench.quality.search $(ARGS)

bench-known-item: $(READY)  ## Known-item search on two printed indexes (3 minutes)
	$(BIN)/python -m bench.quality.known_item $(ARGS)

bench-shards: $(READY)  ## Results of 1 to 8 shards on 20,000 pages, which must be equal (10 minutes)
	$(BIN)/python -m bench.quality.shards $(ARGS)

bench-search: $(READY)  ## Query speed on 100,000 pages compared with other engines (20 minutes)
	$(BIN)/python -m bench.speed.search $(ARGS)

bench-load: $(READY)  ## Load test of the search page at 2 and 8 times its capacity, and with 1 and 2 workers (4 minutes)
	$(BIN)/python -m bench.speed.load $(ARGS)

compare: $(READY)  ## What changed between two commits: ARGS="OLD NEW behaviour" or "OLD NEW cpu -- COMMAND"
	bench/compare $(ARGS)

lint: $(READY)  ## Style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(READY)  ## Format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

browser:
	@./tests/browser/install-chromium

docs: $(READY)  ## Write the generated reference pages
	$(BIN)/python docs/generate.py

screenshots: $(READY) browser  ## Take the screenshots of the documentation
	$(BIN)/python docs/screenshots.py

golden: $(READY)  ## Write the golden files of extraction
	GOLDEN=write $(BIN)/python -m pytest tests/extract/test_golden.py

corpora: $(READY)  ## Extract every page of the hostile corpora (a minute)
	CORPORA=all $(BIN)/python -m pytest tests/extract/test_corpora.py

lock: $(READY)  ## Update the locked library versions
	$(BIN)/python -m uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --upgrade --group dev pyproject.toml -o requirements.lock

clean:  ## Remove everything make has created
	rm -rf $(VENV) .compare bench/.venv bench/speed/rank/.venv bench/speed/rank/.data byway-demo .mypy_cache .ruff_cache .pytest_cache
