package server

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"log/slog"
	"maps"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/uptrace/bun"

	"tilth/internal/domain/notify"
	"tilth/internal/settings"
	"tilth/internal/tools/testkit"
)

// foreignMark is in every text of the tenant whose data must not leak, absentMark in every text
// that stands for something that never existed, and ownMark in every text of the tenant that asks.
// All have the same length, so that no length limit treats them differently.
const (
	foreignMark = "zzrival"
	absentMark  = "zznever"
	ownMark     = "aafield"
)

// tenantFixture is one of the two tenants with everything it has.
type tenantFixture struct {
	env                   *isolationEnv
	made                  int             // number of things made so far, so that names differ
	issuer                *testkit.Issuer // nil: none yet
	tag                   string
	access, refresh, key  string
	secret                string // of the key
	mobile, password      string
	avatar                string
	cursor                string // of the open API, for the second page
	tenant, user, scene   int64
	product               int64            // that it may add
	devices               map[string]int64 // by name
	rule, channel         int64
	notice, done, message int64
	person                int64
	ids                   map[string]int64 // of its newest row of each table
	invitationToken       string           // of another invitation
	ruled                 int64            // when its rule was started, epoch ms
	embed                 string           // address of a camera's snippet
}

// device is the name of one of the tenant's devices: mast, camera or gateway.
func (s *tenantFixture) device(kind string) string { return s.tag + "-" + kind }

// isolationEnv is a whole server with two tenants, each of which has one of everything.
type isolationEnv struct {
	t            *testing.T
	server       *Server
	console      http.Handler
	provider     http.Handler
	token        string          // the provider's
	phones       *testkit.Phones // that get SMS
	own, foreign *tenantFixture
	addresses    int               // number of client addresses used, so that no limit by address applies
	methods      map[string]string // of the console's calls, by path
}

// silentBot takes every message and sends none.
type silentBot struct{}

func (silentBot) Post(context.Context, *notify.Notification, string) (string, error) {
	return "message 1", nil
}

// newIsolationEnv starts a real server, calls it without sockets, and fills it.
func newIsolationEnv(t *testing.T) *isolationEnv {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	settings.AddFlags(flags)
	if err := flags.Parse([]string{
		"--data-dir", dir,
		"--http-addr", testkit.AnyPort,
		"--mqtt-addr", testkit.AnyPort,
		"--admin-addr", testkit.AnyPort,
		"--captcha", "off",
		"--sms", "log",
		"--webhook-private", "127.0.0.0/8",
		"--device-rate", "100000",
		"--device-burst", "100000",
		"--open-api-rate", "100000000",
		"--map-tiles",
		"https://tiles.example/{z}/{x}/{y}.png",
		"--map-tiles-attribution", "Tiles",
	}); err != nil {
		t.Fatal(err)
	}
	set, err := settings.Read(flags)
	if err != nil {
		t.Fatal(err)
	}
	set.PasswordCost = testkit.PasswordCost
	set.Notifications.Messengers[notify.KindTelegram] = silentBot{}
	ctx, stop := context.WithCancel(context.Background())
	phones := new(testkit.Phones)
	s, err := New(ctx, set, slog.New(smsLog{phones}))
	if err != nil {
		stop()
		t.Fatal(err)
	}
	ready, ended := make(chan struct{}), make(chan error, 1)
	go func() { ended <- s.Run(ctx, nil, func() { close(ready) }) }()
	t.Cleanup(func() {
		stop()
		if err := testkit.Receive(t, "the server's end", ended); err != nil {
			t.Error(err)
		}
	})
	testkit.Receive(t, "the server", ready)
	token, err := os.ReadFile(filepath.Join(dir, "provider-token"))
	if err != nil {
		t.Fatal(err)
	}
	w := &isolationEnv{
		t:        t,
		server:   s,
		token:    strings.TrimSpace(string(token)),
		console:  s.http.Handler,
		provider: s.admin.Handler,
		phones:   phones,
		methods:  map[string]string{},
	}
	for _, o := range operations(t) {
		w.methods[o.path] = o.method
	}
	w.own = w.createTenant(ownMark, "+905551110001")
	w.spreadIDs()
	w.foreign = w.createTenant(foreignMark, "+905559990001")
	w.foreign.acknowledged(w.foreign.notice) // else nobody could take it back
	return w
}

