package testkit

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// response is a correct response of the server; each test changes one part of it.
type response struct {
	status  int
	headers map[string]string
	body    string
}

func respondWith(change func(*response)) http.Handler {
	g := &response{status: 200, body: `{"code":200,"data":3,"msg":""}`, headers: map[string]string{
		"X-Request-Id": "0123456789abcdef", "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff",
		"Cache-Control": "no-store", "Content-Type": "application/json",
	}}
	change(g)
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for name, value := range g.headers {
			w.Header().Set(name, value)
		}
		w.WriteHeader(g.status)
		_, _ = w.Write([]byte(g.body))
	})
}

const unreadCountPath = "/admin-api/client/pc/notify-message/get-unread-count"

// Check finds each kind of violation, and none in a correct response.
func TestContractFindsViolations(t *testing.T) {
	for _, c := range []struct {
		name, path, want string
		change           func(*response)
	}{
		{"good", unreadCountPath, "", func(*response) {}},
		{"no id", unreadCountPath, "X-Request-Id", func(g *response) { g.headers["X-Request-Id"] = "" }},
		{"referrer", unreadCountPath, "Referrer-Policy", func(g *response) { delete(g.headers, "Referrer-Policy") }},
		{"sniffing", unreadCountPath, "X-Content-Type-Options", func(g *response) { delete(g.headers, "X-Content-Type-Options") }},
		{"cacheable", unreadCountPath, "Cache-Control", func(g *response) { g.headers["Cache-Control"] = "max-age=60" }},
		{"not JSON", unreadCountPath, "Content-Type", func(g *response) { g.headers["Content-Type"] = "text/html" }},
		{"no envelope", unreadCountPath, "Envelope", func(g *response) { g.body = `{"data":3}` }},
		{"not JSON inside", unreadCountPath, "Envelope", func(g *response) { g.body = `oops` }},
		{"wrong type", unreadCountPath, "type", func(g *response) { g.body = `{"code":200,"data":"3","msg":""}` }},
		{"below minimum", unreadCountPath, "minimum", func(g *response) { g.body = `{"code":200,"data":-3,"msg":""}` }},
		{"unknown member", unreadCountPath, "extra", func(g *response) { g.body = `{"code":200,"data":3,"msg":"","extra":1}` }},
		{"unknown member of data", "/admin-api/system/tenant/get-by-website", "secret", func(g *response) {
			g.body = `{"code":200,"data":{"id":1,"name":"a","diy":null,"secret":1},"msg":""}`
		}},
		{"no text", unreadCountPath, "without a text", func(g *response) { g.body = `{"code":601,"data":null,"msg":""}` }},
		{"success with a status", unreadCountPath, "code 200 with status 201", func(g *response) { g.status = 201 }},
		{"status of a routed call", unreadCountPath, "code 401 with status 401", func(g *response) {
			g.status, g.body = 401, `{"code":401,"data":null,"msg":"no"}`
		}},
		{"status and code differ", unreadCountPath, "code 405 with status 404", func(g *response) {
			g.status, g.body = 404, `{"code":405,"data":null,"msg":"no"}`
		}},
		{"overload", unreadCountPath, "Retry-After", func(g *response) { g.status, g.body = 503, `{"code":503,"data":null,"msg":"busy"}` }},
		{"too large", unreadCountPath, "", func(g *response) { g.status, g.body = 413, `{"code":413,"data":null,"msg":"large"}` }},
		{"unknown path", "/admin-api/none", "", func(g *response) { g.status, g.body = 404, `{"code":404,"data":null,"msg":"none"}` }},
		{"unknown path with status 200", "/admin-api/none", "does not know", func(*response) {}},
		{"health", "/healthz", "", func(g *response) { g.headers["Content-Type"], g.body = "text/plain; charset=utf-8", "ok" }},
		{"health with another content type", "/healthz", "Content-Type", func(*response) {}},
		{"health with an unknown status", "/healthz", "status is not supported", func(g *response) { g.status = 418 }},
		{"a page", "/device", "", func(g *response) { g.headers["Content-Type"], g.body = "text/html", "<html>" }},
		{"a page without id", "/device", "X-Request-Id", func(g *response) { g.headers["X-Request-Id"] = "1" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			contract := NewContract(t, respondWith(c.change))
			_, err := contract.do(t.Context(), Call{Path: c.path})
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// The captcha's calls have an envelope of their own, for errors, too.
func TestContractOfCaptchaEnvelope(t *testing.T) {
	for _, c := range []struct {
		name, want string
		change     func(*response)
	}{
		{"a captcha", "", func(g *response) { g.body = `{"repCode":"6110","repMsg":"gone","repData":null,"success":false}` }},
		{"a captcha in the usual envelope", "repCode", func(*response) {}},
		{"a captcha with an unknown code", "repCode", func(g *response) { g.body = `{"repCode":"1","repMsg":"","repData":null,"success":false}` }},
		{"too large for a captcha", "", func(g *response) {
			g.status, g.body = 413, `{"repCode":"9999","repMsg":"large","repData":null,"success":false}`
		}},
		{"a captcha with an unknown status", "status is not supported", func(g *response) {
			g.status, g.body = 429, `{"repCode":"6201","repMsg":"many","repData":null,"success":false}`
		}},
	} {
		contract := NewContract(t, respondWith(c.change))
		call := Call{Method: http.MethodPost, Path: "/admin-api/system/captcha/check", Body: "{}"}
		_, err := contract.do(t.Context(), call)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestCallAndAnswer(t *testing.T) {
	var got *http.Request
	echo := respondWith(func(*response) {})
	record := func(w http.ResponseWriter, r *http.Request) { got = r; echo.ServeHTTP(w, r) }
	c := NewContract(t, http.HandlerFunc(record))
	call := Call{
		Path:   unreadCountPath + "?a=1",
		Token:  "tok",
		From:   "203.0.113.9",
		Header: map[string]string{"Time-Zone": "UTC"},
	}
	if n := Ask[int](t, c, call); n != 3 {
		t.Errorf("data %d", n)
	}
	if got.Method != http.MethodGet || got.Header.Get("Authorization") != "Bearer tok" ||
		got.Header.Get("Time-Zone") != "UTC" ||
		got.RemoteAddr != "203.0.113.9:40000" ||
		got.URL.RawQuery != "a=1" {
		t.Errorf("request %+v", got)
	}
	c.Run(t, []Scenario{
		{Name: "scenario", Call: Call{Path: unreadCountPath}, Contains: []string{`"data":3`}, Lacks: []string{"4"}},
	})
}

func TestScenarioViolations(t *testing.T) {
	a := &Answer{
		Status: 200,
		Code:   601,
		Body:   []byte(`{"code":601,"data":null,"msg":"no"}`),
		Data:   json.RawMessage("null"),
	}
	for _, c := range []struct {
		s    Scenario
		want int
	}{
		{Scenario{Code: 601, Contains: []string{"no"}, Lacks: []string{"yes"}}, 0},
		{Scenario{}, 1},
		{Scenario{Status: 404, Code: 404}, 2},
		{Scenario{Code: 601, Contains: []string{"yes"}, Lacks: []string{"no"}}, 2},
	} {
		if got := c.s.violations(a); len(got) != c.want {
			t.Errorf("%+v: %v", c.s, got)
		}
	}
}

func TestOperations(t *testing.T) {
	c := NewContract(t, http.NotFoundHandler())
	all := c.Operations(c.ConsoleTags()...)
	if len(all) < 15 {
		t.Fatalf("only %d operations", len(all))
	}
	public := map[string]bool{}
	for _, op := range all {
		public[op.ID] = op.Public
	}
	if !public["loginUsername"] || public["getUser"] {
		t.Errorf("public: %v", public)
	}
	got := c.Operations("home")
	if len(got) != 2 || got[0].ID != "getAttention" || got[1].ID != "getOverviewStatistics" ||
		got[1].Method != http.MethodGet || !strings.HasSuffix(got[1].Path, "/overview-statistics") {
		t.Errorf("%+v", got)
	}
}

func TestParameters(t *testing.T) {
	c := NewContract(t, http.NotFoundHandler())
	if got := strings.Join(c.Parameters("tenant", "live"), " "); got != "Last-Event-ID name website" {
		t.Error(got)
	}
}

func TestStream(t *testing.T) {
	c := NewContract(t, respondWith(func(g *response) {
		g.headers["Content-Type"] = "text/event-stream"
		g.body = "id: a-1\n\n:\n\nid: a-2\nevent: presence\ndata: {\"deviceName\":\"x\",\"onlineState\":1,\"time\":5}\n\n"
	}))
	s := c.Listen(t, c.Serve(t), Call{Path: "/admin-api/client/pc/live"})
	for _, want := range []Event{
		{ID: "a-1"}, {Comment: true}, {ID: "a-2", Name: "presence", Data: `{"deviceName":"x","onlineState":1,"time":5}`},
	} {
		if got := s.Next(t); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	s.End(t)
}
