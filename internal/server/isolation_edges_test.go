package server

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	mqtt "github.com/eclipse/paho.mqtt.golang"

	"tilth/internal/tools/testkit"
)

// No screen of one tenant shows what happens to another tenant, whatever last event the screen
// names.
func TestIsolationOfLiveScreens(t *testing.T) {
	t.Parallel()
	w := newIsolationEnv(t)
	c, base := testkit.NewContract(t, w.console), "http://"+w.server.listeners.http.Addr().String()
	listen := func(as *tenantFixture, last string) *testkit.Stream {
		call := testkit.Call{Path: pc + "live", Token: as.access, Header: map[string]string{}}
		if last != "" {
			call.Header["Last-Event-ID"] = last
		}
		return c.Listen(t, base, call)
	}
	own := listen(w.foreign, "")
	first := own.Next(t) // tells the position in the other tenant's stream
	screens := map[string]*testkit.Stream{}
	for name, last := range map[string]string{"new": "", "another's place": first.ID, "never was": similarText(first.ID), "its number": number(w.foreign.tenant)} {
		screens[name] = listen(w.own, last)
	}
	// The foreign tenant's mast sends readings, a notice ends, another opens, messages and
	// deliveries are made, and a device comes online.
	w.send(w.foreign, 10, 5)
	w.send(w.foreign, 11, -3)
	client := w.device(w.foreign, "gateway", w.foreign.tag+"-secret-of-the-gateway")
	client.Disconnect(0)
	seen := map[string]bool{}
	for len(seen) < 3 {
		e := own.Next(t)
		if strings.Contains(e.Data, foreignMark) {
			seen[e.Name] = true
		}
	}
	w.send(w.own, 10, 5)
	for name, screen := range screens {
		for mine := false; !mine; {
			e := screen.Next(t)
			said := fmt.Sprint(e)
			if strings.Contains(said, foreignMark) ||
				strings.Contains(said, strings.TrimPrefix(w.foreign.mobile, "+")) {
				t.Errorf("%s: %s", name, said)
			}
			mine = strings.Contains(e.Data, ownMark+" text 10")
		}
	}
}

// device connects a device over MQTT.
func (w *isolationEnv) device(s *tenantFixture, kind, secret string) mqtt.Client {
	w.t.Helper()
	c, err := w.connect(s.device(kind), secret)
	if err != nil {
		w.t.Fatalf("%s cannot connect: %v", s.device(kind), err)
	}
	return c
}

func (w *isolationEnv) connect(user, secret string) (mqtt.Client, error) {
	c := mqtt.NewClient(
		mqtt.NewClientOptions().AddBroker("tcp://" + w.server.listeners.mqtt.Addr().String()).SetClientID(user).
			SetUsername(user).SetPassword(secret).SetAutoReconnect(false).SetConnectTimeout(20 * time.Second),
	)
	token := c.Connect()
	token.Wait()
	return c, token.Error()
}

