package console_test

import (
	"encoding/json"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"tilth/internal/domain/device"
	"tilth/internal/domain/identity"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/selfservice"
	"tilth/internal/domain/tenant"
	"tilth/internal/tools/testkit"
)

const (
	addPath   = "/admin-api/client/pc/device/"
	claimCode = "7K3Q-9DMX-2B4F-7"
)

// allowAdding lets the owners of both tenants add three stations and claim devices.
func (w *fixture) allowAdding(t *testing.T) {
	t.Helper()
	for _, of := range []*testkit.Tenant{w.field, w.rival} {
		owner, err := w.Tenants.Get(t.Context(), of.ID)
		if err != nil {
			t.Fatal(err)
		}
		owner.SelfService = tenant.SelfService{Devices: 3, Products: []string{w.station.Name}, Claims: true}
		if err := w.Tenants.Put(t.Context(), owner); err != nil {
			t.Fatal(err)
		}
	}
}

// shelve puts a station on the shelf that anybody may claim.
func (w *fixture) shelve(t *testing.T, name, code string) {
	t.Helper()
	parsed, _, _ := selfservice.ParseCode(code)
	hash := selfservice.HashCode(testkit.SecretKey, parsed)
	item := &selfservice.ShelfItem{DeviceName: name, Serial: "S-2001", ProductID: w.station.ID, CodeHash: hash[:]}
	if err := w.Shelf.Put(t.Context(), item); err != nil {
		t.Fatal(err)
	}
}

// addDevice adds a station of the field and gives its name and secret.
func (w *fixture) addDevice(t *testing.T, name string) (deviceName, secret string) {
	t.Helper()
	var made struct{ DeviceName, Secret string }
	w.decode(t, w.adaCall(http.MethodPost, addPath+"create", body{"noteName": name, "productId": w.station.ID}), &made)
	return made.DeviceName, made.Secret
}

// decode makes a call that must succeed and decodes its data.
func (w *fixture) decode(t *testing.T, call testkit.Call, data any) {
	t.Helper()
	if err := json.Unmarshal(testkit.Ask[json.RawMessage](t, w.Contract, call), data); err != nil {
		t.Fatal(err)
	}
}

func TestAddAndDeleteDevice(t *testing.T) {
	w := newServer(t)
	offerCall := testkit.Call{Path: addPath + "offer", Token: w.ada}
	var offer struct {
		Used, Most int
		Claims     bool
		Products   []struct {
			ProductID  int64
			Name       string
			Properties []string
		}
	}
	w.decode(t, offerCall, &offer)
	if offer.Most != 0 || offer.Claims || len(offer.Products) != 0 {
		t.Errorf("without an offer: %+v", offer)
	}
	w.allowAdding(t)
	name, secret := w.addDevice(t, "Lower field")
	w.decode(t, offerCall, &offer)
	if offer.Used != 1 || offer.Most != 3 || !offer.Claims || offer.Products[0].Name != "weather-station" ||
		len(offer.Products[0].Properties) != 5 {
		t.Errorf("%+v", offer)
	}
	if _, _, ok := w.Registry.Authenticate(name, secret); !ok {
		t.Error("the device cannot sign in")
	}
	again := w.Do(
		t,
		w.adaCall(http.MethodPost, addPath+"create", body{"noteName": "Lower field", "productId": w.station.ID}),
	)
	if again.Code != 601 || string(again.Data) != `{"deviceName":"`+name+`"}` ||
		again.Msg != "Remark name: another device has this name already. Choose another one" {
		t.Errorf("the same name: %+v %s", again, again.Data)
	}
	var page struct {
		List []struct {
			DeviceName string
			Removable  bool
		}
	}
	w.decode(t, testkit.Call{Path: addPath + "page?pageNo=1&pageSize=10", Token: w.ada}, &page)
	for _, d := range page.List {
		if d.Removable != (d.DeviceName == name) {
			t.Errorf("%s is removable: %t", d.DeviceName, d.Removable)
		}
	}
	remove := func(name string) testkit.Call {
		return testkit.Call{Method: http.MethodDelete, Path: addPath + "delete?deviceName=" + name, Token: w.ada}
	}
	if fromFile := w.Do(t, remove("WS-1")); fromFile.Code != 601 {
		t.Errorf("the provider's device: %+v", fromFile)
	}
	w.decode(t, remove(name), new(bool))
	if gone := w.Do(t, remove(name)); gone.Code != 404 {
		t.Errorf("again: %+v", gone)
	}
}

