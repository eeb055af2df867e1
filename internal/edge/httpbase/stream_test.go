package httpbase

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"tilth/internal/tools/testkit"
	"tilth/internal/tools/testkit/race"
)

const remoteAddr = "203.0.113.9:5000"

// writeRows writes n rows of 100 bytes.
func writeRows(n int) func(out *StreamWriter) error {
	return func(out *StreamWriter) error {
		for i := range n {
			out.Buf = fmt.Appendf(out.Buf, "%099d\n", i)
			if err := out.FlushIfFull(); err != nil {
				return err
			}
		}
		return nil
	}
}

func (e *Edge) streamHandler(how StreamOptions, write func(out *StreamWriter) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := e.Stream(r.Context(), w, how, write); err != nil {
			e.Fail(w, r, err)
		}
	}
}

// rowsText returns the text that writeRows writes.
func rowsText(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%099d\n", i)
	}
	return b.String()
}

// An answer has exactly the written content, in pieces of about a chunk. Up to the limit it is sent
// at once and with its length.
func TestStreamChunksAndContentLength(t *testing.T) {
	e, _ := newEdge()
	header := http.Header{"Content-Type": {"text/plain"}}
	for _, c := range []struct {
		rows, whole, writes int
		length              string
	}{
		{0, 0, 1, ""}, {1, 0, 1, ""}, {1000, 0, 4, ""}, {0, 4 * ChunkSize, 1, "0"}, {1, 4 * ChunkSize, 1, "100"}, {1000, 4 * ChunkSize, 1, "100000"}, {2000, 4 * ChunkSize, 4, ""},
	} {
		rec := &countingRecorder{ResponseRecorder: httptest.NewRecorder()}
		e.Wrap(e.streamHandler(StreamOptions{Header: header, BufferLimit: c.whole}, writeRows(c.rows))).ServeHTTP(
			rec,
			httptest.NewRequest(http.MethodGet, "/", nil),
		)
		if rec.Body.String() != rowsText(c.rows) || rec.writes != c.writes || rec.Code != http.StatusOK ||
			rec.Header().Get("Content-Length") != c.length ||
			rec.Header().Get("Content-Type") != "text/plain" || rec.Header().Get("Content-Encoding") != "" {
			t.Errorf("%+v: %d bytes in %d writes, %v", c, rec.Body.Len(), rec.writes, rec.Header())
		}
	}
	if len(header) != 1 {
		t.Errorf("an answer has the header of another one: %v", header)
	}
}

// countingRecorder counts writes and records their deadlines.
type countingRecorder struct {
	*httptest.ResponseRecorder
	writes    int
	deadlines []time.Duration // from the time of the write
	capacity  int             // bytes that it accepts; 0: all
}

func (c *countingRecorder) Write(b []byte) (int, error) {
	c.writes++
	if c.capacity > 0 && c.Body.Len()+len(b) > c.capacity {
		return 0, os.ErrDeadlineExceeded
	}
	return c.ResponseRecorder.Write(b)
}

func (c *countingRecorder) SetWriteDeadline(at time.Time) error {
	c.deadlines = append(c.deadlines, time.Until(at))
	return nil
}

// Bytes that were flushed come before a trailer, and a StreamWriter works as an io.Writer.
func TestStreamFlushBufferBeforeTrailer(t *testing.T) {
	e, _ := newEdge()
	rec := e.serve(t, func(w http.ResponseWriter, r *http.Request) {
		err := e.Stream(
			r.Context(),
			w,
			StreamOptions{Header: http.Header{"Trailer": {"Link"}}},
			func(out *StreamWriter) error {
				if n, err := io.WriteString(out, "as to a file"); err != nil || n != 12 {
					t.Errorf("%d, %v", n, err)
				}
				if err := out.FlushBuffer(); err != nil || len(out.Buf) != 0 {
					return fmt.Errorf("%d bytes left: %w", len(out.Buf), err)
				}
				w.Header().Set("Link", "next")
				return nil
			},
		)
		if err != nil {
			t.Error(err)
		}
	})
	if res := rec.Result(); rec.Body.String() != "as to a file" || res.Trailer.Get("Link") != "next" {
		t.Errorf("%q, %v", rec.Body, res.Trailer)
	}
}

