package app

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tilth/internal/farm"
)

// The list goes on with the clock: the same piece keeps its number and its
// time, and each beginning of the film is told and counted.
func TestCameraList(t *testing.T) {
	at := time.UnixMilli(4000 * 1001)
	want := `#EXTM3U
#EXT-X-VERSION:3
#EXT-X-TARGETDURATION:4
#EXT-X-MEDIA-SEQUENCE:998
#EXT-X-DISCONTINUITY-SEQUENCE:499
#EXT-X-DISCONTINUITY
#EXT-X-PROGRAM-DATE-TIME:1970-01-01T01:06:32.000Z
#EXTINF:4.0,
orchard0.ts
#EXT-X-PROGRAM-DATE-TIME:1970-01-01T01:06:36.000Z
#EXTINF:4.0,
orchard1.ts
#EXT-X-DISCONTINUITY
#EXT-X-PROGRAM-DATE-TIME:1970-01-01T01:06:40.000Z
#EXTINF:4.0,
orchard0.ts
`
	if got := cameraList(at); got != want {
		t.Errorf("%s", got)
	}
	// One beginning has left the list, and it is told before a piece that is the second.
	if next := cameraList(at.Add(4 * time.Second)); !strings.Contains(next, "SEQUENCE:999\n#EXT-X-DISCONTINUITY-SEQUENCE:500\n#EXT-X-PROGRAM-DATE-TIME:1970-01-01T01:06:36") {
		t.Errorf("%s", next)
	}
}

// Everything that the demo's cameras name is there, small, and nothing else is.
func TestCameraFiles(t *testing.T) {
	server := httptest.NewServer(withCameras(http.NotFoundHandler(), func() time.Time { return time.Unix(1e9, 0) }))
	defer server.Close()
	size := 0
	for name, want := range map[string]string{
		"orchard.mp4": "video/mp4", "orchard0.ts": "video/mp2t", "orchard1.ts": "video/mp2t", "orchard.m3u8": "application/vnd.apple.mpegurl",
		"other.mp4": "", "orchard.txt": "", "..%2fdemo.go": "",
	} {
		a, err := http.Get(server.URL + cameraPath + name)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(a.Body)
		if err := a.Body.Close(); err != nil {
			t.Error(err)
		}
		if found := a.StatusCode == http.StatusOK; err != nil || found != (want != "") || found && (a.Header.Get("Content-Type") != want || len(body) == 0) {
			t.Errorf("%s: %d %s, %d bytes, %v", name, a.StatusCode, a.Header.Get("Content-Type"), len(body), err)
		}
		if want != "" {
			size += len(body)
		}
	}
	if size > 300_000 {
		t.Errorf("%d bytes", size)
	}
}

// No camera of the demo is without a picture.
func TestEveryDemoCameraHasAPicture(t *testing.T) {
	seen := 0
	for _, dev := range farm.New(1, time.Unix(1e9, 0)).Devices() {
		if !strings.Contains(dev.Name, "CAM-") {
			continue
		}
		seen++
		if demoCameras[dev.Tenant][dev.Name] == "" {
			t.Errorf("%s of %s shows nothing", dev.Name, dev.Tenant)
		}
	}
	if seen != 4 {
		t.Errorf("%d cameras", seen)
	}
}