func TestClaimAndImport(t *testing.T) {
	w := newServer(t)
	w.allowAdding(t)
	w.shelve(t, "SP-2001", claimCode)
	type claimText struct{ Kind, Code, DevEui, Vendor, Model, OwnerToken, Serial, Proprietary string }
	read := func(text string) (kind claimText) {
		w.decode(t, w.adaCall(http.MethodPost, addPath+"claim/read", body{"text": text}), &kind)
		return kind
	}
	if got := read("7k3q 9dmx 2b4f 7"); got.Kind != "code" || got.Code != claimCode {
		t.Errorf("%+v", got)
	}
	if got := read("hello"); got.Kind != "unknown" {
		t.Errorf("%+v", got)
	}
	label := read("LW:D0:42FFFFFFFFFFFFFF:4242FFFFFFFFFFFF:42FFFF42:CCHECKSUM:O0102:SSERIAL:PPROPRIETARY")
	if label.Kind != "lorawan" || label.DevEui != "4242FFFFFFFFFFFF" || label.Vendor != "42FF" ||
		label.Model != "FF42" ||
		label.OwnerToken != "0102" ||
		label.Serial != "SERIAL" ||
		label.Proprietary != "PROPRIETARY" {
		t.Errorf("%+v", label)
	}
	claim := func(text string) testkit.Call {
		return w.adaCall(http.MethodPost, addPath+"claim", body{"text": text, "noteName": "Claimed"})
	}
	if wrong := w.Do(t, claim("7K3Q-9DMX-2B4F-8")); wrong.Code != 601 || !strings.Contains(wrong.Msg, "mistyped") {
		t.Errorf("%+v", wrong)
	}
	var made struct {
		DeviceName string
		Secret     *string
	}
	w.decode(t, claim(claimCode), &made)
	if made.DeviceName != "SP-2001" || made.Secret == nil {
		t.Errorf("%+v", made)
	}
	if again := w.Do(t, claim(claimCode)); again.Code != 601 {
		t.Errorf("again: %+v", again)
	}

	table := "noteName,product\nA,weather-station\nB,nothing\n"
	wrong := w.Do(t, w.adaCall(http.MethodPost, addPath+"import", body{"csv": table, "dryRun": false}))
	var result struct {
		Created []struct {
			Line                         int
			NoteName, DeviceName, Secret string
		}
		Errors []struct {
			Line        int
			Column, Msg string
		}
	}
	if err := json.Unmarshal(wrong.Data, &result); err != nil || wrong.Code != 601 || len(result.Errors) != 1 ||
		result.Errors[0].Line != 3 || result.Errors[0].Column != "product" || len(result.Created) != 0 {
		t.Fatalf("%+v %+v (%v)", wrong, result, err)
	}
	table = strings.Replace(table, "nothing", "weather-station", 1)
	w.decode(t, w.adaCall(http.MethodPost, addPath+"import", body{"csv": table, "dryRun": true}), &result)
	if len(result.Created) != 2 || result.Created[0].DeviceName != "" || w.Registry.Count(w.field.ID) != 4 {
		t.Errorf("dry: %+v", result)
	}
	w.decode(t, w.adaCall(http.MethodPost, addPath+"import", body{"csv": table, "dryRun": false}), &result)
	if len(result.Created) != 2 || result.Created[1].Secret == "" || w.Registry.Count(w.field.ID) != 6 {
		t.Errorf("%+v", result)
	}
}

