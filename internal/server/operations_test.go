package server

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"tilth/api"
)

// request is the parts of a call.
type request struct {
	path, query, header map[string]string
	body                any
	as                  *account // who makes the call; nil: the tenant's ada, or its program
}

// account is who makes a call in place of ada.
type account struct {
	id     int64  // 0: the user that the call makes
	access string // empty: the call needs no session
}

// httpAnswer is the answer to a call.
type httpAnswer = httptest.ResponseRecorder

// operationRow is what the tests of all operations know of one of them: the call that succeeds, and what
// comes of it. Its role, its scope and what it changes on screens (x-changes) are in the contract alone.
type operationRow struct {
	query map[string]string // sent always
	// call makes what the call needs, and returns the call.
	call func(s *tenantFixture) request
	// undo undoes a call that succeeded.
	undo func(w *isolationEnv, s *tenantFixture, answer *httpAnswer)
	// rawRequest makes a request that is not JSON.
	rawRequest func(w *isolationEnv) *http.Request
	// refused says why the call does not succeed in this world; no other test makes it then.
	refused string

	// log is the entry that the call leaves in the activity log. TAG stands for the tenant's tag, … for a
	// value that differs from run to run.
	log string
	// logBefore is a further entry before it.
	logBefore string
	// unlogged says why a call that does more than read leaves no entry.
	unlogged string
	// screens are the kinds of things that the stores tell screens of, whoever changes them.
	screens []string
	// unseen says why screens are told of no change by a call that does more than read.
	unseen string

	// The isolation matrix puts another tenant's values into the call's parameters.
	//
	// noNames: the answer holds numbers or data of the platform, but no names of a tenant.
	noNames bool
	// nondeterministic: no two answers of successful calls are alike; they are only searched.
	nondeterministic bool
	// onlyValues limits the values that are tried, since each costs a password hash.
	onlyValues []string
	// publicAnswer is a text of the answer that everybody gets, signed in or not.
	publicAnswer string
	// skipReason says why the matrix does not try the operation, or which test does.
	skipReason string
}

// operationRows has a row of each operation of each contract, by API and ID.
var operationRows = rowsOf(
	signInRows, accountRows, peopleRows, deviceRows, readingRows, sceneRows, alarmRows, channelRows, webhookRows,
	openRows, otherRows,
)

func rowsOf(groups ...map[string]operationRow) map[string]operationRow {
	all := map[string]operationRow{}
	for _, rows := range groups {
		maps.Copy(all, rows)
	}
	return all
}

var readingID = regexp.MustCompile(`^(get|page|export|list)[A-Z]`)

// reads reports whether the operation only reads; some that change something are a GET, too.
func (o operation) reads() bool { return o.method == http.MethodGet && readingID.MatchString(o.id) }

// Every operation of every contract has a row, which says what comes of the call.
func TestEveryOperationHasItsRow(t *testing.T) {
	kinds := changeKinds(t)
	known, told := map[string]bool{}, map[string]bool{}
	for _, o := range operations(t) {
		name := o.String()
		known[name] = true
		r, ok := operationRows[name]
		for _, kind := range append([]string{o.changes}, r.screens...) {
			told[kind] = true
		}
		switch {
		case !ok:
			t.Errorf("%s has no row: add one to internal/server/operations_*_test.go", name)
			continue
		case r.call == nil && r.skipReason == "":
			t.Errorf("%s: the row has no call", name)
		case o.changes != "" && !slices.Contains(kinds, o.changes):
			t.Errorf("%s: x-changes is %q, which LiveChangeOf has not", name, o.changes)
		}
		if r.call == nil || o.reads() {
			continue
		}
		if (r.log == "") == (r.unlogged == "") {
			t.Errorf("%s: the row must say what the call leaves in the activity log, or why nothing (unlogged)", name)
		}
		if said := o.changes != "" || r.screens != nil; said == (r.unseen != "") {
			t.Errorf("%s: declare what the call changes (x-changes), or say in the row what the stores report "+
				"(screens), or why screens show nothing of it (unseen)", name)
		}
	}
	for _, kind := range kinds {
		if !told[kind] {
			t.Errorf("no call tells screens that %q changes", kind)
		}
	}
	for name := range operationRows {
		if !known[name] {
			t.Errorf("the contracts have no %s any more", name)
		}
	}
}

// changeKinds are the kinds of things whose changes screens can be told of.
func changeKinds(t *testing.T) (kinds []string) {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(api.OpenAPI)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range doc.Components.Schemas["LiveChangeOf"].Value.Enum {
		kinds = append(kinds, fmt.Sprint(kind))
	}
	return kinds
}

func queryRequest(pairs ...string) request {
	q := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		q[pairs[i]] = pairs[i+1]
	}
	return request{query: q}
}

// noParams is a call without parameters.
func noParams(*tenantFixture) request { return request{} }

func number(n int64) string { return fmt.Sprint(n) }

var firstPage = map[string]string{"pageNo": "1", "pageSize": "10"}

// deleteCreated deletes what a call has just created: by the number in the answer, else the newest
// of the list.
func deleteCreated(page, remove string) func(*isolationEnv, *tenantFixture, *httpAnswer) {
	return func(w *isolationEnv, s *tenantFixture, res *httpAnswer) {
		var one struct{ Data int64 }
		var several struct{ Data []int64 }
		ids := []int64{}
		switch said := res.Body.Bytes(); {
		case json.Unmarshal(said, &one) == nil && one.Data > 0:
			ids = append(ids, one.Data)
		case json.Unmarshal(said, &several) == nil && len(several.Data) > 0:
			ids = several.Data
		default:
			var list struct{ List []struct{ ID int64 } }
			w.mustCall(s, http.MethodGet, pc+page+"?pageNo=1&pageSize=1", nil, &list)
			ids = append(ids, list.List[0].ID)
		}
		for _, id := range ids {
			w.mustCall(s, w.methods[pc+remove], fmt.Sprint(pc, remove, "?id=", id), nil, new(any))
		}
	}
}
