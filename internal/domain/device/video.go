package device

import (
	"context"
	"encoding/json"
	"net/url"
	"path"
	"slices"
	"strings"

	"tilth/internal/domain/tenant"
)

// VideoKind says how a camera's picture is shown.
type VideoKind string

// The kinds of video.
const (
	VideoNone  VideoKind = "none"
	VideoEmbed VideoKind = "embed" // a snippet of HTML, never to be trusted
	VideoHLS   VideoKind = "hls"   // the address of a playlist
	VideoFile  VideoKind = "file"  // the address of an MP4 or WebM file
)

// Video is what a camera shows.
type Video struct {
	Kind   VideoKind
	Source string // a snippet or an address; empty for none
}

// Video gives what a camera of product p shows: the device's own elementData for p's first
// property, else that property's elementData. A device that is no camera shows nothing, and neither
// does a camera whose address a page must not load.
func (d *Device) Video(p *Product) Video {
	if !d.IsVideo() || p == nil || len(p.Properties) == 0 {
		return Video{Kind: VideoNone}
	}
	first := &p.Properties[0]
	source := first.ElementData
	if own, ok := d.ElementData[first.Identifier]; ok {
		source = own
	}
	return parseVideo(strings.TrimSpace(source))
}

func parseVideo(source string) Video {
	if strings.HasPrefix(source, "<") {
		return Video{Kind: VideoEmbed, Source: source}
	}
	if !tenant.Loadable(source) {
		return Video{Kind: VideoNone}
	}
	u, err := url.Parse(source)
	if err != nil {
		return Video{Kind: VideoNone}
	}
	switch strings.ToLower(path.Ext(u.Path)) {
	case ".m3u8":
		return Video{Kind: VideoHLS, Source: source}
	case ".mp4", ".webm":
		return Video{Kind: VideoFile, Source: source}
	}
	return Video{Kind: VideoNone}
}

// Streams gives the addresses that a tenant's cameras are played from, sorted, each once, without
// snippets.
func (s *Store) Streams(ctx context.Context, t tenant.ID, c *Catalog) ([]string, error) {
	var rows []deviceRow
	err := s.db.Read(ctx).NewSelect().Model(&rows).Column("product_id", "element_data").
		Where("d.tenant_id = ? AND d.video = ?", t, true).Scan(ctx)
	if err != nil {
		return nil, wrap("list streams", err)
	}
	var streams []string
	for _, r := range rows {
		camera := Device{Serial: videoSerial}
		if err := json.Unmarshal([]byte(r.ElementData), &camera.ElementData); err != nil {
			return nil, wrap("list streams", err)
		}
		if v := camera.Video(c.Product(r.ProductID)); v.Kind == VideoHLS || v.Kind == VideoFile {
			streams = append(streams, v.Source)
		}
	}
	slices.Sort(streams)
	return slices.Compact(streams), nil
}
