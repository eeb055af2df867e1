package console_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"tilth/internal/edge/console/wire"
	"tilth/internal/tools/testkit"
)

const (
	totpPath      = "/app-api/member/user/totp/"
	loginCodePath = "/app-api/member/auth/login-code"
	loginTotpPath = "/app-api/member/auth/login-totp-"
)

// publicPost is a call of nobody; fields are pairs of name and value.
func publicPost(t *testing.T, path string, fields body) testkit.Call {
	t.Helper()
	return testkit.Call{Method: http.MethodPost, Path: path, Body: asJSON(t, fields)}
}

// demand is what a right password gets that is not enough.
type demand struct {
	CodeRequired, EnrolRequired bool
	Ticket                      string
}

func (w *fixture) demand(t *testing.T, userName string) demand {
	t.Helper()
	a := w.Do(t, loginCall("field", userName, testkit.Password))
	var d demand
	if err := json.Unmarshal(a.Data, &d); err != nil || a.Code != 601 || d.Ticket == "" {
		t.Fatalf("%s", a.Body)
	}
	return d
}

func TestSecondFactorCalls(t *testing.T) {
	w := newServer(t)
	post := func(path string, b body) testkit.Call { return w.adaCall(http.MethodPost, totpPath+path, b) }
	e := testkit.Ask[wire.Enrolment](t, w.Contract, post("begin", body{"password": testkit.Password}))
	if !strings.HasPrefix(e.Uri, "otpauth://totp/field:ada?secret="+e.Secret) {
		t.Errorf("%+v", e)
	}
	w.Run(t, []testkit.Scenario{
		{
			Name: "a wrong password", Call: post("begin", body{"password": "x"}), Code: 601,
			Contains: []string{"Password: This is not your current password"},
		},
		{
			Name: "a wrong code", Call: post("confirm", body{"code": "000000"}), Code: 601,
			Contains: []string{"does not fit the key"},
		},
		{Name: "no code", Call: post("confirm", body{"code": ""}), Code: 601, Contains: []string{"code"}},
		{
			Name: "off", Call: post("disable", body{"password": testkit.Password, "code": "000000"}), Code: 601,
			Contains: []string{"off"},
		},
		{Name: "nobody", Call: publicPost(t, totpPath+"begin", body{"password": "x"}), Code: 401},
		{
			Name:     "a policy without one's own",
			Call:     w.adaCall(http.MethodPut, peoplePath+"settings", body{"secondFactor": "required"}),
			Code:     601,
			Contains: []string{"Turn on your own second factor first"},
		},
		{
			Name: "no such policy", Call: w.adaCall(http.MethodPut, peoplePath+"settings", body{"secondFactor": "x"}),
			Code: 601, Contains: []string{"Second factor"},
		},
	})
	code := func() string { return testkit.TOTP(t, e.Secret, w.Clock.Now()) }
	codes := testkit.Ask[wire.RecoveryCodes](t, w.Contract, post("confirm", body{"code": code()})).RecoveryCodes
	u := testkit.Ask[wire.User](t, w.Contract, testkit.Call{Path: userPath, Token: w.ada})
	if len(codes) != 10 || !u.SecondFactor || u.SecondFactorRequired {
		t.Errorf("%v %+v", codes, u)
	}
	page := testkit.Ask[wire.PeoplePage](t, w.Contract, w.get(peoplePath+"page?pageNo=1&pageSize=10&text=ada"))
	if page.SecondFactor != "optional" || !page.List[0].SecondFactor {
		t.Errorf("%s", asJSON(t, page))
	}

	w.Clock.Advance(30 * time.Second)
	d := w.demand(t, "ada")
	if !d.CodeRequired || d.EnrolRequired {
		t.Errorf("%+v", d)
	}
	s := testkit.Ask[wire.Session](
		t,
		w.Contract,
		publicPost(t, loginCodePath, body{"ticket": d.Ticket, "code": code()}),
	)
	if s.UserId != w.field.Ada.ID {
		t.Errorf("%+v", s)
	}
	d = w.demand(t, "ada")
	w.Run(t, []testkit.Scenario{
		{
			Name: "the same code again", Call: publicPost(t, loginCodePath, body{"ticket": d.Ticket, "code": code()}),
			Code: 601, Contains: []string{"was used already"},
		},
		{
			Name: "no such ticket", Call: publicPost(t, loginCodePath, body{"ticket": "x", "code": code()}),
			Code: 601, Contains: []string{`"ticketOver":true`, "Enter your password again"},
		},
		{
			Name: "a ticket for the code", Call: publicPost(t, loginTotpPath+"begin", body{"ticket": d.Ticket}),
			Code: 601, Contains: []string{`"ticketOver":true`},
		},
	})
	s = testkit.Ask[wire.Session](
		t,
		w.Contract,
		publicPost(t, loginCodePath, body{"ticket": d.Ticket, "code": codes[0]}),
	)

	testkit.Ask[bool](t, w.Contract, w.adaCall(http.MethodPut, peoplePath+"settings", body{"secondFactor": "required"}))
	bora := w.demand(t, "bora")
	if bora.CodeRequired || !bora.EnrolRequired {
		t.Errorf("%+v", bora)
	}
	e = testkit.Ask[wire.Enrolment](t, w.Contract, publicPost(t, loginTotpPath+"begin", body{"ticket": bora.Ticket}))
	in := testkit.Ask[wire.EnrolledSession](
		t, w.Contract, publicPost(t, loginTotpPath+"confirm", body{"ticket": bora.Ticket, "code": code()}),
	)
	u = testkit.Ask[wire.User](t, w.Contract, testkit.Call{Path: userPath, Token: in.AccessToken})
	if len(in.RecoveryCodes) != 10 || u.Id != w.field.Bora.ID || !u.SecondFactor || !u.SecondFactorRequired {
		t.Errorf("%+v %+v", in, u)
	}
	if a := w.Do(t, post("disable", body{"password": testkit.Password, "code": codes[1]})); a.Code != 601 ||
		!strings.Contains(a.Msg, "cannot be turned off") {
		t.Errorf("%s", a.Body)
	}
	newer := testkit.Ask[wire.RecoveryCodes](
		t,
		w.Contract,
		post("recovery-codes", body{"code": codes[1]}),
	).RecoveryCodes
	testkit.Ask[bool](t, w.Contract, w.adaCall(http.MethodPut, peoplePath+"settings", body{"secondFactor": "optional"}))
	testkit.Ask[bool](t, w.Contract,
		w.adaCall(http.MethodPost, peoplePath+"reset-second-factor", body{"id": w.field.Bora.ID}))
	testkit.Ask[bool](t, w.Contract, post("disable", body{"password": testkit.Password, "code": newer[0]}))
	for _, name := range []string{"ada", "bora"} {
		testkit.Ask[wire.Session](t, w.Contract, loginCall("field", name, testkit.Password))
	}
}

