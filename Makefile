# Each target makes the virtual environment that it needs, so no other command has to come first.
#   make setup        makes the environment for development: a driver, the tests' packages, the linters
#   make quick        lint and a part of the tests, in a minute: before each commit
#   make demo         computes the two programs of the GpuPy paper and says where the pictures are
#   make test         lint and all tests
#   make docs         builds the site in build/docs, in an environment of its own, and checks it
#   make smoke        a little of everything, in seconds
#   make compiled     compiles the hot path again, after a change of its modules (docs/developer/compiled-form.md)
#   make lint         ruff, mypy and pyright, which need no device
#   make pytest       the tests (ARGS="tests/api -x")
#   make consumers    the tests with SciPy, scikit-learn, xarray, dask and others, and of docs/
#   make bits         compares the bits of results with the record (ARGS="--share 24")
#   make accuracy     measures the errors of the floating-point functions
#   make campaign     random programs, faults and interrupts (ARGS="--full")
#   make conformance  runs the official suite (ARGS="--fetch --max-examples 20 --workers 2")
#   make suites       runs other libraries' suites with our arrays (ARGS="sklearn scipy.fft")
#   make coverage     the tests of all rooms, and the share of lines that they run (pyproject.toml has the least share)
#   make notebook     the extension of IPython, with IPython
#   make release-check   workflows, forms, images, recipe, citation, spelling, and README as an index shows it
#   make dist         builds the sdist and a wheel into dist/ and tries both in new environments
#   make bench        compares with NumPy and the libraries installed beside it (ARGS="reductions --size 20")
#
# DRIVER is the extra that brings a device: cpu (Intel's runtime), pocl, opencl (the system's drivers), cuda13 and others.
# By default it is native: no driver.
# An environment with several drivers lists the devices of all, so give a second driver another VENV.

PYTHON ?= python3
VENV ?= .venv
DRIVER ?= native
BIN := $(VENV)/bin

# What `make quick` tests: the laws, the pages, generated kernels, the planner, and a little of everything.
QUICK := tests/test_architecture.py tests/test_language.py tests/test_project.py tests/test_smoke.py \
	tests/kernels/test_golden.py tests/lazy/test_fusion.py

# What `make coverage` runs.
ROOMS := tests/api tests/backends tests/kernels tests/lazy tests/memory tests/numpy tests/random tests/special

.PHONY: setup quick demo test smoke compiled lint pytest consumers bits accuracy campaign conformance suites bench clean \
	coverage notebook release-check dist

setup: $(VENV)/$(DRIVER)-test.ready $(VENV)/lint.ready
	@$(BIN)/python -m arrayapi_gpu
	@echo "The environment is $(VENV). Next: make quick"

quick: lint $(VENV)/$(DRIVER)-test.ready
	$(BIN)/python -m pytest -n 2 --dist worksteal $(QUICK) $(ARGS)

demo: $(VENV)/$(DRIVER)-$(DRIVER).ready
	@$(BIN)/python -m bench.demo

compiled: $(VENV)/$(DRIVER)-test.ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@$(BIN)/python -c 'from arrayapi_gpu import compiled; print(compiled.missing or "compiled")'

lint: $(VENV)/lint.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/basedpyright

test: lint pytest

.PHONY: docs
docs: $(VENV)-docs/ready
	$(VENV)-docs/bin/python docs/_ext/build_site.py $(ARGS)

$(VENV)-docs/ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)-docs
	$(VENV)-docs/bin/python -m pip install --quiet --disable-pip-version-check --editable ".[docs]"
	@touch $@

smoke: $(VENV)/$(DRIVER)-test.ready
	$(BIN)/python -m pytest tests/test_smoke.py $(ARGS)

pytest: $(VENV)/$(DRIVER)-test.ready
	$(BIN)/python -m pytest -n 2 --dist worksteal $(ARGS)

consumers: $(VENV)/$(DRIVER)-test.ready $(VENV)/$(DRIVER)-consumers.ready
	$(BIN)/python -m pytest tests/consumers tests/test_dask.py tests/test_docs.py tests/test_examples.py tests/test_gallery.py $(ARGS)

bits: $(VENV)/$(DRIVER)-$(DRIVER).ready
	@$(BIN)/python -m conformance.bits $(ARGS)

accuracy: $(VENV)/$(DRIVER)-test.ready
	@$(BIN)/python -m conformance.accuracy $(ARGS)

campaign: $(VENV)/$(DRIVER)-test.ready
	@$(BIN)/python -m conformance.campaign $(ARGS)

conformance: $(VENV)/$(DRIVER)-conformance.ready
	@$(BIN)/python -m conformance $(ARGS)

suites: $(VENV)/$(DRIVER)-consumers.ready
	@$(BIN)/python -m conformance consumers $(ARGS)

bench: $(VENV)/$(DRIVER)-bench.ready
	@$(BIN)/python -m bench $(ARGS)

# Compiled modules cannot be followed, so these are the tests of the Python form.
coverage: $(VENV)/$(DRIVER)-coverage.ready $(VENV)/$(DRIVER)-test.ready
	ARRAYAPI_GPU_COMPILED=0 $(BIN)/python -m pytest -n 2 --dist worksteal --device native --cov --cov-report=term \
		$(ROOMS) $(ARGS)

notebook: $(VENV)/$(DRIVER)-notebook.ready $(VENV)/$(DRIVER)-test.ready
	$(BIN)/python -c 'import IPython'
	$(BIN)/python -m pytest tests/test_notebook.py $(ARGS)

release-check: $(VENV)/release.ready
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/bug.yml .github/ISSUE_TEMPLATE/feature.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
	$(BIN)/check-jsonschema --schemafile packaging/recipe.schema.json packaging/recipe.yaml
	$(BIN)/hadolint packaging/*.Dockerfile
	$(VENV)/cffconvert/bin/cffconvert --validate
	$(BIN)/pre-commit validate-config
	$(BIN)/typos
	$(BIN)/python .ci/release.py page > /dev/null
	@echo "The files of a release are valid. Next: make dist"

dist: $(VENV)/release.ready
	rm -rf dist
	$(BIN)/python -m build
	$(BIN)/python -m twine check --strict dist/*
	$(BIN)/python .ci/try_package.py dist
	$(BIN)/python .ci/try_package.py dist --sdist

clean:
	rm -rf $(VENV) $(VENV)-docs build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis

# The linters read the tests, so they need the tests' packages, but no driver and no compiled form.
$(VENV)/lint.ready: pyproject.toml | $(BIN)/python
	ARRAYAPI_GPU_COMPILED=0 $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[test,lint]"
	@touch $@

# These need neither the package nor its build. cffconvert needs an old jsonschema, so it has an environment of its own.
$(VENV)/release.ready: pyproject.toml | $(BIN)/python
	ARRAYAPI_GPU_COMPILED=0 $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[release]"
	$(PYTHON) -m venv $(VENV)/cffconvert
	$(VENV)/cffconvert/bin/python -m pip install --quiet --disable-pip-version-check "cffconvert>=2"
	@touch $@

# One stamp for each extra, which is installed together with the driver.
$(VENV)/$(DRIVER)-%.ready: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[$(DRIVER),$*]"
	@touch $@

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