// FlushNow sends at once; the data after it may take any time.
func TestStreamFlushNow(t *testing.T) {
	e, _ := newEdge()
	seen := make(chan struct{})
	server := httptest.NewServer(e.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := e.Stream(r.Context(), w, StreamOptions{}, func(out *StreamWriter) error {
			out.Buf = append(out.Buf, "a line\n"...)
			if err := out.FlushNow(); err != nil {
				return err
			}
			select {
			case <-seen:
				return nil
			case <-r.Context().Done():
				return r.Context().Err()
			}
		})
		if err != nil {
			t.Error(err)
		}
	})))
	defer server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	line := make([]byte, 7)
	if _, err := io.ReadFull(res.Body, line); err != nil || string(line) != "a line\n" {
		t.Fatalf("%q, %v", line, err)
	}
	close(seen)
	if rest, err := io.ReadAll(res.Body); err != nil || len(rest) != 0 {
		t.Errorf("%q, %v", rest, err)
	}
	// A closed connection ends the answer; a connection that cannot be flushed does not.
	gone := &flushErrorRecorder{ResponseRecorder: httptest.NewRecorder(), err: io.ErrClosedPipe}
	err = e.Stream(
		t.Context(),
		noFlushWriter{httptest.NewRecorder()},
		StreamOptions{},
		func(out *StreamWriter) error { return out.FlushNow() },
	)
	if err != nil {
		t.Errorf("%v", err)
	}
	func() {
		defer func() {
			if p := recover(); p != http.ErrAbortHandler { //nolint:errorlint // a panic's value is no wrapped error
				t.Errorf("ended with %v", p)
			}
		}()
		_ = e.Stream(t.Context(), gone, StreamOptions{}, func(out *StreamWriter) error { return out.FlushNow() })
	}()
}

// flushErrorRecorder is a connection whose Flush fails.
type flushErrorRecorder struct {
	*httptest.ResponseRecorder
	err error
}

func (h *flushErrorRecorder) FlushError() error { return h.err }

// noFlushWriter does not support flushing.
type noFlushWriter struct{ http.ResponseWriter }

// Each piece has its own deadline, and a longer piece a longer one.
func TestStreamWriteDeadlines(t *testing.T) {
	e, log := newEdge()
	rec := &countingRecorder{ResponseRecorder: httptest.NewRecorder()}
	e.Wrap(e.streamHandler(StreamOptions{}, writeRows(1000))).ServeHTTP(
		rec,
		httptest.NewRequest(http.MethodGet, "/", nil),
	)
	e.Wrap(e.streamHandler(StreamOptions{BufferLimit: 4 * ChunkSize}, writeRows(1000))).ServeHTTP(
		rec,
		httptest.NewRequest(http.MethodGet, "/", nil),
	)
	if len(rec.deadlines) != 5 {
		t.Fatalf("%v", rec.deadlines)
	}
	for i, d := range rec.deadlines {
		if most := map[bool]time.Duration{false: ChunkTimeout, true: 3 * ChunkTimeout}[i == 4]; d > most ||
			d < most-10*time.Second {
			t.Errorf("%d: %s", i, d)
		}
	}
	// A client that receives nothing more is cut off, and that is no fault of the server.
	rec = &countingRecorder{ResponseRecorder: httptest.NewRecorder(), capacity: 2*ChunkSize + 1000}
	written := 0
	func() {
		defer func() {
			if p := recover(); p != http.ErrAbortHandler { //nolint:errorlint // a panic's value is no wrapped error
				t.Errorf("ended with %v", p)
			}
		}()
		e.Wrap(e.streamHandler(StreamOptions{}, func(out *StreamWriter) error {
			for ; ; written++ {
				out.Buf = append(out.Buf, make([]byte, 1000)...)
				if err := out.FlushIfFull(); err != nil {
					return err
				}
			}
		})).ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/", nil))
	}()
	if written > 3*ChunkSize/1000+3 {
		t.Errorf("%d rows were written", written)
	}
	if got := log.Text(); strings.Contains(got, "level=ERROR") ||
		!strings.Contains(got, `level=DEBUG msg="answer cut off"`) ||
		!strings.Contains(got, "i/o timeout") {
		t.Errorf("%s", got)
	}
}

