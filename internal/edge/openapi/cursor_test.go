package openapi_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"tilth/internal/domain/alarm"
	"tilth/internal/edge/openapi/wire"
	"tilth/internal/tools/testkit"
)

// listCursors returns a cursor for each list, by the path of its query.
func listCursors(t *testing.T, w *fixture, as *key) map[string]string {
	t.Helper()
	of := map[string]string{}
	for _, path := range []string{"/devices?limit=1", "/notices?limit=1"} {
		list := ask[struct{ NextCursor *string }](t, w, call{path: path, as: as})
		if list.NextCursor == nil {
			t.Fatalf("%s has no cursor", path)
		}
		of[path] = *list.NextCursor
	}
	return of
}

// A cursor is valid only for the query that it came from.
func TestForeignAndDamagedCursors(t *testing.T) {
	w, day := newFixtureWithHistory(t)
	w.Notice(t, testkit.Notice{Device: w.ws1, Level: alarm.LevelGeneral, Start: 1, CreateTime: 1})
	w.Notice(t, testkit.Notice{Device: w.rivalDevice, Level: alarm.LevelGeneral, Start: 1, CreateTime: 1})
	w.Device(t, w.rival.ID, w.station, marker+"-2")
	mine, theirs := listCursors(t, w, nil), listCursors(t, w, &w.rivalKey)
	history := historyPath(day, "limit", "1")
	mine[history] = *ask[wire.History](t, w, call{path: history}).NextCursor
	devices := mine["/devices?limit=1"]
	raw := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	decoded, err := base64.RawURLEncoding.DecodeString(devices)
	if err != nil {
		t.Fatal(err)
	}
	for name, given := range map[string]string{
		"of notices":        mine["/notices?limit=1"],
		"of history":        mine[history],
		"of another tenant": theirs["/devices?limit=1"],
		"cut off":           devices[:len(devices)-3],
		"longer":            devices + "AAAA",
		"padded":            devices + "==",
		"two cursors":       raw(string(decoded) + string(decoded)),
		"an unknown field":  raw(strings.Replace(string(decoded), "{", `{"x":1,`, 1)),
		"no JSON":           raw("CAM-1"),
		"null":              raw("null"),
		"empty object":      raw("{}"),
		"another type":      raw(`{"b":1}`),
		"no base64":         "%%%%",
		"SQL":               "' OR 1=1 --",
		"one bit changed":   string(devices[0]^1) + devices[1:],
		"not UTF-8":         "\xff\xfe",
	} {
		p := w.mustRefuse(t, call{path: query("/devices", "limit", "1", "cursor", given)}, http.StatusBadRequest)
		if p.Code != "invalid" || p.Parameter != "cursor" {
			t.Errorf("%s: %+v", name, p)
		}
	}
	tooLong := call{path: query("/devices", "cursor", strings.Repeat("A", 513))}
	if p := w.mustRefuse(t, tooLong, http.StatusBadRequest); p.Parameter != "cursor" {
		t.Errorf("%+v", p)
	}
	for path, given := range map[string]string{
		"/devices?search=ws": devices, "/devices?online=true": devices, "/devices?scene=North": devices,
		"/notices?status=open": mine["/notices?limit=1"], "/notices?from=0": mine["/notices?limit=1"],
		historyPath(day, "properties", "rain"):               mine[history],
		historyPath(day.AddDate(0, 0, 1)):                    mine[history],
		strings.Replace(historyPath(day), "WS-1", "WS-2", 1): mine[history],
	} {
		p := w.mustRefuse(t, call{path: path + "&" + query("", "cursor", given)[1:]}, http.StatusBadRequest)
		if p.Parameter != "cursor" {
			t.Errorf("%s accepts the cursor of other parameters: %+v", path, p)
		}
	}
	// Parameters that may differ may differ, and the order of a cursor's fields does not matter.
	for path, given := range mine {
		path = strings.Replace(path, "limit=1", "limit=3", 1)
		ask[struct{}](t, w, call{path: path + "&" + query("", "cursor", given)[1:]})
	}
}

// A well-formed cursor that somebody forged gives no access: whatever position it names, a program
// sees only its own tenant.
func TestForgedCursorStaysInTenant(t *testing.T) {
	w := newFixture(t)
	queryHash := func(path string) string {
		w.Device(t, w.field.ID, w.station, "z-"+path[1:])
		w.Notice(t, testkit.Notice{Device: w.ws1, Start: 1, CreateTime: 1})
		b, err := base64.RawURLEncoding.DecodeString(
			*ask[struct{ NextCursor *string }](t, w, call{path: path + "?limit=1"}).NextCursor,
		)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(b), `"b":"`)
		id, _, _ := strings.Cut(rest, `"`)
		return id
	}
	for path, place := range map[string]string{
		"/devices": `"n":"` + marker[:3] + `"`, "/notices": fmt.Sprintf(`"t":%d,"i":%d`, w.Clock.Milli()+1, w.rivalNotice+1),
	} {
		made := base64.RawURLEncoding.EncodeToString([]byte(`{"b":"` + queryHash(path) + `",` + place + `}`))
		a := w.do(t, call{path: query(path, "cursor", made)})
		if a.status != http.StatusOK || strings.Contains(string(a.body), marker) {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
}

// Paging works with the longest names: no name makes a cursor longer than the limit.
func TestCursorWithLongestNames(t *testing.T) {
	w := newFixture(t)
	names := []string{
		strings.Repeat("&", 64),
		strings.Repeat("<", 64),
		strings.Repeat(`"`, 64),
		strings.Repeat("🌾", 64),
	}
	for _, name := range names {
		w.Device(t, w.field.ID, w.station, name)
	}
	met, path := map[string]bool{}, "/devices?limit=1"
	for path != "" {
		list := ask[wire.DeviceList](t, w, call{path: path})
		path = ""
		for _, d := range list.Items {
			met[d.DeviceName] = true
		}
		if list.NextCursor != nil {
			path = query("/devices", "limit", "1", "cursor", *list.NextCursor)
		}
	}
	for _, name := range names {
		if !met[name] {
			t.Errorf("no page has %s", name)
		}
	}
}
