package console_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/identity"
	"tilth/internal/edge/console/wire"
	"tilth/internal/tools/testkit"
)

const (
	peoplePath     = "/admin-api/client/pc/people/"
	invitationPath = "/app-api/member/auth/invitation/"
)

// invite makes an invitation and returns its token.
func (w *fixture) invite(t *testing.T, b body) (int64, string) {
	t.Helper()
	made := testkit.Ask[wire.NewInvitation](t, w.Contract, w.adaCall(http.MethodPost, peoplePath+"invite", b))
	_, token, ok := strings.Cut(*made.Link, "/invitation#")
	if !ok {
		t.Fatalf("%s", asJSON(t, made))
	}
	return made.Id, token
}

func TestPeopleCalls(t *testing.T) {
	w := newServer(t)
	page := testkit.Ask[wire.PeoplePage](
		t,
		w.Contract,
		w.get(peoplePath+"page?pageNo=1&pageSize=10&text=bora&role=owner&state=active"),
	)
	if page.Total != 1 || page.Owners != 2 || !page.Mail || page.List[0].Id != w.field.Bora.ID ||
		page.List[0].RoleFrom != "provider" ||
		page.List[0].Removable {
		t.Fatalf("%s", asJSON(t, page))
	}
	bora := w.field.Bora.ID
	base := w.Serve(t)
	ada := w.Listen(t, base, w.liveCall(w.ada, ""))
	expectEvents(t, ada, testkit.Event{ID: "e-0"})
	testkit.Ask[bool](
		t,
		w.Contract,
		w.adaCall(http.MethodPut, peoplePath+"update", body{"id": bora, "role": "viewer", "language": "zh-cn"}),
	)
	if e := ada.Next(t); e.Name != "change" || e.Data != `{"of":["people"]}` {
		t.Errorf("%+v", e)
	}
	if u := testkit.Ask[wire.User](t, w.Contract, testkit.Call{Path: userPath, Token: w.bora}); u.Role != "viewer" ||
		u.Language != "zh-cn" {
		t.Errorf("%s", asJSON(t, u))
	}
	w.Run(t, []testkit.Scenario{
		{
			Name:     "a viewer",
			Call:     testkit.Call{Path: peoplePath + "page?pageNo=1&pageSize=10", Token: w.bora},
			Code:     403,
			Contains: []string{"This needs an owner"},
		},
		{
			Name:     "the last owner",
			Call:     w.adaCall(http.MethodPut, peoplePath+"update", body{"id": w.field.Ada.ID, "role": "viewer"}),
			Code:     601,
			Contains: []string{"Somebody has to stay an owner"},
		},
		{
			Name: "from the file",
			Call: testkit.Call{
				Method: http.MethodDelete,
				Path:   peoplePath + "delete?id=" + fmt.Sprint(bora),
				Token:  w.ada,
			},
			Code:     601,
			Contains: []string{"only the provider can delete it"},
		},
		{Name: "nobody", Call: w.adaCall(http.MethodPost, peoplePath+"end-sessions", body{"id": 999999}), Code: 404},
		{
			Name:     "no such role",
			Call:     w.adaCall(http.MethodPut, peoplePath+"update", body{"id": bora, "role": "king"}),
			Code:     601,
			Contains: []string{"Role"},
		},
	})
	testkit.Ask[bool](t, w.Contract, w.adaCall(http.MethodPost, peoplePath+"end-sessions", body{"id": bora}))
	if a := w.Do(t, testkit.Call{Path: userPath, Token: w.bora}); a.Code != 401 {
		t.Errorf("%s", a.Body)
	}
	testkit.Ask[bool](
		t,
		w.Contract,
		w.adaCall(http.MethodPut, peoplePath+"enable-or-disable", body{"id": bora, "enabled": false}),
	)
	if a := w.Do(t, loginCall("field", "bora", testkit.Password)); a.Code != 601 {
		t.Errorf("a disabled person signs in: %s", a.Body)
	}
	page = testkit.Ask[wire.PeoplePage](t, w.Contract, w.get(peoplePath+"page?pageNo=1&pageSize=10&state=disabled"))
	if page.Total != 1 || page.Owners != 1 || page.List[0].State != "disabled" {
		t.Errorf("%s", asJSON(t, page))
	}
}

