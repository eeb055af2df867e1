package console_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/identity"
	"tilth/internal/domain/reading"
	"tilth/internal/edge/console/wire"
	"tilth/internal/tools/testkit"
)

const calibrationPath = "/admin-api/client/pc/device/calibration/"

// offsetForm adds to the air temperature of WS-1 from now on.
func (w *fixture) offsetForm(offset float64, more body) body {
	b := body{
		"deviceName": "WS-1", "yeuSign": "airTemperature", "fromTime": w.Clock.Milli(),
		"kind": "offset", "offset": offset,
	}
	for field, value := range more {
		if b[field] = value; value == nil {
			delete(b, field)
		}
	}
	return b
}

func (w *fixture) calibrateCall(b body) testkit.Call {
	return w.adaCall(http.MethodPost, calibrationPath+"create", b)
}

func (w *fixture) calibrate(t *testing.T, b body) int64 {
	t.Helper()
	return testkit.Ask[wire.CalibrationCreated](t, w.Contract, w.calibrateCall(b)).Id
}

func (w *fixture) undoCall(id int64) testkit.Call {
	return w.adaCall(http.MethodPut, calibrationPath+"undo", body{"id": id})
}

// airOf gives the newest air temperature of WS-1, and as what it arrived.
func (w *fixture) airOf(t *testing.T) (value, raw string) {
	t.Helper()
	latest := testkit.Ask[wire.Latest](t, w.Contract, w.get(lastPath+"?deviceName=WS-1"))
	r := latest["airTemperature"]
	if r.Raw != nil {
		raw = fmt.Sprint(*r.Raw)
	}
	return r.Value.String(), raw
}

// A calibration corrects latest values, history in every form, and aggregates; undone, all is as before.
func TestCalibration(t *testing.T) {
	w := newServer(t)
	w.measure(t, w.ws1, w.Clock.Now(), air(21.4))
	answers := func() (list []string) {
		for _, path := range []string{seriesPath, rowsPath, columnsPath} {
			for _, more := range []string{"", "&points=100", "&values=raw", "&points=100&values=raw"} {
				a := w.Do(t, w.get(w.pathAroundNow(path, "WS-1", "airTemperature,heating")+more))
				list = append(list, path+more+" "+string(a.Body))
			}
		}
		aggregates := w.pathAroundNow(aggregatesPath, "WS-1", "airTemperature") + "&resolution="
		for _, more := range []string{"raw", "hour", "day", "hour&values=raw"} {
			list = append(list, more+" "+string(w.Do(t, w.get(aggregates+more)).Body))
		}
		value, raw := w.airOf(t)
		return append(list, "latest "+value+" "+raw)
	}
	before := answers()
	id := w.calibrate(t, w.offsetForm(-0.5, body{"note": " ice water "}))
	for i, a := range answers() {
		if what, _, _ := strings.Cut(before[i], " "); strings.Contains(what, "values=raw") {
			if a != before[i] {
				t.Errorf("raw: %s, before %s", a, before[i])
			}
			continue
		}
		if !strings.Contains(a, "20.9") || strings.Contains(a, "rows") && strings.Contains(a, "21.4") {
			t.Errorf("corrected: %s", a)
		}
		for _, shows := range []string{seriesPath, columnsPath, "raw ", "latest "} {
			if strings.HasPrefix(a, shows) && !strings.Contains(a, "21.4") {
				t.Errorf("without raw: %s", a)
			}
		}
	}
	page := testkit.Ask[wire.CalibrationPage](t, w.Contract, w.get(calibrationPath+"page?deviceName=WS-1"))
	if page.Total != 1 || page.List[0].Id != id || *page.List[0].Offset != -0.5 || page.List[0].Note != "ice water" ||
		page.List[0].YeuSign != "airTemperature" || page.List[0].By == "" || page.List[0].UndoTime != nil {
		t.Errorf("%+v", page)
	}
	testkit.Ask[bool](t, w.Contract, w.undoCall(id))
	for i, a := range answers() {
		if a != before[i] {
			t.Errorf("undone: %s, before %s", a, before[i])
		}
	}
	page = testkit.Ask[wire.CalibrationPage](t, w.Contract, w.get(calibrationPath+"page?deviceName=WS-1"))
	if page.Total != 1 || page.List[0].UndoTime == nil || *page.List[0].UndoneBy == "" {
		t.Errorf("undone: %+v", page)
	}
	if a := w.Do(t, w.undoCall(id)); a.Code != 601 || a.Msg != "This calibration is undone already" {
		t.Errorf("undone twice: %s", a.Body)
	}
}

