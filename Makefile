# trireme: `make help` lists the targets.
SHELL := /bin/bash
NODE_BIN := node_modules/.bin

.PHONY: help install build run cluster test lint golden sim simpeer fuzz difffuzz sweep celfuzz chaos bench envtest-assets clients definitions conformance devices users konnectivity benchcluster clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

install: node_modules/.stamp ## install the pinned dependencies

node_modules/.stamp: package.json package-lock.json
	npm ci --no-audit --no-fund --loglevel=error
	@touch $@

build: install ## compile to dist/
	npm run --silent build
	node scripts/codecache.mjs

run: build ## start one peer on https://127.0.0.1:6443, data and keys in ./.trireme
	MALLOC_TRIM_THRESHOLD_=$${MALLOC_TRIM_THRESHOLD_:-1048576} MALLOC_MMAP_THRESHOLD_=$${MALLOC_MMAP_THRESHOLD_:-65536} \
	GLIBC_TUNABLES=$${GLIBC_TUNABLES:-glibc.malloc.hugetlb=1} NODE_OPTIONS="$${NODE_OPTIONS:---v8-pool-size=1 --use-largepages=silent}" \
		node dist/cmd/apiserver/main.js $(ARGS)

cluster: build ## start three peers on https://127.0.0.1:6443 to 6445, data and keys in ./.trireme/cluster
	node scripts/cluster.mjs $(ARGS)

test: build ## type check, lint and all tests; PROPERTY_SEED=random draws other cases
	$(NODE_BIN)/tsc --noEmit -p tsconfig.json
	$(NODE_BIN)/biome check .
	$(NODE_BIN)/vitest run $(ARGS)

lint: install ## run biome and apply its fixes
	$(NODE_BIN)/biome check --write .

golden: build ## replay all recorded answers of kube-apiserver; ARGS=--gate fails on a difference that is not listed
	node test/golden/run.mjs $(ARGS)

sim: install ## simulate whole clusters: SEEDS=100000 FROM=1, or SEED=n for one
	SIM_SEEDS=$(or $(SEEDS),20000) SIM_FROM=$(FROM) SIM_SEED=$(SEED) $(NODE_BIN)/vitest run test/sim/*.test.ts

simpeer: install ## simulate clusters of production peers on all cores: SEEDS=10000 FROM=1, or SEED=n for one; ARGS=--go-on lists all failures
	$(NODE_BIN)/tsc -p test/sim/tsconfig.json
	node dist/test/sim/peer/run.js $(if $(SEED),--seed $(SEED),--seeds $(or $(SEEDS),5000) --from $(or $(FROM),1)) $(ARGS)

fuzz: install ## fuzz every parser: MINUTES=n SEED=s TARGET=part of a name
	FUZZ_MINUTES=$(or $(MINUTES),5) FUZZ_SEED=$(SEED) FUZZ_TARGET='$(TARGET)' $(NODE_BIN)/vitest run test/fuzz

difffuzz: build ## ask this server and a kube-apiserver the same at random: REFERENCE=URL REFERENCE_CERT=f REFERENCE_KEY=f SECONDS_MAX=n SEED=s KINDS=regex
	node test/fuzz/differential/run.mjs $(ARGS)

sweep: build ## ask this server and a kube-apiserver every single change of objects: REFERENCE=URL REFERENCE_CERT=f REFERENCE_KEY=f KINDS=regex FIELDS=regex
	node test/fuzz/differential/sweep.mjs $(ARGS)

celfuzz: install ## ask our CEL and Kubernetes' own the same expressions: SECONDS_MAX=n SEED=s; needs Go
	cd test/conformance/e2e && go build -o ../../../dist/celanswers ./answers
	$(NODE_BIN)/tsc -p tsconfig.json
	REFERENCE=dist/celanswers SECONDS_MAX=$(or $(SECONDS_MAX),60) SEED=$(or $(SEED),1) node dist/test/fuzz/expressions/hunt.js

chaos: build ## inject faults into real processes: MINUTES=n SEED=s, report in ./.trireme/chaos
	CHAOS_MINUTES=$(or $(MINUTES),10) CHAOS_SEED=$(SEED) $(NODE_BIN)/vitest run test/chaos/long.test.ts

bench: build ## measure speed against floors from the same run
	node test/bench/run.mjs $(ARGS)

envtest-assets: build ## make the assets folder of controller-runtime's envtest and print its path
	@printf 'export KUBEBUILDER_ASSETS=%q\n' "$(CURDIR)/dist/envtest"

clients: build ## run clients of other projects (Go, Helm, kubectl, Python, Java, Rust), as far as installed; ARGS='--only NAME'
	node test/clients/run.mjs $(ARGS)

definitions: build ## install, use and remove the definitions of other projects; needs Go and kubectl; ARGS='--only NAME'
	node test/clients/definitions/run.mjs $(ARGS)

conformance: build ## run Kubernetes' end-to-end tests; needs Go, builds some ten minutes; ARGS='--focus REGEX'
	node test/conformance/e2e/run.mjs $(ARGS)

users: build ## a control plane whose components have their own users; needs Go
	node test/conformance/users.mjs

konnectivity: install ## egress through a real konnectivity server and agent; needs Go
	node test/conformance/konnectivity.mjs

devices: build ## allocate devices with kube-scheduler through trireme; needs Go; ARGS=--beside also asks kube-apiserver
	node test/conformance/devices/run.mjs $(ARGS)

benchcluster: build ## measure a whole cluster beside the same on kube-apiserver and etcd; needs Go
	node test/conformance/bench.mjs $(ARGS)

clean: ## remove dist/
	rm -rf dist