// spreadIDs lets the IDs of each table begin at a distant number of its own, so that an ID says
// what it belongs to, and to whom.
func (w *isolationEnv) spreadIDs() {
	w.t.Helper()
	ctx := w.t.Context()
	err := w.server.Stores.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewRaw(
			`UPDATE sqlite_sequence SET seq = 7000000 + 10000 * rowid WHERE name NOT IN ('products', 'elements', 'property_numbers')`,
		).Exec(
			ctx,
		)
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// tenantYAML is one tenant of the provider's file.
const tenantYAML = `
  - name: TAGfarm
    hosts: [TAGhost.example]
    timeZone: Europe/Istanbul
    language: en-us
    diy: {title: TAG title, content: TAG content}
    users:
      - {userName: TAGada, password: TAGpassword, nickname: TAG nick, email: TAG@mail.example, mobile: "MOBILE"}
      - {userName: TAGbob, password: TAGbobs password, nickname: TAG bob, email: TAG@bob.example}
    scenes: [TAG scene]
    selfService: {devices: 1000, products: [mast], claims: true}
    devices:
      - {deviceName: TAG-mast, serial: TAG-serial, noteName: TAG note, product: mast, scene: TAG scene,
         longitude: 32.85, latitude: 39.92, secret: TAG-secret-of-the-mast}
      - {deviceName: TAG-camera, serial: TAG-SXT-1, noteName: TAG eye, product: mast,
         elementData: {note: "<p>TAG snippet</p>"}}
      - {deviceName: TAG-stream, serial: TAG-SXT-2, product: mast, elementData: {note: "https://TAGstream.example/a.m3u8"}}
      - {deviceName: TAG-gateway, serial: TAG-gw, product: mast, gateway: true, secret: TAG-secret-of-the-gateway}
`

// apply sets a tenant up as a provider does.
func (w *isolationEnv) apply(s *tenantFixture) {
	w.t.Helper()
	yaml := `products:
  - name: mast
    offlineAfter: 10m
    properties:
      - {identifier: note, dataType: text}
      - {identifier: airTemperature, elementUnit: "°C", dataType: number, precision: 1}
      - {identifier: chill, elementUnit: CU, dataType: number, precision: 1, formula: chillUnits,
         inputs: [airTemperature]}
      - {identifier: pump, dataType: boolean}
tenants:`
	yaml += strings.NewReplacer("TAG", s.tag, "MOBILE", s.mobile).Replace(tenantYAML)
	r := httptest.NewRequest(http.MethodPost, "/provider-api/v1/apply", strings.NewReader(yaml))
	r.Header.Set("Content-Type", "application/yaml")
	r.Header.Set("Authorization", "Bearer "+w.token)
	if res := w.serve(w.provider, r); res.Code != http.StatusOK {
		w.t.Fatalf("apply: %d %s", res.Code, res.Body)
	}
}

// serve calls a handler, each time from another client address.
func (w *isolationEnv) serve(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w.addresses++
	r.RemoteAddr = fmt.Sprintf("10.%d.%d.%d:4000", w.addresses>>16&255, w.addresses>>8&255, w.addresses&255)
	res := httptest.NewRecorder()
	h.ServeHTTP(res, r)
	return res
}

// mustCall makes a call of the console that must succeed, and decodes its data.
func (w *isolationEnv) mustCall(s *tenantFixture, method, path string, body, data any) {
	w.t.Helper()
	w.ask(s.access, method, path, body, data)
}

// ask is mustCall with the token of anybody; without one, it is a call of nobody.
func (w *isolationEnv) ask(access, method, path string, body, data any) {
	w.t.Helper()
	r := httptest.NewRequest(method, path, jsonBody(w.t, body))
	r.Header.Set("Content-Type", "application/json")
	if access != "" {
		r.Header.Set("Authorization", "Bearer "+access)
	}
	res := w.serve(w.console, r)
	answer := struct {
		Code int
		Data any
	}{Data: data}
	if err := json.Unmarshal(res.Body.Bytes(), &answer); err != nil || answer.Code != 200 {
		w.t.Fatalf("%s %s: %d %s (%v)", method, path, res.Code, res.Body, err)
	}
}

type fields = map[string]any

const pc = "/admin-api/client/pc/"

// createTenant fills a tenant with one of everything, through its own calls.
func (w *isolationEnv) createTenant(tag, mobile string) *tenantFixture {
	w.t.Helper()
	s := &tenantFixture{env: w, tag: tag, mobile: mobile, password: tag + "password"}
	w.apply(s)
	var session struct{ AccessToken, RefreshToken string }
	w.mustCall(
		s,
		http.MethodPost,
		"/app-api/member/auth/login-username",
		fields{"tenantName": tag + "farm", "userName": tag + "ada", "password": s.password},
		&session,
	)
	s.access, s.refresh = session.AccessToken, session.RefreshToken
	var user struct{ ID, TenantID int64 }
	w.mustCall(s, http.MethodGet, "/app-api/member/user/get", nil, &user)
	s.user = user.ID
	w.mustCall(s, http.MethodGet, "/admin-api/system/tenant/get-id-by-name?name="+tag+"farm", nil, &s.tenant)
	var page struct{ List []struct{ ID int64 } }
	w.mustCall(s, http.MethodGet, pc+"group/page?pageNo=1&pageSize=10", nil, &page)
	s.scene = page.List[0].ID
	var devices struct {
		List []struct {
			ID         int64
			DeviceName string
		}
	}
	w.mustCall(s, http.MethodGet, pc+"device/page?pageNo=1&pageSize=10", nil, &devices)
	s.devices = map[string]int64{}
	for _, d := range devices.List {
		s.devices[d.DeviceName] = d.ID
	}
	var made struct{ ID int64 }
	w.mustCall(s, http.MethodPost, pc+"device/calibration/create", fields{
		"deviceName": s.device("mast"), "yeuSign": "airTemperature", "note": tag + " calibration",
		"fromTime": time.Now().Add(-time.Hour).UnixMilli(), "kind": "none",
	}, &made)
	var offer struct{ Products []struct{ ProductID int64 } }
	w.mustCall(s, http.MethodGet, pc+"device/offer", nil, &offer)
	s.product = offer.Products[0].ProductID
	w.mustCall(s, http.MethodPost, pc+"device/swap", fields{
		"deviceName": s.device("stream"), "serial": tag + "-SXT-2", "note": tag + " hail",
	}, new(any))
	w.mustCall(s, http.MethodPost, pc+"notice-channel/create", fields{
		"noticeName":   tag + " channel",
		"noticeMode":   []string{"email", "phoneMessage"},
		"email":        fields{"emails": []string{tag + "@channel.example"}},
		"phoneMessage": []string{mobile},
		"others":       []fields{{"mode": "telegram", "recipients": []string{"@" + tag + "_chat"}}},
	}, &s.channel)
	s.rule = s.makeThing("alarm-rules/create", ruleOf(s, tag+" frost", fields{"passageway": []int64{s.channel}}))
	var done bool
	w.mustCall(s, http.MethodGet, fmt.Sprint(pc, "alarm-rules/publish?alarmRulesId=", s.rule), nil, &done)
	s.ruled = time.Now().UnixMilli()
	var key struct {
		ID                int64
		AppKey, AppSecret string
	}
	w.mustCall(s, http.MethodPost, pc+"apicredentials/create", fields{"name": tag + " program"}, &key)
	s.key, s.secret = key.AppKey, key.AppSecret
	w.peopleOf(s)
	w.mustCall(s, http.MethodPost, pc+"analysis-view/create", viewForm(tag+" view", tag), new(any))
	w.mustCall(s, http.MethodPost, pc+"webhook/create", webhookForm(tag+" hook"), new(any))
	w.mustCall(s, http.MethodPut, pc+"integration/home-assistant", homeAssistantForm(tag), new(any))
	w.avatarOf(s)
	w.sendReadings(s)
	var video struct{ URL string }
	w.mustCall(s, http.MethodGet, pc+"device/get/video?deviceName="+s.device("camera"), nil, &video)
	s.embed = video.URL
	s.cursor = w.cursorOf(s)
	s.ids = w.newestIDs(s.tenant)
	return s
}

// peopleOf reads the tenant's second user, and invites two people.
func (w *isolationEnv) peopleOf(s *tenantFixture) {
	w.t.Helper()
	var page struct{ List []struct{ ID int64 } }
	w.mustCall(s, http.MethodGet, pc+"people/page?pageNo=1&pageSize=10&text="+s.tag+"bob", nil, &page)
	s.person = page.List[0].ID
	var made struct {
		ID   int64
		Link string
	}
	w.mustCall(s, http.MethodPost, pc+"people/invite", invitationForm(s.tag+"@invited.example"), &made)
	_, s.invitationToken, _ = strings.Cut(made.Link, "#")
	w.mustCall(s, http.MethodPost, pc+"people/invite", invitationForm(s.tag+"@asked.example"), &made)
}

func invitationForm(email string) fields {
	return fields{"email": email, "role": "viewer", "sendMail": false}
}

func viewForm(name, query string) fields { return fields{"name": name, "query": query} }

// with is a form with other values of some of its fields; pairs are names and values.
func with(form fields, pairs ...any) fields {
	form = maps.Clone(form)
	for i := 0; i+1 < len(pairs); i += 2 {
		form[pairs[i].(string)] = pairs[i+1]
	}
	return form
}

// ruleOf is the form of a rule for the mast, which sends nothing unless more says so.
func ruleOf(s *tenantFixture, name string, more fields) fields {
	form := fields{
		"alarmName":     name,
		"dataSource":    1,
		"executionId":   s.device("mast"),
		"triggerType":   0,
		"durations":     60000,
		"hitCounts":     1,
		"alarmLevel":    2,
		"manualRelease": 0,
		"alarmDesc":     s.tag + " description",
		"conditions":    []fields{{"andor": "and", "tslAttribute": "airTemperature", "subconditions": "<", "value": 0}},
	}
	maps.Copy(form, more)
	return form
}

// webhookServer accepts every webhook call, so that the server repeats none. It runs until the
// tests end.
var webhookServer = sync.OnceValue(func() *httptest.Server {
	return httptest.NewServer(
		http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }),
	)
})

