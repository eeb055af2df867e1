package command

import (
	"bytes"
	"context"
	"embed"
	"encoding/binary"
	"fmt"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"tilth/internal/server"
)

// The picture of the demo's cameras, drawn by scripts/demo-video.sh: a film,
// and the same in two pieces.
//
//go:embed camera
var cameraFiles embed.FS

const (
	cameraPath       = "/demo-camera/"
	segmentLength    = 4 * time.Second // duration of each of the two pieces
	playlistSegments = 6               // pieces that a playlist names
	cameraTimescale  = 10240           // ticks of the film's clock in a second
)

// cameraPage is an embedded page as cameras have them: as large as its frame, so that it does not
// scroll, with words that can be read on any picture.
const cameraPage = `<style>html,body{margin:0;height:100%;overflow:hidden;background:#0d1411}` +
	`video{display:block;width:100%;height:100%;object-fit:cover}` +
	`p{position:absolute;left:12px;bottom:12px;margin:0;padding:4px 10px;border-radius:6px;background:#0d1411cc;color:#fff;font:600 16px/1.4 system-ui,sans-serif}</style>` +
	`<video src="` + cameraPath + `orchard.mp4" autoplay muted loop playsinline></video><p>SXT camera</p>`

// demoCameras are the sources of the cameras of the demo's farms, each kind of source at least
// once.
var demoCameras = map[string]map[string]string{
	demoTenant: {
		"CAM-0094": cameraPath + "orchard.m3u8",
		"CAM-0095": cameraPage,
		"CAM-0093": cameraPath + "orchard.mp4",
	},
	"yanzhao": {"HB-CAM-01": cameraPath + "orchard.m3u8"},
}

// setUpCameras gives the farms' cameras their sources. These are not in the farm's file, since
// other servers apply that file too.
func (d *demo) setUpCameras(ctx context.Context, s *server.Server) error {
	var tenants []any
	for name, cameras := range demoCameras {
		var devices []any
		for device, source := range cameras {
			devices = append(
				devices,
				map[string]any{"deviceName": device, "elementData": map[string]string{"live": source}},
			)
		}
		tenants = append(tenants, map[string]any{"name": name, "devices": devices})
	}
	file, err := yaml.Marshal(map[string]any{"tenants": tenants})
	if err != nil {
		return err
	}
	if _, err := s.Provider.Apply(ctx, file, false); err != nil {
		return fmt.Errorf("the cameras' picture: %w", err)
	}
	return nil
}

// withCameras adds the cameras' films to a handler.
func withCameras(next http.Handler, now func() time.Time) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+cameraPath+"{name}", func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue("name")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if name == "orchard.m3u8" {
			w.Header().Set("Content-Type", "application/vnd.apple.mpegurl")
			w.Header().Set("Cache-Control", "no-store")
			_, _ = fmt.Fprint(w, cameraPlaylist(now())) // an error means that the client has gone
			return
		}
		if path.Ext(name) != ".mp4" && path.Ext(name) != ".m4s" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "video/mp4")
		w.Header().Set("Cache-Control", "public, max-age=3600")
		if n, err := strconv.ParseInt(strings.TrimSuffix(name, ".m4s"), 10, 64); err == nil && n >= 0 {
			http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(cameraSegment(n)))
			return
		}
		http.ServeFileFS(w, r, cameraFiles, "camera/"+name)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, cameraPath) {
			mux.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r) // not by way of mux, which redirects paths with slashes too many
	})
}

// cameraPlaylist is the playlist of a camera that has run since 1970: the latest pieces, in an
// endless sequence.
func cameraPlaylist(now time.Time) string {
	first := now.UnixMilli()/segmentLength.Milliseconds() - playlistSegments
	var b strings.Builder
	fmt.Fprintf(
		&b,
		"#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:%d\n#EXT-X-MEDIA-SEQUENCE:%d\n",
		int(segmentLength.Seconds()),
		first,
	)
	b.WriteString("#EXT-X-MAP:URI=\"orchard-init.mp4\"\n")
	for n := first; n < first+playlistSegments; n++ {
		at := time.UnixMilli(n * segmentLength.Milliseconds()).UTC()
		fmt.Fprintf(
			&b,
			"#EXT-X-PROGRAM-DATE-TIME:%s\n#EXTINF:%.1f,\n%d.m4s\n",
			at.Format("2006-01-02T15:04:05.000Z"),
			segmentLength.Seconds(),
			n,
		)
	}
	return b.String()
}

// cameraSegment is the n-th piece since 1970. The two pieces of the film alternate, and each says
// when it is to be shown (its box "tfdt", ISO/IEC 14496-12).
func cameraSegment(n int64) []byte {
	film, err := cameraFiles.ReadFile(fmt.Sprintf("camera/orchard%d.m4s", n%2))
	if err != nil {
		panic(err) // the files are part of the program
	}
	piece := bytes.Clone(film)
	// The box has its name, a version and flags, and then the time in 64 bits.
	at := bytes.Index(piece, []byte("tfdt")) + 8
	binary.BigEndian.PutUint64(piece[at:], uint64(n)*uint64(segmentLength.Seconds())*cameraTimescale)
	return piece
}
