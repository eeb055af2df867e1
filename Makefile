# Tilth. `make demo` shows it, `make test` runs all tests, `make help` lists the rest. Needs Go
# 1.26, Node 20.19 or newer with npm, and, for the browser tests, Debian's apt (or Chromium already
# installed).

VERSION ?= 0.1.0-dev
GO_FILES := $(shell find cmd internal api go.mod web/embed.go -type f -not -name '*_test.go' -not -path '*/testdata/*' 2>/dev/null)
WEB_FILES := $(shell find web/src web/scripts web/public web/index.html web/vite.config.ts web/package.json -type f 2>/dev/null)
# npm writes this file last; the time of the folder itself changes when tests write their caches.
NODE_MODULES := web/node_modules/.package-lock.json

.PHONY: help demo dev build gen check test quick race e2e bench torture neighbours lighthouse release image clean tools

help: ## list the targets
	@grep -hE '^[a-z0-9]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 12

demo: build ## build everything and start it with a simulated farm
	./bin/tilth demo

dev: $(NODE_MODULES) ## run the demo with a console that reloads at each change, on port 5173
	scripts/dev.sh

build: bin/tilth ## build bin/tilth, including the console

bin/tilth: web/dist/index.html $(GO_FILES)
	. scripts/environment.sh && go build -ldflags '-s -w -X tilth/internal/app.Version=$(VERSION)' -o $@ ./cmd/tilth

$(NODE_MODULES): web/package.json web/package-lock.json
	cd web && npm ci --no-audit --no-fund --ignore-scripts
	@touch $@

web/dist/index.html: $(NODE_MODULES) $(WEB_FILES)
	cd web && npm run bundle

gen: $(NODE_MODULES) ## generate Go and TypeScript from api/openapi.yaml, and Go from api/open.yaml
	go tool oapi-codegen -config api/console.codegen.yaml api/openapi.yaml
	go tool oapi-codegen -config api/provider.codegen.yaml api/openapi.yaml
	go tool oapi-codegen -config api/open.codegen.yaml api/open.yaml
	cd web && npm run gen

check: web/dist/index.html ## check formatting, lint, types, generated code and the sizes of pages
	scripts/check.sh

test: ## run everything: checks, Go, web and browser tests; print how long each part took
	scripts/test.sh

quick: $(NODE_MODULES) ## run the checks that a change needs before a commit, chosen by the changed files: a minute at most
	scripts/quick.sh

race: web/dist/index.html ## run all Go tests under the race detector
	scripts/race.sh

e2e: build ## run the browser tests with the built binary
	cd web && npm run e2e

bench: build ## measure ingest beside mosquitto, open screens, and a month's readings beside other stores; tilth bench alarm and telling run separately (docs/benchmarks.md)
	scripts/bench.sh --window 32,1 --duration 10s
	./bin/tilth bench live --duration 10s
	scripts/bench-history.sh

torture: build ## inject faults: kills, full and failing disks, torn logs, clock steps, failing mail servers (docs/faults.md); needs root
	scripts/torture.sh

neighbours: build ## measure the effects on a tenant while others use more than their share, with the limits (docs/benchmarks.md)
	scripts/neighbours.sh

lighthouse: build ## print Lighthouse's scores of the sign-in page, desktop and throttled phone
	cd web && node scripts/lighthouse.mjs

release: ## make archives for linux amd64 and arm64 with checksums in bin/release, from the last commit: make release VERSION=1.2.3
	scripts/release.sh $(VERSION)

image: ## make a container image of that release with buildah, podman or docker: make image VERSION=1.2.3
	deploy/image.sh $(VERSION)

tools: ## install what the tests need beside Go and Node: Chromium, fonts, ffmpeg, mosquitto's clients
	scripts/tools.sh

clean: ## remove build results
	rm -rf bin web/dist/* web/node_modules