// A device, a gateway and a network server of one tenant reach nothing of another tenant, and get
// the answers for things that do not exist.
func TestIsolationOfDevices(t *testing.T) {
	t.Parallel()
	w := newIsolationEnv(t)
	before := w.dump()
	same := func(what string, ask func(value string) string, real string) {
		t.Helper()
		twin := strings.ReplaceAll(real, foreignMark, absentMark)
		got, want := ask(real), ask(twin)
		if normalized(got, real) != normalized(want, twin) {
			t.Errorf("%s: the answers for %s and for a value that never existed differ:\n%s\n%s", what, real, got, want)
		}
		if found := leaks(got, real, forbiddenTexts(w.foreign)); len(found) > 0 {
			t.Errorf("%s: the answer holds %v: %s", what, found, got)
		}
	}
	post := func(path, text string, as *tenantFixture) string {
		r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(text))
		r.Header.Set("Content-Type", "application/json")
		if as != nil {
			r.SetBasicAuth(as.key, as.secret)
		}
		return responseText(t, w.serve(w.console, r))
	}
	now := time.Now().UnixMilli()
	gateway := w.device(w.own, "gateway", ownMark+"-secret-of-the-gateway")
	defer gateway.Disconnect(0)
	heard := make(chan string, 16)
	for _, name := range []string{w.foreign.device("mast"), w.foreign.device("gateway"), w.foreign.tag + "-serial", w.foreign.tag + " note", w.foreign.tag + "farm"} {
		for _, path := range []string{"telemetry", "attributes"} {
			for kind, secret := range map[string]string{"mast": ownMark + "-secret-of-the-mast", "gateway": ownMark + "-secret-of-the-gateway"} {
				same("HTTP "+path+" of a "+kind, func(v string) string {
					return post(
						"/api/v1/"+secret+"/"+path,
						fmt.Sprintf(`{%q:[{"ts":%d,"values":{"airTemperature":-9}}]}`, v, now),
						nil,
					)
				}, name)
				same("HTTP "+path+" under a name", func(v string) string {
					return post("/api/v1/"+url.PathEscape(v)+"/"+path, `{"airTemperature":-9}`, nil)
				}, name)
			}
		}
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			same("weather station, "+method, func(v string) string {
				query := url.Values{"ID": {v}, "PASSWORD": {ownMark + "-secret-of-the-mast"}, "tempf": {"-9"}}.Encode()
				r := httptest.NewRequest(method, "/weatherstation/updateweatherstation.php?"+query, nil)
				return responseText(t, w.serve(w.console, r))
			}, name)
		}
		same("Ecowitt", func(v string) string {
			form := url.Values{"PASSKEY": {v}, "ID": {v}, "deviceName": {v}, v: {"-9"}}
			return post("/api/v1/"+ownMark+"-secret-of-the-mast/ecowitt", form.Encode(), nil)
		}, name)
		same("Ecowitt under a name", func(v string) string {
			return post("/api/v1/"+url.PathEscape(v)+"/ecowitt", "tempf=-9", nil)
		}, name)
		same("ChirpStack", func(v string) string {
			return post(
				"/api/v1/integrations/chirpstack",
				fmt.Sprintf(
					`{"deviceInfo":{"deviceName":%q,"devEui":%q,"tenantName":%q},"data":"AQ==","object":{"airTemperature":-9}}`,
					v,
					v,
					v,
				),
				w.own,
			)
		}, name)
		same("The Things Stack", func(v string) string {
			return post(
				"/api/v1/integrations/thethingsstack",
				fmt.Sprintf(
					`{"end_device_ids":{"device_id":%q,"dev_eui":%q},"uplink_message":{"frm_payload":"AQ==","decoded_payload":{"airTemperature":-9}}}`,
					v,
					v,
				),
				w.own,
			)
		}, name)
		same("sign-in under a name", func(v string) string {
			c, err := w.connect(v, ownMark+"-secret-of-the-mast")
			c.Disconnect(0)
			return fmt.Sprint(err)
		}, name)
		for topic, text := range map[string]string{
			"v1/gateway/telemetry":  `{%q:[{"ts":%[2]d,"values":{"airTemperature":-9}}]}`,
			"v1/gateway/connect":    `{"device":%q}`,
			"v1/gateway/disconnect": `{"device":%q}`,
			"v1/gateway/attributes": `{%q:{"airTemperature":-9}}`,
		} {
			same(topic, func(v string) string {
				token := gateway.Publish(
					topic,
					1,
					false,
					strings.ReplaceAll(fmt.Sprintf(text, v, now), "%!(EXTRA int64="+number(now)+")", ""),
				)
				token.Wait()
				return fmt.Sprint(token.Error(), gateway.IsConnectionOpen())
			}, name)
		}
		for _, filter := range []string{"v1/devices/%s/telemetry", "v1/devices/%s/#", "v1/gateway/%s", "%s", "#", "+/+/+/+", "$SYS/#"} {
			same("subscription "+filter, func(v string) string {
				topic := strings.ReplaceAll(filter, "%s", v)
				token := gateway.Subscribe(topic, 1, func(_ mqtt.Client, m mqtt.Message) { heard <- m.Topic() })
				token.Wait()
				return fmt.Sprint(token.(*mqtt.SubscribeToken).Result()[topic])
			}, name)
		}
	}
	same("sign-in with a secret", func(v string) string {
		c, err := w.connect(w.own.device("mast"), v)
		c.Disconnect(0)
		return fmt.Sprint(err)
	}, w.foreign.tag+"-secret-of-the-mast")
	w.checkUnchanged(before)

	// What the other tenant's devices send reaches nobody here: its mast sends, then the tenant's
	// own connection is answered, and nothing was received in between.
	mast := w.device(w.foreign, "mast", foreignMark+"-secret-of-the-mast")
	defer mast.Disconnect(0)
	for _, c := range []mqtt.Client{mast, gateway} {
		if token := c.Publish(
			"v1/devices/me/telemetry",
			1,
			false,
			`{"note":"`+foreignMark+` speaks"}`,
		); !token.WaitTimeout(20*time.Second) ||
			token.Error() != nil {
			t.Fatal(token.Error())
		}
	}
	select {
	case topic := <-heard:
		t.Errorf("received %s", topic)
	default:
	}
}