// An error before the answer begins is answered like any other, without the headers of the answer;
// a later one cuts off the connection.
func TestStreamErrors(t *testing.T) {
	e, log := newEdge()
	after := 0
	how := StreamOptions{Header: http.Header{"Content-Disposition": {"attachment"}}, Compress: true}
	s := httptest.NewServer(e.Wrap(e.streamHandler(how, func(out *StreamWriter) error {
		if err := writeRows(after)(out); err != nil {
			return err
		}
		return errServer
	})))
	defer s.Close()
	for _, coding := range []string{"", "gzip"} {
		after = 10
		res, err := http.Get(s.URL)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != http.StatusInternalServerError || res.Header.Get("Content-Disposition") != "" ||
			res.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s: %d %v", coding, res.StatusCode, res.Header)
		}
		after = 10_000
		before := len(log.Text())
		if body, err := read(s.URL); err == nil || len(body) < ChunkSize {
			t.Errorf("%s: %d bytes of half an answer end with %v", coding, len(body), err)
		}
		testkit.Eventually(
			t,
			"the line in the log",
			func() bool { return strings.Contains(log.Text()[before:], "msg=asked") },
		)
		if got := log.Text()[before:]; !strings.Contains(got, `level=ERROR msg="answer cut off"`) ||
			!strings.Contains(got, "on fire") {
			t.Errorf("%s: %s", coding, got)
		}
	}
}

// If the client leaves, writing ends, and that is no fault.
func TestStreamToClientThatLeaves(t *testing.T) {
	e, log := newEdge()
	begun, ended := make(chan struct{}, 1), make(chan error, 1)
	s := httptest.NewServer(e.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = e.Stream(r.Context(), w, StreamOptions{}, func(out *StreamWriter) error { // cut off
			if err := writeRows(1000)(out); err != nil {
				return err
			}
			begun <- struct{}{}
			<-r.Context().Done()
			ended <- r.Context().Err()
			return r.Context().Err()
		})
	})))
	defer s.Close()
	ctx, leave := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	testkit.Receive(t, "the middle of the answer", begun)
	leave()
	_ = res.Body.Close()
	if err := testkit.Receive(t, "the end of writing", ended); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	testkit.Eventually(t, "the line in the log", func() bool { return strings.Contains(log.Text(), "msg=asked") })
	if got := log.Text(); strings.Contains(got, "level=ERROR") {
		t.Errorf("%s", got)
	}
}

