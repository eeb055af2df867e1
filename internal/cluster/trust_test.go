package cluster

import (
	"bytes"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"net"
	"strings"
	"testing"
)

func testTrust(t testing.TB, fill byte) *Trust {
	t.Helper()
	trust, err := NewTrust(bytes.Repeat([]byte{fill}, deviceKeySize))
	if err != nil {
		t.Fatal(err)
	}
	return trust
}

// shakeHands has a server and a client shake hands, and the server send a byte. It returns the
// errors of both.
func shakeHands(t *testing.T, server, client *tls.Config) (serverErr, clientErr error) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	theirs, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	ours, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		c := tls.Server(ours, server)
		err := c.Handshake()
		if err == nil {
			_, err = c.Write([]byte("x"))
		}
		_ = ours.Close()
		done <- err
	}()
	c := tls.Client(theirs, client)
	// In TLS 1.3 only the first read shows whether the server took the client's key.
	_, clientErr = c.Read(make([]byte, 1))
	_ = theirs.Close()
	return <-done, clientErr
}

func TestTrust(t *testing.T) {
	ours, same, other := testTrust(t, 1), testTrust(t, 1), testTrust(t, 2)
	if a, b := shakeHands(t, ours.ServerConfig(), same.ClientConfig()); a != nil || b != nil {
		t.Errorf("nodes with one key: %v, %v", a, b)
	}
	_, err := shakeHands(t, ours.ServerConfig(), other.ClientConfig())
	if want := (*OtherKeyError)(nil); !errors.As(err, &want) {
		t.Errorf("a client met a server with another key: %v", err)
	}
	const words = "the node at 10.0.0.1:7000 has another key: it belongs to another cluster, " +
		"or was not joined with tilth join"
	if got := withAddress(err, "10.0.0.1:7000").Error(); got != words {
		t.Errorf("the error says %q", got)
	}

	careless := other.ClientConfig()
	careless.VerifyConnection = nil
	err, _ = shakeHands(t, ours.ServerConfig(), careless)
	if want := (*OtherKeyError)(nil); !errors.As(err, &want) {
		t.Errorf("a server met a client with another key: %v", err)
	}
	without := ours.ClientConfig()
	without.Certificates = nil
	if a, b := shakeHands(t, ours.ServerConfig(), without); a == nil || b == nil {
		t.Errorf("a server met a client without a key: %v, %v", a, b)
	}
	old := ours.ClientConfig()
	old.MinVersion, old.MaxVersion = tls.VersionTLS12, tls.VersionTLS12
	if a, b := shakeHands(t, ours.ServerConfig(), old); a == nil || b == nil {
		t.Errorf("a server met a client of TLS 1.2: %v, %v", a, b)
	}
}

// Nodes of different versions must derive the same key.
func TestTrustKeyIsFixed(t *testing.T) {
	const want = "6ab25cf80c649bae22c0ea494087e22c4ce154095b20c0f2c685bc52bd828061"
	if got := hex.EncodeToString(testTrust(t, 7).public); got != want {
		t.Errorf("the public key is %s, want %s", got, want)
	}
}

func TestTrustWantsWholeKey(t *testing.T) {
	for _, size := range []int{0, 31, 33} {
		if _, err := NewTrust(make([]byte, size)); err == nil ||
			!strings.Contains(err.Error(), "bytes in place of 32") {
			t.Errorf("a key of %d bytes: %v", size, err)
		}
	}
}
