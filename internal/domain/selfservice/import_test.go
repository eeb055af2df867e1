package selfservice_test

import (
	"fmt"
	"strings"
	"testing"

	"tilth/internal/domain/device"
	"tilth/internal/domain/selfservice"
	"tilth/internal/domain/tenant"
)

func (w *fixture) importTable(t *testing.T, table string, dry bool) (made []selfservice.Imported, wrong []string) {
	t.Helper()
	made, lines, err := w.service.Import(t.Context(), w.field.ID, table, dry)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lines {
		wrong = append(wrong, fmt.Sprintf("%d %s %s", l.Line, l.Column, l.Err.Key))
		if l.Err.Field != "" {
			t.Errorf("the sentence names the field %s beside the column", l.Err.Field)
		}
	}
	return made, wrong
}

func TestImport(t *testing.T) {
	w := newFixture(t)
	north := w.Scene(t, w.field.ID, "North")
	for name, table := range map[string]string{
		"comma":     "noteName,product,serial,scene,longitude,latitude\nA,station,S-1,north,32.85,39.92\n\"B, upper\",STATION,,,,\n",
		"semicolon": "\ufeffProduct;NoteName;Longitude;Latitude;Scene;Serial;\r\nstation;A;32,85;39,92;North;S-1;\r\nstation;B, upper;;;;\r\n;;;;;\r\n",
		"tab":       "noteName\tproduct\tscene\tserial\tlatitude\tlongitude\nA\tstation\tNorth\tS-1\t39.92\t32.85\nB, upper\tstation",
	} {
		t.Run(name, func(t *testing.T) {
			made, wrong := w.importTable(t, table, true)
			if len(wrong) > 0 || len(made) != 2 || made[0].DeviceName+made[0].Secret != "" || made[0].Line != 2 {
				t.Fatalf("dry: %+v %v", made, wrong)
			}
			if n := w.Registry.Count(w.field.ID); n != 0 {
				t.Fatalf("dry: %d devices", n)
			}
			made, wrong = w.importTable(t, table, false)
			if len(wrong) > 0 || len(made) != 2 || made[1].NoteName != "B, upper" {
				t.Fatalf("%+v %v", made, wrong)
			}
			d, err := w.Devices.Get(t.Context(), w.field.ID, made[0].DeviceName)
			if err != nil || d.NoteName != "A" || d.Serial != "S-1" || d.SceneID != north || *d.Longitude != 32.85 ||
				*d.Latitude != 39.92 || d.Origin != device.OriginConsole {
				t.Errorf("%+v (%v)", d, err)
			}
			for _, m := range made {
				if !w.signsIn(m.DeviceName, m.Secret) {
					t.Errorf("%s cannot sign in", m.NoteName)
				}
				if err := w.service.Delete(t.Context(), w.field.ID, m.DeviceName); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func TestImportRefuses(t *testing.T) {
	w := newFixture(t)
	w.create(t, w.form("Lower field"))
	const header = "noteName,product,serial,scene,longitude,latitude\n"
	for table, want := range map[string]string{
		"":                                   "1  import.empty",
		header:                               "1  import.empty",
		"noteName,serial\nA,S\n":             "1 product import.columnMissing",
		"noteName,product,colour\nA,station": "1 colour import.columnUnknown",
		"noteName,product,notename\nA,s,A":   "1 notename import.columnTwice",
		header + "A,station\nC,nothing\n":    "3 product device.productNotOffered",
		header + "A,station,,nowhere\n":      "2 scene import.sceneUnknown",
		header + "A,station,,,200,39\nB,station,,,x,39\n": "2 longitude import.degrees, 3 longitude import.degrees",
		header + "A,station,,,NaN,39\n":                   "2 longitude import.degrees",
		header + "A,station,,,32,\n":                      "2 latitude invalid.required",
		header + ",station,S\n":                           "2 noteName device.noteRequired",
		header + "A,\n":                                   "2 product invalid.required",
		header + "A,station,S\nA,station,S\n":             "3 noteName import.twice, 3 serial import.twice",
		header + "Lower field,station\n":                  "2 noteName device.nameTaken",
		header + "A,station,,,,,more\n":                   "2  import.cells",
		header + "A,\"station\n":                          "2  import.quotes",
		header + "A,station\nB,station\nC,station\n":      "2  device.mostReached",
		header + strings.Repeat("x,station\n", 501):       "502  import.long",
	} {
		made, wrong := w.importTable(t, table, false)
		got := strings.Join(wrong, ", ")
		if want == "3 noteName import.twice, 3 serial import.twice" &&
			got == "3 serial import.twice, 3 noteName import.twice" {
			got = want
		}
		if got != want || made != nil {
			t.Errorf("%.40q: %s, want %s (made %v)", table, got, want, made)
		}
	}
	if n := w.Registry.Count(w.field.ID); n != 1 {
		t.Errorf("%d devices", n)
	}
}

func TestImportOfMany(t *testing.T) {
	w := newFixture(t)
	w.offer(t, w.field.ID, tenant.SelfService{Devices: 1000, Products: []string{w.station.Name}})
	var b strings.Builder
	b.WriteString("noteName,product\n")
	for i := range selfservice.MaxLines {
		fmt.Fprintf(&b, "Probe %d,%s\n", i, w.station.Name)
	}
	made, wrong := w.importTable(t, b.String(), false)
	if len(wrong) > 0 || len(made) != selfservice.MaxLines || w.Registry.Count(w.field.ID) != selfservice.MaxLines {
		t.Fatalf("%d made, %v", len(made), wrong)
	}
	if last := made[len(made)-1]; !w.signsIn(last.DeviceName, last.Secret) {
		t.Error("the last one cannot sign in")
	}
}
