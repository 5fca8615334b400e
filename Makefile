# trireme: `make help` lists what there is.
SHELL := /bin/bash
NODE_BIN := node_modules/.bin

.PHONY: help install build run cluster test lint tidy golden sim simpeer fuzz chaos bench clean

help: ## this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

install: node_modules/.stamp ## fetch the pinned dependencies

node_modules/.stamp: package.json package-lock.json
	npm ci --no-audit --no-fund --loglevel=error
	@touch $@

build: install ## compile to dist/
	npm run --silent build

run: build ## one peer on https://127.0.0.1:6443, data and keys under ./.trireme
	MALLOC_TRIM_THRESHOLD_=$${MALLOC_TRIM_THRESHOLD_:-1048576} node dist/cmd/apiserver/main.js $(ARGS)

cluster: build ## three peers on https://127.0.0.1:6443 to 6445, data and keys under ./.trireme/cluster
	node scripts/cluster.mjs $(ARGS)

test: build ## type check, lint, room table, every test; PROPERTY_SEED=random for other cases than always
	$(NODE_BIN)/tsc --noEmit -p tsconfig.json
	$(NODE_BIN)/biome check .
	$(NODE_BIN)/vitest run

lint: install ## biome, with fixes
	$(NODE_BIN)/biome check --write .

golden: build ## replay the recorded answers of a reference server, area by area
	node test/golden/run.mjs $(ARGS)

sim: install ## simulate whole clusters: SEEDS=100000 or SEED=one
	SIM_SEEDS=$(or $(SEEDS),20000) SIM_SEED=$(SEED) $(NODE_BIN)/vitest run test/sim/*.test.ts

simpeer: install ## simulate clusters of production peers: SEEDS=10000 or SEED=one
	PEER_SEEDS=$(or $(SEEDS),5000) PEER_SEED=$(SEED) $(NODE_BIN)/vitest run test/sim/peer

fuzz: install ## feed every reader what nobody meant: MINUTES=n SEED=s TARGET=part of a name
	FUZZ_MINUTES=$(or $(MINUTES),5) FUZZ_SEED=$(SEED) FUZZ_TARGET='$(TARGET)' $(NODE_BIN)/vitest run test/fuzz

chaos: build ## faults on real processes: MINUTES=n SEED=s, the report in ./.trireme/chaos
	CHAOS_MINUTES=$(or $(MINUTES),10) CHAOS_SEED=$(SEED) $(NODE_BIN)/vitest run test/chaos/long.test.ts

bench: build ## speed, as ratios to floors measured in the same run
	node test/bench/run.mjs $(ARGS)

clean: ## remove what was built
	rm -rf dist
