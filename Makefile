# Every verb of the project. `make help` lists them.
.DEFAULT_GOAL := help
SHELL := /bin/bash
UV := $(shell command -v uv 2>/dev/null || echo .tools/bin/uv)
RUN := $(UV) run --locked --no-sync
JOBS ?= 2

.PHONY: help
help: ## List the verbs
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: demo
demo: ## Install what is missing, run a real job against the make-believe county, show the results
	@scripts/setup demo
	@$(RUN) scrapeyard demo

.PHONY: test
test: ## Install what is missing, check the code, pass the tests in JOBS=2 processes
	@scripts/timed setup scripts/setup dev
	@scripts/timed check $(MAKE) --no-print-directory check
	@scripts/timed tests $(RUN) pytest -m "not soak" -n $(JOBS) --dist loadfile --no-loadscope-reorder

.PHONY: check
check: ## Lint, import contracts, strict types
	@scripts/setup dev
	$(RUN) ruff check src tests bench scripts deploy
	$(RUN) ruff format --check src tests bench scripts deploy
	$(RUN) lint-imports --no-logo
	$(RUN) pyright

.PHONY: soak
soak: ## The long tests: hundreds of kills, thousands of random histories
	@scripts/setup dev
	SCRAPEYARD_SOAK=1 $(RUN) pytest -m soak -s

.PHONY: bench
bench: ## Measure us and the peers side by side on the same work; writes docs/benchmarks.md
	@scripts/setup bench
	$(RUN) python -m bench

.PHONY: docs
docs: ## Write the generated pages of docs/reference anew
	@scripts/setup dev
	$(RUN) python scripts/reference.py

.PHONY: screenshots
screenshots: ## Take the pictures of the dashboard in docs/images anew
	@scripts/setup dev
	$(RUN) python scripts/screenshots.py

.PHONY: clean
clean: ## Remove what the other verbs installed or made
	rm -rf .venv .tools build scrapeyard-data .pytest_cache .ruff_cache .hypothesis .import_linter_cache
