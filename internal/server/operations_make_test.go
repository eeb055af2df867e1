package server

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"time"

	"tilth/internal/domain/identity"
	"tilth/internal/domain/selfservice"
	"tilth/internal/domain/tenant"
	"tilth/internal/tools/testkit"
)

// What follows makes a thing of a tenant that a call can then change or delete.

// person is a user of a tenant, with a session.
type person struct {
	*identity.User
	access string
}

func (p person) account() *account { return &account{p.ID, p.access} }

// freshPerson makes a user, who has the least role unless change says otherwise.
func (s *tenantFixture) freshPerson(change func(*identity.User)) person {
	s.env.t.Helper()
	s.made++
	u := &identity.User{
		UserName: fmt.Sprint(s.tag, "person", s.made),
		Nickname: s.tag + " person",
		Role:     identity.Viewer,
		MadeHere: true,
	}
	if change != nil {
		change(u)
	}
	ctx, stores := s.env.t.Context(), s.env.server.Stores
	if err := stores.Users.Create(ctx, tenant.ID(s.tenant), u, testkit.PasswordHash(testkit.Password)); err != nil {
		s.env.t.Fatal(err)
	}
	pair, err := stores.Sessions.Start(ctx, u.Tenant, u.ID, false)
	if err != nil {
		s.env.t.Fatal(err)
	}
	return person{u, pair.Access}
}

func owner(u *identity.User) { u.Role = identity.Owner }

// factor turns on a person's second factor and returns the recovery codes.
func (s *tenantFixture) factor(p person) []string {
	s.env.t.Helper()
	var codes struct{ RecoveryCodes []string }
	s.env.ask(p.access, http.MethodPost, totp+"confirm", fields{"code": s.totpCode(p)}, &codes)
	return codes.RecoveryCodes
}

// totpCode begins a person's second factor and returns the code that confirms it.
func (s *tenantFixture) totpCode(p person) string {
	s.env.t.Helper()
	var key struct{ Secret string }
	s.env.ask(p.access, http.MethodPost, totp+"begin", fields{"password": testkit.Password}, &key)
	return testkit.TOTP(s.env.t, key.Secret, time.Now())
}

// ticket is what a person gets whose password is right and not enough.
func (s *tenantFixture) ticket(p person) string {
	s.env.t.Helper()
	body := fields{"tenantName": s.tag + "farm", "userName": p.UserName, "password": testkit.Password}
	r := httptest.NewRequest(http.MethodPost, auth+"login-username", jsonBody(s.env.t, body))
	r.Header.Set("Content-Type", "application/json")
	res := s.env.serve(s.env.console, r)
	var answer struct{ Data struct{ Ticket string } }
	if err := json.Unmarshal(res.Body.Bytes(), &answer); err != nil || answer.Data.Ticket == "" {
		s.env.t.Fatalf("no ticket: %s (%v)", res.Body, err)
	}
	return answer.Data.Ticket
}

// enrolTicket is the ticket of a person who needs a second factor and has none.
func (s *tenantFixture) enrolTicket(p person) string {
	s.requireSecondFactor(true)
	defer s.requireSecondFactor(false)
	return s.ticket(p)
}

// requireSecondFactor sets whether everybody of the tenant needs a second factor.
func (s *tenantFixture) requireSecondFactor(required bool) {
	s.env.t.Helper()
	err := s.env.server.Stores.Tenants.RequireSecondFactor(s.env.t.Context(), tenant.ID(s.tenant), required)
	if err != nil {
		s.env.t.Fatal(err)
	}
}

// smsCode asks for a code by SMS and returns it.
func (s *tenantFixture) smsCode(p person, mobile string) string {
	s.env.t.Helper()
	s.env.ask(p.access, http.MethodPost, auth+"send-sms-code", fields{"mobile": mobile, "scene": 2}, new(any))
	return s.env.phones.Code(s.env.t, mobile)
}

// freshMobile is a number that nobody has.
func (s *tenantFixture) freshMobile() string {
	s.made++
	return fmt.Sprintf("%s%04d", s.mobile[:9], 1000+s.made)
}

// smsLog gives SMS that the server writes into its log to phones.
type smsLog struct{ phones *testkit.Phones }

func (l smsLog) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }
func (l smsLog) WithAttrs([]slog.Attr) slog.Handler               { return l }
func (l smsLog) WithGroup(string) slog.Handler                    { return l }

func (l smsLog) Handle(ctx context.Context, r slog.Record) error {
	said := map[string]string{}
	r.Attrs(func(a slog.Attr) bool { said[a.Key] = a.Value.String(); return true })
	return l.phones.SendSMS(ctx, said["to"], said["text"])
}

const browserKey = "what only this browser knows"

