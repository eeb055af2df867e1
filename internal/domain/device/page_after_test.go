package device_test

import (
	"fmt"
	"strings"
	"testing"

	"tilth/internal/domain/device"
)

func TestPageAfter(t *testing.T) {
	s, field, ids := newSearchFixture(t)
	for _, c := range []struct {
		q     device.Query
		after string
		limit int
		want  string
		next  string
	}{
		{device.Query{}, "", 10, "D4 d1 d2 d3 d5 d6", ""}, // in byte order of the device names, not of the titles
		{device.Query{}, "", 6, "D4 d1 d2 d3 d5 d6", ""},
		{device.Query{}, "", 5, "D4 d1 d2 d3 d5", "d5"},
		{device.Query{}, "d1", 2, "d2 d3", "d3"},
		{device.Query{}, "d1x", 2, "d2 d3", "d3"}, // no device has this name
		{device.Query{}, "d6", 2, "", ""},
		{device.Query{}, "z", 2, "", ""},
		{device.Query{Search: "APPLE"}, "", 10, "d3 d5", ""},
		{device.Query{Search: "apple"}, "d3", 1, "d5", ""},
		{device.Query{Scene: new(ids["barn"])}, "", 1, "d1", "d1"},
		{device.Query{Online: new(true)}, "", 10, "", ""},
		{device.Query{Sort: device.SortTitle, Descending: true, Offset: 3, Limit: 1}, "", 2, "D4 d1", "d1"},
	} {
		list, next, err := s.Roster.PageAfter(t.Context(), field.ID, c.q, c.after, c.limit)
		if err != nil || deviceNames(list) != c.want || next != c.next {
			t.Errorf("%+v after %q, %d: %q then %q (%v), want %q then %q", c.q, c.after, c.limit, deviceNames(list),
				next, err, c.want, c.next)
		}
	}
}

// With more devices than one call sorts, each comes once and in order.
func TestPageAfterVisitsEachDeviceOnce(t *testing.T) {
	s, field, ids := newSearchFixture(t)
	var made []*device.Device
	for i := range 300 {
		made = append(made, &device.Device{Name: fmt.Sprintf("m%03d", i*7%300), Serial: "M", ProductID: ids["station"]})
	}
	s.PutDevices(t, field.ID, made...)
	var seen []string
	for next := "\x00"; next != ""; {
		after := strings.TrimPrefix(next, "\x00")
		list, more, err := s.Roster.PageAfter(t.Context(), field.ID, device.Query{Search: "m"}, after, 17)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range list {
			if d.Tenant == field.ID && strings.HasPrefix(d.Name, "m") {
				seen = append(seen, d.Name)
			}
		}
		next = more
	}
	for i, name := range seen {
		if want := fmt.Sprintf("m%03d", i); name != want {
			t.Fatalf("%d: %s, want %s", i, name, want)
		}
	}
	if len(seen) != 300 {
		t.Errorf("%d devices", len(seen))
	}
}
