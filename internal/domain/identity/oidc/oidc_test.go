package oidc_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"tilth/internal/domain/identity/oidc"
)

func TestIssuers(t *testing.T) {
	for address, want := range map[string]bool{
		"https://login.example": true, "https://login.example:8443/realms/farm": true, "http://127.0.0.1:9000": true,
		"http://localhost": true, "http://[::1]:9000": true, "http://sso.localhost:1": true,
		"http://login.example": false, "http://10.0.0.1": false, "https://login.example?x=1": false,
		"https://login.example#x": false, "https://a:b@login.example": false, "login.example": false, "": false,
		"ftp://login.example": false, "https://": false, "http://127.0.0.1.evil.example": false, "https://x?": false,
	} {
		if got := oidc.IsIssuer(address); got != want {
			t.Errorf("%q: %v", address, got)
		}
	}
}

// newClient makes a client that may call what allow allows.
func newClient(allow func(address string, plain bool) error) *oidc.Client {
	return oidc.NewClient(
		oidc.Options{Now: time.Now, Control: func(plain bool) func(string, string, syscall.RawConn) error {
			return func(_, address string, _ syscall.RawConn) error { return allow(address, plain) }
		}},
	)
}

func authURL(ctx context.Context, c *oidc.Client, issuer string) error {
	_, err := c.AuthURL(ctx, oidc.Connection{Issuer: issuer, ClientID: "tilth"}, oidc.Request{})
	return err
}

func TestOnlyAllowedAddressesAreCalled(t *testing.T) {
	var asked []string
	c := newClient(func(address string, plain bool) error {
		if plain {
			t.Errorf("%s would be called without TLS", address)
		}
		asked = append(asked, address)
		return errors.New("not allowed")
	})
	if err := authURL(t.Context(), c, "https://10.1.2.3"); !errors.Is(err, oidc.ErrUnreachable) ||
		!strings.Contains(err.Error(), "not allowed") || len(asked) != 1 {
		t.Errorf("%v %v", err, asked)
	}
	// An issuer on this machine may be called there, and names no other address without TLS.
	issuer := httptest.NewServer(nil)
	defer issuer.Close()
	document := ""
	issuer.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(document))
	})
	good := `{"issuer":"` + issuer.URL + `","authorization_endpoint":"` + issuer.URL + `/a","token_endpoint":"` +
		issuer.URL + `/t","jwks_uri":"` + issuer.URL + `/k"}`
	for name, change := range map[string][2]string{
		"another issuer":       {`"issuer":"http`, `"issuer":"https`},
		"an address elsewhere": {issuer.URL + "/t", "http://169.254.169.254/t"},
		"a script":             {issuer.URL + "/a", "javascript:alert(1)"},
		"no keys":              {`,"jwks_uri":"` + issuer.URL + `/k"`, ""},
		"no JSON":              {good, "<html>"},
	} {
		document = strings.Replace(good, change[0], change[1], 1)
		if err := authURL(t.Context(), newClient(onlyHere), issuer.URL); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	document = good
	if err := authURL(t.Context(), newClient(onlyHere), issuer.URL); err != nil {
		t.Error(err)
	}
}

func onlyHere(string, bool) error { return errors.New("only this machine") }

// Many sign-ins at once ask the issuer once, also one that fails; and who leaves does not wait.
func TestOneDiscoveryForMany(t *testing.T) {
	var calls atomic.Int32
	release := make(chan struct{})
	issuer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		calls.Add(1)
		<-release
		w.WriteHeader(http.StatusInternalServerError)
	}))
	defer issuer.Close()
	c := newClient(onlyHere)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if err := authURL(t.Context(), c, issuer.URL); !errors.Is(err, oidc.ErrUnreachable) {
				t.Error(err)
			}
		})
	}
	left, leave := context.WithCancel(t.Context())
	leave()
	for calls.Load() == 0 { // until the first has asked, nobody waits
		if err := authURL(left, c, issuer.URL); err == nil {
			t.Error("no error")
		}
	}
	if err := authURL(left, c, issuer.URL); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	close(release)
	all.Wait()
	if n := calls.Load(); n != 1 {
		t.Errorf("the issuer was asked %d times", n)
	}
}
