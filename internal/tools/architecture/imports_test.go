package architecture

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

const module = "tilth/"

// The layers, and the packages in the folder of each. A package may import the packages that
// allowedImports lists for it, and no others of this module. A package below one of these
// (console/wire) counts as it.
var (
	edges   = []string{"console", "openapi", "provider", "ingest"}
	domains = []string{
		"device",
		"reading",
		"rain",
		"derivation",
		"silence",
		"selfservice",
		"calibration",
		"alarm",
		"notify",
		"homeassistant",
		"identity",
		"captcha",
		"tenant",
		"audit",
	}
	platform = []string{
		"db",
		"live",
		"errs",
		"text",
		"agronomy",
		"alertmsg",
		"archive",
		"change",
		"clock",
		"comparator",
		"limit",
		"listen",
		"memory",
		"vault",
	}
	tools = []string{"farm", "testkit", "pgpair", "announced", "architecture"}
	// workshop is a module of its own, which the product does not link.
	workshop = []string{"bench", "haproxy", "torture", "command", "cmd"}

	// folders are the folders of the layers below internal, with their packages.
	folders = map[string][]string{
		"edge":     append([]string{"httpbase"}, edges...),
		"domain":   domains,
		"platform": append([]string{"acme", "datafolder"}, platform...),
		"tools":    tools,
	}

	// domainImports are the packages that every domain may import: the platform, the tenant's ID
	// and the audit log.
	domainImports = append([]string{"tenant", "audit"}, platform...)

	allowedImports = map[string][]string{
		"cmd": {"command"},
		"command": slices.Concat(
			edges,
			domains,
			platform,
			[]string{"server", "cluster", "datafolder", "farm", "settings"},
		),
		"server": slices.Concat(
			edges,
			domains,
			platform,
			[]string{"app", "acme", "cluster", "datafolder", "httpbase", "settings", "web"},
		),
		// What makes several machines one Tilth: it stands between the domains and server.
		"cluster": {"reading", "device", "tenant", "db", "errs", "clock", "limit", "listen", "text"},
		// The fields of settings have the types of these packages, and some defaults come from
		// domains.
		"settings": {"console", "alarm", "audit", "identity", "notify", "tenant", "acme", "memory"},

		"console":  slices.Concat(domains, platform, []string{"app", "api", "httpbase"}),
		"openapi":  slices.Concat(domains, platform, []string{"app", "api", "httpbase"}),
		"provider": slices.Concat(domains, platform, []string{"app", "api", "httpbase"}),
		"ingest":   slices.Concat(domains, platform, []string{"httpbase"}),
		"httpbase": {"limit", "text"}, // what the edges share; it knows no domain

		"app": slices.Concat(domains, platform),

		"device":      domainImports,
		"reading":     append([]string{"device"}, domainImports...),
		"rain":        {},
		"derivation":  append([]string{"device", "reading"}, domainImports...),
		"silence":     append([]string{"device", "reading"}, domainImports...),
		"selfservice": append([]string{"device", "identity"}, domainImports...),
		"calibration": append([]string{"device", "reading"}, domainImports...),
		"alarm":       append([]string{"device", "reading"}, domainImports...),
		"notify":      domainImports,
		// Of notify it takes the guard of addresses alone.
		"homeassistant": append([]string{"device", "reading", "notify"}, domainImports...),
		"identity":      domainImports,
		"captcha":       platform,
		"tenant":        platform,
		"audit":         append([]string{"tenant"}, platform...),

		"acme": {
			"db",
		},
		"agronomy":   {},
		"archive":    {},
		"change":     {},
		"clock":      {},
		"comparator": {},
		"errs":       {},
		"limit":      {},
		"listen":     {},
		"memory":     {},
		"text":       {},
		"vault":      {},
		"alertmsg":   {"comparator"},
		"datafolder": {"clock", "db"},
		"db":         {"errs", "listen", "text"},
		"live":       {"tenant", "errs", "text"}, // of tenant, only its ID

		"farm":         slices.Concat(domains, platform),
		"testkit":      slices.Concat(domains, platform, []string{"app", "api"}),
		"pgpair":       {},
		"announced":    {},
		"architecture": {"text"},

		"workshop/cmd": {"workshop/command"},
		// It fills folders with the stores of the version that it measures.
		"workshop/command": slices.Concat(
			domains,
			platform,
			[]string{"command", "server", "settings", "farm", "pgpair", "workshop/bench", "workshop/torture"},
		),
		"workshop/bench":   {"announced", "workshop/haproxy"}, // uses a server from outside, as devices and people do
		"workshop/haproxy": {"deploy"},
		"workshop/torture": {"pgpair", "workshop/bench", "workshop/haproxy"},

		"api":    {},
		"deploy": {},
		"web":    {},
	}
)

// outboundHTTP are the folders below the edges that may import net/http: they call other servers,
// and serve no requests.
var outboundHTTP = []string{
	"internal/domain/identity/oidc",
	"internal/domain/notify/remote",
	"internal/domain/notify/sms",
	"internal/domain/notify/telegram",
	"internal/domain/notify/webhook",
}

// packageOf returns the package that a folder or an import path counts as: console for
// internal/edge/console/wire. It returns the empty string for a path outside this module, and for a
// package that is not in the folder of its layer.
func packageOf(path string) string {
	path = strings.TrimPrefix(path, module)
	if rest, ok := strings.CutPrefix(path, "internal/"); ok {
		folder, rest, _ := strings.Cut(rest, "/")
		packages, isLayer := folders[folder]
		if !isLayer {
			return folder // server
		}
		name, _, _ := strings.Cut(rest, "/")
		if !slices.Contains(packages, name) {
			return ""
		}
		return name
	}
	switch top, rest, _ := strings.Cut(path, "/"); top {
	case "cmd", "api", "deploy", "web":
		return top
	case "workshop":
		if name, _, _ := strings.Cut(rest, "/"); slices.Contains(workshop, name) {
			return top + "/" + name
		}
	}
	return ""
}

