# Everything a developer or CI runs. `make help` lists it, and each target stands alone. `.ci/run` runs every check but `make long`, `make mutants`, `make bench-check` and `make vulncheck`,
# which are jobs of CI's own, the first two at night.

GO         ?= go
MODULES     = . asm cmd/pbkdf2
OUTSIDE     = shim/xdg-go-pbkdf2 interop # modules that are not in go.work
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOVULNCHECK = golang.org/x/vuln/cmd/govulncheck@v1.1.4
FUZZTIME   ?= 1h
BENCHSTAT   = golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da
DEBUG       = -gcflags='all=-N -l'

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "%-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: build
build: ## compile every module; the command goes to bin/
	$(foreach m,$(MODULES),$(GO) build -C $(m) ./... &&) true
	$(GO) build -o bin/pbkdf2 ./cmd/pbkdf2

.PHONY: test
test: ## the tests of every module; those of asm read another module's files, whose changes Go's cache of results does not see
	$(foreach m,$(MODULES),$(GO) test -C $(m) $(if $(filter asm,$(m)),-count=1) ./... &&) true

.PHONY: test-builds
test-builds: ## the library's tests alone, with -race (the command's, too), purego, and without optimisation
	GOWORK=off $(GO) test ./...
	$(GO) test -short -race ./...
	$(GO) test -C cmd/pbkdf2 -short -race ./...
	PBKDF2_TEST_KERNELS="$$(.ci/kernels generic)" $(GO) test -short -tags purego ./...
	$(GO) test -short $(DEBUG) ./...

.PHONY: long
long: ## what -short and .ci/run leave out, some hours: every vector, 10^7 comparisons with crypto/pbkdf2, and fuzzing for 10 minutes a target
	PBKDF2_TEST_LONG=1 $(GO) test -timeout 2h ./...
	PBKDF2_TEST_LONG=1 $(GO) test -race -timeout 1h -run 'TestStress|TestPool' .
	PBKDF2_TEST_COMPARISONS=10000000 $(GO) test -timeout 2h -run TestComparisons -v .
	$(MAKE) fuzz FUZZTIME=10m

.PHONY: fuzz
fuzz: ## every fuzz target in turn, FUZZTIME (1h) each
	@grep -ro --include='*_test.go' '^func Fuzz[A-Za-z]*' . | while IFS=: read -r file target; do \
	  echo "$$(dirname $$file): $${target#func }"; \
	  $(GO) test -C $$(dirname $$file) -run '^$$' -fuzz "^$${target#func }\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 100x . </dev/null || exit 1; \
	done

.PHONY: cover
cover: ## coverage of the library's code; doc/coverage.md has what no test runs, and why
	.ci/cover

.PHONY: generate
generate: ## write every generated file anew
	$(GO) generate ./...

.PHONY: fresh
fresh: ## delete every generated file, generate, and fail if the tree has changed
	git ls-files -z internal | xargs -0 grep -lZ '^// Code generated .* DO NOT EDIT\.$$' | xargs -0 rm
	$(GO) generate ./...
	git diff --exit-code
	test -z "$$(git status --porcelain)"

.PHONY: fmt
fmt: ## fail if gofmt would change a file
	@test -z "$$(gofmt -l . | tee /dev/stderr)"

.PHONY: vet
vet: ## go vet, asmdecl and framepointer with it, for many targets
	$(foreach m,$(MODULES),$(GO) vet -C $(m) ./... &&) true
	$(foreach m,$(OUTSIDE),GOWORK=off $(GO) vet -C $(m) ./... &&) true
	for target in linux/amd64 linux/arm64 darwin/arm64 linux/386 linux/s390x js/wasm; do \
	  for tags in '' purego; do \
	    echo "vet $$target $$tags"; GOOS=$${target%/*} GOARCH=$${target#*/} $(GO) vet -tags "$$tags" ./... || exit 1; \
	  done; \
	  [ $$target = js/wasm ] || GOOS=$${target%/*} GOARCH=$${target#*/} $(GO) vet -C cmd/pbkdf2 ./... || exit 1; \
	done

