package console_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"tilth/internal/domain/device"
	"tilth/internal/edge/console/wire"
	"tilth/internal/platform/text"
	"tilth/internal/tools/testkit"
	"tilth/internal/tools/testkit/pseudo"
)

// sceneCall returns a call of the field's ada that changes scenes.
func (w *fixture) sceneCall(method, name, body string) testkit.Call {
	return testkit.Call{Method: method, Path: scenePath + name, Body: body, Token: w.ada}
}

func (w *fixture) sceneList(t *testing.T, query string) string {
	t.Helper()
	page := testkit.Ask[wire.ScenePage](t, w.Contract, w.get(scenePath+"page"+query))
	var all []string
	for _, s := range page.List {
		all = append(all, fmt.Sprintf("%s %d: %d/%d", s.GroupName, s.GroupStatus, s.OnlineCount, s.DeviceCount))
	}
	return fmt.Sprintf("%s of %d", strings.Join(all, ", "), page.Total)
}

// A scene is made, listed, changed and deleted.
func TestScenes(t *testing.T) {
	w := newServer(t)
	made := testkit.Ask[int64](
		t,
		w.Contract,
		w.sceneCall(http.MethodPost, "create", `{"groupName":" Çayır ","groupStatus":2}`),
	)
	got := testkit.Ask[wire.Scene](t, w.Contract, w.get(fmt.Sprint(scenePath, "get?id=", made)))
	if got != (wire.Scene{Id: made, GroupName: "Çayır", GroupStatus: 2, CreateTime: w.Clock.Milli()}) {
		t.Errorf("%+v", got)
	}
	for query, want := range map[string]string{
		"": "North 1: 1/2, Çayır 2: 0/0 of 2", "?groupName=ÇAYIR": "Çayır 2: 0/0 of 1", "?groupName=%20ort": "North 1: 1/2 of 1", "?groupName=%25": " of 0",
		"?groupName=" + marker: " of 0", "?pageSize=1&pageNo=2": "Çayır 2: 0/0 of 2", "?pageSize=400&pageNo=46116860184273880": " of 2",
	} {
		if got := w.sceneList(t, query); got != want {
			t.Errorf("%q: %s, want %s", query, got, want)
		}
	}
	w.Run(t, []testkit.Scenario{
		{
			Name: "rename",
			Call: w.sceneCall(
				http.MethodPut,
				"update",
				fmt.Sprintf(`{"id":%d,"groupName":"çayır 2","groupStatus":1}`, made),
			),
			Contains: []string{`"data":true`},
		},
		{
			Name:     "renamed",
			Call:     w.get(fmt.Sprint(scenePath, "get?id=", made)),
			Contains: []string{`"groupName":"çayır 2"`, `"groupStatus":1`},
		},
		{
			Name:     "delete",
			Call:     w.sceneCall(http.MethodDelete, fmt.Sprint("delete?id=", w.north), ""),
			Contains: []string{`"data":true`},
		},
		{Name: "deleted", Call: w.get(fmt.Sprint(scenePath, "get?id=", w.north)), Code: 404},
		{Name: "delete again", Call: w.sceneCall(http.MethodDelete, fmt.Sprint("delete?id=", w.north), ""), Code: 404},
	})
	// Its devices have no scene now, on every screen at once.
	if got := w.sceneList(t, ""); got != "çayır 2 1: 0/0 of 1" {
		t.Error(got)
	}
	page := testkit.Ask[wire.DevicePage](t, w.Contract, w.get(pagePath+"?groupId=0"))
	if got := deviceNames(page.List); got != "CAM-1 WS-1 WS-2" || page.List[1].GroupId != 0 ||
		page.List[1].GroupName != "" {
		t.Errorf("%s", asJSON(t, page.List))
	}
	if got := testkit.Ask[wire.Overview](t, w.Contract, w.get(overviewPath)); got.SceneCount != 1 ||
		got.UnassignedCount != 3 {
		t.Errorf("%+v", got)
	}
}

