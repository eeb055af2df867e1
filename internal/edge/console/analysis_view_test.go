package console_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tilth/internal/domain/identity"
	"tilth/internal/edge/console/wire"
	"tilth/internal/platform/text"
	"tilth/internal/tools/testkit"
	"tilth/internal/tools/testkit/pseudo"
)

const viewPath = "/admin-api/client/pc/analysis-view/"

func createViewCall(token, name, query string) testkit.Call {
	return jsonCall(token, viewPath+"create", "name", name, "query", query)
}

func viewCall(method, token, path, body string) testkit.Call {
	return testkit.Call{Method: method, Path: viewPath + path, Token: token, Body: body}
}

func (w *fixture) views(t *testing.T, token string) []wire.AnalysisView {
	t.Helper()
	return testkit.Ask[[]wire.AnalysisView](t, w.Contract, viewCall(http.MethodGet, token, "list", ""))
}

func TestAnalysisViews(t *testing.T) {
	w := newServer(t)
	if list := w.views(t, w.ada); len(list) != 0 {
		t.Errorf("%+v", list)
	}
	soil := testkit.Ask[int64](t, w.Contract, createViewCall(w.ada, " soil ", "q=a%20b&c='<d>"))
	air := testkit.Ask[int64](t, w.Contract, createViewCall(w.ada, "Air", "q"))
	want := []wire.AnalysisView{{Id: air, Name: "Air", Query: "q"}, {Id: soil, Name: "soil", Query: "q=a%20b&c='<d>"}}
	if got := w.views(t, w.ada); !cmp.Equal(got, want) {
		t.Error(cmp.Diff(want, got))
	}
	w.Run(t, []testkit.Scenario{
		{
			Name: "change",
			Call: viewCall(http.MethodPut, w.ada, "update", fmt.Sprintf(`{"id":%d,"name":"Earth","query":"r"}`, soil)),
		},
		{Name: "delete", Call: viewCall(http.MethodDelete, w.ada, fmt.Sprint("delete?id=", air), "")},
		{Name: "delete again", Call: viewCall(http.MethodDelete, w.ada, fmt.Sprint("delete?id=", air), ""), Code: 404},
	})
	if got := w.views(t, w.ada); !cmp.Equal(got, []wire.AnalysisView{{Id: soil, Name: "Earth", Query: "r"}}) {
		t.Errorf("%+v", got)
	}
}

