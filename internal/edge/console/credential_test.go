package console_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/identity"
	"tilth/internal/edge/console/wire"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/text"
	"tilth/internal/tools/testkit"
	"tilth/internal/tools/testkit/pseudo"
)

const (
	createPath      = "/admin-api/client/pc/apicredentials/create"
	deletePath      = "/admin-api/client/pc/apicredentials/delete"
	togglePath      = "/admin-api/client/pc/apicredentials/enable-or-disable"
	credentialsPath = "/admin-api/client/pc/apicredentials/page"
)

// createRivalCredential makes a credential of the rival's ada and returns its id.
func (w *fixture) createRivalCredential() int64 {
	form := identity.CredentialForm{Name: marker + " credential"}
	c, _, err := w.Credentials.Create(context.Background(), w.rival.ID, w.rival.Ada.ID, form)
	if err != nil {
		panic(err) // a row of a table has no test to fail
	}
	return c.ID
}

func createCredentialCall(token, name string) testkit.Call {
	body, err := json.Marshal(wire.CredentialCreate{Name: &name})
	if err != nil {
		panic(err) // a string always marshals
	}
	return testkit.Call{Method: http.MethodPost, Path: createPath, Token: token, Body: string(body)}
}

func (w *fixture) credentials(t *testing.T, token, query string) wire.CredentialPage {
	t.Helper()
	return testkit.Ask[wire.CredentialPage](t, w.Contract, testkit.Call{Path: credentialsPath + query, Token: token})
}

func (w *fixture) credentialWorks(t *testing.T, c wire.NewCredential) bool {
	t.Helper()
	p, err := w.Credentials.Authenticate(t.Context(), c.AppKey, c.AppSecret)
	if err != nil && !errs.Is(err, errs.Unauthenticated) {
		t.Fatal(err)
	}
	return err == nil && p.Tenant == w.field.ID && p.User == w.field.Ada.ID && p.Credential == c.Id
}

// A credential is made, listed, toggled and deleted.
func TestCredentials(t *testing.T) {
	w := newServer(t)
	if page := w.credentials(t, w.ada, ""); page.List == nil || len(page.List) != 0 || page.Total != 0 {
		t.Errorf("%s", asJSON(t, page))
	}
	made := testkit.Ask[wire.NewCredential](t, w.Contract, createCredentialCall(w.ada, "  Weather feed "))
	if made.Name != "Weather feed" || made.Enabled != 1 || made.Id == 0 || len(made.AppKey) < 20 ||
		len(made.AppSecret) < 43 ||
		!w.credentialWorks(t, made) {
		t.Errorf("%s", asJSON(t, made))
	}
	w.Clock.Advance(time.Second)
	second := testkit.Ask[wire.NewCredential](t, w.Contract, createCredentialCall(w.ada, "Weather feed"))
	page := w.credentials(t, w.ada, "")
	if page.Total != 2 || len(page.List) != 2 || page.List[0].Id != second.Id || page.List[0].LastUseTime != nil {
		t.Errorf("%s", asJSON(t, page))
	}
	if c := page.List[1]; c.Name != made.Name || c.AppKey != made.AppKey || c.Enabled != 1 ||
		c.CreateTime != testkit.Start.UnixMilli() ||
		c.LastUseTime == nil ||
		*c.LastUseTime != testkit.Start.UnixMilli() {
		t.Errorf("%s", asJSON(t, c))
	}
	if a := w.Do(t, w.get(credentialsPath)); strings.Contains(string(a.Body), made.AppSecret) ||
		strings.Contains(string(a.Body), "ecret") {
		t.Errorf("the secret is answered again: %s", a.Body)
	}
	for _, enabled := range []int{0, 1, 0} {
		w.Run(
			t,
			[]testkit.Scenario{
				{
					Name:     "toggle",
					Call:     w.get(fmt.Sprint(togglePath, "?id=", made.Id)),
					Contains: []string{`"data":true`},
				},
			},
		)
		if got := w.credentials(t, w.ada, "").List[1].Enabled; got != enabled ||
			w.credentialWorks(t, made) != (enabled == 1) {
			t.Errorf("enabled %d, want %d", got, enabled)
		}
	}
	// A second call to close leaves the credential closed, as when the first answer was lost.
	for _, enabled := range []int{1, 1, 0, 0} {
		w.Run(
			t,
			[]testkit.Scenario{
				{
					Name:     "switch",
					Call:     w.get(fmt.Sprint(togglePath, "?id=", made.Id, "&enabled=", enabled)),
					Contains: []string{`"data":true`},
				},
			},
		)
		if got := w.credentials(t, w.ada, "").List[1].Enabled; got != enabled ||
			w.credentialWorks(t, made) != (enabled == 1) {
			t.Errorf("enabled %d, want %d", got, enabled)
		}
	}
	w.Run(t, []testkit.Scenario{
		{Name: "delete", Call: w.get(fmt.Sprint(deletePath, "?id=", made.Id)), Contains: []string{`"data":true`}},
		{Name: "delete again", Call: w.get(fmt.Sprint(deletePath, "?id=", made.Id)), Code: 404},
		{Name: "toggle a deleted credential", Call: w.get(fmt.Sprint(togglePath, "?id=", made.Id)), Code: 404},
		{
			Name:     "page of one",
			Call:     w.get(credentialsPath + "?pageNo=1&pageSize=1"),
			Contains: []string{`"total":1`, second.AppKey},
		},
		{
			Name:     "page beyond",
			Call:     w.get(credentialsPath + "?pageNo=2&pageSize=1"),
			Contains: []string{`"total":1`, `"list":[]`},
		},
		{
			Name:     "page far beyond",
			Call:     w.get(credentialsPath + "?pageNo=9223372036854775807&pageSize=400"),
			Contains: []string{`"list":[]`},
		},
	})
}

