package ingest

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/platform/listen"
)

// serveDevices opens an HTTP server as the application mounts the edge.
func (e *edge) serveDevices() string {
	s := httptest.NewUnstartedServer(TidyPaths(NewHTTP(e.pipeline)))
	limiter := listen.NewLimiter(listen.Options{Now: time.Now, Logger: e.pipeline.opts.Logger})
	s.Listener = limiter.Listen(s.Listener, listen.ListenerOptions{
		Insertion: listen.Insertion{Beginnings: Slashless, Text: "//"},
	})
	s.Start()
	e.t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

// raw sends a request as it is and reads the answer; in parts of the given size, 0: at once.
func raw(t *testing.T, address, request string, size int) (status int, answer string, h http.Header) {
	t.Helper()
	nc, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	if err := nc.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	if size == 0 {
		size = len(request)
	}
	for rest := request; rest != ""; rest = rest[min(size, len(rest)):] {
		if _, err := io.WriteString(nc, rest[:min(size, len(rest))]); err != nil {
			t.Fatal(err)
		}
	}
	r, err := http.ReadResponse(bufio.NewReader(nc), nil)
	if err != nil {
		t.Fatal(err)
	}
	return answerOf(t, r)
}

func request(method, path, body string) string {
	length := strconv.Itoa(len(body))
	return method + " " + path + " HTTP/1.1\r\nHost: x\r\nContent-Length: " + length + "\r\n\r\n" + body
}

// A path with a slash too many or the first one missing is served as the right one; the device gets a
// hint with that.
func TestHTTPUntidyPaths(t *testing.T) {
	secret := secretOf("WS-1")
	ecowitt, telemetry := "/api/v1/SECRET/ecowitt", "/api/v1/SECRET/telemetry"
	query := "?ID=WS-1&PASSWORD=" + secret + "&humidity=5"
	for _, test := range []struct{ method, path, body, right string }{
		{"POST", "/api/v1/SECRET/ecowitt", "humidity=5", ""},
		{"POST", "//api/v1/SECRET/ecowitt", "humidity=5", ecowitt},
		{"POST", "/api/v1/SECRET/ecowitt/", "humidity=5", ecowitt},
		{"POST", "/api/v1//SECRET/ecowitt//?", "humidity=5", ecowitt},
		{"POST", "api/v1/SECRET/ecowitt", "humidity=5", ecowitt},
		{"POST", "/api/v1/SECRET/telemetry/", `{"airHumidity":5}`, telemetry},
		{"POST", "api/v1/SECRET/telemetry", `{"airHumidity":5}`, telemetry},
		{"GET", weatherStationPath + query, "", ""},
		{"GET", weatherStationPath + "/" + query, "", weatherStationPath},
		{"GET", "/" + weatherStationPath + query, "", weatherStationPath},
		{"GET", weatherStationPath[1:] + query, "", weatherStationPath},
		{"POST", weatherStationPath[1:], query[1:], weatherStationPath},
	} {
		for _, size := range []int{0, 3} {
			t.Run(test.method+" "+test.path, func(t *testing.T) {
				e := newStations(t)
				path := strings.Replace(test.path, "SECRET", secret, 1)
				status, answer, _ := raw(t, e.serveDevices(), request(test.method, path, test.body), size)
				if status != 200 || len(e.journal.frames()) != 1 {
					t.Errorf("%d %s, %d frames", status, answer, len(e.journal.frames()))
				}
				if test.right != "" {
					e.wantHint(t, "WS-1", device.Hint{
						Kind: device.HintWrongPath, Path: test.right, Address: "127.0.0.x",
					})
				} else if got := e.pipeline.opts.Hints.Get(green, 1); got != nil {
					t.Errorf("hints %+v", got)
				}
				if n := e.pipeline.Stats().Faults[device.FaultPath]; n != map[bool]uint64{true: 1}[test.right != ""] {
					t.Errorf("%d counted", n)
				}
			})
		}
	}
}

// An untidy path is no way around the secret, and says nothing of it.
func TestHTTPUntidyPathWithWrongSecret(t *testing.T) {
	e := newEdge(t)
	status, answer, _ := raw(t, e.serveDevices(), request("POST", "//api/v1/wrong/ecowitt/", "humidity=5"), 0)
	if status != 401 || answer != `{"code":"unauthorized"}` || len(e.journal.frames()) != 0 {
		t.Errorf("%d %s", status, answer)
	}
}

// Where nothing is taken, the answer says so in words, whether the secret is right or not; the device
// whose secret it is gets a hint.
func TestHTTPWrongPaths(t *testing.T) {
	secret := secretOf("WS-1")
	query := "?ID=WS-1&PASSWORD=" + secret
	for _, test := range []struct {
		method, path string
		status       int
		hinted       bool
	}{
		{"POST", "/api/v1/" + secret, 404, true},
		{"POST", "/api/v1/" + secret + "/", 404, true},
		{"POST", "api/v1/" + secret, 404, true},
		{"POST", "/api/v1/" + secret + "/foo", 404, true},
		{"POST", "/api/v1/" + secret + "/ecowitt/x", 404, true},
		{"GET", "/api/v1/" + secret + "/ecowitt?tempf=1", 405, true},
		{"POST", "/api/v1/wrong-secret-0123456789/foo", 404, false},
		{"POST", "/api/v1/WS-1/foo", 404, false}, // a name is no secret
		{"POST", "/api/v1/", 404, false},
		{"POST", "/data/report/", 404, false},
		{"GET", "/weatherstation/update.php" + query, 404, true},
		{"PUT", weatherStationPath + query, 405, true},
	} {
		t.Run(test.method+" "+test.path, func(t *testing.T) {
			e := newEdge(t)
			status, answer, header := raw(t, e.serveDevices(), request(test.method, test.path, ""), 0)
			want := map[int]string{404: `{"code":"noSuchPath","msg":"`, 405: `{"code":"wrongMethod","msg":"`}[test.status]
			if status != test.status || !strings.HasPrefix(answer, want) || strings.Contains(answer, secret) ||
				header.Get("Content-Type") != "application/json" || (status == 405) != (header.Get("Allow") != "") {
				t.Errorf("%d %s %v", status, answer, header)
			}
			if test.hinted {
				e.wantHint(t, "WS-1", device.Hint{Kind: device.HintWrongPath, Address: "127.0.0.x"})
			} else if got := e.pipeline.opts.Hints.Get(green, 1); got != nil {
				t.Errorf("hints %+v", got)
			}
		})
	}
}