// Pages, camera frames and metrics leak nothing either.
func TestIsolationOfPages(t *testing.T) {
	t.Parallel()
	w := newIsolationEnv(t)
	for _, path := range []string{"/", "/alarm", "/open-api/", "/open-api/openapi.yaml", "/healthz", "/readyz", "/index.html", "/robots.txt", "/.well-known/x"} {
		r := httptest.NewRequest(http.MethodGet, "http://"+ownMark+"host.example"+path, nil)
		if found := leaks(responseText(t, w.serve(w.console, r)), "", []string{foreignMark}); len(found) > 0 {
			t.Errorf("%s: %v", path, found)
		}
	}
	// The other tenant's own page admits its cameras, so there is something to leak.
	if own := responseText(
		t,
		w.serve(w.console, httptest.NewRequest(http.MethodGet, "http://"+foreignMark+"host.example/", nil)),
	); !strings.Contains(
		own,
		foreignMark+"stream.example",
	) {
		t.Errorf("%s", own)
	}

	r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
	figures := responseText(t, w.serve(w.provider, r))
	found := leaks(figures, "", []string{foreignMark, ownMark, "farm", "ada"})
	if len(found) > 0 || !strings.Contains(figures, "tilth_alarm_open 2") {
		t.Errorf("%v in %s", found, figures)
	}

	// A frame's address is signed for one device. With another device's signature it is answered
	// like an address that never existed.
	mine, other := embedBytes(t, w.own.embed), embedBytes(t, w.foreign.embed)
	const signed = 24
	swapped, invented := append(
		bytes.Clone(other[:signed]),
		mine[signed:]...), append(
		bytes.Clone(mine[:signed]),
		other[signed:]...)
	invented[15] ^= 0x55
	frame := func(raw []byte) string {
		return responseText(
			t,
			w.serve(
				w.console,
				httptest.NewRequest(http.MethodGet, "/embed/"+base64.RawURLEncoding.EncodeToString(raw), nil),
			),
		)
	}
	if said := frame(mine); !strings.Contains(said, ownMark+" snippet") {
		t.Errorf("the tenant's own frame: %s", said)
	}
	if got, want := frame(swapped), frame(invented); got != want || strings.Contains(got, "snippet") {
		t.Errorf("%s\n%s", got, want)
	}
}

// embedBytes decodes the address of a frame.
func embedBytes(t *testing.T, address string) []byte {
	t.Helper()
	raw, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(address, "/embed/"))
	if err != nil || len(raw) < 32 {
		t.Fatalf("%q: %v", address, err)
	}
	return raw
}
