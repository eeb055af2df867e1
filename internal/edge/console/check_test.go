package console_test

import (
	"strings"
	"testing"

	"tilth/internal/domain/device"
	"tilth/internal/edge/console/wire"
	"tilth/internal/platform/text"
	"tilth/internal/tools/testkit"
	"tilth/internal/tools/testkit/pseudo"
)

// Clients write lists in a query in four ways; the server reads all of them.
func TestQueryListFormats(t *testing.T) {
	w := newServer(t)
	for form, want := range map[string]string{
		"executionId=CAM-1,WS-2":                               "CAM-1 WS-2",
		"executionId=CAM-1%2CWS-2":                             "CAM-1 WS-2",
		"executionId=CAM-1&executionId=WS-2":                   "CAM-1 WS-2",
		"executionId[]=CAM-1&executionId[]=WS-2":               "CAM-1 WS-2",
		"executionId%5B%5D=CAM-1&executionId%5b%5d=WS-2":       "CAM-1 WS-2",
		"executionId[0]=CAM-1&executionId[1]=WS-2":             "CAM-1 WS-2",
		"executionId%5B0%5D=CAM-1&executionId%5B1%5D=WS-2":     "CAM-1 WS-2",
		"executionId[10]=CAM-1&pageSize=7&executionId[2]=WS-2": "CAM-1 WS-2",
		"executionId=CAM-1&executionId=":                       "CAM-1",
		"executionId=%20CAM-1%20,%09WS-2":                      "CAM-1 WS-2", // trimmed
		"executionId[]=CAM-1":                                  "CAM-1",
		"executionId[x]=CAM-1":                                 "CAM-1 WS-1 WS-2", // not a list: another parameter
		"executionId=":                                         "CAM-1 WS-1 WS-2", // a filter that nobody filled in
		"executionId[]=&groupId=&onlineState=&deviceName=":     "CAM-1 WS-1 WS-2",
		"executionId=,,":                                       "CAM-1 WS-1 WS-2", // a list without elements
		"executionId=%20,%20":                                  "CAM-1 WS-1 WS-2",
		"executionId[]=&executionId[]=,":                       "CAM-1 WS-1 WS-2",
		"executionId=,WS-2,,%20,CAM-1,":                        "CAM-1 WS-2",
		"executionId=,&deviceName=%2C%20x":                     "", // not a list: the comma stays
		"executionId":                                          "CAM-1 WS-1 WS-2",
		"&&executionId=WS-1&":                                  "WS-1",
	} {
		page := testkit.Ask[wire.DevicePage](t, w.Contract, w.get(pagePath+"?"+form))
		if got := deviceNames(page.List); got != want {
			t.Errorf("%s: %s, want %s", form, got, want)
		}
	}
}