// webhookURL is the address of a tenant's webhook.
func webhookURL(tag string) string { return webhookServer().URL + "/" + tag }

// homeAssistantForm names a broker that is not there.
func homeAssistantForm(tag string) fields {
	return fields{
		"enabled": true, "url": "mqtt://127.0.0.1:1", "userName": tag, "password": tag + " secret", "baseTopic": tag,
	}
}

func webhookForm(name string) fields {
	return fields{
		"name":       name,
		"url":        webhookURL(strings.Fields(name)[0]),
		"events":     []string{"opened"},
		"alarmLevel": 0,
		"enabled":    true,
	}
}

// avatarOf gives the user a picture.
func (w *isolationEnv) avatarOf(s *tenantFixture) {
	w.t.Helper()
	r := avatarUpload(w)
	r.Header.Set("Authorization", "Bearer "+s.access)
	res := w.serve(w.console, r)
	var answer struct{ Data any }
	err := json.Unmarshal(res.Body.Bytes(), &answer)
	if err != nil || !strings.Contains(res.Body.String(), `"code":200`) {
		w.t.Fatalf("avatar: %d %s (%v)", res.Code, res.Body, err)
	}
	var user struct{ Avatar string }
	w.mustCall(s, http.MethodGet, "/app-api/member/user/get", nil, &user)
	s.avatar = user.Avatar
	if s.avatar == "" {
		w.t.Fatalf("the user has no picture: %s", res.Body)
	}
}