func TestSceneRefusals(t *testing.T) {
	w := newServer(t)
	create := func(body string) testkit.Call { return w.sceneCall(http.MethodPost, "create", body) }
	update := func(body string) testkit.Call { return w.sceneCall(http.MethodPut, "update", body) }
	remove := func(query string) testkit.Call { return w.sceneCall(http.MethodDelete, "delete"+query, "") }
	w.Run(t, []testkit.Scenario{
		{
			Name:     "no name",
			Call:     create(`{"groupStatus":1}`),
			Code:     601,
			Contains: []string{`"msg":"Please enter a scene name"`},
		},
		{
			Name:     "a blank name",
			Call:     create(`{"groupName":" ","groupStatus":1}`),
			Code:     601,
			Contains: []string{`"msg":"Please enter a scene name"`},
		},
		{
			Name:     "no state",
			Call:     create(`{"groupName":"x"}`),
			Code:     601,
			Contains: []string{`"msg":"Please select the scene state"`},
		},
		{
			Name:     "an unknown state",
			Call:     create(`{"groupName":"x","groupStatus":3}`),
			Code:     601,
			Contains: []string{`"msg":"Scene state: not one of the choices"`},
		},
		{
			Name:     "65 characters",
			Call:     create(`{"groupName":"` + strings.Repeat("ş", 65) + `","groupStatus":1}`),
			Code:     601,
			Contains: []string{"Scene name: at most 64 characters"},
		},
		{
			Name:     "NUL",
			Call:     create(`{"groupName":"a\u0000b","groupStatus":1}`),
			Code:     601,
			Contains: []string{"Scene name: not in the right form"},
		},
		{
			Name:     "a name that is taken",
			Call:     create(`{"groupName":"NORTH","groupStatus":1}`),
			Code:     601,
			Contains: []string{`"msg":"Scene name: There is already a scene of this name"`},
		},
		{
			Name: "a name that the other tenant has",
			Call: create(`{"groupName":"` + marker + ` scene","groupStatus":1}`),
		},
		{Name: "a state that is no number", Call: create(`{"groupName":"x","groupStatus":"1"}`), Code: 400},
		{Name: "no body", Call: create(""), Code: 400},
		{Name: "null", Call: create("null"), Code: 400},
		{Name: "a list", Call: create("[]"), Code: 400},
		{Name: "update without id", Call: update(`{"groupName":"x","groupStatus":1}`), Code: 601},
		{Name: "update the default group", Call: update(`{"id":0,"groupName":"x","groupStatus":1}`), Code: 601},
		{Name: "update none", Call: update(`{"id":99999,"groupName":"x","groupStatus":1}`), Code: 404},
		{
			Name:     "update without name",
			Call:     update(fmt.Sprintf(`{"id":%d,"groupStatus":1}`, w.north)),
			Code:     601,
			Contains: []string{"Please enter a scene name"},
		},
		{
			Name:     "update without state",
			Call:     update(fmt.Sprintf(`{"id":%d,"groupName":"x"}`, w.north)),
			Code:     601,
			Contains: []string{"Please select the scene state"},
		},
		{
			Name: "update to its own name",
			Call: update(fmt.Sprintf(`{"id":%d,"groupName":"NORTH","groupStatus":1}`, w.north)),
		},
		{
			Name:     "delete the default group",
			Call:     remove("?id=0"),
			Code:     601,
			Contains: []string{`"msg":"The default group cannot be deleted"`},
		},
		{Name: "delete without id", Call: remove(""), Code: 601},
		{Name: "delete all", Call: remove("?id=1%20OR%201=1"), Code: 400},
		{Name: "delete below zero", Call: remove("?id=-1"), Code: 601},
		{Name: "delete none", Call: remove("?id=99999"), Code: 404},
		{Name: "get the default group", Call: w.get(scenePath + "get?id=0"), Code: 601},
		{Name: "get none", Call: w.get(scenePath + "get?id=99999"), Code: 404},
		{Name: "a page too large", Call: w.get(scenePath + "page?pageSize=401"), Code: 601},
		{Name: "delete by GET", Call: w.get(fmt.Sprint(scenePath, "delete?id=", w.north)), Status: 405, Code: 405},
	})
	for _, l := range pseudo.Languages() {
		for body, key := range map[string]string{`{}`: "scene.nameRequired", `{"groupName":"x"}`: "scene.statusRequired"} {
			call := create(body)
			call.Header = map[string]string{"Accept-Language": string(l)}
			if a := w.Do(t, call); a.Code != 601 || a.Msg != text.Translate(l, key, nil) {
				t.Errorf("%s: %s", l, a.Body)
			}
		}
	}
}

// A scene is made in the caller's tenant, whatever the header says, and another tenant's scenes
// look missing.
func TestScenesAreTenantScoped(t *testing.T) {
	w := newServer(t)
	call := w.sceneCall(http.MethodPost, "create", `{"groupName":"mine","groupStatus":1}`)
	call.Header = map[string]string{"tenant-id": fmt.Sprint(w.rival.ID)}
	id := testkit.Ask[int64](t, w.Contract, call)
	if _, err := w.Scenes.Get(t.Context(), w.field.ID, id); err != nil {
		t.Error(err)
	}
	missing := w.Do(t, w.get(scenePath+"get?id=99999"))
	for _, call := range []testkit.Call{
		w.get(fmt.Sprint(scenePath, "get?id=", w.rivalScene)),
		w.sceneCall(http.MethodDelete, fmt.Sprint("delete?id=", w.rivalScene), ""),
		w.sceneCall(http.MethodPut, "update", fmt.Sprintf(`{"id":%d,"groupName":"taken","groupStatus":2}`, w.rivalScene)),
	} {
		if a := w.Do(t, call); string(a.Body) != string(missing.Body) {
			t.Errorf("%s: %s", call.Path, a.Body)
		}
	}
	if s, err := w.Scenes.Get(t.Context(), w.rival.ID, w.rivalScene); err != nil || s.Name != marker+" scene" ||
		s.Status != device.SceneUsable {
		t.Errorf("%+v %v", s, err)
	}
}
