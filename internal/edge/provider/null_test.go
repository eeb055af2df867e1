package provider

import (
	"strings"
	"testing"

	"tilth/internal/tools/testkit"
)

// A null member of a body counts as absent in every call that takes JSON.
func TestNullIsAbsent(t *testing.T) {
	f := newAPIFixture(t)
	f.applyBase(t)
	pairs := 0
	for _, op := range f.contract.Operations("provider") {
		schema := f.contract.JSONBody(op)
		if schema == nil {
			continue
		}
		if lists := testkit.NullElementBodies(t, schema); len(lists) > 0 {
			t.Errorf("%s takes lists: refuse null in them, as nothing does yet", op.ID)
		}
		for _, b := range testkit.NullBodies(t, schema) {
			pairs++
			path := strings.TrimPrefix(op.Path, Prefix)
			want, got := f.post(t, path, b.Without), f.post(t, path, b.Null)
			if got.Status != want.Status || string(got.Body) != string(want.Body) || got.Status < 400 {
				t.Errorf(
					"%s, %s null: %d %s, absent: %d %s",
					op.ID,
					b.Member,
					got.Status,
					got.Body,
					want.Status,
					want.Body,
				)
			}
		}
	}
	if pairs < 8 {
		t.Errorf("%d bodies", pairs)
	}
}