// forbiddenImports finds imports that the layers do not allow.
func forbiddenImports(x *sourceTree) (violations []string) {
	for _, s := range x.files {
		from := packageOf(s.dir)
		allowed, known := allowedImports[from]
		if !known {
			violations = append(
				violations,
				fmt.Sprintf(
					"%s: package %s is in no layer: add it to this test and to docs/ARCHITECTURE.md",
					s.path,
					s.dir,
				),
			)
			continue
		}
		for _, path := range s.imports() {
			if strings.HasPrefix(path, "net/http") && !s.isTest() && !slices.Contains(outboundHTTP, s.dir) &&
				(slices.Contains(domains, from) || slices.Contains(platform, from)) {
				violations = append(violations, fmt.Sprintf("%s: only edges import %s", s.path, path))
			}
			if !strings.HasPrefix(path, module) {
				continue
			}
			to := packageOf(path)
			switch {
			case to == from, s.isTest(): // tests may import every package
			case to == "testkit":
				violations = append(violations, fmt.Sprintf("%s imports testkit, which is only for tests", s.path))
			case !slices.Contains(allowed, to):
				violations = append(violations, fmt.Sprintf("%s: %s imports %s", s.path, from, to))
			}
		}
	}
	return violations
}

func TestImports(t *testing.T) {
	expectNone(t, forbiddenImports(parseRepository(t)))
	expectViolations(
		t,
		forbiddenImports(parseExample(t, map[string]string{
			"cmd/tilth/main.go":                   "package main; import _ \"tilth/internal/command\"",
			"cmd/tilth/short.go":                  "package main; import _ \"tilth/internal/domain/device\"",
			"internal/command/serve.go":           "package command; import (_ \"tilth/internal/server\"; _ \"tilth/internal/command/client\"; _ \"tilth/internal/settings\")",
			"internal/server/serve.go":            "package server; import _ \"tilth/internal/command\"",
			"internal/settings/settings.go":       "package settings; import (_ \"tilth/internal/edge/console\"; _ \"tilth/internal/server\")",
			"internal/server/run.go":              "package server; import (_ \"tilth/internal/edge/console\"; _ \"net/http\"; _ \"tilth/web\")",
			"internal/edge/console/server.go":     "package console; import (_ \"tilth/internal/edge/console/wire\"; _ \"tilth/internal/domain/alarm\"; _ \"net/http\")",
			"internal/edge/console/wire/w.go":     "package wire; import _ \"tilth/internal/edge/ingest\"",
			"internal/edge/httpbase/edge.go":      "package httpbase; import (_ \"net/http\"; _ \"tilth/internal/platform/text\"; _ \"tilth/internal/domain/tenant\")",
			"internal/domain/device/store.go":     "package device; import (_ \"tilth/internal/platform/db\"; _ \"tilth/internal/domain/tenant\"; _ \"tilth/internal/platform/text\")",
			"internal/domain/device/read.go":      "package device; import _ \"tilth/internal/domain/reading\"",
			"internal/domain/device/read_test.go": "package device; import (_ \"tilth/internal/domain/reading\"; _ \"tilth/internal/tools/testkit\"; _ \"net/http/httptest\")",
			"internal/domain/alarm/rule.go":       "package alarm; import (_ \"tilth/internal/domain/device\"; _ \"tilth/internal/domain/reading\")",
			"internal/domain/alarm/send.go":       "package alarm; import _ \"tilth/internal/domain/notify\"",
			"internal/domain/reading/kit.go":      "package reading; import _ \"tilth/internal/tools/testkit\"",
			"internal/domain/notify/call.go":      "package notify; import _ \"net/http/httputil\"",
			"internal/domain/notify/sms/send.go":  "package sms; import _ \"net/http\"",
			"internal/domain/notify/mail/send.go": "package mail; import _ \"net/http\"",
			"internal/domain/notify/webhook/c.go": "package webhook; import _ \"net/http\"",
			"internal/domain/notify/guard/g.go":   "package guard; import _ \"net/http\"",
			"internal/platform/live/hub.go":       "package live; import _ \"tilth/internal/platform/db\"",
			"internal/domain/tenant/tenant.go":    "package tenant; import _ \"tilth/internal/domain/device\"",
			"internal/billing/bill.go":            "package billing",
			"internal/platform/alarm/rule.go":     "package alarm",
			"api/spec.go":                         "package api; import _ \"tilth/internal/platform/errs\"",
			"internal/command/load.go":            "package command; import (_ \"tilth/workshop/bench\"; _ \"tilth/internal/tools/pgpair\")",
			"workshop/command/fill.go":            "package command; import (_ \"tilth/internal/domain/alarm\"; _ \"tilth/workshop/bench\")",
			"workshop/bench/fill.go":              "package bench; import _ \"tilth/internal/domain/alarm\"",
			"workshop/peers/peer.go":              "package peers",
		})),
		"cmd imports device",
		"server imports command",
		"settings imports server",
		"console imports ingest",
		"httpbase imports tenant",
		"device imports reading",
		"alarm imports notify",
		"imports testkit",
		"call.go: only edges import net/http/httputil",
		"mail/send.go: only edges import net/http",
		"guard/g.go: only edges import net/http",
		"live imports db",
		"tenant imports device",
		"package internal/billing is in no layer",
		"package internal/platform/alarm is in no layer",
		"api imports errs",
		"command imports workshop/bench",
		"command imports pgpair",
		"workshop/bench imports alarm",
		"package workshop/peers is in no layer",
	)
}
