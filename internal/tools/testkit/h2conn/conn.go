// Package h2conn gives tests an HTTP/2 connection whose frames they write and read themselves.
package h2conn

import (
	"bytes"
	"io"
	"net"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// Conn is an HTTP/2 connection whose frames a test writes and reads itself.
type Conn struct {
	*http2.Framer
	net.Conn
	Head    bytes.Buffer
	Encoder *hpack.Encoder
}

// New writes the client preface and the settings; it reads nothing.
func New(c net.Conn, first ...http2.Setting) (*Conn, error) {
	f := &Conn{Framer: http2.NewFramer(c, c), Conn: c}
	f.AllowIllegalWrites = true
	f.Encoder = hpack.NewEncoder(&f.Head)
	if _, err := io.WriteString(c, http2.ClientPreface); err != nil {
		return nil, err
	}
	return f, f.WriteSettings(first...)
}

// HeaderBlock returns the encoded header fields of a request.
func (f *Conn) HeaderBlock(method, path string, more ...hpack.HeaderField) []byte {
	f.Head.Reset()
	for _, h := range append([]hpack.HeaderField{
		{Name: ":method", Value: method},
		{Name: ":scheme", Value: "https"},
		{Name: ":authority", Value: "localhost"},
		{Name: ":path", Value: path},
	}, more...) {
		_ = f.Encoder.WriteField(h) // a write to memory does not fail
	}
	return f.Head.Bytes()
}

// Open sends the header of a request whose body never comes.
func (f *Conn) Open(stream uint32, fields []byte) error {
	return f.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: fields, EndHeaders: true})
}