// The screens of a person learn of a change of their own role at once, and that they are signed out.
func TestLiveChangeOfPeople(t *testing.T) {
	w := newServer(t)
	base := w.Serve(t)
	bora := w.Listen(t, base, w.liveCall(w.bora, ""))
	rival := w.Listen(t, base, w.liveCall(w.rivalToken, ""))
	expectEvents(t, bora, testkit.Event{ID: "e-0"})
	expectEvents(t, rival, testkit.Event{ID: "e-0"})
	testkit.Ask[bool](
		t,
		w.Contract,
		w.adaCall(http.MethodPut, peoplePath+"update", body{"id": w.field.Bora.ID, "role": "viewer"}),
	)
	seen := map[string]bool{}
	for len(seen) < 2 {
		e := bora.Next(t)
		if e.Name == "change" {
			seen[e.Data] = true
		}
	}
	if !seen[`{"of":["people"]}`] || !seen[`{"of":["me"]}`] {
		t.Errorf("%v", seen)
	}
	began := time.Now()
	testkit.Ask[bool](
		t,
		w.Contract,
		w.adaCall(http.MethodPut, peoplePath+"enable-or-disable", body{"id": w.field.Bora.ID, "enabled": false}),
	)
	for e := bora.Next(t); e.Name != "expired"; e = bora.Next(t) {
	}
	t.Logf("signed out after %v", time.Since(began))
	w.hub.Publish(w.rival.ID, "reading", []byte(`{"deviceName":"R-1","time":1,"values":{"rain":1}}`))
	if e := rival.Next(t); e.Name != "reading" {
		t.Errorf("another tenant's screens get %v", e)
	}
}

func TestInvitationCalls(t *testing.T) {
	w := newServer(t)
	id, token := w.invite(t, body{"role": "operator", "email": "cem@example.com", "sendMail": false})
	list := testkit.Ask[wire.InvitationPage](t, w.Contract, w.get(peoplePath+"invitations/page?pageNo=1&pageSize=10"))
	if list.Total != 1 || list.List[0].Id != id || list.List[0].Email != "cem@example.com" || list.List[0].Mailed {
		t.Errorf("%s", asJSON(t, list))
	}
	offer := testkit.Ask[wire.InvitationOffer](t, w.Contract, testkit.Call{
		Method: http.MethodPost, Path: invitationPath + "get", Body: asJSON(t, body{"token": token}),
	})
	if offer.TenantName != "field" || offer.Role != "operator" || offer.InvitedBy != w.field.Ada.Nickname {
		t.Errorf("%s", asJSON(t, offer))
	}
	acceptance := func(userName string) testkit.Call {
		return testkit.Call{
			Method: http.MethodPost, Path: invitationPath + "accept",
			Body: asJSON(t, body{"token": token, "userName": userName, "password": testkit.Password}),
		}
	}
	w.Run(t, []testkit.Scenario{
		{
			Name:     "a taken name",
			Call:     acceptance("Ada"),
			Code:     601,
			Contains: []string{"User name: somebody has this name already"},
		},
		{Name: "a space", Call: acceptance("a b"), Code: 601, Contains: []string{"User name: 1 to 64 characters"}},
		{
			Name: "invited twice",
			Call: w.adaCall(
				http.MethodPost,
				peoplePath+"invite",
				body{"role": "viewer", "email": "cem@example.com", "sendMail": false},
			),
			Code:     601,
			Contains: []string{"Email: this address is invited already"},
		},
		{
			Name: "no role", Call: w.adaCall(http.MethodPost, peoplePath+"invite", body{"sendMail": false}),
			Code: 601, Contains: []string{"Role: required"},
		},
		{
			Name:     "no token",
			Call:     testkit.Call{Method: http.MethodPost, Path: invitationPath + "get", Body: `{"token":"x"}`},
			Code:     601,
			Contains: []string{"no longer holds"},
		},
	})
	s := testkit.Ask[wire.Session](t, w.Contract, acceptance("cem"))
	if u := testkit.Ask[wire.User](
		t,
		w.Contract,
		testkit.Call{Path: userPath, Token: s.AccessToken},
	); u.UserName != "cem" ||
		u.Role != string(identity.Operator) ||
		u.TenantName != "field" {
		t.Errorf("%s", asJSON(t, u))
	}
	if a := w.Do(t, acceptance("deniz")); a.Code != 601 {
		t.Errorf("accepted twice: %s", a.Body)
	}
	// Sent again, the old link is dead; taken back, the new one too.
	id, token = w.invite(t, body{"role": "viewer", "sendMail": false})
	again := testkit.Ask[wire.NewInvitation](
		t,
		w.Contract,
		w.adaCall(http.MethodPost, peoplePath+"invitations/resend", body{"id": id}),
	)
	if a := w.Do(t, acceptance("deniz")); a.Code != 601 {
		t.Errorf("the replaced link: %s", a.Body)
	}
	_, token, _ = strings.Cut(*again.Link, "#")
	testkit.Ask[bool](t, w.Contract, testkit.Call{
		Method: http.MethodDelete, Path: peoplePath + "invitations/delete?id=" + fmt.Sprint(id), Token: w.ada,
	})
	if a := w.Do(t, acceptance("deniz")); a.Code != 601 {
		t.Errorf("a link taken back: %s", a.Body)
	}
}

