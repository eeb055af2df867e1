package console_test

import (
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
	profilePath  = "/app-api/member/user/update"
	passwordPath = "/app-api/member/user/update-password"
	mobilePath   = "/app-api/member/user/update-mobile"
	bindPath     = "/app-api/member/auth/validate-sms-code"
	sendCodePath = "/app-api/member/auth/send-sms-code"

	adaPhone = "+905550000001"
	newPhone = "+905550000002"
)

// newServerWithPhones returns a server on which ada and the rival's ada have a mobile number each,
// and bora has none.
func newServerWithPhones(t *testing.T) *fixture {
	t.Helper()
	w := newServer(t)
	mobiles := map[*identity.User]string{w.field.Ada: adaPhone, w.field.Bora: "", w.rival.Ada: "+905550000009"}
	for u, mobile := range mobiles {
		u.Mobile = mobile
		if err := w.Users.Update(t.Context(), u.Tenant, u); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// jsonCall returns a call with a JSON body; pairs holds names and values in turn.
func jsonCall(token, path string, pairs ...any) testkit.Call {
	body := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		body[pairs[i].(string)] = pairs[i+1]
	}
	raw, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	method := http.MethodPost
	if strings.Contains(path, "/user/") {
		method = http.MethodPut
	}
	return testkit.Call{Method: method, Path: path, Token: token, Body: string(raw)}
}

// mustSucceed makes a call, which must answer true.
func (w *fixture) mustSucceed(t *testing.T, call testkit.Call) {
	t.Helper()
	if !testkit.Ask[bool](t, w.Contract, call) {
		t.Fatalf("%s: did not answer true", call.Path)
	}
}

// requestCode requests a code for a phone number and returns the code from the text message.
func (w *fixture) requestCode(t *testing.T, token, mobile string) string {
	t.Helper()
	w.mustSucceed(t, jsonCall(token, sendCodePath, "mobile", mobile, "scene", 2))
	return w.Phones.Code(t, mobile)
}

func wrongCode(code string) string {
	if code == "000000" {
		return "111111"
	}
	return "000000"
}

func (w *fixture) user(t *testing.T, token string) wire.User {
	t.Helper()
	return testkit.Ask[wire.User](t, w.Contract, testkit.Call{Path: userPath, Token: token})
}

func TestUpdateUser(t *testing.T) {
	w := newServerWithPhones(t)
	w.mustSucceed(
		t,
		jsonCall(
			w.ada,
			profilePath,
			"id",
			w.field.Ada.ID,
			"nickname",
			" Ada L. ",
			"email",
			"l@example.com",
			"mobile",
			adaPhone,
		),
	)
	if u := w.user(t, w.ada); u.Nickname != "Ada L." || u.Email != "l@example.com" || u.Mobile != adaPhone {
		t.Errorf("%+v", u)
	}
	long := strings.Repeat("ş", 65)
	w.Run(t, []testkit.Scenario{
		{
			Name: "another field is ignored",
			Call: jsonCall(
				w.ada,
				profilePath,
				"nickname",
				"A",
				"email",
				"a@example.com",
				"avatar",
				"x",
				"disabled",
				true,
			),
		},
		{
			Name: "no mobile",
			Call: jsonCall(w.bora, profilePath, "nickname", "B", "email", "b@example.com", "mobile", ""),
		},
		{
			Name:     "no nickname",
			Call:     jsonCall(w.ada, profilePath, "email", "a@example.com"),
			Code:     601,
			Contains: []string{`"msg":"Please enter a nickname"`},
		},
		{
			Name: "null",
			Call: testkit.Call{
				Method: "PUT",
				Path:   profilePath,
				Token:  w.ada,
				Body:   `{"nickname":null,"email":"a@example.com"}`,
			},
			Code:     601,
			Contains: []string{`"msg":"Please enter a nickname"`},
		},
		{
			Name:     "long nickname",
			Call:     jsonCall(w.ada, profilePath, "nickname", long, "email", "a@example.com"),
			Code:     601,
			Contains: []string{"Nickname: at most 64 characters"},
		},
		{
			Name:     "no e-mail",
			Call:     jsonCall(w.ada, profilePath, "nickname", "A"),
			Code:     601,
			Contains: []string{`"msg":"Please enter an email address"`},
		},
		{
			Name:     "bad e-mail",
			Call:     jsonCall(w.ada, profilePath, "nickname", "A", "email", "ada"),
			Code:     601,
			Contains: []string{`"msg":"This email address is not valid"`},
		},
		{
			Name:     "long e-mail",
			Call:     jsonCall(w.ada, profilePath, "nickname", "A", "email", strings.Repeat("a", 255)),
			Code:     601,
			Contains: []string{"Email: at most 254 characters"},
		},
		{
			Name:     "a header in the nickname",
			Call:     jsonCall(w.ada, profilePath, "nickname", "A\r\nBcc: eve@example.com", "email", "a@example.com"),
			Code:     601,
			Contains: []string{"Nickname: not in the right form"},
		},
		{
			Name:     "a header in the e-mail",
			Call:     jsonCall(w.ada, profilePath, "nickname", "A", "email", "a@example.com\r\nBcc: eve@example.com"),
			Code:     601,
			Contains: []string{"This email address is not valid"},
		},
		{Name: "a NUL", Call: jsonCall(w.ada, profilePath, "nickname", "A\x00", "email", "a@example.com"), Code: 601},
		{
			Name:     "another mobile",
			Call:     jsonCall(w.ada, profilePath, "nickname", "A", "email", "a@example.com", "mobile", newPhone),
			Code:     601,
			Contains: []string{"changes only with a code"},
		},
		{
			Name:     "no Chinese mobile",
			Call:     jsonCall(w.ada, profilePath, "nickname", "A", "email", "a@example.com", "mobile", "905550000001"),
			Code:     601,
			Contains: []string{`"msg":"Enter a mainland China mobile number (11 digits)"`},
		},
		{
			Name: "bora's id",
			Call: jsonCall(w.ada, profilePath, "id", w.field.Bora.ID, "nickname", "A", "email", "a@example.com"),
			Code: 404,
		},
		{
			Name: "an invalid id",
			Call: jsonCall(w.ada, profilePath, "id", "x", "nickname", "A", "email", "a@example.com"),
			Code: 400,
		},
		{Name: "an array", Call: testkit.Call{Method: "PUT", Path: profilePath, Token: w.ada, Body: `[]`}, Code: 400},
		{Name: "no body", Call: testkit.Call{Method: "PUT", Path: profilePath, Token: w.ada}, Code: 400},
		{
			Name:   "too large",
			Call:   jsonCall(w.ada, profilePath, "nickname", strings.Repeat("x", 1<<20)),
			Status: 413,
			Code:   413,
		},
	})
	if u := w.user(t, w.ada); u.Nickname != "A" || u.Email != "a@example.com" || u.Mobile != adaPhone ||
		u.Avatar != "" {
		t.Errorf("%+v", u)
	}
}

func TestUpdateMobile(t *testing.T) {
	w := newServerWithPhones(t)
	code := w.requestCode(t, w.ada, newPhone)
	w.Run(t, []testkit.Scenario{
		{
			Name:     "no code",
			Call:     jsonCall(w.ada, mobilePath, "mobile", newPhone, "scene", 2),
			Code:     601,
			Contains: []string{`"msg":"Please enter the verification code"`},
		},
		{
			Name:     "no number",
			Call:     jsonCall(w.ada, mobilePath, "scene", 2, "code", code),
			Code:     601,
			Contains: []string{`"msg":"Please enter a mobile number"`},
		},
		{
			Name:     "no such number",
			Call:     jsonCall(w.ada, mobilePath, "mobile", "0555", "scene", 2, "code", code),
			Code:     601,
			Contains: []string{`"msg":"Enter the number as +905551112233"`},
		},
		{
			Name:     "another scene",
			Call:     jsonCall(w.ada, mobilePath, "mobile", newPhone, "scene", 1, "code", code),
			Code:     601,
			Contains: []string{"SMS scene: not one of the choices"},
		},
		{
			Name:     "long number",
			Call:     jsonCall(w.ada, mobilePath, "mobile", strings.Repeat("1", 33), "scene", 2, "code", code),
			Code:     601,
			Contains: []string{"Mobile: at most 32 characters"},
		},
		{
			Name:     "long code",
			Call:     jsonCall(w.ada, mobilePath, "mobile", newPhone, "scene", 2, "code", strings.Repeat("1", 17)),
			Code:     601,
			Contains: []string{"Verification code: at most 16 characters"},
		},
		{
			Name:     "the code as a number",
			Call:     jsonCall(w.ada, mobilePath, "mobile", newPhone, "scene", 2, "code", 123456),
			Code:     400,
			Contains: []string{"Verification code"},
		},
		{
			Name:     "wrong code",
			Call:     jsonCall(w.ada, mobilePath, "mobile", newPhone, "scene", 2, "code", wrongCode(code)),
			Code:     601,
			Contains: []string{"The verification code is wrong"},
		},
		{
			Name:     "another number's code",
			Call:     jsonCall(w.ada, mobilePath, "mobile", "+905550000003", "scene", 2, "code", code),
			Code:     601,
			Contains: []string{"no longer valid"},
		},
		{
			Name:     "another user's code",
			Call:     jsonCall(w.bora, mobilePath, "mobile", newPhone, "scene", 2, "code", code),
			Code:     601,
			Contains: []string{"no longer valid"},
		},
		{
			Name:     "ada has a number already",
			Call:     jsonCall(w.ada, bindPath, "mobile", newPhone, "scene", 2, "code", code),
			Code:     601,
			Contains: []string{"bound already"},
		},
		{
			Name:     "right",
			Call:     jsonCall(w.ada, mobilePath, "mobile", newPhone, "scene", 2, "code", code),
			Contains: []string{`"data":true`},
		},
		{
			Name:     "replayed",
			Call:     jsonCall(w.ada, mobilePath, "mobile", newPhone, "scene", 2, "code", code),
			Code:     601,
			Contains: []string{"no longer valid"},
		},
	})
	if u := w.user(t, w.ada); u.Mobile != newPhone {
		t.Errorf("%+v", u)
	}
	w.Clock.Advance(time.Minute)
	first := w.requestCode(t, w.bora, "+905550000004")
	w.mustSucceed(t, jsonCall(w.bora, bindPath, "mobile", "+905550000004", "scene", 2, "code", first))
	if u := w.user(t, w.bora); u.Mobile != "+905550000004" {
		t.Errorf("%+v", u)
	}
	w.Clock.Advance(time.Minute)
	code = w.requestCode(t, w.ada, "+905550000004")
	w.Run(t, []testkit.Scenario{
		{
			Name:     "bora's number",
			Call:     jsonCall(w.ada, mobilePath, "mobile", "+905550000004", "scene", 2, "code", code),
			Code:     601,
			Contains: []string{"belongs to another user"},
		},
	})
	if u := w.user(t, w.ada); u.Mobile != newPhone {
		t.Errorf("%+v", u)
	}
	letters := w.Mails.Sent()
	if len(letters) != 2 || letters[0].To != w.field.Ada.Email || letters[1].To != w.field.Bora.Email {
		t.Errorf("%+v", letters)
	}
}

func TestUpdatePassword(t *testing.T) {
	w := newServerWithPhones(t)
	other := w.Session(t, w.field.Ada).Access
	w.Run(t, []testkit.Scenario{
		{
			Name:     "bora has no mobile",
			Call:     jsonCall(w.bora, passwordPath, "code", "123456", "password", "new pass"),
			Code:     601,
			Contains: []string{"Bind a mobile number first"},
		},
	})
	code := w.requestCode(t, w.ada, adaPhone)
	w.Run(t, []testkit.Scenario{
		{
			Name:     "no code",
			Call:     jsonCall(w.ada, passwordPath, "password", "new pass"),
			Code:     601,
			Contains: []string{`"msg":"Please enter the verification code"`},
		},
		{
			Name:     "no password",
			Call:     jsonCall(w.ada, passwordPath, "code", code),
			Code:     601,
			Contains: []string{`"msg":"Please enter the new password"`},
		},
		{
			Name:     "short",
			Call:     jsonCall(w.ada, passwordPath, "code", code, "password", "12345"),
			Code:     601,
			Contains: []string{`"msg":"At least 6 characters"`},
		},
		{
			Name:     "long",
			Call:     jsonCall(w.ada, passwordPath, "code", code, "password", strings.Repeat("x", 257)),
			Code:     601,
			Contains: []string{"Password: at most 256 characters"},
		},
		{
			Name:     "wrong code",
			Call:     jsonCall(w.ada, passwordPath, "code", wrongCode(code), "password", "new pass"),
			Code:     601,
			Contains: []string{"The verification code is wrong"},
		},
		{Name: "the other session is active", Call: testkit.Call{Path: userPath, Token: other}},
		{
			Name:     "right",
			Call:     jsonCall(w.ada, passwordPath, "code", code, "password", "new pass"),
			Contains: []string{`"data":true`},
		},
		{Name: "the other session has ended", Call: testkit.Call{Path: userPath, Token: other}, Code: 401},
		{Name: "this session is still active", Call: w.get(userPath)},
		{Name: "bora's session is still active", Call: testkit.Call{Path: userPath, Token: w.bora}},
		{
			Name:     "replayed",
			Call:     jsonCall(w.ada, passwordPath, "code", code, "password", "another"),
			Code:     601,
			Contains: []string{"no longer valid"},
		},
		{Name: "the new password", Call: loginCall("field", "ada", "new pass")},
		{Name: "the old password", Call: loginCall("field", "ada", testkit.Password), Code: 601},
	})
	if logged := w.Log.Text(); strings.Contains(logged, code) || strings.Contains(logged, "new pass") ||
		strings.Contains(logged, adaPhone) {
		t.Error("a secret is in the log")
	}
}

// Every refusal is in the reader's language and has exactly the catalogue's words.
func TestAccountErrorTextsInEveryLanguage(t *testing.T) {
	w := newServerWithPhones(t)
	for key, call := range map[string]testkit.Call{
		"phone.required":           jsonCall(w.ada, sendCodePath, "scene", 2),
		"phone.format":             jsonCall(w.ada, sendCodePath, "mobile", "x", "scene", 2),
		"phone.codeRequired":       jsonCall(w.ada, passwordPath, "password", "new pass"),
		"phone.codeOver":           jsonCall(w.ada, passwordPath, "password", "new pass", "code", "000000"),
		"profile.nicknameRequired": jsonCall(w.ada, profilePath),
		"profile.emailRequired":    jsonCall(w.ada, profilePath, "nickname", "A"),
		"profile.emailFormat":      jsonCall(w.ada, profilePath, "nickname", "A", "email", "x"),
		"profile.mobileFormat":     jsonCall(w.ada, profilePath, "nickname", "A", "email", "x@example.com", "mobile", "123"),
		"password.required":        jsonCall(w.ada, passwordPath, "code", "000000"),
		"password.min":             jsonCall(w.ada, passwordPath, "code", "000000", "password", "x"),
		"password.bindFirst":       jsonCall(w.bora, passwordPath, "code", "000000", "password", "new pass"),
	} {
		for _, l := range pseudo.Languages() {
			call.Header = map[string]string{"Accept-Language": string(l)}
			if a := w.Do(t, call); a.Code != 601 || a.Msg != text.Translate(l, key, nil) || !text.HasKey(key) {
				t.Errorf("%s in %s: %d %q", key, l, a.Code, a.Msg)
			}
		}
	}
	for _, field := range []string{"code", "email", "id", "mobile", "nickname", "password", "scene"} {
		if !text.HasKey("field." + field) {
			t.Errorf("no sentence names %s", field)
		}
	}
}

// A user gets one code a minute and ten a day; the answer says how long to wait. If the gateway
// fails, the answer is -699 and does not ask to wait.
func TestSendSmsCode(t *testing.T) {
	w := newServerWithPhones(t)
	send := jsonCall(w.ada, sendCodePath, "mobile", newPhone, "scene", 2)
	w.Phones.Break(errs.New(errs.Upstream, "channel.smsFail"))
	if a := w.Do(t, send); a.Code != -699 || a.Msg != "The SMS could not be sent. Try again later" {
		t.Errorf("%s", a.Body)
	}
	if log := w.Log.Text(); strings.Count(log, "level=ERROR") != 1 {
		t.Errorf("the log has no error of the failed gateway:\n%s", log)
	}
	w.Phones.Break(nil)
	w.mustSucceed(t, send)
	if a := w.Do(t, send); a.Code != 429 || a.Msg != "Too many requests. Try again in 1\u00a0min" ||
		a.Header.Get("Retry-After") != "60" || a.Status != 200 {
		t.Errorf("%s", a.Body)
	}
	send.Header = map[string]string{"Accept-Language": "zh-cn"}
	for range 8 {
		w.Clock.Advance(time.Minute)
		w.mustSucceed(t, send)
	}
	w.Clock.Advance(time.Minute)
	if a := w.Do(t, send); a.Code != 429 || a.Msg != "请求过于频繁，请在24小时后重试" {
		t.Errorf("%s", a.Body)
	}
	sent := w.Phones.Sent()
	if len(sent) != 9 || !strings.HasPrefix(sent[0].Text, "field: code ") ||
		!strings.HasPrefix(sent[8].Text, "【field】短信验证码") {
		t.Errorf("%+v", sent)
	}
	w.Run(t, []testkit.Scenario{
		{
			Name:     "another scene",
			Call:     jsonCall(w.bora, sendCodePath, "mobile", newPhone, "scene", 1),
			Code:     601,
			Contains: []string{"SMS scene"},
		},
		{
			Name:     "no scene",
			Call:     jsonCall(w.bora, sendCodePath, "mobile", newPhone),
			Code:     601,
			Contains: []string{"SMS scene"},
		},
		{Name: "the scene as text", Call: jsonCall(w.bora, sendCodePath, "mobile", newPhone, "scene", "2"), Code: 400},
		{Name: "two lines", Call: jsonCall(w.bora, sendCodePath, "mobile", newPhone+"\r\n", "scene", 1), Code: 601},
	})
}

// Only a person that holds the phone learns that its number is in use. Before the code is entered,
// every answer is the same as for an unused number.
func TestNumberInUseIsNotRevealed(t *testing.T) {
	answers := map[string][]string{}
	for _, mobile := range []string{adaPhone, newPhone} {
		w := newServerWithPhones(t)
		for _, call := range []testkit.Call{
			jsonCall(w.bora, bindPath, "mobile", mobile, "scene", 2, "code", "1"),
			jsonCall(w.bora, sendCodePath, "mobile", mobile, "scene", 2),
			jsonCall(w.bora, sendCodePath, "mobile", mobile, "scene", 2),
			jsonCall(w.bora, bindPath, "mobile", mobile, "scene", 2, "code", "1"),
			jsonCall(w.bora, mobilePath, "mobile", mobile, "scene", 2, "code", "1"),
		} {
			answers[mobile] = append(answers[mobile], string(w.Do(t, call).Body))
		}
		a := w.Do(t, jsonCall(w.bora, bindPath, "mobile", mobile, "scene", 2, "code", w.Phones.Code(t, mobile)))
		if inUse := a.Code == 601 &&
			a.Msg == "This mobile number belongs to another user"; inUse != (mobile == adaPhone) ||
			!inUse && a.Code != 200 {
			t.Errorf("%s: %s", mobile, a.Body)
		}
	}
	if got, want := fmt.Sprint(answers[adaPhone]), fmt.Sprint(answers[newPhone]); got != want {
		t.Errorf("%s\n%s", got, want)
	}
}

// A code is invalid after five guesses, whichever calls they were made with.
func TestCodeInvalidAfterFiveGuesses(t *testing.T) {
	w := newServerWithPhones(t)
	code := w.requestCode(t, w.ada, adaPhone)
	for i := range 5 {
		call := jsonCall(w.ada, passwordPath, "code", wrongCode(code), "password", "new pass")
		if i%2 == 1 {
			call = jsonCall(w.ada, mobilePath, "mobile", adaPhone, "scene", 2, "code", wrongCode(code))
		}
		want := "The verification code is wrong"
		if i == 4 {
			want = "This code is no longer valid. Get a new one"
		}
		if a := w.Do(t, call); a.Code != 601 || a.Msg != want {
			t.Errorf("guess %d: %s", i+1, a.Body)
		}
	}
	if a := w.Do(t, jsonCall(w.ada, passwordPath, "code", code, "password", "new pass")); a.Code != 601 {
		t.Errorf("the right code after the last guess: %s", a.Body)
	}
}

// Codes, numbers and passwords belong to one tenant, whatever tenant a request names.
func TestAccountsAreTenantScoped(t *testing.T) {
	w := newServerWithPhones(t)
	theirs := "+905550000009"
	code := w.requestCode(t, w.rivalToken, theirs)
	header := map[string]string{"tenant-id": fmt.Sprint(w.rival.ID), "Tenant-Name": w.rival.Name}
	for name, call := range map[string]testkit.Call{
		"their code for the mobile":   jsonCall(w.ada, mobilePath, "mobile", theirs, "scene", 2, "code", code),
		"their code for a first one":  jsonCall(w.bora, bindPath, "mobile", theirs, "scene", 2, "code", code),
		"their code for the password": jsonCall(w.ada, passwordPath, "code", code, "password", "new pass"),
	} {
		for _, h := range []map[string]string{nil, header} {
			call.Header = h
			if a := w.Do(t, call); a.Code != 601 || a.Msg != "This code is no longer valid. Get a new one" {
				t.Errorf("%s: %s", name, a.Body)
			}
		}
	}
	// A code that ada requests while naming their tenant is still hers; so is the number.
	w.Clock.Advance(time.Minute)
	call := jsonCall(w.ada, sendCodePath, "mobile", theirs, "scene", 2)
	call.Header = header
	w.mustSucceed(t, call)
	sent := w.Phones.Sent()
	if last := sent[len(sent)-1]; strings.Contains(last.Text, marker) || !strings.HasPrefix(last.Text, "field: ") {
		t.Errorf("%+v", last)
	}
	mine := w.Phones.Code(t, theirs)
	if mine != code {
		if a := w.Do(t, jsonCall(w.rivalToken, passwordPath, "code", mine, "password", "new pass")); a.Code != 601 ||
			a.Msg != "The verification code is wrong" {
			t.Errorf("%s", a.Body)
		}
	}
	// Another tenant's user has the same number, which must not matter here.
	w.mustSucceed(t, jsonCall(w.ada, mobilePath, "mobile", theirs, "scene", 2, "code", mine))
	if w.user(t, w.ada).Mobile != theirs || w.user(t, w.rivalToken).Mobile != theirs {
		t.Error("a number went to the wrong user")
	}
	w.mustSucceed(t, jsonCall(w.rivalToken, passwordPath, "code", code, "password", "their own"))
	w.Run(t, []testkit.Scenario{
		{Name: "their password here", Call: loginCall("field", "ada", "their own"), Code: 601},
		{Name: "their password there", Call: loginCall(marker, "ada", "their own")},
	})
}

// The console's settings say whether codes can be requested. If they cannot, a request for one says so.
func TestSmsNotConfigured(t *testing.T) {
	w := newServerWithPhones(t)
	if set := testkit.Ask[wire.ConsoleSettings](t, w.Contract, testkit.Call{Path: settingsPath}); !set.Sms ||
		set.SmsLogged != nil {
		t.Errorf("%+v", set)
	}
	w.Account.Codes = identity.NewCodeStore(w.DB, testkit.SecretKey, nil, w.Clock.Now)
	if set := testkit.Ask[wire.ConsoleSettings](t, w.Contract, testkit.Call{Path: settingsPath}); set.Sms {
		t.Errorf("%+v", set)
	}
	if a := w.Do(t, jsonCall(w.ada, sendCodePath, "mobile", newPhone, "scene", 2)); a.Code != -699 ||
		a.Msg != "SMS is not set up" {
		t.Errorf("%s", a.Body)
	}
}
