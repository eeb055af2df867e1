package listen

import (
	"io"
	"net"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// sentConn is a connection whose client sends what r has.
type sentConn struct {
	net.Conn
	r io.Reader
}

func (c sentConn) Read(b []byte) (int, error) { return c.r.Read(b) }

// A text is inserted after the first blank of the beginnings that are given, in whatever parts they
// arrive and are read; everything else arrives as it was sent.
func TestInsertion(t *testing.T) {
	insertion := Insertion{Beginnings: []string{"POST api/", "GET api/"}, Text: "//"}
	for sent, want := range map[string]string{
		"POST api/x HTTP/1.1\r\n\r\nPOST api/y": "POST //api/x HTTP/1.1\r\n\r\nPOST api/y",
		"GET api/":                              "GET //api/",
		"POST /api/x HTTP/1.1\r\n\r\n":          "POST /api/x HTTP/1.1\r\n\r\n",
		"POST ap":                               "POST ap",
		"POST apx/":                             "POST apx/",
		"\x16\x03\x01":                          "\x16\x03\x01",
		"xPOST api/x":                           "xPOST api/x",
		"":                                      "",
		"GET api/" + strings.Repeat("x", 5000):  "GET //api/" + strings.Repeat("x", 5000),
	} {
		for how, parts := range map[string]func(io.Reader) io.Reader{
			"at once":           func(r io.Reader) io.Reader { return r },
			"byte by byte":      iotest.OneByteReader,
			"in halves":         iotest.HalfReader,
			"with the end":      iotest.DataErrReader,
			"in halves, at end": func(r io.Reader) io.Reader { return iotest.DataErrReader(iotest.HalfReader(r)) },
		} {
			for _, size := range []int{9, 16, 4096} {
				c := &insertConn{Conn: sentConn{r: parts(strings.NewReader(sent))}, Insertion: insertion}
				var got strings.Builder
				b := make([]byte, size)
				for {
					n, err := c.Read(b)
					got.Write(b[:n])
					if err != nil {
						break
					}
				}
				if got.String() != want {
					t.Errorf("%.20q, %s, reads of %d: %.30q", sent, how, size, got.String())
				}
			}
		}
	}
}

// A connection with an insertion still closes its write side alone, as HTTP needs.
func TestInsertionOfListener(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := newTestLimiter(0).Listen(ln, ListenerOptions{
		Insertion: Insertion{Beginnings: []string{"POST api/"}, Text: "//"},
		Pace:      Pace{ChunkSize: 100, Within: time.Minute},
	})
	defer l.Close()
	client, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	server, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	if _, err := io.WriteString(client, "POST api/x"); err != nil {
		t.Fatal(err)
	}
	if err := client.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(server); err != nil || string(got) != "POST //api/x" {
		t.Errorf("%q %v", got, err)
	}
	if err := server.(interface{ CloseWrite() error }).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(client); err != nil || len(got) != 0 {
		t.Errorf("%q %v", got, err)
	}
}
