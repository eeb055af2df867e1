package httpbase

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

var (
	// ErrEncoded says that a body has a Content-Encoding that is not taken.
	ErrEncoded = errors.New("a content encoding that is not taken")
	// ErrDamaged says that a compressed body cannot be unpacked.
	ErrDamaged = errors.New("the body is no gzip")
)

// unpackerBytes is about what a reader of gzip holds.
const unpackerBytes = 64 << 10

// unpackers hold readers of gzip for reuse.
var unpackers = sync.Pool{New: func() any { return new(gzip.Reader) }}

// contentCoding returns how a body is encoded: "gzip", or "" if it is not; known is false if in
// another way, or in several.
func contentCoding(h http.Header) (coding string, known bool) {
	for _, line := range h["Content-Encoding"] {
		for part := range strings.SplitSeq(line, ",") {
			switch part = strings.ToLower(strings.TrimSpace(part)); {
			case part == "" || part == "identity":
			case coding == "" && (part == "gzip" || part == "x-gzip"):
				coding = "gzip"
			default:
				return "", false
			}
		}
	}
	return coding, true
}

// ReceiveUnpacked is Receive for a body that may be compressed with gzip. maxBytes bounds what is
// sent, and what it unpacks to; unpacking stops there. What it unpacks to is taken from the sender's
// room, and a body that unpacks to a large one is unpacked in turn. It may return ErrDamaged, too.
func (b *Bodies) ReceiveUnpacked(
	w http.ResponseWriter,
	r *http.Request,
	from Sender,
	maxBytes int64,
) (body []byte, release func(), err error) {
	coding, known := contentCoding(r.Header)
	switch {
	case !known:
		return nil, func() {}, ErrEncoded
	case coding == "":
		return b.Receive(w, r, from, maxBytes)
	}
	packed, release, err := b.Receive(w, r, from, maxBytes)
	if err != nil || len(packed) == 0 {
		return packed, release, err
	}
	defer release()
	room := maxBytes + unpackerBytes
	if !b.held.Take(from.group(), from.Member, room) {
		return nil, func() {}, ErrBodiesFull
	}
	if body, err = b.unpack(r.Context(), from, packed, maxBytes); err != nil {
		body = nil
	}
	size := int64(len(body))
	b.held.Return(from.group(), from.Member, room-size)
	if size == 0 {
		return body, func() {}, err
	}
	return body, func() { b.held.Return(from.group(), from.Member, size) }, err
}

// unpack unpacks a body: a large one when the tenant has a turn.
func (b *Bodies) unpack(ctx context.Context, from Sender, packed []byte, maxBytes int64) (body []byte, err error) {
	source := bytes.NewReader(packed)
	z := unpackers.Get().(*gzip.Reader)
	defer func() {
		source.Reset(nil) // the pool must not hold the body
		unpackers.Put(z)
	}()
	if err := z.Reset(source); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	begin, err := readUpTo(z, nil, min(largeBody, maxBytes)+1)
	if err != nil || len(begin) <= largeBody && int64(len(begin)) <= maxBytes {
		return begin, err
	}
	err = b.inTurn(ctx, from, func() (err error) {
		body, err = readUpTo(z, begin, maxBytes+1)
		if err == nil && int64(len(body)) > maxBytes {
			err = &http.MaxBytesError{Limit: maxBytes}
		}
		return err
	})
	return body, err
}

// readUpTo appends what z unpacks to a body, until it has n bytes or all of them.
func readUpTo(z *gzip.Reader, body []byte, n int64) ([]byte, error) {
	buffer := bytes.NewBuffer(body)
	if _, err := io.CopyN(buffer, z, n-int64(len(body))); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return buffer.Bytes(), nil
}
