package provider

import (
	"net/http"
	"strings"
	"testing"

	"tilth/internal/edge/provider/wire"
)

// A body that is not UTF-8 is refused; a file is refused with the line.
func TestNonUTF8BodiesAreRefused(t *testing.T) {
	f := newAPIFixture(t)
	f.applyBase(t)
	calls := 0
	for _, op := range f.contract.Operations("provider") {
		if f.contract.JSONBody(op) == nil {
			continue
		}
		calls++
		for _, body := range []string{"{\"tenant\":\"nor\xffth\"}", `{"tenant":"\ud800"}`} {
			p := read[wire.Problem](t, f.post(t, strings.TrimPrefix(op.Path, Prefix), body), http.StatusBadRequest)
			if p.Detail == nil || *p.Detail != "the body is not UTF-8 text" {
				t.Errorf("%s, %q: %+v", op.ID, body, p)
			}
		}
		read[wire.Problem](
			t,
			f.post(t, strings.TrimPrefix(op.Path, Prefix), `{"tenant":"north"}{}`),
			http.StatusBadRequest,
		)
	}
	if calls < 3 {
		t.Errorf("%d calls", calls)
	}
	wrong := read[wire.ApplyProblem](
		t,
		f.post(t, "v1/apply", "tenants:\n  - name: nor\xffth\n"),
		http.StatusUnprocessableEntity,
	)
	if len(wrong.Errors) != 1 || wrong.Errors[0].Line != 2 || wrong.Errors[0].Message != "not UTF-8 text" {
		t.Errorf("%+v", wrong)
	}
	read[wire.ApplyProblem](
		t,
		f.post(t, "v1/apply", `tenants: [{name: north, scenes: ["\ud83c"]}]`),
		http.StatusUnprocessableEntity,
	)
	out := read[wire.ApplyResult](
		t,
		f.post(t, "v1/apply", `tenants: [{name: north, scenes: ["\ud83c\udf31"]}]`),
		http.StatusOK,
	)
	if len(out.Created) != 1 || out.Created[0].Name != "🌱" {
		t.Errorf("%+v", out)
	}
}