func avatarUpload(w *isolationEnv) *http.Request {
	t := w.t
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	file, err := form.CreateFormFile("avatarFile", "me.png")
	if err != nil {
		t.Fatal(err)
	}
	if err := png.Encode(file, image.NewGray(image.Rect(0, 0, 64, 64))); err != nil {
		t.Fatal(err)
	}
	if err := form.Close(); err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodPost, pc+"user/update-avatar", &body)
	r.Header.Set("Content-Type", form.FormDataContentType())
	return r
}

// sendReadings sends readings of the mast: a notice opens and ends, and another opens.
func (w *isolationEnv) sendReadings(s *tenantFixture) {
	w.t.Helper()
	for i, celsius := range []float64{5, -1, 5, -2} {
		w.send(s, i, celsius)
	}
	var page struct {
		Total int
		List  []struct {
			ID            int64
			ResolveStatus int
		}
	}
	testkit.Eventually(w.t, "two notices", func() bool {
		w.mustCall(s, http.MethodGet, pc+"alarm-notice/page?pageNo=1&pageSize=10", nil, &page)
		return page.Total == 2 && page.List[0].ResolveStatus == 0 && page.List[1].ResolveStatus != 0
	})
	s.notice, s.done = page.List[0].ID, page.List[1].ID
	testkit.Eventually(w.t, "messages", func() bool {
		w.mustCall(s, http.MethodGet, pc+"notify-message/my-page?pageNo=1&pageSize=10", nil, &page)
		return page.Total == 3
	})
	s.message = page.List[0].ID
	w.awaitDeliveries()
	// Readings that are ahead of the clock would get into later answers one by one.
	time.Sleep(time.Until(time.UnixMilli(s.ruled + 4*10)))
}

