package console_test

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/identity"
	"tilth/internal/domain/reading"
	"tilth/internal/tools/testkit"
)

const (
	swapPath   = addPath + "swap"
	eventsPath = addPath + "get/events"
)

type deviceEvent struct {
	Time                                 int64
	Kind, By, Note, Serial, FormerSerial string
}

func (w *fixture) swapCall(token, fields string) testkit.Call {
	return testkit.Call{Method: http.MethodPost, Path: swapPath, Token: token, Body: "{" + fields + "}"}
}

func (w *fixture) events(t *testing.T, query string) (list []deviceEvent) {
	t.Helper()
	w.decode(t, testkit.Call{Path: eventsPath + "?deviceName=WS-1" + query, Token: w.bora}, &list)
	return list
}

// A swap answers a secret once; events tell of it, to viewers as well.
func TestSwapDevice(t *testing.T) {
	w := newServer(t)
	if list := w.events(t, ""); list == nil || len(list) != 0 {
		t.Errorf("before the first swap: %+v", list)
	}
	base := w.Serve(t)
	screen := w.Listen(t, base, testkit.Call{Path: livePath, Token: w.bora})
	screen.Next(t) // its position
	w.Clock.Advance(time.Minute)
	first := w.Clock.Milli()
	var made struct{ Secret string }
	w.decode(t, w.swapCall(w.ada, `"deviceName":"WS-1","serial":"S-2","note":"hail","short":true`), &made)
	if _, _, ok := w.Registry.Authenticate("WS-1", made.Secret); !ok || len(made.Secret) != 20 {
		t.Errorf("the secret %q", made.Secret)
	}
	if e := nextNamed(t, screen, "change"); !strings.Contains(e.Data, `"device"`) {
		t.Errorf("the live event %s", e.Data)
	}
	w.Clock.Advance(time.Minute)
	w.decode(t, w.swapCall(w.ada, `"deviceName":" WS-1 "`), &made)
	second := deviceEvent{Time: first + 60_000, Kind: "swap", By: w.field.Ada.Nickname, FormerSerial: "S-2"}
	whole := []deviceEvent{second, {
		Time: first, Kind: "swap", By: w.field.Ada.Nickname, Note: "hail", Serial: "S-2", FormerSerial: "SN-WS-1",
	}}
	w.field.Bora.Role = identity.Viewer
	if err := w.Users.Update(t.Context(), w.field.ID, w.field.Bora); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string][]deviceEvent{
		"": whole,
		fmt.Sprint("&startTime=", first, "&endTime=", first+60_000): whole,
		fmt.Sprint("&startTime=", first+1):                          whole[:1],
		fmt.Sprint("&endTime=", first+59_999):                       whole[1:],
		"&startTime=9&endTime=3":                                    {},
	} {
		if got := w.events(t, query); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %+v, want %+v", query, got, want)
		}
	}
	w.Run(t, []testkit.Scenario{
		{Name: "a viewer", Call: w.swapCall(w.bora, `"deviceName":"WS-1"`), Code: 403},
		{Name: "a viewer, an unknown device", Call: w.swapCall(w.bora, `"deviceName":"none"`), Code: 403},
		{Name: "an unknown device", Call: w.swapCall(w.ada, `"deviceName":"none"`), Code: 404},
		{Name: "another tenant's device", Call: w.swapCall(w.ada, `"deviceName":"`+rivalDeviceName+`"`), Code: 404},
		{Name: "no device", Call: w.swapCall(w.ada, ``), Code: 601, Contains: []string{"Device name: required"}},
		{Name: "NUL", Call: w.swapCall(w.ada, `"deviceName":"WS-1","note":"a\u0000"`), Code: 601},
		{
			Name: "a long note", Code: 601, Contains: []string{"Note: at most 200"},
			Call: w.swapCall(w.ada, `"deviceName":"WS-1","note":"`+strings.Repeat("x", 201)+`"`),
		},
		{
			Name: "another device's serial", Code: 601, Contains: []string{`"data":{"deviceName":"WS-2"}`},
			Call: w.swapCall(w.ada, `"deviceName":"WS-1","serial":"SN-WS-2"`),
		},
		{Name: "events of an unknown device", Call: w.get(eventsPath + "?deviceName=none"), Code: 404},
		{Name: "of another tenant's", Call: w.get(eventsPath + "?deviceName=" + rivalDeviceName), Code: 404},
	})
	if strings.Contains(w.Log.Text(), made.Secret) {
		t.Error("the secret is in the log")
	}
}

// After a swap the first reading of the new box is waited for, and the old box's hints are gone.
func TestFirstReadingAfterSwap(t *testing.T) {
	w := newServer(t)
	d, err := w.Devices.Get(t.Context(), w.field.ID, "WS-1")
	if err != nil {
		t.Fatal(err)
	}
	state := func() string {
		t.Helper()
		var first struct {
			State   string
			Reading *struct{ Time int64 }
			Hints   []struct{ Kind string }
		}
		w.decode(t, testkit.Call{Path: addPath + "get/first-reading?deviceName=WS-1", Token: w.ada}, &first)
		return fmt.Sprint(first.State, " ", first.Reading != nil, " ", len(first.Hints))
	}
	temperature := map[string]reading.Value{"airTemperature": reading.Number(3.4)}
	w.measure(t, d, w.Clock.Now(), temperature)
	w.Hints.NoteWrongSecret(testkit.Ref(d), netip.MustParseAddr("127.0.0.1"))
	if got := state(); got != "received true 1" {
		t.Errorf("before: %s", got)
	}
	w.Clock.Advance(time.Minute)
	w.decode(t, w.swapCall(w.ada, `"deviceName":"WS-1"`), new(struct{}))
	if got := state(); got != "waiting false 0" {
		t.Errorf("after the swap: %s", got)
	}
	w.Clock.Advance(time.Minute)
	w.measure(t, d, w.Clock.Now(), temperature)
	if got := state(); got != "received true 0" {
		t.Errorf("after its first reading: %s", got)
	}
}
