# Each target makes the virtual environment it needs; nothing has to be done before.
#   make demo         computes the two programs of the GpuPy paper and says where the pictures are
#   make test         ruff, mypy and the tests
#   make lint         ruff and mypy
#   make conformance  runs the official suite (ARGS="--fetch --max-examples 20 --workers 2")
#   make bench        compares with NumPy and the libraries installed beside it (ARGS="reductions --size 20")

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: demo test lint conformance bench clean

demo: $(VENV)/opencl.ready
	@$(BIN)/python -m bench.demo

lint: $(VENV)/test.ready
	$(BIN)/ruff check .
	$(BIN)/mypy

test: lint
	$(BIN)/python -m pytest -n 2 --dist worksteal $(ARGS)

conformance: $(VENV)/conformance.ready
	@$(BIN)/python -m conformance $(ARGS)

bench: $(VENV)/bench.ready
	@$(BIN)/python -m bench $(ARGS)

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis

# One stamp for each extra; PoCL, an OpenCL device on the CPU, always comes along.
$(VENV)/%.ready: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[pocl,$*]"
	@touch $@

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
