package telegram

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/notify"
)

const token = "123456789:AAtelegram_test-0123456789abcdefghi"

// botAPI is a Bot API that answers with a status and a body, and keeps what it was asked.
type botAPI struct {
	status int
	body   string
	asked  []map[string]any
	paths  []string
}

func (b *botAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var q map[string]any
	d := json.NewDecoder(r.Body)
	d.UseNumber()
	if err := d.Decode(&q); err != nil || r.Method != http.MethodPost ||
		r.Header.Get("Content-Type") != "application/json" {
		http.Error(w, "unreadable", http.StatusTeapot)
		return
	}
	b.asked, b.paths = append(b.asked, q), append(b.paths, r.URL.Path)
	body := b.body
	if body == "moved" {
		if q["chat_id"] == json.Number("-5") {
			w.WriteHeader(http.StatusBadRequest)
			body = `{"ok":false,"error_code":400,"description":"Bad Request: group chat was upgraded to a supergroup chat",` +
				`"parameters":{"migrate_to_chat_id":-1001234567890123}}`
		} else {
			body = `{"ok":true,"result":{"message_id":8}}`
		}
	} else {
		if b.status >= 300 && b.status < 400 {
			w.Header().Set("Location", "/elsewhere")
		}
		w.WriteHeader(b.status)
	}
	_, _ = io.WriteString(w, body)
}

func to(chat string) *notify.Notification { return &notify.Notification{Tenant: 1, Recipient: chat} }

