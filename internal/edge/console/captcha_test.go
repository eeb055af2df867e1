package console_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"net/http"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/captcha"
	"tilth/internal/edge/console"
	"tilth/internal/edge/console/wire"
	"tilth/internal/tools/testkit"
)

func post(path, body string) testkit.Call {
	return testkit.Call{Method: http.MethodPost, Path: path, Body: body}
}

const blockPuzzle = `{"captchaType":"blockPuzzle"}`

// captchaCall makes a call of the captcha and reads the captcha's own envelope.
func (w *fixture) captchaCall(t *testing.T, call testkit.Call) (answer wire.CaptchaAnswer) {
	t.Helper()
	a := w.Do(t, call)
	if err := json.Unmarshal(a.Body, &answer); err != nil {
		t.Fatal(err)
	}
	if a.Status != http.StatusOK || answer.Success != (answer.RepCode == "0000") ||
		answer.Success != (answer.RepMsg == nil) ||
		!answer.Success && answer.RepData != nil {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	return answer
}

// newChallenge returns a captcha with blank pictures and a known target.
func (w *fixture) newChallenge(t *testing.T) *wire.CaptchaData {
	t.Helper()
	answer := w.captchaCall(t, post(captchaPath, blockPuzzle))
	if !answer.Success {
		t.Fatalf("%+v", answer)
	}
	return answer.RepData
}

// checkCaptchaCall returns a call that checks a point.
func checkCaptchaCall(c *wire.CaptchaData, point string) testkit.Call {
	return post(
		checkPath,
		fmt.Sprintf(
			`{"captchaType":"blockPuzzle","token":%q,"pointJson":%q,"clientUid":"slider-1","ts":1795231800000}`,
			*c.Token,
			captcha.Encrypt(point, *c.SecretKey),
		),
	)
}

// loginWithCaptcha returns a sign-in call with a captchaVerification.
func loginWithCaptcha(userName, password, verification string) testkit.Call {
	return post(
		loginPath,
		fmt.Sprintf(
			`{"tenantName":"field","userName":%q,"password":%q,"captchaVerification":%q}`,
			userName,
			password,
			verification,
		),
	)
}

// After three failures a user must solve the captcha, solves it, and is signed in.
func TestCaptchaAtSignIn(t *testing.T) {
	w := newServer(t)
	for range 3 {
		if a := w.Do(t, loginCall("field", "ada", "wrong")); a.Code != 601 || string(a.Data) != "null" {
			t.Fatalf("%s", a.Body)
		}
	}
	for name, call := range map[string]testkit.Call{
		"none": loginCall("field", "ada", testkit.Password), "a made up one": loginWithCaptcha("ada", testkit.Password, "made up"),
		"an unknown account": loginCall("field", "nobody", "x"), "an unknown tenant": loginCall("none", "ada", "x"),
	} {
		a := w.Do(t, call)
		if string(a.Body) != `{"code":601,"data":{"captchaRequired":true},"msg":"Solve the slider captcha first"}` {
			t.Errorf("%s: %s", name, a.Body)
		}
	}
	elsewhere := loginCall("field", "bora", testkit.Password)
	elsewhere.From = "198.51.100.7"
	if a := w.Do(t, elsewhere); a.Code != 200 {
		t.Errorf("another account from another address: %s", a.Body)
	}

	c := w.newChallenge(t)
	point := testkit.Point(w.Slider.Target)
	checked := w.captchaCall(t, checkCaptchaCall(c, point))
	if d := checked.RepData; !checked.Success || d.Result == nil || !*d.Result || *d.Token != *c.Token ||
		*d.CaptchaType != "blockPuzzle" ||
		*d.PointJson != captcha.Encrypt(point, *c.SecretKey) {
		t.Errorf("%+v", checked)
	}
	verification := captcha.Encrypt(*c.Token+"---"+point, *c.SecretKey)
	s := testkit.Ask[wire.Session](t, w.Contract, loginWithCaptcha("ada", testkit.Password, verification))
	if s.UserId != w.field.Ada.ID {
		t.Errorf("%+v", s)
	}
	repeated := w.Do(t, loginWithCaptcha("ada", testkit.Password, verification))
	if !strings.Contains(string(repeated.Data), "captchaRequired") {
		t.Errorf("once more: %s", repeated.Body)
	}
	// Failures from three addresses of one network count as three of the network.
	w.Clock.Advance(time.Hour)
	for i, want := range []int{601, 601, 601, 601} {
		a := w.Do(
			t,
			testkit.Call{
				Method: "POST",
				Path:   loginPath,
				From:   fmt.Sprintf("[2001:db8::%d]", i+1),
				Body:   loginCall("field", fmt.Sprint("bora", i), "x").Body,
			},
		)
		if a.Code != want || strings.Contains(string(a.Data), "captchaRequired") != (i == 3) {
			t.Errorf("%d: %s", i, a.Body)
		}
	}
}

// The real captcha makes pictures of the right size.
func TestCaptchaPictures(t *testing.T) {
	w := newServer(t, func(o *console.Options) { o.Captcha = captcha.New(o.Now, captcha.Draw, nil) })
	c := w.newChallenge(t)
	for wide, text := range map[int]*string{620: c.OriginalImageBase64, 94: c.JigsawImageBase64} {
		raw, err := base64.StdEncoding.DecodeString(*text)
		if err != nil {
			t.Fatalf("%.40s: %v", *text, err)
		}
		m, err := png.Decode(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		if b := m.Bounds(); b.Dx() != wide || b.Dy() != 310 {
			t.Errorf("%v, want %d by 310", b, wide)
		}
	}
	if len(*c.Token) != 32 || len(*c.SecretKey) != 16 || c.Result != nil || c.PointJson != nil || c.CaptchaType != nil {
		t.Errorf("%+v", c)
	}
}

func TestCaptchaRefusals(t *testing.T) {
	w := newServer(t)
	c := w.newChallenge(t)
	target := w.Slider.Target
	token := *c.Token
	large := `{"captchaType":"` + strings.Repeat("x", 1<<20) + `"}`
	for _, s := range []struct {
		name string
		call testkit.Call
		code string
	}{
		{"get without a kind", post(captchaPath, `{}`), "0011"},
		{"get of an empty kind", post(captchaPath, `{"captchaType":""}`), "0011"},
		{"get of another kind", post(captchaPath, `{"captchaType":"clickWord"}`), "6112"},
		{"get of a number", post(captchaPath, `{"captchaType":7}`), "0011"},
		{"get without a body", post(captchaPath, ""), "0011"},
		{"get of no JSON", post(captchaPath, `{"captcha`), "0011"},
		{"get of null", post(captchaPath, `null`), "0011"},
		{"get with a form", testkit.Call{Method: "POST", Path: captchaPath, Body: "captchaType=blockPuzzle", Header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"}}, "0011"},
		{"get from an unknown zone", testkit.Call{Method: "POST", Path: captchaPath, Body: blockPuzzle, Header: map[string]string{"Time-Zone": "Nowhere/Land"}}, "0011"},
		{"check without a token", post(checkPath, `{"captchaType":"blockPuzzle","pointJson":"x"}`), "0011"},
		{"check without a point", post(checkPath, `{"captchaType":"blockPuzzle","token":"`+token+`"}`), "0011"},
		{"check without a kind", post(checkPath, `{"token":"`+token+`","pointJson":"x"}`), "0011"},
		{"check of another kind", post(checkPath, `{"captchaType":"clickWord","token":"`+token+`","pointJson":"x"}`), "6112"},
		{"check of a list", post(checkPath, `[]`), "0011"},
		{"check of an unknown token", post(checkPath, `{"captchaType":"blockPuzzle","token":"`+strings.Repeat("0", 32)+`","pointJson":"x"}`), "6110"},
		{"check of the wrong place", checkCaptchaCall(c, testkit.Point(target+6)), "6111"},
		{"check of the right place, later", checkCaptchaCall(c, testkit.Point(target)), "6110"},
	} {
		if got := w.captchaCall(t, s.call); got.RepCode != s.code {
			t.Errorf("%s: %s, want %s", s.name, got.RepCode, s.code)
		}
	}
	for _, path := range []string{captchaPath, checkPath} {
		if a := w.Do(t, post(path, large)); a.Status != 413 || !strings.Contains(string(a.Body), `"repCode":"9999"`) {
			t.Errorf("too large: %d %s", a.Status, a.Body)
		}
		if a := w.Do(t, testkit.Call{Path: path}); a.Status != 405 || a.Code != 405 {
			t.Errorf("GET: %d %s", a.Status, a.Body)
		}
	}
	old := w.newChallenge(t)
	w.Clock.Advance(130 * time.Second)
	if got := w.captchaCall(t, checkCaptchaCall(old, testkit.Point(w.Slider.Target))); got.RepCode != "6110" {
		t.Errorf("too old: %+v", got)
	}
}

// Messages are in the caller's language.
func TestCaptchaMessagesAreLocalized(t *testing.T) {
	w := newServer(t)
	for language, want := range map[string]string{
		"en-us": "Verification failed, try again", "zh-cn": "验证失败，请重试", "tr-tr": "Doğrulanamadı, yeniden deneyin", "ru-ru": "Не получилось, попробуйте ещё раз",
	} {
		call := checkCaptchaCall(w.newChallenge(t), testkit.Point(w.Slider.Target+50))
		call.Header = map[string]string{"Accept-Language": language}
		if got := w.captchaCall(t, call); got.RepMsg == nil || *got.RepMsg != want {
			t.Errorf("%s: %+v", language, got)
		}
	}
}

// Refusals by any limit have the captcha's own envelope, each with its code.
func TestCaptchaLimits(t *testing.T) {
	w := newServer(t)
	gone := post(checkPath, `{"captchaType":"blockPuzzle","token":"x","pointJson":"x"}`)
	codes := func(call testkit.Call, n int) map[string]int {
		t.Helper()
		found := map[string]int{}
		for range n {
			found[w.captchaCall(t, call).RepCode]++
			w.Clock.Advance(100 * time.Millisecond) // as fast as the limit for calls without a session allows
		}
		return found
	}
	if got := codes(post(captchaPath, blockPuzzle), 80); got["0000"] != 60 || got["6201"] != 20 {
		t.Errorf("gets: %v", got)
	}
	if got := codes(gone, 150); got["6110"] != 120 || got["6204"] != 30 {
		t.Errorf("checks: %v", got)
	}
	w.Clock.Advance(time.Minute)
	for range 10 {
		got := w.captchaCall(t, checkCaptchaCall(w.newChallenge(t), testkit.Point(w.Slider.Target+50)))
		if got.RepCode != "6111" {
			t.Fatalf("%+v", got)
		}
	}
	if got := w.captchaCall(t, post(captchaPath, blockPuzzle)); got.RepCode != "6202" {
		t.Errorf("after ten failures: %+v", got)
	}
	elsewhere := post(captchaPath, blockPuzzle)
	elsewhere.From = "198.51.100.7"
	if got := w.captchaCall(t, elsewhere); got.RepCode != "0000" {
		t.Errorf("elsewhere: %+v", got)
	}
	// The limit on an address's calls of captchas is checked before the captcha's limits.
	flood := map[string]map[string]int{captchaPath: {}, checkPath: {}}
	for path, found := range flood {
		call := post(path, `{}`)
		call.From = "198.51.100.8"
		for range 70 {
			found[w.captchaCall(t, call).RepCode]++
		}
	}
	got := fmt.Sprint(
		flood[captchaPath]["6201"]+flood[checkPath]["6204"],
		flood[captchaPath]["0011"]+flood[checkPath]["0011"],
	)
	if got != "80 60" {
		t.Errorf("answers to a flood:  %v", flood)
	}
}

// A fault reveals nothing internal, and has the envelope that the slider reads.
func TestCaptchaFault(t *testing.T) {
	w := newServer(t, func(o *console.Options) {
		o.Captcha = captcha.New(
			o.Now,
			func() (captcha.Picture, error) { return captcha.Picture{}, errors.New("out of ink") },
			nil,
		)
	})
	got := w.captchaCall(t, post(captchaPath, blockPuzzle))
	if got.RepCode != "9999" || *got.RepMsg != "Unknown system error" {
		t.Errorf("%+v", got)
	}
	if !strings.Contains(w.Log.Text(), "out of ink") || !strings.Contains(w.Log.Text(), "call=getCaptcha") {
		t.Errorf("the log lacks the cause:  %s", w.Log.Text())
	}
}

// Neither tokens nor verifications get into the log.
func TestCaptchaIsNotLogged(t *testing.T) {
	w := newServer(t)
	c := w.newChallenge(t)
	w.captchaCall(t, checkCaptchaCall(c, testkit.Point(w.Slider.Target)))
	verification := captcha.Encrypt(*c.Token+"---"+testkit.Point(w.Slider.Target), *c.SecretKey)
	w.Do(t, loginWithCaptcha("ada", testkit.Password, verification))
	for name, secret := range map[string]string{"token": *c.Token, "key": *c.SecretKey, "verification": verification} {
		if strings.Contains(w.Log.Text(), secret) {
			t.Errorf("the %s is logged", name)
		}
	}
}
