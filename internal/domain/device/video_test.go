package device_test

import (
	"reflect"
	"strings"
	"testing"

	"tilth/internal/domain/device"
	"tilth/internal/tools/testkit"
)

func TestVideo(t *testing.T) {
	p := &device.Product{
		Properties: []device.Property{
			{Identifier: "live", ElementData: "https://farm.example/all.m3u8"},
			{Identifier: "note", ElementData: "https://farm.example/note.mp4"},
		},
	}
	for own, want := range map[string]device.Video{
		"https://a.example/gate.m3u8":                 {Kind: device.VideoHLS, Source: "https://a.example/gate.m3u8"},
		"  http://a.example:81/x/GATE.M3U8?token=1 ":  {Kind: device.VideoHLS, Source: "http://a.example:81/x/GATE.M3U8?token=1"},
		"/streams/gate.m3u8":                          {Kind: device.VideoHLS, Source: "/streams/gate.m3u8"},
		"https://a.example/gate.mp4#t=5":              {Kind: device.VideoFile, Source: "https://a.example/gate.mp4#t=5"},
		"https://a.example/gate.webm":                 {Kind: device.VideoFile, Source: "https://a.example/gate.webm"},
		`<iframe src="https://a.example/p"></iframe>`: {Kind: device.VideoEmbed, Source: `<iframe src="https://a.example/p"></iframe>`},
		"\n <!doctype html><p>x":                      {Kind: device.VideoEmbed, Source: "<!doctype html><p>x"},

		"":                           {Kind: device.VideoNone},
		"javascript:alert(1)//.m3u8": {Kind: device.VideoNone},
		"JavaScript:alert(1)//<.mp4": {Kind: device.VideoNone},
		"data:text/html,<script>alert(1)</script>.mp4":            {Kind: device.VideoNone},
		"blob:https://a.example/x.mp4":                            {Kind: device.VideoNone},
		"file:///etc/x.mp4":                                       {Kind: device.VideoNone},
		"rtsp://a.example/gate.mp4":                               {Kind: device.VideoNone},
		"//evil.example/x.m3u8":                                   {Kind: device.VideoNone},
		`\\evil.example\x.m3u8`:                                   {Kind: device.VideoNone},
		"https://user:pass@a.example/x.m3u8":                      {Kind: device.VideoNone},
		"https://a.example/x.m3u8 https://b.example":              {Kind: device.VideoNone},
		"https://a.example/x.m3u8\r\nX: y":                        {Kind: device.VideoNone},
		"https://a.example/?file=x.m3u8":                          {Kind: device.VideoNone},
		"https://a.example/gate.html":                             {Kind: device.VideoNone},
		"gate camera <b>":                                         {Kind: device.VideoNone},
		"https://a.example/" + strings.Repeat("x", 2000) + ".mp4": {Kind: device.VideoNone},
	} {
		d := &device.Device{
			Serial:      "a-SXT-1",
			ElementData: map[string]string{"live": own, "note": "https://a.example/other.mp4"},
		}
		if got := d.Video(p); got != want {
			t.Errorf("%q: %+v, want %+v", own, got, want)
		}
	}
	camera := &device.Device{Serial: "SXT"}
	if got := camera.Video(p); got != (device.Video{Kind: device.VideoHLS, Source: "https://farm.example/all.m3u8"}) {
		t.Errorf("the product's elementData: %+v", got)
	}
	for what, got := range map[string]device.Video{
		"a sensor": (&device.Device{Serial: "sxt"}).Video(p), "no product": camera.Video(nil), "no properties": camera.Video(&device.Product{}),
	} {
		if got != (device.Video{Kind: device.VideoNone}) {
			t.Errorf("%s: %+v", what, got)
		}
	}
}

// Streams gives the addresses of the tenant's cameras, each once; snippets and sensors have none.
func TestStreams(t *testing.T) {
	s := testkit.NewStores(t)
	field, rival := s.Tenant(t, "field"), s.Tenant(t, "rival")
	p := &device.Product{Name: "camera", OfflineAfter: testkit.OfflineAfter, Properties: []device.Property{
		{Identifier: "live", DataType: device.Text, AccessMode: "r", ElementData: "https://all.example/a.m3u8"},
	}}
	if err := s.Catalog.PutProduct(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	s.Reload(t)
	camera := func(name, serial, own string) *device.Device {
		d := &device.Device{Name: name, Serial: serial, ProductID: p.ID}
		if own != "" {
			d.ElementData = map[string]string{"live": own}
		}
		return d
	}
	s.PutDevices(t, field.ID, camera("c1", "SXT-1", ""), camera("c2", "SXT-2", "https://gate.example/g.mp4"),
		camera("c3", "SXT-3", "https://gate.example/g.mp4"), camera("c4", "SXT-4", "<p>x"),
		camera("c5", "SXT-5", "javascript:x"), camera("s1", "A-1", "https://sensor.example/s.mp4"))
	s.PutDevices(t, rival.ID, camera("r1", "SXT-9", "https://rival.example/r.webm"))
	streams := func(want ...string) {
		t.Helper()
		got, err := s.Devices.Streams(t.Context(), field.ID, s.Catalog)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%v %v, want %v", got, err, want)
		}
	}
	streams("https://all.example/a.m3u8", "https://gate.example/g.mp4")
	// A change of the serial turns a sensor into a camera, and back.
	for name, serial := range map[string]string{"s1": "SXT-6", "c1": "A-2"} {
		d, err := s.Devices.Get(t.Context(), field.ID, name)
		if err != nil {
			t.Fatal(err)
		}
		d.Serial = serial
		if err := s.Devices.Put(t.Context(), field.ID, d); err != nil {
			t.Fatal(err)
		}
	}
	streams("https://gate.example/g.mp4", "https://sensor.example/s.mp4")
}
