package command

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"
)

// oldFarm is in every kept folder, in a form that the first version accepts. dewPoint has a formula
// if the version knows formulas.
const oldFarm = `elements:
  - {yeuSign: airTemperature, unit: "°C", yeuName: {en-us: Air temperature, zh-cn: 空气温度, tr-tr: Hava sıcaklığı,
     ru-ru: Температура воздуха}}
products:
  - name: mast
    offlineAfter: 10m
    properties:
      - {identifier: airTemperature, functionName: Air temperature, elementUnit: "°C", dataType: number,
         precision: 1, min: -50, max: 70}
      - {identifier: airHumidity, elementUnit: "%%", dataType: number, min: 0, max: 100}
      - {identifier: heating, dataType: boolean}
      - {identifier: note, dataType: text}
%s
tenants:
  - name: farm
    hosts: [farm.example]
    timeZone: Europe/Istanbul
    language: tr-tr
    diy: {title: Yeşil Alan}
    users:
      - {userName: ada, password: "correct horse", nickname: Ada Şahin, email: ada@example.com, mobile: "+905551112233"}
    scenes: [Kuzey tarlası]
    devices:
      - {deviceName: U-1, serial: s-1, noteName: Kuzey direği, product: mast, scene: Kuzey tarlası,
         longitude: 32.85, latitude: 39.92, secret: upgrade-test-secret-number-1}
      - {deviceName: U-2, serial: s-2, product: mast,
         secrets: [upgrade-test-secret-number-2, upgrade-test-secret-number-3]}
      - {deviceName: U-3, serial: x-SXT-3, noteName: Kamera, product: mast, secret: upgrade-test-secret-number-4}
  - name: other
    timeZone: Asia/Shanghai
    language: zh-cn
    users: [{userName: ada, password: "other horse"}]
    devices: [{deviceName: U-9, serial: s-9, product: mast, secret: upgrade-test-secret-number-9}]
`

const dewPoint = `      - {identifier: dewPoint, elementUnit: "°C", dataType: number, precision: 1, formula: dewPoint, inputs: [airTemperature, airHumidity]}`

// folderRecord describes what a kept folder holds.
type folderRecord struct {
	Version  string // as people call it
	Made     int64  // epoch ms
	Readings map[string]map[string][]point
	Notices  []string          // as process.notices lists them
	Rules    []string          // their names and whether they run
	Devices  map[string]string // remark names and scenes by name
	Key      struct{ AppKey, AppSecret string }
}

// point is one reading: its time (epoch ms) and value.
type point struct {
	Time  int64 `json:"time"`
	Value any   `json:"value"`
}

// oldDays is how many days of readings a kept folder has before the day when it was made.
const oldDays = 3

// oldReading is the n-th reading of a device of the old farm.
func oldReading(device string, n int) map[string]any {
	wave := math.Sin(float64(n)/17 + float64(len(device)+int(device[2])))
	values := map[string]any{"airTemperature": math.Round(wave*80+100) / 10, "airHumidity": math.Round(60 - 30*wave)}
	if n%3 == 0 {
		values["heating"] = wave < 0
	}
	if n%20 == 0 {
		values["note"] = fmt.Sprintf("%s günlük, %d", device, n)
	}
	return values
}

// publish sends frames of a device over HTTP, all in one message.
func (p *process) publish(secret string, frames map[int64]map[string]any) {
	p.t.Helper()
	type frame struct {
		TS     int64          `json:"ts"`
		Values map[string]any `json:"values"`
	}
	var list []frame
	for _, at := range slices.Sorted(maps.Keys(frames)) {
		list = append(list, frame{at, frames[at]})
	}
	body, err := json.Marshal(list)
	if err != nil {
		p.t.Fatal(err)
	}
	if code, said := p.post("/api/v1/"+secret+"/telemetry", "", string(body)); code != http.StatusOK {
		p.t.Fatalf("readings were answered %d %s\n%s", code, said, p.stderr)
	}
}

// post sends JSON to the console's address and returns the answer.
func (p *process) post(path, authorization, body string) (status int, answer string) {
	p.t.Helper()
	r, err := http.NewRequest(http.MethodPost, "http://"+p.http+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", authorization)
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return res.StatusCode, string(b)
}

// history is all that a server has of the devices' readings until a folder was made.
func (p *process) history(token string, devices []string, made int64) map[string]map[string][]point {
	p.t.Helper()
	all := map[string]map[string][]point{}
	for _, d := range devices {
		from := made - (oldDays+2)*24*time.Hour.Milliseconds()
		var got map[string][]point
		p.call(http.MethodGet, fmt.Sprintf(
			"/admin-api/client/pc/device/get/format-map/time-interval-data?deviceName=%s&startTime=%d&endTime=%d&yeuSignList=%s",
			d,
			from,
			made+10_000,
			strings.Join(p.propertyIDs(token, d), ","),
		), token, "", &got)
		all[d] = got
	}
	return all
}

// propertyIDs are the identifiers of a device's properties.
func (p *process) propertyIDs(token, device string) (list []string) {
	p.t.Helper()
	var tsl struct {
		Propertie []struct{ Identifier string }
	}
	p.call(http.MethodGet, "/admin-api/client/pc/device/get/tsl?deviceName="+device, token, "", &tsl)
	for _, x := range tsl.Propertie {
		list = append(list, x.Identifier)
	}
	return list
}

// deviceLabels are the names that people gave a farm's devices, and their scenes.
func (p *process) deviceLabels(token string) map[string]string {
	p.t.Helper()
	var page struct {
		List []struct{ DeviceName, NoteName, GroupName string }
	}
	p.call(http.MethodGet, "/admin-api/client/pc/device/page?pageNo=1&pageSize=100", token, "", &page)
	all := map[string]string{}
	for _, d := range page.List {
		all[d.DeviceName] = cmp.Or(d.NoteName, "-") + " / " + cmp.Or(d.GroupName, "-")
	}
	return all
}
