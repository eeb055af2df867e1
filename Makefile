# Tilth. `make demo` to see it, `make test` to test it, `make help` for the rest.
# Needs Go 1.26, Node 20.19 or newer with npm, and, for the browser tests, Debian's apt (or Chromium already there).

VERSION ?= 0.1.0-dev
GO_FILES := $(shell find cmd internal api go.mod web/embed.go -type f -not -name '*_test.go' -not -path '*/testdata/*' 2>/dev/null)
WORKSHOP_FILES := $(shell find workshop -type f -not -name '*_test.go' 2>/dev/null)
WEB_FILES := $(shell find web/src web/scripts web/public web/index.html web/vite.config.ts web/package.json -type f 2>/dev/null)
# npm writes this file last; the folder's own time changes whenever a test writes its cache.
NODE_MODULES := web/node_modules/.package-lock.json

.PHONY: help demo cluster dev build gen check test prove quick race e2e bench bench-cluster torture cluster-torture neighbours lighthouse release image clean tools

help: ## list the targets
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 17

demo: build ## build everything and start it with a simulated farm
	./bin/tilth demo

cluster: build ## three nodes on this machine over PostgreSQL and a copy of it, with what to kill (docs/cluster.md)
	scripts/cluster.sh

dev: $(NODE_MODULES) ## the demo with a console that reloads as you type, on port 5173
	scripts/dev.sh

build: bin/tilth ## bin/tilth, the console inside

bin/tilth: web/dist/index.html $(GO_FILES)
	. scripts/environment.sh && go build -ldflags '-s -w -X tilth/internal/server.Version=$(VERSION)' -o $@ ./cmd/tilth

# The workshop links the product's packages, whose console it never shows.
bin/workshop: $(GO_FILES) $(WORKSHOP_FILES)
	. scripts/environment.sh && go build -C workshop -ldflags '-s -w' -o ../$@ ./cmd/workshop

$(NODE_MODULES): web/package.json web/package-lock.json
	cd web && npm ci --no-audit --no-fund --ignore-scripts
	@touch $@

web/dist/index.html: $(NODE_MODULES) $(WEB_FILES)
	cd web && npm run bundle

gen: $(NODE_MODULES) ## generate Go and TypeScript from api/openapi.yaml, Go from api/open.yaml, and the server's colours of levels
	go tool oapi-codegen -config api/console.codegen.yaml api/openapi.yaml
	go tool oapi-codegen -config api/provider.codegen.yaml api/openapi.yaml
	go tool oapi-codegen -config api/open.codegen.yaml api/open.yaml
	cd web && npm run gen
	cp web/src/app/levels.css internal/domain/notify/alerttext/levelcolor/levels.css

check: web/dist/index.html ## formatting, lint, types, drift of generated files, sizes of what a page loads; counts lines
	scripts/check.sh

test: ## that the product works: build, types, Go and web tests, PostgreSQL, the browser; prints how long each part took
	scripts/test.sh

prove: ## the rest: checks, race detector, torture, all stores on PostgreSQL, upgrades, layouts; prints how long each part took
	scripts/prove.sh

quick: $(NODE_MODULES) ## what a change needs before a commit, chosen by what changed: four minutes at most
	scripts/quick.sh

race: web/dist/index.html ## all Go tests under the race detector
	scripts/race.sh

e2e: build ## browser tests against the built binary
	scripts/browser-test.sh --project=pages

bench: build bin/workshop ## load of devices, compared with mosquitto; open screens; queries of a month, compared with other stores; without workshop alarm and telling (docs/benchmarks.md)
	scripts/bench.sh --window 32,1 --duration 10s
	./bin/workshop live --duration 10s
	scripts/bench-history.sh

bench-cluster: build bin/workshop ## a node of a cluster compared with one server alone, and how soon nodes take over (docs/benchmarks-cluster.md); needs PostgreSQL
	scripts/bench-cluster.sh

torture: build bin/workshop ## what a server survives: kills, full and failing disks, torn logs, clock steps, many clients, failing mail and webhook servers (docs/faults.md); needs root
	scripts/torture.sh

cluster-torture: build bin/workshop ## what a cluster survives: nodes killed, frozen and cut off, PostgreSQL lost, stale and set back (docs/faults.md)
	scripts/cluster-torture.sh

neighbours: build bin/workshop ## how one tenant fares while others take more than their share, with the limits (docs/benchmarks.md)
	scripts/neighbours.sh

lighthouse: build ## Lighthouse's scores of the sign-in page and the demo's home page, desktop and throttled phone
	cd web && node scripts/lighthouse.mjs

release: ## archives of the committed state for linux amd64 and arm64, with checksums, in bin/release: make release VERSION=1.2.3
	scripts/release.sh $(VERSION)

image: ## a container image of that release, by buildah, podman or docker: make image VERSION=1.2.3
	deploy/image.sh $(VERSION)

tools: ## what the tests need beside Go and Node: Chromium, fonts, ffmpeg, mosquitto's clients
	scripts/tools.sh

clean: ## remove what was built
	rm -rf bin web/dist/* web/node_modules
