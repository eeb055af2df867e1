package console_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/tools/testkit"
	"tilth/internal/tools/testkit/pseudo"
)

// openSpreadsheet requests a spreadsheet and opens it with an independent library.
func openSpreadsheet(t *testing.T, w *fixture, call testkit.Call) *excelize.File {
	t.Helper()
	a := w.Do(t, call)
	if a.Status != http.StatusOK || a.Header.Get("Content-Type") != testkit.Spreadsheet ||
		a.Header.Get("Content-Disposition") != `attachment; filename="device_data.xlsx"` {
		t.Fatalf("%d %v", a.Status, a.Header)
	}
	f, err := excelize.OpenReader(bytes.NewReader(a.Body))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// sheetLines returns the rows of a sheet as they are shown, with a bar between the cells.
func sheetLines(t *testing.T, f *excelize.File, name string) []string {
	t.Helper()
	rows, err := f.GetRows(name)
	if err != nil {
		t.Fatal(err)
	}
	all := make([]string, len(rows))
	for i, row := range rows {
		all[i] = strings.Join(row, "|")
	}
	return all
}

func TestExport(t *testing.T) {
	w := newServer(t)
	// In this night the clocks in Berlin are set back: two o'clock occurs twice.
	night := time.Date(2026, 10, 24, 23, 30, 0, 0, time.UTC)
	w.measure(
		t,
		w.ws1,
		night,
		map[string]reading.Value{
			"airTemperature": reading.Number(-3.5),
			"heating":        reading.Boolean(true),
			"note":           reading.Text("=1+1"),
		},
	)
	w.measure(
		t,
		w.ws1,
		night.Add(time.Hour),
		map[string]reading.Value{"airTemperature": reading.Number(1e21), "note": reading.Text("+cmd|' /C calc'!A0")},
	)
	if err := w.readings.Seal(t.Context(), night.Add(48*time.Hour)); err != nil {
		t.Fatal(err)
	}
	w.measure(
		t,
		w.ws1,
		night.Add(2*time.Hour),
		map[string]reading.Value{"heating": reading.Boolean(false), "note": reading.Text("-1")},
	)
	w.measure(
		t,
		w.ws1,
		night.Add(3*time.Hour),
		map[string]reading.Value{"rain": reading.Number(5)},
	) // was not asked for
	w.measure(t, w.ws1, night.Add(4*time.Hour), map[string]reading.Value{"note": reading.Text("@SUM(A1)")})

	call := w.get(rangePath(exportPath, "WS-1", "note,airTemperature,heating", night, night.Add(5*time.Hour)))
	call.Header = map[string]string{"Time-Zone": "Europe/Berlin", "Accept-Language": "tr-tr"}
	f := openSpreadsheet(t, w, call)
	if got := fmt.Sprint(f.GetSheetList()); got != "[Ölçümler Hakkında]" {
		t.Fatal(got)
	}
	want := []string{
		"Zaman (Europe/Berlin)|note|Hava sıcaklığı (°C)|Heating",
		"2026-10-25 01:30:00|=1+1|-3.5|TRUE",
		"2026-10-25 02:30:00|+cmd|' /C calc'!A0|1E+21",
		"2026-10-25 02:30:00|-1||FALSE",
		"2026-10-25 04:30:00|@SUM(A1)",
	}
	if got := sheetLines(t, f, "Ölçümler"); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	for cell, kind := range map[string]excelize.CellType{
		"A1": excelize.CellTypeInlineString, "A2": excelize.CellTypeUnset, "B2": excelize.CellTypeInlineString, "C2": excelize.CellTypeUnset,
		"D2": excelize.CellTypeBool, "B3": excelize.CellTypeInlineString, "C3": excelize.CellTypeUnset, "B4": excelize.CellTypeInlineString, "B5": excelize.CellTypeInlineString,
	} {
		if got, err := f.GetCellType("Ölçümler", cell); err != nil || got != kind {
			t.Errorf("%s is of kind %d, want %d, %v", cell, got, kind, err)
		}
		if formula, err := f.GetCellFormula("Ölçümler", cell); err != nil || formula != "" {
			t.Errorf("%s holds the formula %q, %v", cell, formula, err)
		}
	}
	want = []string{
		"Cihaz kodu|WS-1", "Görünen ad|Mast", "Seri no|SN-WS-1", "Cihaz modeli|weather-station",
		"Başlangıç zamanı|2026-10-25 01:30:00", "Bitiş zamanı|2026-10-25 05:30:00", "Satır sayısı|4",
		"Dışa aktarma zamanı|" + w.Clock.Now().Add(time.Hour).Format(time.DateTime), "Saat dilimi|Europe/Berlin",
		"UTC farkı|+02:00|2026-10-25 01:30:00", "UTC farkı|+01:00|2026-10-25 02:00:00",
		"", "Parametre|Tanımlayıcı|Birim", "note|note", "Hava sıcaklığı|airTemperature|°C", "Heating|heating",
	}
	if got := sheetLines(t, f, "Hakkında"); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	panes, err := f.GetPanes("Ölçümler")
	if err != nil || panes.YSplit != 1 {
		t.Errorf("%+v, %v", panes, err)
	}
}

// Heads are in the caller's language; an empty range has heads and no rows.
func TestExportLanguages(t *testing.T) {
	w := newServer(t)
	for language, want := range map[string][3]string{
		"en-us": {"Readings", "Time (Asia/Kolkata)|Relative humidity (%RH)", "Device name|CAM-1"},
		"zh-cn": {"读数", "时间 (Asia/Kolkata)|相对湿度 (%RH)", "设备名称|CAM-1"},
		"tr-tr": {"Ölçümler", "Zaman (Asia/Kolkata)|Bağıl nem (%RH)", "Cihaz kodu|CAM-1"},
		"ru-ru": {"Показания", "Время (Asia/Kolkata)|Относительная влажность (%RH)", "Код устройства|CAM-1"},
	} {
		call := w.get(w.pathAroundNow(exportPath, "CAM-1", "relativeHumidity"))
		call.Header = map[string]string{"Time-Zone": "Asia/Kolkata", "Accept-Language": language}
		f := openSpreadsheet(t, w, call)
		sheets := f.GetSheetList()
		if got := sheetLines(t, f, sheets[0]); sheets[0] != want[0] || len(got) != 1 || got[0] != want[1] {
			t.Errorf("%s: %s %q", language, sheets[0], got)
		}
		if got := sheetLines(t, f, sheets[1]); len(got) != 13 || got[0] != want[2] ||
			!strings.Contains(got[9], "|+05:30|") {
			t.Errorf("%s: %q", language, got)
		}
	}
}

// Every head comes from the catalogue.
func TestExportIsTranslated(t *testing.T) {
	w := newServer(t)
	pseudo.Register()
	call := w.get(w.pathAroundNow(exportPath, "CAM-1", "relativeHumidity"))
	call.Header = map[string]string{"Time-Zone": "Asia/Kolkata", "Accept-Language": string(pseudo.Language)}
	f := openSpreadsheet(t, w, call)
	for _, sheet := range f.GetSheetList() {
		heads := []string{sheet}
		for i, line := range sheetLines(t, f, sheet) {
			head, _, _ := strings.Cut(line, "|")
			if i == 0 {
				head = line
			}
			heads = append(heads, head)
		}
		said := strings.Join(heads, "\n")
		if words := pseudo.Untranslated(said, "CAM-1", "Asia/Kolkata", "%RH", "Relative humidity", "Humidity",
			"relativeHumidity"); len(words) > 0 {
			t.Errorf("%s: %q in %s", sheet, words, said)
		}
	}
}

// Without a header, the times are in the tenant's zone.
func TestExportUsesTenantTimeZone(t *testing.T) {
	w := newServer(t)
	f := openSpreadsheet(t, w, w.get(w.pathAroundNow(exportPath, "WS-1", "airTemperature")))
	want := []string{
		"Time (" + w.field.TimeZone.String() + ")|Air temperature (°C)",
		w.Clock.Now().In(w.field.TimeZone).Format(time.DateTime) + "|21.5",
	}
	if got := sheetLines(t, f, "Readings"); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Names that a provider or a user gave cannot become formulas either.
func TestExportEscapesFormulaNames(t *testing.T) {
	w := newServer(t)
	p := &device.Product{Name: "=HYPERLINK(1)", OfflineAfter: time.Minute, Properties: []device.Property{
		{Identifier: "x", FunctionName: "@x", ElementUnit: "-<&>", DataType: device.Text, AccessMode: "r"},
	}}
	if err := w.Catalog.PutProduct(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	w.Reload(t)
	w.Device(t, w.field.ID, p, "ODD", func(d *device.Device) { d.NoteName, d.Serial = "+note", "-serial" })
	f := openSpreadsheet(t, w, w.get(w.pathAroundNow(exportPath, "ODD", "x")))
	for _, name := range f.GetSheetList() {
		rows, err := f.GetRows(name)
		if err != nil {
			t.Fatal(err)
		}
		for r, row := range rows {
			for c, value := range row {
				cell, _ := excelize.CoordinatesToCellName(c+1, r+1)
				kind, _ := f.GetCellType(name, cell)
				formula, err := f.GetCellFormula(name, cell)
				if value != "" && strings.ContainsAny(value[:1], "=+-@") && kind != excelize.CellTypeInlineString ||
					formula != "" ||
					err != nil {
					t.Errorf("%s %s: %q of kind %d, formula %q, %v", name, cell, value, kind, formula, err)
				}
			}
		}
	}
	about := strings.Join(sheetLines(t, f, "About"), "\n")
	for _, want := range []string{"=HYPERLINK(1)", "+note", "-serial", "@x|x|-<&>"} {
		if !strings.Contains(about, want) {
			t.Errorf("%s lacks %s", about, want)
		}
	}
}

// Another tenant's readings cannot be exported, whatever tenant the request names; their owner can
// export them.
func TestExportsAreTenantScoped(t *testing.T) {
	w := newServer(t)
	for _, header := range []map[string]string{{}, {"tenant-id": fmt.Sprint(w.rival.ID), "X-Forwarded-Host": w.rival.Hosts[0]}} {
		call := testkit.Call{Path: w.pathAroundNow(exportPath, rivalDeviceName, "note"), Token: w.ada, Header: header}
		if a := w.Do(t, call); a.Code != 404 ||
			string(a.Body) != `{"code":404,"data":null,"msg":"This resource does not exist"}` {
			t.Errorf("%s", a.Body)
		}
		call.Token = w.rivalToken
		if got := sheetLines(t, openSpreadsheet(t, w, call), "Readings"); len(got) != 2 ||
			!strings.HasSuffix(got[1], "|note of "+rivalDeviceName) {
			t.Errorf("%q", got)
		}
	}
}