// awaitDeliveries waits until nothing is sent, so that nothing changes by itself from here on. What a
// channel's period holds back for hours stays.
func (w *isolationEnv) awaitDeliveries() {
	w.t.Helper()
	testkit.Eventually(w.t, "the notifications", func() bool {
		var waiting int
		err := w.server.Stores.DB.Read(w.t.Context()).NewRaw(
			`SELECT COUNT(*) FROM deliveries WHERE state = 'queued' AND (next_time <= ? OR lease_until > 0)`,
			time.Now().UnixMilli(),
		).Scan(w.t.Context(), &waiting)
		return err == nil && waiting == 0
	})
}

// send sends the n-th message of a tenant's mast.
func (w *isolationEnv) send(s *tenantFixture, n int, celsius float64) {
	w.t.Helper()
	w.sendAt(s, s.ruled+int64(n+1)*10, fmt.Sprint(s.tag, " text ", n), celsius) // after the rule was started
}

func (w *isolationEnv) sendAt(s *tenantFixture, at int64, note string, celsius float64) {
	w.t.Helper()
	text := fmt.Sprintf(`{"ts":%d,"values":{"note":%q,"airTemperature":%v}}`, at, note, celsius)
	r := httptest.NewRequest(http.MethodPost, "/api/v1/"+s.tag+"-secret-of-the-mast/telemetry", strings.NewReader(text))
	r.Header.Set("Content-Type", "application/json")
	if res := w.serve(w.console, r); res.Code != http.StatusOK {
		w.t.Fatalf("%d %s", res.Code, res.Body)
	}
}

// program is a request of the open API.
func (w *isolationEnv) program(s *tenantFixture, method, path string, body io.Reader) *http.Request {
	r := httptest.NewRequest(method, "/open-api/v1"+path, body)
	r.SetBasicAuth(s.key, s.secret)
	return r
}

func (w *isolationEnv) cursorOf(s *tenantFixture) string {
	w.t.Helper()
	res := w.serve(w.console, w.program(s, http.MethodGet, "/devices?limit=1", nil))
	var list struct{ NextCursor string }
	if err := json.Unmarshal(res.Body.Bytes(), &list); err != nil || list.NextCursor == "" {
		w.t.Fatalf("%d %s (%v)", res.Code, res.Body, err)
	}
	return list.NextCursor
}

// responseText is everything in an answer: status, headers and body, with spreadsheets unpacked.
func responseText(t *testing.T, res *httptest.ResponseRecorder) string {
	t.Helper()
	var out strings.Builder
	fmt.Fprintln(&out, res.Code)
	for _, name := range []string{"Content-Type", "Content-Disposition", "Content-Security-Policy", "Location", "Set-Cookie", "Link", "WWW-Authenticate", "Etag", "Cache-Control"} {
		for _, v := range res.Header().Values(name) {
			fmt.Fprintln(&out, name, v)
		}
	}
	body := res.Body.Bytes()
	if !strings.Contains(res.Header().Get("Content-Type"), "spreadsheet") {
		out.Write(body)
		return out.String()
	}
	z, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		t.Fatalf("not a spreadsheet: %v", err)
	}
	for _, f := range z.File {
		part, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&out, f.Name)
		if _, err := io.Copy(&out, part); err != nil { //nolint:gosec // of our own making
			t.Fatal(err)
		}
	}
	return out.String()
}