func newBot(t *testing.T, api *botAPI) *Bot {
	t.Helper()
	server := httptest.NewServer(api)
	t.Cleanup(server.Close)
	b, err := New(server.URL+"/sub/", token)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestPost(t *testing.T) {
	api := &botAPI{status: 200, body: `{"ok":true,"result":{"message_id":42,"date":1,"chat":{"id":-5}}}`}
	b := newBot(t, api)
	for chat, want := range map[string]any{
		"-1001234567890": json.Number("-1001234567890"), "4503599627370495": json.Number("4503599627370495"),
		"@farm_alerts": "@farm_alerts",
	} {
		answer, err := b.Post(t.Context(), to(chat), "Frost <b> & *x* 🌾")
		if err != nil || answer != "message 42" {
			t.Errorf("%s: %q %v", chat, answer, err)
		}
		q := api.asked[len(api.asked)-1]
		if q["chat_id"] != want || q["text"] != "Frost <b> & *x* 🌾" || q["parse_mode"] != nil ||
			q["link_preview_options"].(map[string]any)["is_disabled"] != true {
			t.Errorf("%s: %v", chat, q)
		}
		if path := api.paths[len(api.paths)-1]; path != "/sub/bot"+token+"/sendMessage" {
			t.Error(path)
		}
	}
}

// A group that became a supergroup is written to under its new id, the next time at once.
func TestMovedGroup(t *testing.T) {
	api := &botAPI{body: "moved"}
	b := newBot(t, api)
	for i, calls := range []int{2, 3} {
		answer, err := b.Post(t.Context(), to("-5"), "x")
		if err != nil || answer != "message 8 in the group's new chat -1001234567890123" || len(api.asked) != calls {
			t.Errorf("%d: %q %v after %d calls", i, answer, err, len(api.asked))
		}
	}
}

func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
		want   notify.Failure
	}{
		"unknown chat":    {400, `{"ok":false,"error_code":400,"description":"Bad Request: chat not found"}`, notify.Failure{Kind: notify.Permanent, Reason: notify.UnknownRecipient, Answer: "400 Bad Request: chat not found"}},
		"never wrote":     {403, `{"ok":false,"error_code":403,"description":"Forbidden: bot can't initiate conversation with a user"}`, notify.Failure{Kind: notify.Permanent, Reason: notify.UnknownRecipient, Answer: "403 Forbidden: bot can't initiate conversation with a user"}},
		"blocked":         {403, `{"ok":false,"error_code":403,"description":"Forbidden: bot was blocked by the user"}`, notify.Failure{Kind: notify.Permanent, Reason: notify.BlockedByRecipient, Answer: "403 Forbidden: bot was blocked by the user"}},
		"kicked":          {403, `{"ok":false,"error_code":403,"description":"Forbidden: bot was kicked from the group chat"}`, notify.Failure{Kind: notify.Permanent, Reason: notify.BlockedByRecipient, Answer: "403 Forbidden: bot was kicked from the group chat"}},
		"another mistake": {400, `{"ok":false,"error_code":400,"description":"Bad Request: message text is empty"}`, notify.Failure{Kind: notify.Permanent, Answer: "400 Bad Request: message text is empty"}},
		"too many":        {429, `{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 17","parameters":{"retry_after":17}}`, notify.Failure{Kind: notify.Transient, RetryAfter: 17 * time.Second, Answer: "429 Too Many Requests: retry after 17"}},
		"token":           {401, `{"ok":false,"error_code":401,"description":"Unauthorized"}`, notify.Failure{Kind: notify.Unavailable, Answer: "401 Unauthorized"}},
		"no such bot":     {404, `{"ok":false,"error_code":404,"description":"Not Found"}`, notify.Failure{Kind: notify.Unavailable, Answer: "404 Not Found"}},
		"redirect":        {302, "", notify.Failure{Kind: notify.Unavailable, Answer: "302 Found"}},
		"down":            {502, "<html>bad gateway</html>", notify.Failure{Kind: notify.Transient, Answer: "502 Bad Gateway"}},
		"its own fault":   {500, `{"ok":false,"error_code":500,"description":"Internal Server Error"}`, notify.Failure{Kind: notify.Transient, Answer: "500 Internal Server Error"}},
		"no JSON":         {200, "<html>hello</html>", notify.Failure{Kind: notify.Transient, Answer: "the answer is not one of the Bot API"}},
		"no proof":        {200, `{"ok":true,"result":true}`, notify.Failure{Kind: notify.Transient, Answer: "the answer is not one of the Bot API"}},
		"contradiction":   {200, `{"ok":false,"error_code":400,"description":"x"}`, notify.Failure{Kind: notify.Transient, Answer: "the answer is not one of the Bot API"}},
		"the token":       {400, `{"ok":false,"error_code":400,"description":"/bot` + token + ` is odd"}`, notify.Failure{Kind: notify.Permanent, Answer: "400"}},
		"two lines":       {400, `{"ok":false,"error_code":400,"description":"a\nb"}`, notify.Failure{Kind: notify.Permanent, Answer: "400 a b"}},
	} {
		api := &botAPI{status: c.status, body: c.body}
		answer, err := newBot(t, api).Post(t.Context(), to("5"), "x")
		var f *notify.Failure
		if !errors.As(err, &f) || answer != "" || *f != c.want {
			t.Errorf("%s: %q %+v, want %+v", name, answer, err, c.want)
		}
		if len(api.asked) != 1 { // it follows no redirect
			t.Errorf("%s: %d calls", name, len(api.asked))
		}
	}
}

// What goes wrong on the way is told without the address, which has the token.
func TestNetworkErrors(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	b, err := New(server.URL, token)
	if err != nil {
		t.Fatal(err)
	}
	server.Close()
	_, err = b.Post(t.Context(), to("5"), "x")
	var f *notify.Failure
	if !errors.As(err, &f) || f.Kind != notify.Transient || !strings.HasPrefix(f.Answer, "no answer from Telegram: ") ||
		strings.Contains(f.Answer, token) {
		t.Errorf("%+v", err)
	}
}

func TestNew(t *testing.T) {
	for _, c := range [][2]string{
		{DefaultAPI, ""}, {DefaultAPI, "777"}, {DefaultAPI, "abc:" + strings.Repeat("x", 35)}, {DefaultAPI, token + " x"},
		{"", token}, {"api.telegram.org", token}, {"ftp://api.example", token}, {"https://me:pw@api.example", token},
		{"https://api.example?x=1", token}, {"https://api.example#x", token}, {"https://\x00", token},
	} {
		if _, err := New(c[0], c[1]); err == nil || c[1] != "" && strings.Contains(err.Error(), c[1]) ||
			strings.Contains(err.Error(), "pw") {
			t.Errorf("%q: %v", c, err)
		}
	}
}
