package server

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
	"tilth/internal/edge/console/wire"
	"tilth/internal/tools/testkit"
)

// Each call succeeds and answers as the contract says. What does more than read leaves one entry in the
// activity log, by whoever made that very request, or has a reason to leave none; and the tenant's
// screens are told of what it changes, and of nothing else.
func TestEveryOperationIsToldOf(t *testing.T) {
	t.Parallel()
	w := newIsolationEnv(t)
	s := w.own
	screen := newScreen(w, s)
	var secrets []string
	// The screen hears of what a few calls need before it hears of the calls.
	for few := range slices.Chunk(operations(t), 16) {
		calls, answers := map[string]request{}, map[string]*httpAnswer{}
		few = slices.DeleteFunc(slices.Clone(few), func(o operation) bool {
			r := operationRows[o.String()]
			return r.call == nil || r.refused != ""
		})
		for _, o := range few {
			calls[o.String()] = operationRows[o.String()].call(s)
		}
		screen.settle()
		for _, o := range few {
			t.Run(o.String(), func(t *testing.T) {
				r, q := operationRows[o.String()], calls[o.String()]
				began := time.Now().UnixMilli()
				req := w.request(o, r, q, s)
				res := w.serve(w.console, req)
				answer := &testkit.Answer{Status: res.Code, Header: res.Header(), Body: res.Body.Bytes()}
				if err := screen.contract.Check(req, answer); err != nil || !succeeded(res) {
					t.Fatalf("%d %s (%v)", res.Code, res.Body, err)
				}
				answers[o.String()] = res
				if !o.reads() {
					screen.expect(t, o, r)
					secrets = append(secrets, secretsOf(q.body, "")...)
					secrets = append(secrets, secretsOfAnswer(res)...)
				}
				s.expectEntries(t, o, r, q, req, res, began)
			})
		}
		for id, res := range answers {
			if undo := operationRows[id].undo; undo != nil {
				undo(w, s, res)
			}
		}
	}
	w.checkNoSecrets(append(secrets, s.password, s.access, s.refresh, s.secret, testkit.Password, "$argon2id$",
		"whsec_", "another-path", "key=planner", "key=other"))
	w.checkMasks("a•••@example.com", "+90•••••233", "a•••@new.example")
	w.checkMasksOfChannels(s)
}

// userOperation reads who one is.
var userOperation = operation{api: "console", method: http.MethodGet, path: "/app-api/member/user/get"}

// screen is a page of ada's that hears what changes.
type screen struct {
	w        *isolationEnv
	s        *tenantFixture
	contract *testkit.Contract
	events   *testkit.Stream
	fence    int64 // a scene
	fences   int
}

func newScreen(w *isolationEnv, s *tenantFixture) *screen {
	c := testkit.NewContract(w.t, w.console)
	at := "http://" + w.server.listeners.http.Addr().String()
	call := testkit.Call{Path: pc + "live", Token: s.access}
	return &screen{w: w, s: s, contract: c, events: c.Listen(w.t, at, call), fence: s.freshScene()}
}

// change changes a scene, which all screens of the tenant are told of after all that was before.
func (p *screen) change() {
	p.fences++
	err := p.w.server.Stores.Scenes.Update(p.w.t.Context(), tenant.ID(p.s.tenant), p.fence,
		fmt.Sprint(p.s.tag, " fence ", p.fences), device.SceneUsable)
	if err != nil {
		p.w.t.Fatal(err)
	}
}

// next returns the number of the next event, and the kinds of things that it says were changed: none if it
// is an event of another kind.
func (p *screen) next(t *testing.T) (number int64, kinds []string) {
	e := p.events.Next(t)
	if e.Name != "change" {
		return 0, nil
	}
	var change struct{ Of []string }
	if err := json.Unmarshal([]byte(e.Data), &change); err != nil {
		t.Fatal(err)
	}
	return eventNumber(t, e.ID), change.Of
}

// eventNumber is the number in the ID of an event, which counts the events of a tenant.
func eventNumber(t *testing.T, id string) int64 {
	n, err := strconv.ParseInt(id[strings.LastIndex(id, "-")+1:], 10, 64)
	if err != nil {
		t.Fatalf("%q: %v", id, err)
	}
	return n
}

// settle waits until the screen has heard of everything so far. Besides the changes that are being
// gathered, an event of earlier ones may be on its way: so it takes two more.
func (p *screen) settle() {
	p.w.t.Helper()
	for range 2 {
		res := p.w.serve(p.w.console, p.w.request(userOperation, operationRow{}, request{}, p.s))
		last := eventNumber(p.w.t, res.Header().Get("Live-Position"))
		p.change()
		for heard := false; !heard; {
			number, kinds := p.next(p.w.t)
			heard = number > last && slices.Contains(kinds, "scene")
		}
	}
}