func TestCredentialRefusals(t *testing.T) {
	w := newServer(t)
	raw := func(body string) testkit.Call {
		return testkit.Call{Method: http.MethodPost, Path: createPath, Token: w.ada, Body: body}
	}
	w.Run(t, []testkit.Scenario{
		{Name: "no name", Call: raw(`{}`), Code: 601, Contains: []string{`"msg":"Please enter a name"`}},
		{
			Name:     "empty",
			Call:     createCredentialCall(w.ada, ""),
			Code:     601,
			Contains: []string{`"msg":"Please enter a name"`},
		},
		{
			Name:     "blank",
			Call:     createCredentialCall(w.ada, " \t\n"),
			Code:     601,
			Contains: []string{`"msg":"Please enter a name"`},
		},
		{
			Name:     "65 characters",
			Call:     createCredentialCall(w.ada, strings.Repeat("ş", 65)),
			Code:     601,
			Contains: []string{"Name: at most 64 characters"},
		},
		{Name: "64 characters", Call: createCredentialCall(w.ada, strings.Repeat("ş", 64))},
		{
			Name:     "NUL",
			Call:     createCredentialCall(w.ada, "a\x00b"),
			Code:     601,
			Contains: []string{"Name: not in the right form"},
		},
		{
			Name:     "line break",
			Call:     createCredentialCall(w.ada, "a\r\nX: b"),
			Code:     601,
			Contains: []string{"Name: not in the right form"},
		},
		{Name: "no body", Call: raw(""), Code: 400},
		{Name: "no JSON", Call: raw("{"), Code: 400},
		{Name: "null", Call: raw("null"), Code: 400},
		{Name: "a number", Call: raw(`{"name":7}`), Code: 400},
		{Name: "a list", Call: raw(`[{"name":"x"}]`), Code: 400},
		{
			Name:  "markup is a name",
			Call:  createCredentialCall(w.ada, "<script>alert(1)</script>"),
			Lacks: []string{"<script>"},
		},
		{
			Name:  "more than is asked for",
			Call:  raw(`{"name":"x","appKey":"tk_mine","appSecret":"mine","enabled":0,"userId":1,"tenantId":1}`),
			Lacks: []string{"mine"},
		},
		{Name: "delete without id", Call: w.get(deletePath), Code: 601},
		{Name: "delete 0", Call: w.get(deletePath + "?id=0"), Code: 601},
		{Name: "delete all", Call: w.get(deletePath + "?id=1%20OR%201=1"), Code: 400},
		{Name: "delete two", Call: w.get(deletePath + "?id=1,2"), Code: 400},
		{Name: "toggle without id", Call: w.get(togglePath), Code: 601},
		{Name: "toggle none", Call: w.get(togglePath + "?id=999999"), Code: 404},
		{Name: "switch none", Call: w.get(togglePath + "?id=999999&enabled=0"), Code: 404},
		{Name: "switch to an unknown state", Call: w.get(togglePath + "?id=999999&enabled=2"), Code: 601},
		{Name: "page size", Call: w.get(credentialsPath + "?pageSize=401"), Code: 601},
		// Toggling changes something although it is a GET; a prefetch must not do it.
		{
			Name:   "HEAD",
			Call:   testkit.Call{Method: http.MethodHead, Path: deletePath + "?id=1", Token: w.ada},
			Status: 405,
			Code:   405,
		},
	})
	for _, l := range pseudo.Languages() {
		call := createCredentialCall(w.ada, " ")
		call.Header = map[string]string{"Accept-Language": string(l)}
		if a := w.Do(t, call); a.Code != 601 || a.Msg != text.Translate(l, "common.nameRequired", nil) {
			t.Errorf("%s: %s", l, a.Body)
		}
	}
	for range identity.MaxCredentialsPerUser - w.credentials(t, w.ada, "").Total {
		testkit.Ask[wire.NewCredential](t, w.Contract, createCredentialCall(w.ada, "x"))
	}
	w.Run(t, []testkit.Scenario{
		{
			Name:     "one too many",
			Call:     createCredentialCall(w.ada, "x"),
			Code:     601,
			Contains: []string{"You already have 100 API credentials. Delete one first"},
		},
		{Name: "another user", Call: createCredentialCall(w.bora, "x")},
	})
}

