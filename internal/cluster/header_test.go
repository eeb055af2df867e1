package cluster

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/netip"
	"strings"
	"testing"
)

func TestHeader(t *testing.T) {
	for _, port := range portNames {
		for sent, want := range map[string]string{
			"":                         "",
			"192.0.2.7:49152":          "192.0.2.7:49152",
			"[2001:db8::7]:1":          "[2001:db8::7]:1",
			"[::ffff:192.0.2.7]:65535": "192.0.2.7:65535",
			"[fe80::7%eth0]:443":       "[fe80::7]:443",
		} {
			h, expected := header{port: port}, header{port: port}
			if sent != "" {
				h.client, expected.client = netip.MustParseAddrPort(sent), netip.MustParseAddrPort(want)
			}
			r := bytes.NewReader(append(h.encode(), "rest"...))
			got, err := readHeader(r)
			if got != expected || err != nil {
				t.Errorf("%s from %q: read %v, %v", port, sent, got, err)
			}
			if rest, _ := io.ReadAll(r); string(rest) != "rest" {
				t.Errorf("%s from %q: %q is left after the header", port, sent, rest)
			}
		}
	}
}

func TestHeaderRefused(t *testing.T) {
	good := string(header{port: PortMQTT, client: netip.MustParseAddrPort("192.0.2.7:1")}.encode())
	if good != "tlth\x01\x0b\x04mqtt\xc0\x00\x02\x07\x00\x01" {
		t.Fatalf("the header is %q", good)
	}
	for name, test := range map[string]struct {
		sent string
		want error
	}{
		"nothing":              {"", io.EOF},
		"half the beginning":   {good[:3], io.ErrUnexpectedEOF},
		"half the rest":        {good[:9], io.ErrUnexpectedEOF},
		"another protocol":     {"GET / HTTP/1.1\r\n\r\n", errHeaderMagic},
		"another version":      {"tlth\x02" + good[5:], errHeaderVersion},
		"no rest":              {"tlth\x01\x00", errHeaderFormat},
		"too long":             {"tlth\x01\x41\x04mqtt" + strings.Repeat("x", 60), errHeaderFormat},
		"a name beyond it":     {"tlth\x01\x05\x05mqtt", errHeaderFormat},
		"no name":              {"tlth\x01\x01\x00", errHeaderPort},
		"an unknown port":      {"tlth\x01\x05\x04mqtx", errHeaderPort},
		"one byte of address":  {"tlth\x01\x06\x04mqttx", errHeaderFormat},
		"an address too short": {"tlth\x01\x0a\x04mqttxxxxx", errHeaderFormat},
		"an address too long":  {"tlth\x01\x0c\x04mqttxxxxxxx", errHeaderFormat},
		"IPv4 in IPv6": {
			"tlth\x01\x17\x04mqtt" + strings.Repeat("\x00", 10) + "\xff\xff\xc0\x00\x02\x07\x00\x01",
			errHeaderFormat,
		},
	} {
		if h, err := readHeader(strings.NewReader(test.sent)); !errors.Is(err, test.want) || h != (header{}) {
			t.Errorf("%s: %v, %v; want %v", name, h, err, test.want)
		}
	}
}

func TestClientAddress(t *testing.T) {
	if a := clientAddress(&net.TCPAddr{IP: net.IPv4(192, 0, 2, 7), Port: 9}); a.Port() != 9 {
		t.Errorf("the address is %s", a)
	}
	if a := clientAddress(&net.UnixAddr{Name: "/a"}); a.IsValid() {
		t.Errorf("a local socket has the address %s", a)
	}
}

// What is read is written again as the same bytes, and no byte beyond a header is taken.
func FuzzHeader(f *testing.F) {
	f.Add(header{port: PortAdmin}.encode())
	f.Add(header{port: PortHTTPS, client: netip.MustParseAddrPort("192.0.2.7:443")}.encode())
	f.Add(append(header{port: PortSeed, client: netip.MustParseAddrPort("[2001:db8::7]:1")}.encode(), "more"...))
	f.Add([]byte("tlth\x01\x00"))
	f.Add([]byte("tlth\x01\xff\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := bytes.NewReader(data)
		h, err := readHeader(r)
		read := len(data) - r.Len()
		if read > len(headerMagic)+2+headerMost {
			t.Errorf("%d bytes were read", read)
		}
		if err != nil {
			return
		}
		if again := h.encode(); !bytes.Equal(again, data[:read]) {
			t.Errorf("%q was read as %v, which is written as %q", data[:read], h, again)
		}
	})
}
