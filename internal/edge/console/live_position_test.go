package console_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/edge/console"
	"tilth/internal/tools/testkit"
)

const positionHeader = "Live-Position"

func (w *fixture) livePosition(t *testing.T, call testkit.Call) string {
	t.Helper()
	a := w.Do(t, call)
	if len(a.Header.Values(positionHeader)) > 1 {
		t.Errorf("%v", a.Header.Values(positionHeader))
	}
	return a.Header.Get(positionHeader)
}

// An answer has the position of the caller's stream; a stream that is opened from there brings
// exactly the events after it.
func TestLivePosition(t *testing.T) {
	w := newServer(t)
	base := w.Serve(t)
	w.publishReadings(1, 3)
	position := w.livePosition(t, testkit.Call{Path: overviewPath, Token: w.ada})
	if position != "e-3" {
		t.Fatalf("%q", position)
	}
	w.publishReadings(4, 6) // no screen is open yet
	s := w.Listen(t, base, w.liveCall(w.ada, position))
	expectEvents(t, s, readingEvent(4), readingEvent(5), readingEvent(6))
	w.publishReadings(7, 7)
	expectEvents(t, s, readingEvent(7))
	// Every call has the position, whatever it answers.
	for _, call := range []testkit.Call{
		{Path: userPath}, {Path: groupsPath}, {Path: pagePath + "?pageNo=1&pageSize=10"}, {Path: lastPath + "?deviceName=WS-1"},
		{Path: exportPath + "?deviceNames=WS-1&signs=airTemperature&startTime=0&endTime=1"},
		{Path: editPath, Method: http.MethodPut, Body: `{"deviceName":"WS-1","noteName":"Mast"}`},
	} {
		call.Token = w.ada
		a := w.Do(t, call)
		if got := a.Header.Get(positionHeader); (got == "e-7") != (a.Code == 200 || a.Code == 0) {
			t.Errorf("%s: %q with code %d", call.Path, got, a.Code)
		}
	}
}

// The position is always that of the caller's own tenant, whatever the call asks for; the position
// of another tenant shows nowhere.
func TestLivePositionIsTenantScoped(t *testing.T) {
	w := newServer(t)
	call := testkit.Call{
		Path:   overviewPath,
		Token:  w.rivalToken,
		Header: map[string]string{"tenant-id": fmt.Sprint(w.field.ID)},
	}
	before := w.livePosition(t, call)
	w.publishReadings(1, 5)
	if got := w.livePosition(t, testkit.Call{Path: overviewPath, Token: w.ada}); got != "e-5" {
		t.Errorf("the field's position is %q", got)
	}
	if got := w.livePosition(t, call); got != before || got != "e-0" {
		t.Errorf("the rival's position moves from %q to %q with the field's", before, got)
	}
	if got := w.livePosition(t, testkit.Call{Path: lastPath + "?deviceName=WS-1", Token: w.rivalToken}); got != "" &&
		got != "e-0" {
		t.Errorf("%q", got)
	}
}

// Callers without a session, and refused calls, get no position.
func TestLivePositionOnlyOnSuccess(t *testing.T) {
	w := newServer(t)
	for _, call := range []testkit.Call{
		{Path: overviewPath}, {Path: overviewPath, Token: "nobody's"}, {Path: byHostPath + "?website=example.org"}, {Path: settingsPath},
		{Path: lastPath + "?deviceName=NOPE", Token: w.ada}, {Path: pagePath + "?pageNo=0", Token: w.ada}, {Path: "/admin-api/no/such", Token: w.ada},
	} {
		if got := w.livePosition(t, call); got != "" {
			t.Errorf("%s: %q", call.Path, got)
		}
	}
	if w.hub.Watched(w.rival.ID) {
		t.Error("the rival's events are kept although no screen needs them")
	}
}

// eventOnRead is a readings store that gets a reading just while a call reads it.
type eventOnRead struct {
	console.Readings
	onRead func()
}

func (r eventOnRead) Newest(ctx context.Context, t tenant.ID, d device.ID) []reading.Newest {
	defer r.onRead()
	return r.Readings.Newest(ctx, t, d)
}

// An answer may lack what happens while a call reads its data; so its position is the one from
// before the call reads.
func TestLivePositionIsTakenBeforeReading(t *testing.T) {
	var w *fixture
	n := 0
	w = newServer(t, func(o *console.Options) {
		o.Readings = eventOnRead{o.Stores.Readings, func() { n++; w.publishReadings(n, n) }}
	})
	base := w.Serve(t)
	call := testkit.Call{Path: lastPath + "?deviceName=WS-1", Token: w.ada}
	if got := w.livePosition(t, call); got != "e-0" || n == 0 {
		t.Fatalf("%q after %d events", got, n)
	}
	s := w.Listen(t, base, w.liveCall(w.ada, "e-0"))
	for i := 1; i <= n; i++ {
		expectEvents(t, s, readingEvent(i))
	}
}
