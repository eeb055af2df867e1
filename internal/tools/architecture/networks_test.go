package architecture

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"testing"
)

// networkCalls are the functions and methods that make a network of an address.
var networkCalls = []string{"Prefix", "PrefixFrom", "CIDRMask"}

// handWrittenNetworks finds code outside internal/platform/limit that cuts an address to a fixed
// number of bits, or counts events with golang.org/x/time/rate. What an address counts as, and how
// often something may happen, is defined in one place.
func handWrittenNetworks(x *sourceTree) (violations []string) {
	for _, s := range x.files {
		if s.isTest() || s.dir == "internal/platform/limit" {
			continue
		}
		if slices.Contains(s.imports(), "golang.org/x/time/rate") {
			violations = append(
				violations,
				fmt.Sprintf("%s makes a limit of its own: use internal/platform/limit", s.path),
			)
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			f, ok := call.Fun.(*ast.SelectorExpr)
			if ok && slices.Contains(networkCalls, f.Sel.Name) && slices.ContainsFunc(call.Args, isNumber) {
				violations = append(
					violations,
					fmt.Sprintf("%s cuts an address to a fixed number of bits: use limit.Grouping", s.path),
				)
			}
			return true
		})
	}
	return violations
}

func isNumber(e ast.Expr) bool {
	literal, ok := e.(*ast.BasicLit)
	return ok && literal.Kind == token.INT
}

func TestNetworksAreInLimitPackage(t *testing.T) {
	expectNone(t, handWrittenNetworks(parseRepository(t)))
	expectViolations(t, handWrittenNetworks(parseExample(t, map[string]string{
		"internal/edge/console/limiter.go":     "package console; import _ \"golang.org/x/time/rate\"",
		"internal/edge/ingest/origin.go":       "package ingest; import \"net/netip\"; func of(a netip.Addr) netip.Prefix { return netip.PrefixFrom(a, 64) }",
		"internal/domain/identity/network.go":  "package identity; import \"net/netip\"; func of(a netip.Addr) (netip.Prefix, error) { return a.Prefix(64) }",
		"internal/edge/openapi/mask.go":        "package openapi; import \"net\"; func of(a net.IP) net.IP { return a.Mask(net.CIDRMask(64, 128)) }",
		"internal/platform/limit/network.go":   "package limit; import \"net/netip\"; func of(a netip.Addr) (netip.Prefix, error) { return a.Prefix(64) }",
		"internal/server/settings.go":          "package app; import \"net/netip\"; func of(a netip.Addr) (netip.Prefix, error) { return a.Prefix(a.BitLen()) }",
		"internal/domain/notify/guard/list.go": "package guard; import \"net/netip\"; var inside = netip.MustParsePrefix(\"2001::/23\")",
		"internal/server/https_test.go":        "package app; import \"net/netip\"; var open = netip.PrefixFrom(netip.Addr{}, 32)",
	})),
		"limiter.go makes a limit", "origin.go cuts", "network.go cuts", "mask.go cuts",
	)
}