// expect waits until the screen has heard of what a call changes.
func (p *screen) expect(t *testing.T, o operation, r operationRow) {
	t.Helper()
	want := r.screens
	if o.changes != "" {
		want = []string{o.changes}
	}
	var told []string
	defer func() {
		if t.Failed() {
			t.Logf("screens were told of %v, want %v", told, want)
		}
	}()
	fenced := !slices.Contains(want, "scene")
	if fenced {
		p.change()
	}
	missing := func() bool {
		return slices.ContainsFunc(want, func(kind string) bool { return !slices.Contains(told, kind) }) ||
			fenced && !slices.Contains(told, "scene")
	}
	// Events that say nothing of changes come all the time.
	for until := time.Now().Add(testkit.WaitTimeout); missing(); {
		if time.Now().After(until) {
			t.Fatal("screens are not told of all that the call changes")
		}
		_, kinds := p.next(t)
		told = append(told, kinds...)
	}
	for _, kind := range told {
		// The registry may report a device of a call before once more.
		if !slices.Contains(want, kind) && kind != "scene" && kind != "device" {
			t.Errorf("screens are told of %s", kind)
		}
	}
}

// expectEntries checks what the activity log says of a request.
func (s *tenantFixture) expectEntries(
	t *testing.T, o operation, r operationRow, q request, req *http.Request, res *httpAnswer, began int64,
) {
	t.Helper()
	var want []string
	for _, line := range []string{r.log, r.logBefore} {
		if line != "" {
			want = append(want, line)
		}
	}
	who := fmt.Sprint("user:", s.user)
	by := "user"
	switch {
	case o.api == "open":
		who, by = fmt.Sprint("credential:", s.ids["credentials"]), "credential"
	case q.as != nil && q.as.id != 0:
		who = fmt.Sprint("user:", q.as.id)
	}
	address, _, err := net.SplitHostPort(req.RemoteAddr)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, e := range s.env.activityLog(s) {
		if e.Request == nil || *e.Request != res.Header().Get("X-Request-Id") {
			continue
		}
		found = append(found, entryText(&e))
		if made := q.as != nil && q.as.id == 0; made == (e.Who == who) || e.By != by || e.Name == "" ||
			e.Address == nil || *e.Address != address || e.Time < began || e.Time > time.Now().UnixMilli() {
			t.Errorf("entry by %s %s %q from %v at %d, want %s from %s",
				e.Who, e.By, e.Name, e.Address, e.Time, who, address)
		}
	}
	matches := func(line, want string) bool { return linePattern(s.tag, want).MatchString(line) }
	if !slices.EqualFunc(found, want, matches) {
		t.Errorf("the log says %q, want %q", found, want)
	}
}

// activityLog is the newest page of a tenant's activity log.
func (w *isolationEnv) activityLog(s *tenantFixture) []wire.AuditEntry {
	w.t.Helper()
	if err := w.server.Stores.Audit.Flush(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	var page struct{ List []wire.AuditEntry }
	w.mustCall(s, http.MethodGet, pc+"audit/page?pageSize=20", nil, &page)
	return page.List
}

// linePattern matches the entries that a row describes. A row may leave out the end of a long entry.
func linePattern(tag, want string) *regexp.Regexp {
	want = regexp.QuoteMeta(strings.ReplaceAll(want, "TAG", tag))
	return regexp.MustCompile("^" + strings.ReplaceAll(want, "…", `[^;]*`))
}

// entryText is an entry in one line: action, thing, and for each field before > after.
func entryText(e *wire.AuditEntry) string {
	line := fmt.Sprintf("%s.%s %s", e.Kind, e.Action, e.Thing)
	for _, c := range e.Changes {
		if c.Hidden != nil {
			line += fmt.Sprintf("; %s hidden", c.Field)
		} else {
			line += fmt.Sprintf("; %s: %v > %v", c.Field, c.Before, c.After)
		}
	}
	return line
}

// secretWords are in the names of the fields of calls and answers that hold secrets.
var secretWords = regexp.MustCompile(`(?i)secret|token|password|code|ticket|link|uri|avatar`)

// secretsOf are the secrets in a JSON value under a name.
func secretsOf(value any, name string) (list []string) {
	switch v := value.(type) {
	case string:
		if secretWords.MatchString(name) && len(v) >= 6 {
			return []string{v}
		}
	case []any:
		for _, one := range v {
			list = append(list, secretsOf(one, name)...)
		}
	case map[string]any:
		for key, one := range v {
			list = append(list, secretsOf(one, key)...)
		}
	}
	return list
}

// secretsOfAnswer are the secrets in an answer; a bare text is one.
func secretsOfAnswer(res *httpAnswer) []string {
	var answer struct{ Data any }
	if json.Unmarshal(res.Body.Bytes(), &answer) != nil {
		return nil
	}
	return secretsOf(answer.Data, "secret")
}

// checkNoSecrets makes sure that the activity log holds no secret.
func (w *isolationEnv) checkNoSecrets(secrets []string) {
	w.t.Helper()
	var rows []map[string]any
	if err := w.server.Stores.DB.Read(w.t.Context()).NewRaw("SELECT * FROM audit_entries").
		Scan(w.t.Context(), &rows); err != nil {
		w.t.Fatal(err)
	}
	if len(rows) < 100 || len(secrets) < 40 {
		w.t.Fatalf("%d entries, %d secrets: nothing was looked at", len(rows), len(secrets))
	}
	for _, secret := range secrets {
		whole := regexp.MustCompile(`(^|[^0-9A-Za-z])` + regexp.QuoteMeta(secret) + `($|[^0-9A-Za-z])`)
		for _, row := range rows {
			// A code of six digits may be part of a time.
			if line := fmt.Sprint(row); strings.Contains(line, secret) && (len(secret) > 6 || whole.MatchString(line)) {
				w.t.Errorf("%q is in %s", secret, line)
			}
		}
	}
}