func TestTwoPoints(t *testing.T) {
	w := newServer(t)
	w.measure(t, w.ws1, w.Clock.Now(), air(5.65))
	w.calibrate(t, w.offsetForm(0, body{"kind": "twoPoint", "raw1": 4.1, "true1": 4, "raw2": 7.2, "true2": 7}))
	if value, raw := w.airOf(t); value != "5.5" || raw != "5.65" {
		t.Errorf("%s of %s", value, raw)
	}
}

func TestCalibrationRefuses(t *testing.T) {
	w := newServer(t)
	w.putDerived(t)
	w.calibrate(t, w.offsetForm(1, nil))
	points := func(raw1, true1, raw2, true2 float64) body {
		return body{
			"kind":     "twoPoint",
			"fromTime": 5 * w.Clock.Milli() / 6,
			"raw1":     raw1,
			"true1":    true1,
			"raw2":     raw2,
			"true2":    true2,
		}
	}
	recent := w.Clock.Milli() - 1000
	for name, c := range map[string]struct {
		more body
		want string
	}{
		"unknown device":    {body{"deviceName": "WS-9"}, "404 "},
		"unknown property":  {body{"yeuSign": "none"}, "601 Attribute: "},
		"text":              {body{"yeuSign": "note"}, "601 Attribute: Only numbers"},
		"derived":           {body{"yeuSign": "dewPoint"}, "601 Attribute: A computed value"},
		"future":            {body{"fromTime": w.Clock.Milli() + 1}, "601 Since: a calibration cannot"},
		"expired":           {body{"fromTime": w.Clock.Milli() - (testkit.Retention + time.Hour).Milliseconds()}, "601 Since: readings of that time"},
		"same time":         {nil, "601 Since: this attribute"},
		"no offset":         {body{"fromTime": recent, "offset": nil}, "601 Offset: "},
		"huge offset":       {body{"fromTime": recent, "offset": 1e12}, "601 Offset: "},
		"other kind":        {body{"fromTime": recent, "kind": "cubic"}, "601 Kind: "},
		"missing point":     {body{"fromTime": recent, "kind": "twoPoint", "raw1": 1, "true1": 2, "raw2": 3}, "601 Right 2: "},
		"same points":       {points(4, 4, 4, 7), ""},
		"long note":         {body{"fromTime": recent, "note": strings.Repeat("a", 501)}, "601 Note: "},
		"control character": {body{"fromTime": recent, "note": "a\u0001"}, "601 Note: "},
	} {
		if c.want == "" {
			continue
		}
		a := w.Do(t, w.calibrateCall(w.offsetForm(1, c.more)))
		if got := fmt.Sprint(a.Code, " ", a.Msg); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	for _, c := range []struct {
		points body
		want   string
	}{
		{points(4, 4, 4, 7), "Shown 2: the sensor showed the same"},
		{points(0, 0, 1, 10.1), "Right 2: these points"},
		{points(0, 0, 1, 0.09), "Right 2: these points"},
		{points(0, 0, 1, -1), "Right 2: these points"},
	} {
		c.points["fromTime"] = recent
		if a := w.Do(
			t,
			w.calibrateCall(w.offsetForm(0, c.points)),
		); a.Code != 601 ||
			!strings.HasPrefix(a.Msg, c.want) {
			t.Errorf("%v: %s", c.points, a.Body)
		}
	}
	page := testkit.Ask[wire.CalibrationPage](t, w.Contract, w.get(calibrationPath+"page?deviceName=WS-1"))
	if page.Total != 1 {
		t.Errorf("refused calls made something: %+v", page)
	}
	// Limits of the gain are allowed.
	w.calibrate(
		t,
		w.offsetForm(0, body{"kind": "twoPoint", "fromTime": recent, "raw1": 0, "true1": 0, "raw2": 10, "true2": 1}),
	)
}

// putDerived gives the station a computed property.
func (w *fixture) putDerived(t *testing.T) {
	t.Helper()
	p := *w.station
	p.Properties = append(slices.Clone(p.Properties), device.Property{
		Identifier: "dewPoint", DataType: device.Number, AccessMode: "r", Formula: "dewPoint",
		Inputs: []string{"airTemperature", "relativeHumidity"},
	})
	if err := w.Catalog.PutProduct(t.Context(), &p); err != nil {
		t.Fatal(err)
	}
	w.Reload(t)
}

func TestMostCalibrations(t *testing.T) {
	w := newServer(t)
	for i := range 100 {
		w.calibrate(t, w.offsetForm(1, body{"fromTime": w.Clock.Milli() - int64(i)}))
	}
	if a := w.Do(t, w.calibrateCall(w.offsetForm(1, body{"fromTime": w.Clock.Milli() - 200}))); a.Code != 601 ||
		!strings.HasPrefix(a.Msg, "Attribute: An attribute has 100") {
		t.Errorf("the 101st: %s", a.Body)
	}
	w.calibrate(t, w.offsetForm(1, body{"yeuSign": "rain", "fromTime": w.Clock.Milli() - 200})) // another property
	for range 18 {
		w.Do(t, w.calibrateCall(w.offsetForm(1, body{"fromTime": w.Clock.Milli() - 200})))
	}
	if a := w.Do(t, w.calibrateCall(w.offsetForm(1, body{"yeuSign": "rain"}))); a.Code != 429 {
		t.Errorf("the 121st call: %s", a.Body)
	}
	w.Clock.Advance(2 * time.Hour)
	token := w.Session(t, w.field.Ada).Access
	call := w.calibrateCall(w.offsetForm(1, body{"yeuSign": "rain"}))
	call.Token = token
	testkit.Ask[wire.CalibrationCreated](t, w.Contract, call)
}

// Rules judge corrected readings; what came before a calibration leaves their windows, and an open notice
// stays until a newer reading ends it.
func TestRulesJudgeCorrectedReadings(t *testing.T) {
	w := newServer(t)
	w.calibrate(t, w.offsetForm(-0.5, body{"fromTime": w.Clock.Milli() - 1000}))
	id := w.createRule(t, frostForm("WS-1", body{
		"conditions": []body{{"andor": "and", "tslAttribute": "airTemperature", "subconditions": ">", "value": 21}},
	}))
	w.Clock.Advance(time.Second)
	all := func() int {
		t.Helper()
		return testkit.Ask[wire.AlarmNoticePage](t, w.Contract, w.get(noticesPath+"page?resolveStatus=0")).Total
	}
	others := all()
	open := func() int { return all() - others }
	testkit.Ask[bool](t, w.Contract, w.deployCall("publish", id))
	w.Clock.Advance(time.Second)
	w.evaluate(t, w.ws1, air(21.4))
	if open() != 0 {
		t.Error("20.9 is above 21")
	}
	// Undone, the reading does not count any more; the next one does.
	page := testkit.Ask[wire.CalibrationPage](t, w.Contract, w.get(calibrationPath+"page?deviceName=WS-1"))
	testkit.Ask[bool](t, w.Contract, w.undoCall(page.List[0].Id))
	if open() != 0 {
		t.Error("an undone calibration opened a notice by itself")
	}
	w.Clock.Advance(time.Second)
	w.evaluate(t, w.ws1, air(21.4))
	if open() != 1 {
		t.Fatal("21.4 is not above 21")
	}
	w.Clock.Advance(time.Second)
	w.calibrate(t, w.offsetForm(-0.5, body{"fromTime": w.Clock.Milli() - 60_000}))
	if open() != 1 {
		t.Error("a calibration ended a notice by itself")
	}
	w.Clock.Advance(time.Second)
	w.evaluate(t, w.ws1, air(21.4))
	if open() != 0 {
		t.Error("a newer reading of 20.9 does not end the notice")
	}
}

// A spreadsheet has what a corrected number arrived as beside it, and the calibrations on its second sheet.
func TestExportOfCorrected(t *testing.T) {
	w := newServer(t)
	w.calibrate(t, w.offsetForm(-0.5, body{"note": "ice water"}))
	w.measure(t, w.ws1, w.Clock.Now(), air(21.4))
	f := openSpreadsheet(t, w, w.get(w.pathAroundNow(exportPath, "WS-1", "airTemperature,heating")))
	lines := sheetLines(t, f, "Readings")
	if len(lines) != 2 || !strings.Contains(lines[0], "Air temperature (°C)|Air temperature (°C) · as measured|") ||
		!strings.HasSuffix(lines[1], "|20.9|21.4|TRUE") {
		t.Errorf("%q", lines)
	}
	about := strings.Join(sheetLines(t, f, "About"), "\n")
	if !strings.Contains(about, "Air temperature|−0.5|") || !strings.Contains(about, "|ice water") {
		t.Errorf("%s", about)
	}
}

// A number above what its property clamps to is that in every answer, with what arrived beside it; others are
// as they arrived.
func TestClampedReadings(t *testing.T) {
	w := newServer(t)
	w.measure(t, w.ws1, w.Clock.Now(), air(21.4))
	product := *w.Catalog.Product(w.ws1.ProductID)
	product.Properties = slices.Clone(product.Properties)
	p := product.Property("airTemperature")
	clampTo := func(clamp float64) (answers []string) {
		t.Helper()
		p.Max, p.Clamp = new(70.0), &clamp
		if err := w.Catalog.PutProduct(t.Context(), &product); err != nil {
			t.Fatal(err)
		}
		w.Reload(t)
		for _, path := range []string{seriesPath, rowsPath, columnsPath} {
			for _, more := range []string{"", "&points=100"} {
				a := w.Do(t, w.get(w.pathAroundNow(path, "WS-1", "airTemperature")+more))
				answers = append(answers, path+more+" "+string(a.Body))
			}
		}
		aggregates := w.pathAroundNow(aggregatesPath, "WS-1", "airTemperature") + "&resolution="
		for _, more := range []string{"hour", "day"} {
			answers = append(answers, more+" "+string(w.Do(t, w.get(aggregates+more)).Body))
		}
		value, raw := w.airOf(t)
		a := w.Do(t, w.get(lastPath+"?deviceName=WS-1"))
		if strings.Contains(string(a.Body), `"clamped":true`) != (raw != "") {
			t.Errorf("latest %s", a.Body)
		}
		export := w.get(w.pathAroundNow(exportPath, "WS-1", "airTemperature"))
		lines := sheetLines(t, openSpreadsheet(t, w, export), "Readings")
		return append(answers, "latest "+value+" "+raw, "export "+lines[0]+lines[1])
	}
	for _, a := range clampTo(20.5) {
		withRaw := strings.HasPrefix(a, seriesPath) || strings.HasPrefix(a, columnsPath) ||
			strings.HasPrefix(a, "latest ") || strings.HasPrefix(a, "export ")
		if !strings.Contains(a, "20.5") || strings.Contains(a, "21.4") != withRaw {
			t.Errorf("clamped: %s", a)
		}
	}
	if a := w.Do(t, w.get(tslPath+"?deviceName=WS-1")); !strings.Contains(string(a.Body), `"max":20.5`) {
		t.Errorf("the model: %s", a.Body)
	}
	for _, a := range clampTo(21.4) { // not above it
		if !strings.Contains(a, "21.4") || strings.Contains(a, `"raw"`) || strings.Contains(a, "as measured") ||
			strings.HasPrefix(a, "latest ") && a != "latest 21.4 " {
			t.Errorf("as it arrived: %s", a)
		}
	}
}

// Numbers of another tenant stay what they are, and its calibrations are not seen.
func TestCalibrationsOfAnotherTenant(t *testing.T) {
	w := newServer(t)
	id := w.calibrate(t, w.offsetForm(-0.5, nil))
	for name, call := range map[string]testkit.Call{
		"create": w.calibrateCall(w.offsetForm(1, nil)), "undo": w.undoCall(id),
		"page": w.get(calibrationPath + "page?deviceName=WS-1"),
	} {
		call.Token = w.rivalToken
		if a := w.Do(t, call); a.Code != 404 {
			t.Errorf("%s: %s", name, a.Body)
		}
	}
	if got := w.readings.Latest(t.Context(), w.rival.ID, w.rivalDevice.ID)[0].Value; got != reading.Number(21.5) {
		t.Errorf("the rival's is %v", got)
	}
	if value, _ := w.airOf(t); value != "21" {
		t.Errorf("the field's is %s", value)
	}
}

// After a restart numbers are corrected as before, and a viewer may look but not calibrate.
func TestCalibrationStays(t *testing.T) {
	w := newServer(t)
	w.calibrate(t, w.offsetForm(-0.5, nil))
	w.readings.SetCurves(testkit.Ref(w.ws1), nil)
	if err := w.Calibrations.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	if value, raw := w.airOf(t); value != "21" || raw != "21.5" {
		t.Errorf("%s of %s", value, raw)
	}
	w.adaIs(t, identity.Viewer)
	if a := w.Do(t, w.calibrateCall(w.offsetForm(1, nil))); a.Code != 403 {
		t.Errorf("a viewer calibrates: %s", a.Body)
	}
	if value, _ := w.airOf(t); value != "21" {
		t.Errorf("a viewer sees %s", value)
	}
	testkit.Ask[wire.CalibrationPage](t, w.Contract, w.get(calibrationPath+"page?deviceName=WS-1"))
}

// A swap ends the calibrations of the device; its events tell of swaps, calibrations and undos.
func TestSwapEndsCalibrations(t *testing.T) {
	w := newServer(t)
	id := w.calibrate(t, w.offsetForm(-0.5, body{"note": "ice water"}))
	w.Clock.Advance(time.Minute)
	var made struct{ Secret string }
	w.decode(t, w.swapCall(w.ada, `"deviceName":"WS-1","serial":"S-2"`), &made)
	w.Clock.Advance(time.Minute)
	if value, raw := w.airOf(t); value != "21" || raw != "21.5" {
		t.Errorf("before the swap: %s of %s", value, raw)
	}
	w.measure(t, w.ws1, w.Clock.Now(), air(21.5))
	if value, raw := w.airOf(t); value != "21.5" || raw != "" {
		t.Errorf("of the new box: %s of %s", value, raw)
	}
	testkit.Ask[bool](t, w.Contract, w.undoCall(id))
	got := ""
	for _, e := range w.events(t, "") {
		got += e.Kind + " " + e.By + " " + e.Note + e.Serial + "; "
	}
	ada := w.field.Ada.Nickname
	if want := fmt.Sprintf("undo %s ice water; swap %s S-2; calibration %s ice water; ", ada, ada, ada); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
