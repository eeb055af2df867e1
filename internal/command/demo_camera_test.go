package command

import (
	"bytes"
	"encoding/binary"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tilth/internal/tools/farm"
)

// The playlist advances with the clock: a piece keeps its number and its time.
func TestCameraPlaylist(t *testing.T) {
	at := time.UnixMilli(4000 * 1001)
	want := `#EXTM3U
#EXT-X-VERSION:7
#EXT-X-TARGETDURATION:4
#EXT-X-MEDIA-SEQUENCE:995
#EXT-X-MAP:URI="orchard-init.mp4"
#EXT-X-PROGRAM-DATE-TIME:1970-01-01T01:06:20.000Z
#EXTINF:4.0,
995.m4s
#EXT-X-PROGRAM-DATE-TIME:1970-01-01T01:06:24.000Z
#EXTINF:4.0,
996.m4s
`
	if got := cameraPlaylist(at); !strings.HasPrefix(got, want) || strings.Count(got, ".m4s") != playlistSegments {
		t.Errorf("%s", got)
	}
	next := cameraPlaylist(at.Add(4 * time.Second))
	if !strings.Contains(next, "SEQUENCE:996\n") || !strings.Contains(next, "01:06:24.000Z\n#EXTINF:4.0,\n996.m4s") {
		t.Errorf("%s", next)
	}
}

// Each piece begins where the one before it ends, so that the picture never stops.
func TestCameraSegments(t *testing.T) {
	begins := func(n int64) uint64 {
		piece := cameraSegment(n)
		return binary.BigEndian.Uint64(piece[bytes.Index(piece, []byte("tfdt"))+8:])
	}
	for _, n := range []int64{0, 1, 448857102, 448857103} {
		if length := begins(n+1) - begins(n); length != 4*cameraTimescale {
			t.Errorf("piece %d lasts %d", n, length)
		}
	}
	// By the film's own clock, its second piece begins four seconds after its first.
	second, err := cameraFiles.ReadFile("camera/orchard1.m4s")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(second, cameraSegment(1)) {
		t.Error("the film has another time scale")
	}
}

// All files that the demo's cameras name exist and are small, and no others exist.
func TestCameraFiles(t *testing.T) {
	server := httptest.NewServer(withCameras(http.NotFoundHandler(), func() time.Time { return time.Unix(1e9, 0) }))
	defer server.Close()
	size := 0
	for name, want := range map[string]string{
		"orchard.mp4": "video/mp4", "orchard-init.mp4": "video/mp4", "448857102.m4s": "video/mp4", "448857103.m4s": "video/mp4", "orchard.m3u8": "application/vnd.apple.mpegurl",
		"other.mp4": "", "-1.m4s": "", "orchard.txt": "", "..%2fdemo.go": "",
	} {
		a, err := http.Get(server.URL + cameraPath + name)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(a.Body)
		if err := a.Body.Close(); err != nil {
			t.Error(err)
		}
		if found := a.StatusCode == http.StatusOK; err != nil || found != (want != "") ||
			found && (a.Header.Get("Content-Type") != want || len(body) == 0) {
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

// Devices' paths with slashes too many are not redirected on the way.
func TestCamerasLeaveOtherPathsAlone(t *testing.T) {
	passed := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, "//api/v1/secret/ecowitt", nil)
	if withCameras(passed, time.Now).ServeHTTP(w, r); w.Code != http.StatusTeapot {
		t.Errorf("answered with %d", w.Code)
	}
}

// Every camera of the demo has a picture.
func TestEveryDemoCameraHasAVideo(t *testing.T) {
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