// A wrong code is audited like a wrong password, and a viewer has a second factor of their own.
func TestWrongCodeIsAudited(t *testing.T) {
	w := newServer(t)
	_, codes := w.SecondFactor(t, w.field.Bora)
	d := w.demand(t, "bora")
	w.Do(t, publicPost(t, loginCodePath, body{"ticket": d.Ticket, "code": "000000"}))
	got := w.auditLog(t, w.ada, "?kind=session")
	if got.Total != 1 || entryText(&got.List[0]) != "session.fail bora of 1" {
		t.Errorf("%+v", got)
	}
	viewer := *w.field.Bora
	viewer.Role = "viewer"
	if err := w.Users.Update(t.Context(), w.field.ID, &viewer); err != nil {
		t.Fatal(err)
	}
	call := testkit.Call{
		Method: http.MethodPost, Path: totpPath + "disable", Token: w.bora,
		Body: asJSON(t, body{"password": testkit.Password, "code": codes[0]}),
	}
	testkit.Ask[bool](t, w.Contract, call)
}

// The screens of a person and of the owners learn at once that a second factor was turned on or off.
func TestLiveChangeOfSecondFactor(t *testing.T) {
	w := newServer(t)
	bora := w.Listen(t, w.Serve(t), w.liveCall(w.bora, ""))
	expectEvents(t, bora, testkit.Event{ID: "e-0"})
	w.SecondFactor(t, w.field.Bora)
	seen := map[string]bool{}
	for range 2 {
		seen[bora.Next(t).Data] = true
	}
	if !seen[`{"of":["people"]}`] || !seen[`{"of":["me"]}`] {
		t.Errorf("%v", seen)
	}
}
