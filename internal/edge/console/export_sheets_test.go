package console

import (
	"bufio"
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/platform/text"
	"tilth/internal/tools/testkit"
)

// More readings than fit on a sheet continue on further sheets with the same heads; the sheet about
// the export stays the second.
func TestExportSplitsIntoSheets(t *testing.T) {
	s := testkit.NewStores(t)
	readings, err := reading.Open(t.Context(), reading.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer readings.Close()
	p := s.Station(t)
	d := s.Device(t, s.Tenant(t, "field").ID, p, "WS-1")
	begin := s.Clock.Now().UTC().Truncate(time.Hour)
	rain := p.Property("rain")
	for frames, sheets := range map[int]string{9: "[Readings About]", 10: "[Readings About Readings 2]", 27: "[Readings About Readings 2 Readings 3]"} {
		if err := readings.Erase(t.Context(), d.Tenant, d.ID); err != nil {
			t.Fatal(err)
		}
		for n := range frames {
			if err := readings.Append(t.Context(), []reading.Arrival{{Frame: reading.Frame{
				Tenant: d.Tenant, Device: d.ID, Time: begin.Add(time.Duration(n) * time.Second).UnixMilli(),
				Fields: []reading.Field{{Property: rain.ID, Value: reading.Number(float64(n))}},
			}}}); err != nil {
				t.Fatal(err)
			}
		}
		readings.Trim(readings.Stats().Position)
		e := &export{
			historyQuery: historyQuery{
				device:  d,
				product: s.Catalog.Product(p.ID),
				from:    begin.UnixMilli(),
				to:      begin.Add(time.Hour).UnixMilli(),
				props:   []*device.Property{rain},
			},
			catalog:   s.Catalog,
			readings:  readings,
			zone:      time.UTC,
			language:  text.English,
			createdAt: s.Clock.Now(),
			rowLimit:  10,
		}
		var file bytes.Buffer
		out := bufio.NewWriter(&file)
		if err := e.write(t.Context(), out); err != nil {
			t.Fatal(err)
		}
		if err := out.Flush(); err != nil {
			t.Fatal(err)
		}
		f, err := excelize.OpenReader(&file)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(f.GetSheetList()); got != sheets {
			t.Errorf("%d frames: %s", frames, got)
		}
		n := 0
		for _, name := range f.GetSheetList() {
			if name == "About" {
				continue
			}
			rows, err := f.GetRows(name)
			if err != nil || len(rows) > 10 || len(rows) < 2 || fmt.Sprint(rows[0]) != "[Time (UTC) Rain (mm)]" {
				t.Fatalf("%d frames, %s: %v, %v", frames, name, rows, err)
			}
			for _, row := range rows[1:] {
				want := fmt.Sprint(
					[]string{begin.Add(time.Duration(n) * time.Second).Format(time.DateTime), fmt.Sprint(n)},
				)
				if fmt.Sprint(row) != want {
					t.Errorf("%d frames, %s: %v, want %s", frames, name, row, want)
				}
				n++
			}
		}
		if count, err := f.GetCellValue("About", "B7"); err != nil || count != fmt.Sprint(frames) || n != frames {
			t.Errorf("%d frames: read %d, the sheet says %s, %v", frames, n, count, err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}
