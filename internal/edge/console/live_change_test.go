package console_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/uptrace/bun"

	"tilth/internal/domain/device"
	"tilth/internal/tools/testkit"
)

// changeEvent returns an event that reports changes.
func changeEvent(seq int, of string) testkit.Event {
	return testkit.Event{ID: fmt.Sprint("e-", seq), Name: "change", Data: `{"of":[` + of + `]}`}
}

// The screens of a tenant get an event for each kind of thing that a call changes; another tenant's
// screens get none.
func TestLiveChange(t *testing.T) {
	w := newServer(t)
	base := w.Serve(t)
	bora, rival := w.Listen(t, base, w.liveCall(w.bora, "")), w.Listen(t, base, w.liveCall(w.rivalToken, ""))
	expectEvents(t, bora, testkit.Event{ID: "e-0"})
	expectEvents(t, rival, testkit.Event{ID: "e-0"})
	channel := nightShiftForm(nil)
	for i, c := range []struct {
		call testkit.Call
		of   string
	}{
		{testkit.Call{Method: http.MethodPut, Path: editPath, Body: `{"deviceName":"WS-1","noteName":"Tall mast"}`}, `"device"`},
		{testkit.Call{Method: http.MethodPost, Path: scenePath + "create", Body: `{"groupName":"South","groupStatus":1}`}, `"scene"`},
		{w.adaCall(http.MethodPost, channelsPath+"create", channel), `"channel"`},
		{w.createRuleCall(frostForm("WS-1", nil)), `"rule"`},
	} {
		c.call.Token = w.ada
		if a := w.Do(t, c.call); a.Code != 200 {
			t.Fatalf("%s: %s", c.call.Path, a.Body)
		}
		expectEvents(t, bora, changeEvent(i+1, c.of))
	}
	// A refused call reports no change. Then many changes at once make one event.
	a := w.Do(t, w.adaCall(http.MethodPost, channelsPath+"create", nightShiftForm(body{"noticeName": ""})))
	if a.Code == 200 {
		t.Fatalf("%s", a.Body)
	}
	if err := w.DB.Tx(t.Context(), func(ctx context.Context, _ bun.IDB) error {
		for i := range 20 {
			d := &device.Device{Name: fmt.Sprint("NEW-", i), ProductID: w.station.ID}
			if err := w.Devices.Put(ctx, w.field.ID, d); err != nil {
				return err
			}
		}
		_, err := w.Scenes.Create(ctx, w.field.ID, "East", device.SceneUsable)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	expectEvents(t, bora, changeEvent(5, `"device","scene"`))
	if err := w.Devices.Delete(t.Context(), w.rival.ID, w.rivalDevice.ID); err != nil {
		t.Fatal(err)
	}
	expectEvents(t, rival, changeEvent(1, `"device"`))
	w.publishReadings(6, 6)
	expectEvents(t, bora, readingEvent(6))
}

// If a user reads messages, only that user's other screens get the event.
func TestLiveChangeOfMessages(t *testing.T) {
	w := newServer(t)
	base := w.Serve(t)
	streams := map[string]*testkit.Stream{}
	for name, token := range map[string]string{"ada": w.ada, "her phone": w.Session(t, w.field.Ada).Access, "bora": w.bora, "rival": w.rivalToken} {
		streams[name] = w.Listen(t, base, w.liveCall(token, ""))
		expectEvents(t, streams[name], testkit.Event{ID: "e-0"})
	}
	id := w.messages(t, w.ada, "").List[0].Id
	for i, path := range []string{fmt.Sprint(messagesPath, "update-read?ids=", id), messagesPath + "update-all-read"} {
		if a := w.Do(t, testkit.Call{Method: http.MethodPut, Path: path, Token: w.ada}); a.Code != 200 {
			t.Fatalf("%s", a.Body)
		}
		expectEvents(t, streams["ada"], changeEvent(i+1, `"message"`))
		expectEvents(t, streams["her phone"], changeEvent(i+1, `"message"`))
	}
	w.publishReadings(3, 3)
	expectEvents(t, streams["bora"], readingEvent(3))
	w.hub.Publish(w.rival.ID, "reading", []byte(`{"deviceName":"WS-1","time":1,"values":{"rain":1}}`))
	if got := streams["rival"].Next(t); got.ID != "e-1" || got.Name != "reading" {
		t.Errorf("%+v", got)
	}
}

// The tenants that have devices of a product learn that it has changed.
func TestLiveChangeOfTheCatalogue(t *testing.T) {
	w := newServer(t)
	pump := &device.Product{Name: "Pump", OfflineAfter: testkit.OfflineAfter}
	if err := w.Catalog.PutProduct(t.Context(), pump); err != nil {
		t.Fatal(err)
	}
	base := w.Serve(t)
	ada, rival := w.Listen(t, base, w.liveCall(w.ada, "")), w.Listen(t, base, w.liveCall(w.rivalToken, ""))
	for _, s := range []*testkit.Stream{ada, rival} {
		if first := s.Next(t); first.ID == "" {
			t.Fatalf("%+v", first)
		}
	}
	w.Device(t, w.rival.ID, pump, marker+"-2")
	if e := rival.Next(t); e.Name != "change" { // for the device
		t.Fatalf("%+v", e)
	}
	pump.OfflineAfter *= 2
	if err := w.Catalog.PutProduct(t.Context(), pump); err != nil {
		t.Fatal(err)
	}
	if err := w.Devices.LoadRegistry(t.Context(), w.Catalog, w.Registry); err != nil {
		t.Fatal(err)
	}
	if e := rival.Next(t); e.Name != "change" || e.Data != `{"of":["device"]}` {
		t.Errorf("%+v", e)
	}
	w.publishReadings(1, 1)
	if e := ada.Next(t); e.Name != "reading" {
		t.Errorf("%+v", e)
	}
}
