// The example receives the calls of a webhook, verifies them, and prints each
// event once, one a line. It needs TILTH_WEBHOOK_SECRET (whsec_...) and listens
// at LISTEN (127.0.0.1:8000). Before it stands whatever speaks TLS: Tilth calls
// https addresses only.
package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	tolerance = 5 * time.Minute // that the clocks may differ, and a call may be old
	largest   = 1 << 20
)

type event struct {
	Type string `json:"type"`
	Data struct {
		ID    int64  `json:"id"`
		Level string `json:"level"`
		Title string `json:"title"`
	} `json:"data"`
}

type receiver struct {
	key []byte

	mu   sync.Mutex
	seen map[string]time.Time // when each call came; a real program keeps that where it keeps what it led to
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	secret := os.Getenv("TILTH_WEBHOOK_SECRET")
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	switch {
	case secret == "":
		return errors.New(
			"TILTH_WEBHOOK_SECRET is missing: the webhook's secret, whsec_... (shown once, when the webhook is made)",
		)
	case err != nil || len(key) == 0:
		return errors.New("TILTH_WEBHOOK_SECRET is no webhook's secret: one is whsec_ and base64")
	}
	address := os.Getenv("LISTEN")
	if address == "" {
		address = "127.0.0.1:8000"
	}
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", address)
	if err != nil {
		return err
	}
	fmt.Printf("listening\t%d\n", l.Addr().(*net.TCPAddr).Port)
	s := http.Server{Handler: &receiver{key: key, seen: map[string]time.Time{}}, ReadTimeout: 10 * time.Second}
	return s.Serve(l)
}

// verified tells whether a call comes from who knows the secret, and just now.
func (r *receiver) verified(h http.Header, body []byte) bool {
	id, at := h.Get("webhook-id"), h.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > tolerance {
		return false
	}
	mac := hmac.New(sha256.New, r.key)
	fmt.Fprintf(mac, "%s.%s.%s", id, at, body)
	right := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	// Several while the secret is being changed: one that fits is enough.
	for given := range strings.SplitSeq(h.Get("webhook-signature"), " ") {
		if hmac.Equal([]byte(given), []byte(right)) {
			return true
		}
	}
	return false
}

// fresh is false for a call that came before.
func (r *receiver) fresh(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, twice := r.seen[id]; twice {
		return false
	}
	r.seen[id] = time.Now()
	for old, came := range r.seen {
		if time.Since(came) > 48*time.Hour { // calls are repeated for 24
			delete(r.seen, old)
		}
	}
	return true
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, q.Body, largest))
	if err != nil || !r.verified(q.Header, body) {
		http.Error(w, "not signed by the secret, or too old", http.StatusUnauthorized)
		return
	}
	if r.fresh(q.Header.Get("webhook-id")) { // the same one may come twice
		var e event
		if err := json.Unmarshal(body, &e); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		fmt.Printf("%s\t%d\t%s\t%s\n", e.Type, e.Data.ID, e.Data.Level, e.Data.Title)
	}
	fmt.Fprint(w, "thank you")
}
