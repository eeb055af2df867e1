package ingest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"tilth/internal/domain/device"
)

// A message whose body arrives after its sender has lost the right to send is not stored: the
// secret was renewed, the box swapped, or the device disabled.
func TestHTTPRightsAreAskedAfterTheBody(t *testing.T) {
	renewed := device.NewEntry(
		device.Ref{Tenant: green, ID: 1}, "WS-1", station(), false, false, device.HashSecret(hashKey, "another"),
	)
	for name, now := range map[string]*device.Entry{
		"disabled":       entry(green, 1, "WS-1", false, true),
		"secret renewed": renewed,
		"made anew":      entry(green, 100, "WS-1", false, false),
	} {
		e := newEdge(t)
		handler := NewHTTP(e.pipeline)
		for path, message := range map[string]string{
			"/api/v1/" + secretOf("WS-1") + "/telemetry":                 `{"humidity":1}`,
			"/api/v1/" + secretOf("WS-1") + "/ecowitt":                   "humidity=1",
			weatherStationPath + "?ID=WS-1&PASSWORD=" + secretOf("WS-1"): "humidity=1",
		} {
			e.registry.Replace(testDevices())
			in, out := io.Pipe()
			r := httptest.NewRequest(http.MethodPost, path, in)
			r.ContentLength = int64(len(message))
			go func() {
				_, err := io.WriteString(out, message[:1]) // returns once the headers are checked
				entries := testDevices()
				for i, d := range entries {
					if d.Name == "WS-1" {
						entries[i] = now
					}
				}
				e.registry.Replace(entries)
				if err == nil {
					_, err = io.WriteString(out, message[1:])
				}
				out.CloseWithError(err)
			}()
			answer := httptest.NewRecorder()
			handler.ServeHTTP(answer, r)
			if answer.Code != http.StatusUnauthorized {
				t.Errorf("%s, %s: %d %s", name, path, answer.Code, answer.Body)
			}
		}
		if n := len(e.journal.frames()); n != 0 {
			t.Errorf("%s: %d readings are stored", name, n)
		}
	}
}