func TestAnalysisViewRefusals(t *testing.T) {
	w := newServer(t)
	mine := testkit.Ask[int64](t, w.Contract, createViewCall(w.ada, "Mine", "q"))
	raw := func(body string) testkit.Call { return viewCall(http.MethodPost, w.ada, "create", body) }
	put := func(body string) testkit.Call { return viewCall(http.MethodPut, w.ada, "update", body) }
	w.Run(t, []testkit.Scenario{
		{Name: "no name", Call: raw(`{"query":"q"}`), Code: 601, Contains: []string{"Name: required"}},
		{
			Name:     "blank name",
			Call:     createViewCall(w.ada, " ", "q"),
			Code:     601,
			Contains: []string{"Please enter a name"},
		},
		{
			Name:     "long name",
			Call:     createViewCall(w.ada, strings.Repeat("ş", 65), "q"),
			Code:     601,
			Contains: []string{"Name: at most 64 characters"},
		},
		{
			Name:     "NUL",
			Call:     createViewCall(w.ada, "a\x00b", "q"),
			Code:     601,
			Contains: []string{"Name: not in the right form"},
		},
		{
			Name:     "taken name",
			Call:     createViewCall(w.ada, "MINE", "q"),
			Code:     601,
			Contains: []string{"Name: another view has this name"},
		},
		{Name: "no query", Call: raw(`{"name":"x"}`), Code: 601, Contains: []string{"View settings: required"}},
		{
			Name:     "empty query",
			Call:     createViewCall(w.ada, "x", ""),
			Code:     601,
			Contains: []string{"View settings: required"},
		},
		{
			Name:     "long query",
			Call:     createViewCall(w.ada, "x", strings.Repeat("q", 4001)),
			Code:     601,
			Contains: []string{"View settings: at most 4,000 characters"},
		},
		{
			Name:     "space in the query",
			Call:     createViewCall(w.ada, "x", "a b"),
			Code:     601,
			Contains: []string{"View settings: not in the right form"},
		},
		{
			Name:     "letters in the query",
			Call:     createViewCall(w.ada, "x", "q=ş"),
			Code:     601,
			Contains: []string{"View settings: not in the right form"},
		},
		{Name: "a number", Call: raw(`{"name":7,"query":"q"}`), Code: 400},
		{Name: "no body", Call: raw(""), Code: 400},
		{Name: "update without id", Call: put(`{"name":"x","query":"q"}`), Code: 601},
		{Name: "update none", Call: put(`{"id":999999,"name":"x","query":"q"}`), Code: 404},
		{Name: "update without query", Call: put(fmt.Sprintf(`{"id":%d,"name":"x"}`, mine)), Code: 601},
		{Name: "delete without id", Call: viewCall(http.MethodDelete, w.ada, "delete", ""), Code: 601},
		{Name: "delete two", Call: viewCall(http.MethodDelete, w.ada, "delete?id=1,2", ""), Code: 400},
		{Name: "a view on a GET", Call: w.get(viewPath + "delete?id=1"), Status: 405, Code: 405},
	})
	if got := w.views(t, w.ada); len(got) != 1 || got[0].Name != "Mine" || got[0].Query != "q" {
		t.Errorf("a refusal changed the views to %+v", got)
	}
	for _, l := range pseudo.Languages() {
		call := createViewCall(w.ada, "mine", "q")
		call.Header = map[string]string{"Accept-Language": string(l)}
		if a := w.Do(
			t,
			call,
		); a.Code != 601 ||
			!strings.Contains(a.Msg, text.Translate(l, "analysisView.nameTaken", nil)) {
			t.Errorf("%s: %s", l, a.Body)
		}
	}
	for i := range identity.MaxAnalysisViewsPerUser - 1 {
		testkit.Ask[int64](t, w.Contract, createViewCall(w.ada, fmt.Sprint("view ", i), "q"))
	}
	w.Run(t, []testkit.Scenario{
		{
			Name:     "one too many",
			Call:     createViewCall(w.ada, "x", "q"),
			Code:     601,
			Contains: []string{"You already have 50 saved views. Delete one first"},
		},
		{Name: "another user", Call: createViewCall(w.bora, "x", "q")},
	})
}

// A view belongs to its user: for a colleague and for another tenant it does not exist.
func TestAnalysisViewsAreUserScoped(t *testing.T) {
	w := newServer(t)
	mine := testkit.Ask[int64](t, w.Contract, createViewCall(w.ada, "Mine", "q"))
	missing := w.Do(t, viewCall(http.MethodDelete, w.ada, "delete?id=999999", ""))
	for name, token := range map[string]string{"a colleague": w.bora, "another tenant": w.rivalToken} {
		for _, header := range []map[string]string{nil, {"tenant-id": fmt.Sprint(w.field.ID), "user-id": fmt.Sprint(w.field.Ada.ID)}} {
			for _, call := range []testkit.Call{
				viewCall(http.MethodPut, token, "update", fmt.Sprintf(`{"id":%d,"name":"x","query":"q"}`, mine)),
				viewCall(http.MethodDelete, token, fmt.Sprint("delete?id=", mine), ""),
			} {
				call.Header = header
				if a := w.Do(t, call); a.Code != 404 || string(a.Body) != string(missing.Body) {
					t.Errorf("%s, %s: %s", name, call.Path, a.Body)
				}
			}
		}
		if list := w.views(t, token); len(list) != 0 {
			t.Errorf("%s sees %+v", name, list)
		}
	}
	if got := w.views(t, w.ada); len(got) != 1 || got[0].Name != "Mine" {
		t.Errorf("%+v", got)
	}
}