// A credential belongs to its user: neither a colleague nor another tenant can see or change it,
// and a missing one is answered the same way.
func TestCredentialsAreUserScoped(t *testing.T) {
	w := newServer(t)
	made := testkit.Ask[wire.NewCredential](t, w.Contract, createCredentialCall(w.ada, "Ada's"))
	missing := w.Do(t, w.get(deletePath+"?id=999999"))
	for name, token := range map[string]string{"a colleague": w.bora, "another tenant": w.rivalToken} {
		for _, header := range []map[string]string{nil, {"tenant-id": fmt.Sprint(w.field.ID), "user-id": fmt.Sprint(w.field.Ada.ID)}} {
			for _, path := range []string{togglePath, deletePath} {
				a := w.Do(t, testkit.Call{Path: fmt.Sprint(path, "?id=", made.Id), Token: token, Header: header})
				if a.Code != 404 || string(a.Body) != string(missing.Body) {
					t.Errorf("%s, %s: %s", name, path, a.Body)
				}
			}
			a := w.Do(
				t,
				testkit.Call{
					Path:   fmt.Sprint(credentialsPath, "?userId=", w.field.Ada.ID),
					Token:  token,
					Header: header,
				},
			)
			if a.Code != 200 || strings.Contains(string(a.Body), made.AppKey) ||
				!strings.Contains(string(a.Body), `"total":0`) {
				t.Errorf("%s can read %s", name, a.Body)
			}
		}
	}
	if !w.credentialWorks(t, made) || w.credentials(t, w.ada, "").List[0].Enabled != 1 {
		t.Error("a refused call changed the credential")
	}
	// A new credential belongs to the caller's tenant, whatever the header says.
	call := createCredentialCall(w.rivalToken, "theirs")
	call.Header = map[string]string{"tenant-id": fmt.Sprint(w.field.ID)}
	theirs := testkit.Ask[wire.NewCredential](t, w.Contract, call)
	if p, err := w.Credentials.Authenticate(t.Context(), theirs.AppKey, theirs.AppSecret); err != nil ||
		p.Tenant != w.rival.ID || p.User != w.rival.Ada.ID {
		t.Errorf("%+v %v", p, err)
	}
	// Neither a key nor a secret gets into the log.
	for _, secret := range []string{made.AppSecret, theirs.AppSecret} {
		if strings.Contains(w.Log.Text(), secret) {
			t.Error("a secret is in the log")
		}
	}
}
