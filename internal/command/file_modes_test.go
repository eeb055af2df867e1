package command

import (
	"encoding/base64"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	mqtt "github.com/eclipse/paho.mqtt.golang"
)

// Only their owner can read the files of a server, even in a folder that already existed.
func TestDataFolderIsItsOwnersAlone(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	p.token = ""                                   // the server makes one
	if err := os.Chmod(p.dir, 0o755); err != nil { //nolint:gosec // that is what is tested
		t.Fatal(err)
	}
	p.start()
	seen := map[string]bool{}
	err := filepath.WalkDir(p.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == p.dir {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		seen[entry.Name()] = true
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v", path, info.Mode())
		}
		if entry.IsDir() {
			return fs.SkipDir // the folder is closed, so its files cannot be reached
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"tilth.db", "tilth.db-wal", "tilth.db-shm", "readings", "device-key", "provider-token"} {
		if !seen[name] {
			t.Errorf("%s was not checked: %v", name, seen)
		}
	}
}

// send makes a request of any kind and returns the answer, whatever it is.
func (p *process) send(method, address, authorization, body string) string {
	p.t.Helper()
	req, err := http.NewRequest(method, address, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", authorization)
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return string(answer)
}

// The log holds no password, token, code, key or secret, at any log level and with any fault in the
// request that holds it.
func TestLogHoldsNoSecrets(t *testing.T) {
	t.Parallel()
	const wrong = "Wr0ng-and-hidden"
	p := newProcess(t)
	p.start("--log-level", "debug")
	p.apply(simulatedFarm)
	var session struct{ AccessToken, RefreshToken string }
	p.call(
		http.MethodPost,
		"/app-api/member/auth/login-username",
		"",
		`{"userName":"ada","password":"correct horse","tenantName":"farm"}`,
		&session,
	)
	var pair struct{ AppKey, AppSecret string }
	p.call(http.MethodPost, "/admin-api/client/pc/apicredentials/create", session.AccessToken, `{"name":"x"}`, &pair)
	made := p.newSecret(session.AccessToken, `{"deviceName":"SILO-1"}`)

	site, bearer := "http://"+p.http, "Bearer "+session.AccessToken
	for path, bodies := range map[string][]string{
		"/app-api/member/auth/login-username": {
			`{"userName":"ada","password":"` + wrong + `","tenantName":"farm"}`, `{"userName":"ada","password":"` + wrong,
			`{"userName":"ada","password":["` + wrong + `"],"tenantName":"farm"}`, `{"password":"` + strings.Repeat(wrong, 50) + `"}`,
			`{"userName":"ada","password":"` + wrong + `\u0000","tenantName":"farm","rememberMe":"` + wrong + `"}`,
		},
		"/app-api/member/auth/validate-sms-code":                                              {`{"mobile":"+905551112233","scene":2,"code":"` + wrong + `"}`, `{"code":{"a":"` + wrong + `"}}`},
		"/admin-api/client/pc/device/new-secret":                                              {`{"deviceName":"` + wrong + `"}`},
		"/admin-api/system/captcha/check":                                                     {`{"captchaType":"blockPuzzle","pointJson":"` + wrong + `","token":"` + wrong + `"}`},
		"/api/v1/" + wrong + "/telemetry":                                                     {`{"level":1}`},
		"/api/v1/silo-secret-number-0001/telemetry":                                           {`{"level":"` + wrong + `"}`, `{`},
		"/api/v1/" + wrong + "/ecowitt":                                                       {`tempf=1`},
		"/api/v1/silo-secret-number-0001/ecowitt":                                             {`tempf=` + wrong + `&` + wrong + `=1`, wrong},
		"/weatherstation/updateweatherstation.php":                                            {`ID=SILO-1&PASSWORD=` + wrong, `PASSWORD` + wrong},
		"/weatherstation/updateweatherstation.php?" + wrong + "&ID=SILO-1&PASSWORD=" + wrong:  {``, `tempf=1`},
		"/weatherstation/updateweatherstation.php?ID=SILO-1&PASSWORD=silo-secret-number-0001": {`tempf=1&` + wrong + `=1`},
		"/api/v1/silo-secret-number-0001/" + wrong:                                            {`{"level":1}`},
		"/admin-api/system/auth/refresh-token?refreshToken=" + wrong:                          {``},
		"/admin-api/system/auth/refresh-token?refreshToken=" + wrong + "%":                    {``},
		"/admin-api/system/auth/refresh-token?refreshToken=" + strings.Repeat(wrong, 20):      {``},
		"/admin-api/system/auth/refresh-token?refreshToken=" + session.RefreshToken + "&x":    {``},
		"/app-api/" + wrong: {``},
	} {
		for _, body := range bodies {
			p.send(http.MethodPost, site+path, bearer, body)
		}
	}
	p.send(
		http.MethodPut,
		site+"/app-api/member/user/update-password",
		bearer,
		`{"password":"`+wrong+`","code":"123456"}`,
	)
	basic := func(key, secret string) string {
		return "Basic " + base64.StdEncoding.EncodeToString([]byte(key+":"+secret))
	}
	for _, authorization := range []string{
		basic(pair.AppKey, pair.AppSecret), basic(pair.AppKey, wrong), basic(wrong, wrong), "Bearer " + wrong, wrong,
	} {
		p.send(http.MethodGet, site+"/open-api/v1/devices?"+wrong+"="+wrong, authorization, "")
		p.send(http.MethodPost, site+"/api/v1/integrations/thethingsstack", authorization, `{}`)
		p.send(http.MethodGet, site+"/admin-api/client/pc/device/page?pageNo=1&pageSize=10", authorization, "")
		p.send(http.MethodPost, "http://"+p.admin+"/provider-api/v1/apply?"+wrong, authorization, wrong)
	}
	for _, farm := range []string{ // the answer may name the fault to everybody who has the token
		"tenants: [{name: farm, users: [{userName: a, passwort: " + wrong + "}]}]", "tenants: [{name: farm, users: [{userName: a, password: [" + wrong + "]}]}]",
		"tenants: [{name: farm, devices: [{deviceName: SILO-3, serial: s, product: silo, secret: " + wrong + "}]}]", "tenants: [{" + wrong,
	} {
		p.send(http.MethodPost, "http://"+p.admin+"/provider-api/v1/apply", "Bearer "+testToken, farm)
	}
	for _, secret := range []string{made, wrong} {
		c := mqtt.NewClient(
			mqtt.NewClientOptions().AddBroker(
				"tcp://" + p.mqtt,
			).SetUsername(
				"SILO-1",
			).SetPassword(
				secret,
			).SetAutoReconnect(
				false,
			),
		)
		c.Connect().Wait()
		c.Disconnect(0)
	}
	p.stop()

	log := p.stderr.String()
	for what, secret := range map[string]string{
		"typed text": wrong, "password": "correct horse", "access token": session.AccessToken, "refresh token": session.RefreshToken,
		"key's secret": pair.AppSecret, "device secret": "silo-secret-number", "made device secret": made, "provider token": testToken,
		"basic": strings.TrimPrefix(basic(pair.AppKey, pair.AppSecret), "Basic "),
	} {
		if secret == "" || strings.Contains(log, secret) {
			t.Errorf("%s %q in the log:\n%s", what, secret, log)
		}
	}
	for _, call := range []string{"loginUsername", "validateSmsCode", "newDeviceSecret", "refreshToken", "updateUserPassword", "provider call"} {
		if !strings.Contains(log, call) {
			t.Errorf("%s is not in the log at all", call)
		}
	}
}