// An answer is compressed for remote clients that accept it, and has the same content.
func TestStreamCompression(t *testing.T) {
	e, _ := newEdge()
	for name, c := range map[string]struct {
		rows         int
		accept, from string
		packed       bool
	}{
		"far away": {10_000, "br, gzip", remoteAddr, true}, "whole": {100, "gzip", remoteAddr, true}, "accepts no coding": {10_000, "", remoteAddr, false},
		"refuses gzip": {10_000, "gzip;q=0", remoteAddr, false}, "on this machine": {10_000, "gzip", "127.0.0.1:5000", false},
		"on this machine, IPv6": {10_000, "gzip", "[::1]:5000", false}, "little": {13, "gzip", remoteAddr, false},
	} {
		rec := e.serve(
			t,
			e.streamHandler(StreamOptions{BufferLimit: 4 * ChunkSize, Compress: true}, writeRows(c.rows)),
			func(r *http.Request) {
				r.Header.Set("Accept-Encoding", c.accept)
				r.RemoteAddr = c.from
			},
		)
		body, size := rec.Body.Bytes(), rec.Body.Len()
		if packed := rec.Header().Get("Content-Encoding") == "gzip"; packed != c.packed {
			t.Errorf("%s: %v", name, rec.Header())
		} else if packed {
			z, err := gzip.NewReader(rec.Body)
			if err != nil {
				t.Fatal(err)
			}
			if body, err = io.ReadAll(z); err != nil || size > len(body)/3 || rec.Header().Get("Content-Length") != "" {
				t.Errorf("%s: %d bytes of %d, %v, %v", name, size, len(body), err, rec.Header())
			}
		}
		if !bytes.Equal(body, []byte(rowsText(c.rows))) {
			t.Errorf("%s: %d bytes", name, len(body))
		}
	}
	// After the answer has begun, it is too late to compress it.
	rec := e.serve(t, e.streamHandler(StreamOptions{Compress: true}, func(out *StreamWriter) error {
		out.Buf = append(out.Buf, "a head\n"...)
		if err := out.FlushBuffer(); err != nil {
			return err
		}
		return writeRows(1000)(out)
	}), func(r *http.Request) { r.Header.Set("Accept-Encoding", "gzip"); r.RemoteAddr = remoteAddr })
	if rec.Body.String() != "a head\n"+rowsText(1000) || rec.Header().Get("Content-Encoding") != "" {
		t.Errorf("%d bytes, %v", rec.Body.Len(), rec.Header())
	}
}

// discardWriter receives everything and keeps nothing.
type discardWriter struct{ header http.Header }

func (n discardWriter) Header() http.Header       { return n.header }
func (discardWriter) WriteHeader(int)             {}
func (discardWriter) Write(p []byte) (int, error) { return len(p), nil }

// Memory does not grow with the answer's length.
func TestStreamMemoryIsBounded(t *testing.T) {
	e, _ := newEdge()
	for name, packed := range map[string]bool{"plain": false, "packed": true} {
		spent := func(n int) uint64 {
			var before, after runtime.MemStats
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.Header.Set("Accept-Encoding", "gzip")
			r.RemoteAddr = remoteAddr
			runtime.ReadMemStats(&before)
			e.Wrap(e.streamHandler(StreamOptions{Compress: packed}, func(out *StreamWriter) error {
				row := make([]byte, 100)
				for range n {
					if _, err := out.Write(row); err != nil {
						return err
					}
				}
				return nil
			})).ServeHTTP(discardWriter{http.Header{}}, r)
			runtime.ReadMemStats(&after)
			return after.TotalAlloc - before.TotalAlloc
		}
		spent(10) // fills the pools
		// Under the race detector, pools drop a part of their contents on purpose.
		if got := spent(1_000_000); got > 4<<20 && !race.Enabled {
			t.Errorf("%s: an answer of 100 MB took %d bytes of memory in all", name, got)
		}
	}
}

// Buffers are pooled, unless an answer made them large.
func TestStreamBuffersArePooled(t *testing.T) {
	out := &StreamWriter{Buf: make([]byte, 0, maxPooledBuffer+1)}
	out.conn.header, out.bufferLimit = http.Header{}, 7
	out.release()
	if out.conn.header != nil || out.bufferLimit != 0 || len(out.Buf) != 0 {
		t.Errorf("%+v still refers to its answer", out)
	}
	for range 100 {
		if got := streamWriterPool.Get().(*StreamWriter); cap(got.Buf) > maxPooledBuffer {
			t.Fatalf("a buffer of %d bytes is kept", cap(got.Buf))
		}
	}
}
