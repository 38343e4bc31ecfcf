# Every target makes or updates the virtual environment it needs:
# .venv with what the demo runs on, then the same .venv with what development takes.

PYTHON ?= python3
MINUTES ?= 3
WORKERS ?= 2
BUSY ?= 0
FUZZ ?= 250
STATES ?= 10
NEAR ?= 100

BIN := .venv/bin
VENV := .venv/.stamp-venv
DEMO := .venv/.stamp-demo
DEV := .venv/.stamp
# Modules are compiled to bytecode when they are first imported: most never are. A shell may forbid to
# keep the bytecode; then each process of the tests would compile all that it imports.
export PYTHONDONTWRITEBYTECODE :=
INSTALL := $(BIN)/python -m pip install --no-compile --disable-pip-version-check -c constraints.txt

.PHONY: help venv demo test test-slow test-all bounds fuzz mutants examples examples-here examples-apart reproduce lint format types docs pictures pages dist bench gpu gpu-check cold clean web web-check chromium
.DEFAULT_GOAL := help

help:
	@echo "make demo    train an agent for $(MINUTES) minutes, then show how it does against random and rule"
	@echo "make test    the quick tests of everything; make test BUSY=4 beside four busy processes"
	@echo "make test-all  all tests, the slow ones too (make test-slow: those alone)"
	@echo "make bounds  the test suite with every index into an array checked, ROOMS=tests/agents for a part"
	@echo "make fuzz    parsers against $(FUZZ) times, states against $(STATES) times as many inputs as in the suite"
	@echo "make cold    kernels compiled on eight threads at once from an empty cache, a hundred rounds"
	@echo "make mutants faults put into the code, and whether the tests notice (an hour or more)"
	@echo "make examples train with other libraries; install the game in examples/ and show that it works;"
	@echo "              examples-here without those that need an environment of their own"
	@echo "make reproduce  the four documents, a short run of each, into runs/all"
	@echo "make lint    ruff: lint and format check (make format: repair); the order of imports"
	@echo "make types   pyright"
	@echo "make docs    the documentation, into docs/_build/html"
	@echo "make pictures  the pictures of the documentation's tables, into docs/pictures"
	@echo "make pages   the pages of the environments, and code in the manual that is from files"
	@echo "make dist    wheel and sdist, into dist/, checked and tried in an empty environment"
	@echo "make bench   the benchmarks"
	@echo "make gpu     the proof with a GPU, under four minutes, into runs/gpu (needs the extra gpu)"
	@echo "make gpu-check  all rules compile for a GPU, and steps equal a CPU's in a simulator; no GPU"
	@echo "make web     the page of closedhand web, from web/ into closedhand/web/static (needs npm)"
	@echo "make venv    only the virtual environment, .venv"
	@echo "make clean   remove what the targets above have made, but for runs/"

venv: $(DEV)

demo: $(DEMO)
	$(BIN)/python examples/demo.py --minutes $(MINUTES)

# Workers begin with files of their own; one that is done takes tests from the other.
PYTEST = $(BIN)/pytest -n $(WORKERS) --dist worksteal --beside $(BUSY)
test: $(DEV)
	$(PYTEST) -m "not slow"

test-slow: $(DEV)
	$(PYTEST) -m slow

test-all: $(DEV)
	$(PYTEST)

# Kernels write past an array in silence; here every index is checked, which takes kernels of its own.
ROOMS ?= tests
bounds: $(DEV)
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(CURDIR)/runs/bounds-cache $(BIN)/pytest $(ROOMS) -n $(WORKERS) --dist worksteal

# 10,000 damaged states a game, 5,000 inputs a parser, 3,000 commands near valid ones. Until something breaks: make fuzz FUZZ=1000000.
fuzz: $(DEV)
	CLOSEDHAND_FUZZ=$(STATES) $(BIN)/pytest tests/games/test_validity.py::test_damaged_states_do_no_harm -n $(WORKERS) --durations=0
	CLOSEDHAND_FUZZ=$(FUZZ) $(BIN)/pytest tests/test_fuzz.py -n $(WORKERS) --dist worksteal --durations=0
	CLOSEDHAND_FUZZ=$(NEAR) $(BIN)/pytest tests/cli/test_near_commands.py

cold: $(DEV)
	CLOSEDHAND_FUZZ=20 $(BIN)/pytest tests/core/numba/test_threads.py -n $(WORKERS)

# Goes on where it was interrupted; rm -r runs/mutants begins anew.
mutants: $(DEV)
	$(BIN)/python -m tests.mutants --workers $(WORKERS)

# Other libraries, less than a minute each.
LIBRARIES := self_play_ppo sb3_maskable_ppo sb3_pettingzoo tianshou_ppo torchrl_ppo open_spiel_cfr rlcard_match

# Those whose pins exclude ours have environments of their own.
RLLIB := .venv-rllib/.stamp
AGILERL := .venv-agilerl/.stamp

examples: examples-here examples-apart