.PHONY: lint
lint: fmt vet ## format, vet and staticcheck
	$(foreach m,$(MODULES),(cd $(m) && $(GO) run $(STATICCHECK) ./...) &&) true
	$(foreach m,$(OUTSIDE),(cd $(m) && GOWORK=off $(GO) run $(STATICCHECK) ./...) &&) true

.PHONY: vulncheck
vulncheck: ## known vulnerabilities; needs the network
	$(foreach m,$(MODULES),(cd $(m) && $(GO) run $(GOVULNCHECK) ./...) &&) true
	$(foreach m,$(OUTSIDE),(cd $(m) && GOWORK=off $(GO) run $(GOVULNCHECK) ./...) &&) true

.PHONY: bench
bench: ## Key beside crypto/pbkdf2, and every kernel beside its floor
	$(GO) test -run '^$$' -bench 'Ratio|Cycles' -benchtime 1x -count 10 . | tee bench.out
	$(GO) run $(BENCHSTAT) bench.out

.PHONY: bench-check
bench-check: ## fail if a kernel or Key has become slower beside crypto/pbkdf2 than testdata/ratios.json has for this kind of CPU, or a Pool slow beside a Batch or Key
	PBKDF2_TEST_RATIOS=check $(GO) test -count 1 -run '^(TestRegression|TestPoolRates)$$' -timeout 1h -v .

.PHONY: bench-record
bench-record: ## write what this CPU does to testdata/ratios.json
	PBKDF2_TEST_RATIOS=record $(GO) test -count 1 -run '^TestRegression$$' -timeout 1h -v .

.PHONY: branches
branches: ## list every branch of every kernel with what its condition comes from; fail if a branch or an address depends on a secret
	$(GO) run -C asm ./branches

.PHONY: model-arm64
model-arm64: ## write doc/arm64-model.md: the arm64 kernels by LLVM's models (needs llvm-mca)
	$(GO) run -C asm ./model > doc/arm64-model.tmp
	mv doc/arm64-model.tmp doc/arm64-model.md

.PHONY: report
report: ## measure this machine: the tables and charts of doc/, and those in the README
	$(GO) run ./cmd/pbkdf2 bench -table debug,lanes,pool $(BENCH) -format json > doc/report.tmp
	mv doc/report.tmp doc/report.json
	for t in debug lanes pool; do \
	  $(GO) run ./cmd/pbkdf2 bench -from doc/report.json -table $$t -format svg > doc/$$t.svg && \
	  $(GO) run ./cmd/pbkdf2 bench -from doc/report.json -table $$t -format markdown > doc/$$t.md && \
	  sed -i -e "/<!-- report:$$t -->/,/<!-- .report -->/{//!d}" -e "/<!-- report:$$t -->/r doc/$$t.md" README.md && \
	  rm doc/$$t.md || exit 1; \
	done

.PHONY: cross
cross: ## the tests under emulators of other CPUs
	.ci/cross

.PHONY: builds
builds: ## other kinds of build: systems, TinyGo's tags, plugin, C library, sanitizers, GOAMD64, the newest Go, FIPS
	.ci/builds

.PHONY: cycles
cycles: ## what every kernel takes in cycles, and how many additions the CPU does in one
	$(GO) test -run '^$$' -bench 'Units|Cycles' -benchtime 1x .

.PHONY: mutants
mutants: ## plant faults in every kernel: its test must find each
	$(GO) run -C asm ./mutate

.PHONY: mutants-short
mutants-short: ## the same for the kernels that this CPU can run
	$(GO) run -C asm ./mutate -short

.PHONY: interop
interop: ## the tests against programs and services that are not ours; interop/doc.go lists the packages
	$(foreach m,$(OUTSIDE),GOWORK=off $(GO) test -C $(m) -count 1 -v ./... &&) true