func browserHash() string {
	sum := sha256.Sum256([]byte(browserKey))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// useIssuer gives the tenant an issuer; a person signs in there next.
func (s *tenantFixture) useIssuer(p person) {
	w := s.env
	w.t.Helper()
	if s.issuer == nil {
		s.issuer = testkit.NewIssuer(w.t, time.Now)
		err := w.server.Stores.Connections.Put(w.t.Context(), tenant.ID(s.tenant), s.issuer.Connection())
		if err != nil {
			w.t.Fatal(err)
		}
	}
	s.issuer.SetPerson(testkit.Claims{"sub": p.UserName, "email": p.Email, "email_verified": true})
}

// signOnTicket signs a person in at the tenant's issuer and returns the ticket for a session.
func (s *tenantFixture) signOnTicket(p person) string {
	w := s.env
	w.t.Helper()
	s.useIssuer(p)
	visit := func(path string) string {
		res := w.serve(w.console, httptest.NewRequest(http.MethodGet, "http://"+s.tag+"host.example"+path, nil))
		if res.Code != http.StatusFound {
			w.t.Fatalf("%s: %d %s", path, res.Code, res.Body)
		}
		return res.Header().Get("Location")
	}
	start := url.Values{"tenant": {s.tag + "farm"}, "binding": {browserHash()}}
	back := s.issuer.SignIn(w.t, visit("/auth/oidc/start?"+start.Encode()))
	_, ticket, ok := strings.Cut(visit(back.RequestURI()), "#ticket=")
	if !ok {
		w.t.Fatalf("no ticket for %s", p.UserName)
	}
	return ticket
}

// withEmail gives a user an address that an issuer may name.
func withEmail(u *identity.User) { u.Email, u.EmailConfirmed = u.UserName+"@mail.example", true }

// invite invites somebody and returns the invitation's number and token.
func (s *tenantFixture) invite() (id int64, token string) {
	s.env.t.Helper()
	var made struct {
		ID   int64
		Link string
	}
	body := fields{"role": "viewer", "nickname": s.tag + " guest", "sendMail": false}
	s.env.mustCall(s, http.MethodPost, pc+"people/invite", body, &made)
	_, token, _ = strings.Cut(made.Link, "#")
	return made.ID, token
}

// makeThing makes a thing through a call that answers with its number, alone or among other data.
func (s *tenantFixture) makeThing(path string, body fields) int64 {
	s.env.t.Helper()
	var answer json.RawMessage
	s.env.mustCall(s, http.MethodPost, pc+path, body, &answer)
	var made struct{ ID int64 }
	if json.Unmarshal(answer, &made.ID) != nil {
		if err := json.Unmarshal(answer, &made); err != nil || made.ID == 0 {
			s.env.t.Fatalf("%s: %s (%v)", path, answer, err)
		}
	}
	return made.ID
}

// fresh is a name that nothing of the tenant has.
func (s *tenantFixture) fresh(what string) string {
	s.made++
	return fmt.Sprint(s.tag, " ", what, s.made)
}

func (s *tenantFixture) freshScene() int64 {
	return s.makeThing("group/create", fields{"groupName": s.fresh("scene"), "groupStatus": 1})
}

func (s *tenantFixture) freshRule() int64 {
	return s.makeThing("alarm-rules/create", ruleOf(s, s.fresh("rule"), fields{"manualRelease": 1}))
}

func (s *tenantFixture) freshChannel() int64 {
	return s.makeThing("notice-channel/create", channelOf(s.fresh("channel")))
}

func (s *tenantFixture) freshWebhook() int64 {
	return s.makeThing("webhook/create", webhookForm(s.fresh("hook")))
}

func (s *tenantFixture) freshCredential() int64 {
	return s.makeThing("apicredentials/create", fields{"name": s.fresh("program")})
}

// freshDevice adds a device and returns its name.
func (s *tenantFixture) freshDevice() string {
	s.env.t.Helper()
	var made struct{ DeviceName string }
	body := fields{"noteName": s.fresh("device"), "productId": s.product}
	s.env.mustCall(s, http.MethodPost, pc+"device/create", body, &made)
	return made.DeviceName
}

// runningRule starts a rule that sends nothing.
func (s *tenantFixture) runningRule() int64 {
	id := s.freshRule()
	s.env.mustCall(s, http.MethodGet, fmt.Sprint(pc, "alarm-rules/publish?alarmRulesId=", id), nil, new(any))
	return id
}

// openNotice lets a rule begin a notice and returns the notice's number.
func (s *tenantFixture) openNotice() int64 {
	w, rule := s.env, s.runningRule()
	w.t.Helper()
	var is struct{ OpenNotice *struct{ ID int64 } }
	testkit.Eventually(w.t, "a notice", func() bool {
		w.sendAt(s, time.Now().UnixMilli(), s.tag+" text", -3)
		w.mustCall(s, http.MethodGet, fmt.Sprint(pc, "alarm-rules/get?id=", rule), nil, &is)
		return is.OpenNotice != nil
	})
	return is.OpenNotice.ID
}

// acknowledged acknowledges a notice.
func (s *tenantFixture) acknowledged(notice int64) int64 {
	s.env.mustCall(s, http.MethodPut, pc+"alarm-notice/acknowledge", fields{"id": notice}, new(any))
	return notice
}

// shelved puts a device on the shelf that anybody may claim, and returns its claim code.
func (s *tenantFixture) shelved() string {
	w, code := s.env, selfservice.NewCode()
	w.t.Helper()
	s.made++
	name := fmt.Sprint(s.tag, "-box-", s.made)
	hash := selfservice.HashCode(w.server.Stores.Key, code)
	item := &selfservice.ShelfItem{DeviceName: name, Serial: name, ProductID: s.product, CodeHash: hash[:]}
	if err := w.server.Stores.Shelf.Put(w.t.Context(), item); err != nil {
		w.t.Fatal(err)
	}
	return code.String()
}