// An error that a person can repair has code 601 and names the field; one that only a programmer can
// repair has 400. Each is in the reader's language.
func TestInvalidParameters(t *testing.T) {
	w := newServer(t)
	long, many := strings.Repeat("é", 65), strings.Repeat("x,", 400)+"x"
	for _, c := range []struct {
		path, key, field string
		args             map[string]string
		code             int
	}{
		{pagePath + "?pageNo=0", "invalid.min", "pageNo", map[string]string{"limit": "1"}, 601},
		{pagePath + "?pageNo=-3", "invalid.min", "pageNo", map[string]string{"limit": "1"}, 601},
		{pagePath + "?pageSize=401", "invalid.max", "pageSize", map[string]string{"limit": "400"}, 601},
		{pagePath + "?pageSize=0", "invalid.min", "pageSize", map[string]string{"limit": "1"}, 601},
		{namesPath + "?pageSize=401", "invalid.max", "pageSize", map[string]string{"limit": "400"}, 601},
		{pagePath + "?deviceName=a%00b", "invalid.format", "deviceName", nil, 601},
		{pagePath + "?onlineState=2", "invalid.choice", "onlineState", nil, 601},
		{pagePath + "?productId=0", "invalid.min", "productId", map[string]string{"limit": "1"}, 601},
		{pagePath + "?groupId=-1", "invalid.min", "groupId", map[string]string{"limit": "0"}, 601},
		{pagePath + "?executionId=" + many, "invalid.many", "executionId", map[string]string{"limit": "400"}, 601},
		{namesPath + "?deviceNames=" + many, "invalid.many", "deviceNames", map[string]string{"limit": "400"}, 601},
		{elementsPath + "?yeuSigns=" + many, "invalid.many", "yeuSigns", map[string]string{"limit": "400"}, 601},
		{elementsPath, "invalid.required", "yeuSigns", nil, 601},
		{groupsPath + "?groupId=-1", "invalid.min", "groupId", map[string]string{"limit": "0"}, 601},
		{tslPath, "invalid.required", "deviceName", nil, 601},
		{lastPath + "?deviceName=", "invalid.required", "deviceName", nil, 601},
		{countsPath + "?deviceName=" + long, "invalid.long", "deviceName", map[string]string{"limit": "64"}, 601},
		{mapPath + "?west=-181", "invalid.min", "west", map[string]string{"limit": "-180"}, 601},
		{mapPath + "?north=90.5", "invalid.max", "north", map[string]string{"limit": "90"}, 601},
		{mapPath + "?zoom=23", "invalid.max", "zoom", map[string]string{"limit": "22"}, 601},
		{mapPath + "?west=1&south=1&north=2", "invalid.required", "east", nil, 601},
		{mapPath + "?east=1", "invalid.required", "west", nil, 601},
		{w.series("WS-1", "airTemperature") + "&points=99", "invalid.min", "points", map[string]string{"limit": "100"}, 601},
		{w.series("WS-1", "airTemperature") + "&points=5001", "invalid.max", "points", map[string]string{"limit": "5000"}, 601},
		{w.series("WS-1", "airTemperature,none"), "invalid.unknown", "yeuSignList", map[string]string{"value": "none"}, 601},
		{pagePath + "?pageNo=abc", "error.400", "pageNo", nil, 400},
		{pagePath + "?pageNo=1.5", "error.400", "pageNo", nil, 400},
		{pagePath + "?pageNo=99999999999999999999", "error.400", "pageNo", nil, 400},
		{pagePath + "?pageNo=1&pageNo=2", "error.400", "pageNo", nil, 400}, // a list for a single value
		{pagePath + "?groupId=x", "error.400", "groupId", nil, 400},
		{mapPath + "?west=NaN&south=0&east=0&north=0", "error.400", "west", nil, 400},
		{mapPath + "?zoom=4.5", "error.400", "zoom", nil, 400},
		{rulesPath + "get/outlook?ids=0", "invalid.min", "ids", map[string]string{"limit": "1"}, 601},
		{rulesPath + "get/outlook?ids=3,-1", "invalid.min", "ids", map[string]string{"limit": "1"}, 601},
		{rulesPath + "get/outlook?ids=,%20,", "invalid.required", "ids", nil, 601},
		{elementsPath + "?yeuSigns=,,", "invalid.required", "yeuSigns", nil, 601},
	} {
		for _, l := range pseudo.Languages() {
			call := w.get(c.path)
			call.Header = map[string]string{"Accept-Language": string(l)}
			want := text.Translate(
				l,
				"field",
				map[string]string{
					"field":  text.Translate(l, "field."+c.field, nil),
					"reason": text.Translate(l, c.key, text.LocalizeArgs(l, c.args)),
				},
			)
			if a := w.Do(t, call); a.Code != c.code || a.Msg != want || string(a.Data) != "null" {
				t.Errorf("%s in %s: %d %q, want %d %q", c.path, l, a.Code, a.Msg, c.code, want)
			}
		}
	}
	w.Run(t, []testkit.Scenario{
		{Name: "broken escape in a value", Call: w.get(pagePath + "?deviceName=%zz"), Code: 400},
		{Name: "broken escape in a name", Call: w.get(pagePath + "?device%zzName=x"), Code: 400},
		{Name: "semicolon", Call: w.get(pagePath + "?deviceName=a;pageNo=3"), Code: 400},
		{
			Name:     "a comma after the last element of a list",
			Call:     w.get(w.series("WS-1", "airTemperature,")),
			Contains: []string{`{"airTemperature":[`},
		},
		{
			Name:     "a list without elements",
			Call:     w.get(w.series("WS-1", ",")),
			Code:     601,
			Contains: []string{"property cannot be empty"},
		},
		{
			Name: "64 characters are not 64 bytes",
			Call: w.get(tslPath + "?deviceName=" + strings.Repeat("é", 64)),
			Code: 404,
		},
	})
}

// Every field that the contract can name in a refusal has a display name, and every reason for
// which the edge refuses has a sentence.
func TestFieldsAndReasonsHaveTexts(t *testing.T) {
	w := newServer(t)
	fields := map[string]bool{}
	for _, name := range w.Fields(w.ConsoleTags()...) {
		fields[name] = true
	}
	// The headers are not written by people, and the captcha's refusals name no field.
	for _, unnamed := range []string{"Time-Zone", "Last-Event-ID", "captchaType", "pointJson", "token"} {
		if !fields[unnamed] {
			t.Errorf("the contract no longer has %s", unnamed)
		}
		delete(fields, unnamed)
	}
	// fields of bodies; two of them are in several schemas
	for _, name := range []string{"rememberMe", "groupName", "hitCounts", "noticeName", "events"} {
		if !fields[name] {
			t.Errorf("the test does not find %s", name)
		}
	}
	for name := range fields {
		if !text.HasKey("field." + name) {
			t.Errorf("%s has no display name", name)
		}
	}
	for _, reason := range []device.Reason{
		device.ReasonUnreadable, device.ReasonUnknown, device.ReasonWrongType, device.ReasonOutOfRange,
		device.ReasonTooLong, device.ReasonTooOld, device.ReasonFuture, device.ReasonBadTime,
		device.ReasonNotYours, device.ReasonNotGateway, device.ReasonUnknownTopic, device.ReasonDisabled,
		device.ReasonTooLarge, device.ReasonDerived, device.ReasonUnused, device.ReasonNetworkClock,
		device.ReasonTooFast,
	} {
		if !text.HasKey("refusal."+string(reason)) || !wire.RefusalReason(reason).Valid() {
			t.Errorf("the reason %s has no sentence, or the contract does not know it", reason)
		}
	}
}
