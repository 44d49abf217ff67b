# Everything here is a plain go command; there is nothing to configure.

FUZZTIME ?= 10s

.PHONY: build release test race bench fuzz ci

build: ## one static binary, ./palate
	CGO_ENABLED=0 go build -trimpath -ldflags="-s -w" -o palate ./cmd/palate

release: ## dist/: binaries for six systems, with checksums; the same wherever they are built
	go run ./internal/release

test:
	go test -timeout 30m ./...

race: ## where goroutines meet; needs a C compiler
	go test -race -short ./...

bench:
	go test -run '^$$' -bench . -benchmem ./...

fuzz: ## every fuzz target for FUZZTIME
	@set -e; for pkg in $$(go list ./...); do \
		tests=$$(go test -list '^Fuzz' $$pkg); \
		for target in $$(echo "$$tests" | grep '^Fuzz' || true); do \
			echo "$$pkg $$target"; \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1x $$pkg; \
		done; \
	done

ci:
	.ci/run