func TestFirstReading(t *testing.T) {
	w := newServer(t)
	w.allowAdding(t)
	name, _ := w.addDevice(t, "Lower field")
	type state struct {
		State   string
		Reading *struct {
			Time   int64
			Values map[string]any
		}
		Hints []struct{ Kind, Address, Identifier, Reason, DidYouMean, Path string }
	}
	call := testkit.Call{Path: addPath + "get/first-reading?deviceName=" + name, Token: w.ada}
	var waiting state
	w.decode(t, call, &waiting)
	if waiting.State != "waiting" || waiting.Reading != nil || len(waiting.Hints) != 0 {
		t.Errorf("%+v", waiting)
	}
	d, err := w.Devices.Get(t.Context(), w.field.ID, name)
	if err != nil {
		t.Fatal(err)
	}
	base := w.Serve(t)
	owner := w.Listen(t, base, testkit.Call{Path: livePath, Token: w.ada})
	owner.Next(t) // its position
	viewer := w.Listen(t, base, testkit.Call{Path: livePath, Token: w.bora})
	viewer.Next(t)
	w.field.Bora.Role = identity.Viewer // also of a stream that is open already
	if err := w.Users.Update(t.Context(), w.field.ID, w.field.Bora); err != nil {
		t.Fatal(err)
	}
	if refused := w.Do(t, testkit.Call{Path: call.Path, Token: w.bora}); refused.Code != 403 {
		t.Errorf("a viewer: %+v", refused)
	}
	w.Hints.NoteWrongSecret(testkit.Ref(d), netip.MustParseAddr("127.0.0.1"))
	w.Hints.NoteRefusals(testkit.Ref(d), []device.Refusal{
		{Time: w.Clock.Milli(), Identifier: "airtemp", Reason: device.ReasonUnknown},
	})
	w.decode(t, call, &waiting)
	if len(waiting.Hints) != 2 || waiting.Hints[0].Kind != "refused" || waiting.Hints[0].Identifier != "airtemp" ||
		waiting.Hints[1].Address != "127.0.0.x" {
		t.Errorf("%+v", waiting.Hints)
	}
	const wantEvent = `","address":"127.0.0.x","kind":"wrongSecret","time":`
	if e := nextNamed(t, owner, "hint"); !strings.HasPrefix(e.Data, `{"deviceName":"`+name+wantEvent) {
		t.Errorf("%s", e.Data)
	}
	// The viewer gets what follows the hints, and no hint.
	w.hub.Publish(w.field.ID, "notice", []byte("{}"))
	for e := viewer.Next(t); e.Name != "notice"; e = viewer.Next(t) {
		if e.Name == "hint" {
			t.Errorf("a viewer gets %s", e.Data)
		}
	}
	w.Hints.NoteFault(testkit.Ref(d), device.FaultMQTT31, netip.MustParseAddr("127.0.0.1"))
	w.Hints.NotePath(testkit.Ref(d), "/api/v1/SECRET/ecowitt", netip.MustParseAddr("127.0.0.1"))
	w.decode(t, call, &waiting)
	if got := waiting.Hints; got[0].Kind != "wrongPath" || got[0].Path != "/api/v1/SECRET/ecowitt" ||
		got[0].Address != "127.0.0.x" || got[1].Kind != "wrongProtocol" || got[1].Reason != "mqtt31" {
		t.Errorf("%+v", got)
	}
	w.measure(t, d, w.Clock.Now(), map[string]reading.Value{"airTemperature": reading.Number(3.4)})
	var received state
	w.decode(t, call, &received)
	if received.State != "received" || received.Reading == nil || received.Reading.Values["airTemperature"] != 3.4 {
		t.Errorf("%+v", received)
	}
}

// nextNamed waits for the next event of a name.
func nextNamed(t *testing.T, s *testkit.Stream, name string) testkit.Event {
	t.Helper()
	for {
		if e := s.Next(t); e.Name == name {
			return e
		}
	}
}