// Whoever has the link of a withdrawn invitation reads whom to ask; owners see that it is withdrawn and
// why, and send it again as theirs.
func TestWithdrawnInvitationCalls(t *testing.T) {
	w := newServer(t)
	id, token := w.invite(t, body{"role": "viewer", "nickname": "Cem", "sendMail": false})
	w.adaIs(t, identity.Operator)
	bora := func(method, path string, b body) testkit.Call {
		call := testkit.Call{Method: method, Path: peoplePath + path, Token: w.bora}
		if b != nil {
			call.Body = asJSON(t, b)
		}
		return call
	}
	pageOf := func(call testkit.Call) wire.InvitationPage {
		return testkit.Ask[wire.InvitationPage](t, w.Contract, call)
	}
	const page = "invitations/page?pageNo=1&pageSize=10"
	if list := pageOf(bora("GET", page, nil)); list.Total != 1 || deref(list.List[0].Withdrawn) != "demoted" {
		t.Errorf("%s", asJSON(t, list))
	}
	public := func(path string, b body) testkit.Call {
		b["token"] = token
		return testkit.Call{Method: http.MethodPost, Path: invitationPath + path, Body: asJSON(t, b)}
	}
	acceptance := body{"userName": "cem", "password": testkit.Password}
	w.Run(t, []testkit.Scenario{
		{Name: "looked at", Call: public("get", body{}), Code: 601, Contains: []string{"Ask one of its owners"}},
		{Name: "accepted", Call: public("accept", acceptance), Code: 601, Contains: []string{"Ask one of its owners"}},
	})
	again := testkit.Ask[wire.NewInvitation](
		t, w.Contract, bora(http.MethodPost, "invitations/resend", body{"id": id}),
	)
	list := pageOf(bora("GET", page, nil))
	if list.List[0].Withdrawn != nil || list.List[0].InvitedBy != w.field.Bora.Nickname {
		t.Errorf("%s", asJSON(t, list))
	}
	_, token, _ = strings.Cut(*again.Link, "#")
	testkit.Ask[wire.Session](t, w.Contract, public("accept", acceptance))
}
