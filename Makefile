# What a person runs is what CI runs. Each target makes what it needs and is quick when it is there.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# Processes that test side by side:
WORKERS ?= 2

.PHONY: help demo test lint format lock docs screenshots golden corpora faults fuzz-search fuzz-api bench-crawl bench-frontier bench-rank bench-readers bench-extract bench-products bench-quality bench-known-item bench-search bench-load compare browser clean

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

test: $(READY) lint browser  ## Everything CI checks
	$(BIN)/python -m pytest -m alone
	$(BIN)/python -m pytest -m "not alone" --numprocesses $(WORKERS) --dist loadfile --no-loadscope-reorder

faults: $(READY)  ## Fifty kills -9 in a row (minutes)
	KILLS=50 $(BIN)/python -m pytest tests/faults --timeout 900

fuzz-search: $(READY)  ## A hundred thousand queries that nobody would type (minutes)
	FUZZ=100000 $(BIN)/python -m pytest tests/search/test_hostile.py

fuzz-api: $(READY)  ## Does the API do what its OpenAPI says? Schemathesis asks for ten minutes
	FUZZ=600 $(BIN)/python -m pytest tests/web/test_described_api.py

bench-crawl: $(READY)  ## byway's crawler beside a tuned Scrapy, on real documentation (10 minutes)
	$(BIN)/python -m bench.speed.crawl $(ARGS)

bench-frontier: $(READY)  ## Speed and memory of the frontier at 1 and 5 million known URLs
	$(BIN)/python -m bench.speed.frontier $(ARGS)

bench-rank: $(READY)  ## PageRank of 60 million edges beside SciPy, NetworKit and Spark (ARGS=--huge: 500 million)
	$(BIN)/python -m bench.speed.rank $(ARGS)

bench-readers: $(READY)  ## What it costs to read pages in processes of their own
	$(BIN)/python -m bench.speed.readers $(ARGS)

bench-extract: $(READY)  ## Quality and speed of reading pages, beside three other extractors
	$(BIN)/python -m bench.quality.extract $(ARGS)

bench-products: $(READY)  ## Are products read right, and found by what they are like?
	$(BIN)/python -m bench.quality.products $(ARGS)

bench-quality: $(READY)  ## Quality of ranking on judged collections, beside BM25 (5 minutes)
	$(BIN)/python -m bench.quality.search $(ARGS)

bench-known-item: $(READY)  ## Are the pages found that two printed indexes name? (3 minutes)
	$(BIN)/python -m bench.quality.known_item $(ARGS)

bench-search: $(READY)  ## Speed of searching 100,000 pages, beside other engines (20 minutes)
	$(BIN)/python -m bench.speed.search $(ARGS)

bench-load: $(READY)  ## The search page in a rush: 2 and 8 times what it can do
	$(BIN)/python -m bench.speed.load $(ARGS)

compare: $(READY)  ## What changed between two commits: ARGS="OLD NEW behaviour" or "OLD NEW cpu -- COMMAND"
	bench/compare $(ARGS)

lint: $(READY)  ## Style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(READY)  ## Put the code in shape
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

browser:
	@./tests/browser/install-chromium

docs: $(READY)  ## Write the generated reference pages anew
	$(BIN)/python docs/generate.py

screenshots: $(READY) browser  ## Make the pictures of the documentation anew
	$(BIN)/python docs/screenshots.py

golden: $(READY)  ## Write anew what is read from the golden pages
	GOLDEN=write $(BIN)/python -m pytest tests/extract/test_golden.py

corpora: $(READY)  ## Read all pages that somebody has choked on (a minute)
	CORPORA=all $(BIN)/python -m pytest tests/extract/test_corpora.py

lock: $(READY)  ## Choose newer versions of the libraries
	$(BIN)/python -m uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --upgrade --group dev pyproject.toml -o requirements.lock

clean:  ## Remove everything make has made
	rm -rf $(VENV) .compare bench/.venv bench/speed/rank/.venv bench/speed/rank/.data byway-demo .mypy_cache .ruff_cache .pytest_cache