# The second half is two games from outside, by the routes that our own games take.
KUHN := runs/kuhn
SPADES := runs/spades
examples-here: $(DEV)
	@set -e; for name in $(LIBRARIES); do \
		echo "python examples/$$name.py"; $(BIN)/python examples/$$name.py; done
	$(INSTALL) -e examples/kuhn-poker
	$(BIN)/pytest examples/kuhn-poker
	$(BIN)/closedhand match kuhn --agents random,random --workers 2 --deals 200 --out $(KUHN)/match.json
	$(BIN)/closedhand match kuhn --agents 'equilibrium[alpha=0.3],random' --deals 200 --out $(KUHN)/equilibrium.json
	printf 'bet\nbet\n' | $(BIN)/closedhand play kuhn --seed 1
	$(BIN)/python examples/kuhn-poker/record.py $(KUHN)/games.jsonl
	$(BIN)/closedhand records replay $(KUHN)/games.jsonl
	$(INSTALL) -e examples/spades
	$(BIN)/pytest examples/spades
	$(BIN)/closedhand match spades --agents rule,random --deals 200 --out $(SPADES)/match.json
	$(BIN)/closedhand match spades --agents 'search[policy=rule]:50ms,rule' --deals 10 --out $(SPADES)/search.json
	$(BIN)/closedhand records generate spades --agents rule,random --games 100 --out $(SPADES)/games.jsonl
	$(BIN)/closedhand records replay $(SPADES)/games.jsonl
	$(BIN)/closedhand advise spades 'AsKsQs2s AhKh3h AcKc4c AdKd5d' --simulations 300
	$(BIN)/closedhand exploit spades --agent rule --responder 'ismcts[policy=rule]:200' --deals 20
	$(BIN)/closedhand train spades --algorithm ppo --steps 10000 --restart --out $(SPADES)/ppo

examples-apart: $(RLLIB) $(AGILERL)
	.venv-rllib/bin/python -W ignore examples/rllib_ppo.py
	.venv-rllib/bin/python -W ignore examples/rllib_ppo.py --self-play --steps 5000
	.venv-rllib/bin/python -W ignore examples/ray_tune.py
	.venv-agilerl/bin/python -W ignore examples/agilerl_ppo.py

# Some minutes for each document, with intervals to match.
reproduce: $(DEV)
	$(BIN)/closedhand reproduce all --quick

lint: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache

format: $(DEV)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: $(DEV)
	$(BIN)/pyright

docs: $(DEV)
	$(BIN)/sphinx-build -W --keep-going -d docs/_build/doctrees docs docs/_build/html

pictures: $(DEV)
	$(BIN)/python docs/pictures.py

pages: $(DEV)
	$(BIN)/python docs/generate.py

# README's code runs from the wheel, in an environment that holds nothing else.
dist: $(DEV)
	rm -rf dist
	$(BIN)/python -m build --outdir dist
	$(BIN)/twine check --strict dist/*
	$(BIN)/python -m tests.distribution dist

# What is built is committed, so that nobody needs npm to install.
NODE := web/node_modules/.stamp

$(NODE): web/package.json web/package-lock.json
	cd web && npm ci --no-audit --no-fund
	@touch $@

web: $(NODE)
	cd web && npm run build

web-check: $(NODE)
	cd web && npm run check

# The browser of the tests; a system package, so only where nothing else is to be asked.
chromium:
	@command -v chromium-headless-shell || \
		{ apt-get update && apt-get install -y --no-install-recommends chromium-headless-shell; } || \
		command -v chromium

bench: $(DEV)
	$(BIN)/python -m benchmarks

# With a GPU, by the Python that has PyTorch with CUDA and the extra gpu: make gpu PYTHON=…
gpu:
	$(PYTHON) -m benchmarks.gpu run runs/gpu

# Without one, in an environment of its own of 700 MB.
GPU := .venv-gpu
$(GPU)/.stamp: pyproject.toml
	$(PYTHON) -m venv $(GPU)
	$(GPU)/bin/python -m pip install --disable-pip-version-check -c constraints.txt -e . \
		numba-cuda==0.30.4 nvidia-cuda-nvcc==13.0.88 nvidia-nvvm==13.0.88 nvidia-cuda-nvrtc==13.0.88
	touch $@

gpu-check: $(GPU)/.stamp
	NUMBA_ENABLE_CUDASIM=1 NUMBA_DISABLE_JIT=1 $(GPU)/bin/python tests/gpu/simulate.py
	$(GPU)/bin/python tests/gpu/check.py

clean:
	rm -rf .venv .venv-gpu .venv-rllib .venv-agilerl build dist docs/_build docs/_extra docs/reference .hypothesis .pytest_cache .ruff_cache
	find closedhand tests benchmarks docs -name __pycache__ -prune -exec rm -rf {} +

# The pip that comes with Python 3.11 is slower than that of constraints.txt.
$(VENV):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
		{ echo "closedhand needs Python 3.11 or newer, which $(PYTHON) is not; name one: make PYTHON=python3.12" >&2; exit 1; }
	$(PYTHON) -m venv --clear .venv
	$(INSTALL) --upgrade pip
	@touch $@

APART = $(@D)/bin/python -m pip install --disable-pip-version-check

$(RLLIB): examples/requirements/rllib.txt
	$(PYTHON) -m venv $(@D)
	$(APART) -r $< -e .
	@touch $@

$(AGILERL): examples/requirements/agilerl.txt
	$(PYTHON) -m venv $(@D)
	$(APART) -r $<
	$(APART) --no-deps pettingzoo==1.27.0 -e .
	@touch $@

$(DEMO): pyproject.toml constraints.txt | $(VENV)
	$(INSTALL) -e '.[learn]'
	@touch $@

# With what the demo takes, so that pip resolves once.
$(DEV): pyproject.toml constraints.txt | $(VENV)
	$(INSTALL) -e '.[learn,train,data,solve,plot,render,web,ray,examples,peers,docs,dev]'
	@touch $(DEMO) $@
