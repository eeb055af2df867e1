package ingest

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/tools/testkit"
)

// stationProduct has every property that stations report without further ado, and some that take a
// field of their own.
func stationProduct() *device.Product {
	p := &device.Product{ID: 1, Name: "mast", OfflineAfter: 10 * time.Minute}
	for i, name := range []string{
		"windSpeed", "airTemperature", "soilTemperature", "airPressure", "windGust", "airHumidity", "windDirection",
		"uvIndex", "soilMoisture", "pm25", "solarRadiation", "leafWetness", "co2", "rainfall",
	} {
		p.Properties = append(p.Properties, device.Property{
			ID: device.PropertyID(50 - i), Identifier: name, DataType: device.Number,
		})
	}
	p.Properties[5].Min, p.Properties[5].Max = bound(0), bound(100)
	p.Properties[13].Max = bound(50)
	add := func(id device.PropertyID, identifier, upload string, kind device.DataType) {
		p.Properties = append(
			p.Properties,
			device.Property{ID: id, Identifier: identifier, DataType: kind, Upload: upload},
		)
	}
	add(60, "boxTemperature", "tempinf", device.Number)
	add(61, "rainRate", "rainratein", device.Number)
	add(62, "seaLevelPressure", "baromrelin", device.Number)
	add(63, "windMean", "windspdmph_avg2m", device.Number)
	add(64, "soilTemperature30", "tf_ch1", device.Number)
	add(65, "boxHumidity", "humidityin", device.Number)
	add(66, "batteryLow", "wh65batt", device.Boolean)
	add(67, "firmware", "stationtype", device.Text)
	p.Properties = append(p.Properties, device.Property{
		ID:         68,
		Identifier: "dewPoint",
		DataType:   device.Number,
		Formula:    "dewPoint",
		Inputs:     []string{"airTemperature", "airHumidity"},
	})
	return p
}

// stationEntries are the fixture's devices, as stations of a product.
func stationEntries(p *device.Product) (entries []*device.Entry) {
	for _, x := range testDevices() {
		entries = append(
			entries,
			device.NewEntry(x.Ref, x.Name, p, false, x.Disabled, device.HashSecret(hashKey, secretOf(x.Name))),
		)
	}
	return entries
}

func newStations(t testing.TB, change ...func(*Options)) *edge {
	t.Helper()
	e := newEdge(t, change...)
	e.registry.Replace(stationEntries(stationProduct()))
	return e
}

// openStore opens the real store of readings.
func openStore(t testing.TB, dir string) *reading.Store {
	t.Helper()
	store, err := reading.Open(
		t.Context(),
		reading.Options{Dir: dir, Now: func() time.Time { return time.UnixMilli(now) }},
	)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}

// overStore lets an edge write into a store.
func overStore(s *reading.Store) func(*Options) {
	return func(o *Options) { o.Journal, o.Newest = s, s }
}

// stored are the readings of a station's properties, as time after now in seconds, name and value.
func stored(t testing.TB, s *reading.Store, id device.ID, names ...string) string {
	t.Helper()
	p := stationProduct()
	var ids []device.PropertyID
	for _, name := range names {
		ids = append(ids, p.Property(name).ID)
	}
	var rows []string
	err := s.Range(t.Context(), green, id, 0, 2*now, ids, func(at int64, fields []reading.Field) error {
		for _, f := range fields {
			rows = append(rows, fmt.Sprintf("%d %s=%s", (at-now)/1000, identifierOf(p, f.Property), f.Value))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(rows, "; ")
}

// stationFrames are the committed frames with their values by identifier, sorted by it.
func (e *edge) stationFrames() string {
	p := stationProduct()
	var rows []string
	for _, f := range e.journal.frames() {
		var values []string
		for _, field := range f.Fields {
			if name := identifierOf(p, field.Property); name != "" {
				values = append(values, name+"="+field.Value.String())
			}
		}
		slices.Sort(values)
		rows = append(rows, strings.Join(values, " "))
	}
	return strings.Join(rows, "; ")
}

// utc is a time after now, as stations write it.
func utc(after time.Duration) string {
	return time.UnixMilli(now).Add(after).UTC().Format(stationTimeLayout)
}

func get(t testing.TB, address string) (int, string, http.Header) {
	t.Helper()
	r, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	return answerOf(t, r)
}

func ecowittPath(name string) string { return "/api/v1/" + secretOf(name) + "/ecowitt" }

func weatherStationQuery(name, fields string) string {
	return weatherStationPath + "?" + url.Values{"ID": {name}, "PASSWORD": {secretOf(name)}}.Encode() + "&" + fields
}

// 25: units of the Ecowitt protocol.
func TestStationUnits(t *testing.T) {
	e := newStations(t)
	status, answer, header := post(
		t,
		e.serveHTTP().URL+ecowittPath("WS-1"),
		"PASSKEY=guessable&tempf=70.5&baromabsin=29.92&windspeedmph=10",
	)
	if status != 200 || answer != "OK" || header.Get("Content-Type") != "text/plain; charset=utf-8" {
		t.Errorf("%d %q %v", status, answer, header)
	}
	if got := e.stationFrames(); got != "airPressure=1013.21 airTemperature=21.39 windSpeed=4.47" {
		t.Errorf("stored %s", got)
	}
	if in := e.diagnostics.Get(green, 1); in.Values != 3 || in.Refused != 0 || in.LastRefusal != (device.Refusal{}) {
		t.Errorf("diagnostics %+v", in)
	}
}

// 26: rainfall is the growth of a counter, and its value when it began anew.
func TestStationRain(t *testing.T) {
	store := openStore(t, t.TempDir())
	e := newStations(t, overStore(store))
	for i, total := range []string{"1.00", "1.04", "0.28"} {
		report := url.Values{"dateutc": {utc(time.Duration(i) * time.Minute)}, "totalrainin": {total}}
		if o := e.submit("WS-1", StationReport, report.Encode()); o.Err != nil || o.Values != 1 || o.Refused != 0 {
			t.Errorf("%s: %+v", total, o)
		}
	}
	if got := stored(t, store, 1, "rainfall"); got != "60 rainfall=1.02; 120 rainfall=7.11" {
		t.Errorf("stored %s", got)
	}
}

// 27: Weather Underground's protocol: a wrong secret, and a time too far ahead.
func TestWeatherUnderground(t *testing.T) {
	e := newStations(t)
	base := e.serveHTTP().URL
	right := url.Values{"ID": {"WS-1"}, "PASSWORD": {secretOf("WS-1")}, "dateutc": {"now"}, "tempf": {"50"}}
	with := func(name, value string) string {
		v := url.Values{}
		for k, x := range right {
			v[k] = x
		}
		v.Set(name, value)
		if value == "" {
			v.Del(name)
		}
		return v.Encode()
	}
	refused := "INVALIDPASSWORDID"
	for _, test := range []struct {
		name, query, body string
		status            int
		answer            string
	}{
		{name: "right", query: right.Encode(), status: 200, answer: "success"},
		{name: "right, as a form", body: right.Encode(), status: 200, answer: "success"},
		{name: "right, in two parts", query: right.Encode(), body: "tempf=68", status: 200, answer: "success"},
		{name: "wrong secret", query: with("PASSWORD", "wrong-secret-0123456789"), status: 401, answer: refused},
		{name: "wrong secret in a form", body: with("PASSWORD", "wrong-secret-0123456789"), status: 401, answer: refused},
		{name: "a secret of another device", query: with("PASSWORD", secretOf("WS-2")), status: 401, answer: refused},
		{name: "another tenant's device", query: with("ID", "BLUE-1"), status: 401, answer: refused},
		{name: "unknown device", query: with("ID", "NONE"), status: 401, answer: refused},
		{name: "no device", query: with("ID", ""), status: 401, answer: refused},
		{name: "the secret alone", query: "PASSWORD=" + secretOf("WS-1") + "&tempf=1", status: 401, answer: refused},
		{name: "the secret as name", query: "ID=" + secretOf("WS-1") + "&tempf=1", status: 401, answer: refused},
		{name: "nothing", status: 401, answer: refused},
		{name: "disabled", query: "ID=WS-OFF&PASSWORD=" + secretOf("WS-OFF") + "&tempf=1", status: 401, answer: refused},
		{
			name: "11 minutes ahead", query: with("dateutc", utc(11*time.Minute)), status: 400,
			answer: `{"code":"refused","reason":"future","identifier":"dateutc"}`,
		},
		{name: "9 minutes ahead", query: with("dateutc", utc(9*time.Minute)), status: 200, answer: "success"},
	} {
		var status int
		var answer string
		if test.body == "" {
			status, answer, _ = get(t, base+weatherStationPath+"?"+test.query)
		} else {
			status, answer, _ = post(t, base+weatherStationPath+"?"+test.query, test.body)
		}
		if status != test.status || answer != test.answer {
			t.Errorf("%s: %d %q, want %d %q", test.name, status, answer, test.status, test.answer)
		}
	}
	if got := e.stationFrames(); got != "airTemperature=10; airTemperature=10; airTemperature=20; airTemperature=10" {
		t.Errorf("stored %s", got)
	}
}

// Every field with a property of its own, and its unit.
func TestStationFields(t *testing.T) {
	for _, test := range []struct{ form, want string }{
		{"tempf=32", "airTemperature=0"},
		{"tempf=31.99", "airTemperature=-0.01"},
		{"tempf=31.9999", "airTemperature=0"},
		{"soiltempf=50.1", "soilTemperature=10.06"},
		{"baromabsin=30.000", "airPressure=1015.92"},
		{"absbaromin=30", "airPressure=1015.92"},
		{"baromabsin=30&absbaromin=29", "airPressure=1015.92"},
		{"baromin=30", ""},
		{"windspeedmph=2.24", "windSpeed=1"},
		{"windgustmph=22.37", "windGust=10"},
		{"humidity=61", "airHumidity=61"},
		{"winddir=359", "windDirection=359"},
		{"uv=3", "uvIndex=3"},
		{"UV=3.5", "uvIndex=3.5"},
		{"soilmoisture=44", "soilMoisture=44"},
		{"soilmoisture1=45", "soilMoisture=45"},
		{"soilmoisture2=45", ""},
		{"pm25_ch1=7.005", "pm25=7.01"},
		{"solarradiation=512.344", "solarRadiation=512.34"},
		{"leafwetness=10", "leafWetness=10"},
		{"co2=415", "co2=415"},
		{"tempinf=68", "boxTemperature=20"},
		{"rainratein=0.1", "rainRate=2.54"},
		{"baromrelin=29.92", "seaLevelPressure=1013.21"},
		{"windspdmph_avg2m=10", "windMean=4.47"},
		{"tf_ch1=212", "soilTemperature30=100"},
		{"humidityin=40", "boxHumidity=40"},
		{"wh65batt=1", "batteryLow=true"},
		{"stationtype=GW2000A_V3.2.4", "firmware=GW2000A_V3.2.4"},
		{"tempf=", ""},
		{"tempf=-9999", ""},
		{"tempf=-9999.0&humidity=5", "airHumidity=5"},
		{"absbaromin=30&baromabsin=-9999", "airPressure=1015.92"},
		{"tempf=+50+", "airTemperature=10"},
		{"humidity=1&humidity=2", "airHumidity=2"},
		{"humidity=1&tempf=%2D40", "airHumidity=1 airTemperature=-40"},
		{"humidity=1&&tempf=32&", "airHumidity=1 airTemperature=0"},
		{"humidity=1\r\n", "airHumidity=1"},
	} {
		e := newStations(t)
		e.submit("WS-1", StationReport, test.form)
		if got := e.stationFrames(); got != test.want {
			t.Errorf("%s: stored %q, want %q", test.form, got, test.want)
		}
	}
}

// What is wrong with a report is told; the good values of the same report are kept.
func TestStationRefusals(t *testing.T) {
	long := strings.Repeat("x", 100)
	for _, test := range []struct {
		form     string
		values   int
		refusals string // counted ones, the last one, and the answer's
	}{
		{"tempf=abc", 0, "1 airTemperature wrongType, airTemperature wrongType"},
		{"tempf=0x10&humidity=5", 1, "1 airTemperature wrongType, airTemperature wrongType"},
		{`tempf="`, 0, "1 airTemperature wrongType, airTemperature wrongType"},
		{"tempf=NaN", 0, "1 airTemperature wrongType, airTemperature wrongType"},
		{"tempf=1e999", 0, "1 airTemperature outOfRange, airTemperature outOfRange"},
		{"baromabsin=1e308", 0, "1 airPressure outOfRange, airPressure outOfRange"},
		{"humidity=101", 0, "1 airHumidity outOfRange, airHumidity outOfRange"},
		{"totalrainin=-1", 0, "1 rainfall outOfRange, rainfall outOfRange"},
		{`wh65batt="`, 0, "1 batteryLow wrongType, batteryLow wrongType"},
		{"stationtype=" + strings.Repeat("x", 1025), 0, "1 firmware tooLong, firmware tooLong"},
		{"humidity=5&tempf=%zz", 1, "1 tempf unreadable, tempf unreadable"},
		{`{"humidity":5}`, 0, `1 {"humidity":5} unreadable, {"humidity":5} unreadable`},
		{"", 0, "1  unreadable,  unreadable"},
		{"&&", 0, "1  unreadable,  unreadable"},
		{strings.Repeat("a=1&", maxFormFields+1), 0, "0 a unused, a unused"},
		{manyFields(maxFormFields + 1), 0, "1  unreadable,  unreadable"},
		{"humidity=5&dateutc=yesterday", 0, "1 dateutc badTime, dateutc badTime"},
		{"humidity=5&dateutc=1999-12-31+23:59:59", 0, "1 dateutc badTime, dateutc badTime"},
		{"humidity=5&dateutc=" + url.QueryEscape(utc(-401*24*time.Hour)), 0, "1 dateutc tooOld, dateutc tooOld"},
		{"humidity=5&dateutc=" + url.QueryEscape(utc(601*time.Second)), 0, "1 dateutc future, dateutc future"},
		{"humidity=5&dewPoint=1&eventrainin=2&vpd=", 1, "0 eventrainin unused, dewPoint unused"},
		{"humidity=500&vpd=1", 0, "1 airHumidity outOfRange, airHumidity outOfRange"},
		{"humidity=5&" + long + "=1", 1, "0 " + long[:maxIdentifier] + " unused, " + long[:maxIdentifier] + " unused"},
		{"PASSKEY=a&dateutc=now&model=b&freq=868M&runtime=5&heap=7&interval=60", 0, "0  , "},
	} {
		e := newStations(t)
		o := e.submit("WS-1", StationReport, test.form)
		in := e.diagnostics.Get(green, 1)
		got := fmt.Sprintf("%d %s %s, %s %s", in.Refused, in.LastRefusal.Identifier, in.LastRefusal.Reason,
			o.FirstRefusal.Identifier, o.FirstRefusal.Reason)
		if o.Values != test.values || strings.TrimSpace(got) != strings.TrimSpace(test.refusals) {
			t.Errorf("%.60s: %d values, %q, want %d, %q", test.form, o.Values, got, test.values, test.refusals)
		}
	}
}

func manyFields(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "f%d=1&", i)
	}
	return b.String()
}

// A field that nobody uses hides no refusal, also not that of an earlier report.
func TestUnusedFieldsHideNoRefusal(t *testing.T) {
	e := newStations(t)
	for _, form := range []string{"humidity=500&vpd=1", "humidity=50&vpd=1"} {
		e.submit("WS-1", StationReport, form)
	}
	in := e.diagnostics.Get(green, 1)
	if in.Messages != 2 || in.Refused != 1 || in.LastRefusal.Reason != device.ReasonOutOfRange {
		t.Errorf("%+v", in)
	}
	if n := e.pipeline.Stats().Refused[device.ReasonUnused]; n != 2 {
		t.Errorf("%d unused in the metrics", n)
	}
}

func TestStationTime(t *testing.T) {
	for dateutc, want := range map[string]int64{
		"":                        0,
		"now":                     0,
		"NOW":                     0,
		"2023-11-14 22:13:10":     -10_000,
		"2023-11-14+22%3A13%3A10": -10_000,
		"2023-11-14%2022:13:10":   -10_000,
		"2023-11-14%2B22:13:10":   -10_000,
		"2022-10-20 00:00:00":     -33_776_000_000,
		"2023-11-14 22:23:20":     600_000,
	} {
		e := newStations(t)
		e.submit("WS-1", StationReport, "humidity=5&dateutc="+dateutc)
		if f := e.journal.frames(); len(f) != 1 || f[0].Time-now != want {
			t.Errorf("%q: %+v, want %d", dateutc, f, want)
		}
	}
}

// Statuses, limits and their order are those of telemetry.
func TestStationAnswers(t *testing.T) {
	e := newStations(t, func(o *Options) { o.MaxMessage = 2000 })
	base := e.serveHTTP().URL
	padding := strings.Repeat("x", 2001)
	for _, test := range []struct {
		name, path, body string
		status           int
		answer           string
	}{
		{"wrong secret", "/api/v1/wrong-secret-0123456789/ecowitt", "tempf=1", 401, `{"code":"unauthorized"}`},
		{"the name as secret", "/api/v1/WS-1/ecowitt", "tempf=1", 401, `{"code":"unauthorized"}`},
		{"disabled", ecowittPath("WS-OFF"), "tempf=1", 401, `{"code":"unauthorized"}`},
		{"too large", ecowittPath("WS-1"), "tempf=1&a=" + padding, 413, `{"code":"tooLarge"}`},
		{"nothing", ecowittPath("WS-1"), "", 400, `{"code":"refused","reason":"unreadable"}`},
		{"nothing used", ecowittPath("WS-1"), "vpd=1", 400, `{"code":"refused","reason":"unused","identifier":"vpd"}`},
		{"form without its sender, too large", weatherStationPath, padding, 413, `{"code":"tooLarge"}`},
		{"too large", weatherStationQuery("WS-1", ""), padding, 413, `{"code":"tooLarge"}`},
		{"too large together", weatherStationQuery("WS-1", "a="+padding[:1000]), padding[:1000], 413, `{"code":"tooLarge"}`},
	} {
		if status, answer, _ := post(t, base+test.path, test.body); status != test.status || answer != test.answer {
			t.Errorf("%s: %d %s, want %d %s", test.name, status, answer, test.status, test.answer)
		}
	}
	if status, answer, _ := get(t, base+weatherStationQuery("WS-1", "a="+padding)); status != 413 {
		t.Errorf("a long query: %d %s", status, answer)
	}
	if n := e.pipeline.Stats().Refused[device.ReasonTooLarge]; n != 4 {
		t.Errorf("%d counted as too large", n)
	}
	if n := len(e.journal.frames()); n != 0 {
		t.Errorf("%d frames", n)
	}
}

// A station is answered after the commit; it counts as seen, and is told to try again when nothing
// can be written.
func TestStationIsAnsweredAfterTheCommit(t *testing.T) {
	e := newStations(t)
	base := e.serveHTTP().URL
	for _, send := range []func() (int, string, http.Header){
		func() (int, string, http.Header) { return post(t, base+ecowittPath("WS-1"), "humidity=5") },
		func() (int, string, http.Header) { return get(t, base+weatherStationQuery("WS-1", "humidity=5")) },
	} {
		e.journal.hold()
		statuses := make(chan int, 1)
		go func() {
			status, _, _ := send()
			statuses <- status
		}()
		receive(t, e.journal.entered)
		select {
		case status := <-statuses:
			t.Fatalf("status %d before the commit", status)
		default:
		}
		e.journal.release()
		if status := receive(t, statuses); status != 200 {
			t.Errorf("status %d", status)
		}
		e.journal.fail(errDisk)
		if status, answer, header := send(); status != 503 || header.Get("Retry-After") != "5" {
			t.Errorf("%d %s %v", status, answer, header)
		}
		e.journal.fail(nil)
		receive(t, e.journal.entered)
	}
	if s := e.presence.Status(green, 1); s.LastContact != now {
		t.Errorf("last contact %d", s.LastContact)
	}
}

// A station has the limits of its device: one that floods is told to wait, and delays no other.
func TestStationFloodDelaysNoOther(t *testing.T) {
	e := newStations(t, func(o *Options) { o.Rate, o.Burst = 0.001, 50 })
	base := e.serveHTTP().URL
	var flooding sync.WaitGroup
	stop := make(chan struct{})
	var limited sync.Once
	seen := make(chan struct{})
	for range 4 {
		flooding.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if status, _, header := post(t, base+ecowittPath("WS-1"), manyFields(maxFormFields)); status == 429 &&
					header.Get("Retry-After") != "" {
					limited.Do(func() { close(seen) })
				}
			}
		})
	}
	receive(t, seen)
	took := make([]time.Duration, 20)
	for i := range took {
		began := time.Now()
		status, answer, _ := get(t, base+weatherStationQuery("WS-2", fmt.Sprintf("humidity=%d", i)))
		if took[i] = time.Since(began); status != 200 {
			t.Errorf("%d %s after %s", status, answer, took[i])
		}
	}
	wantMostWithin(t, took, patience/4)
	close(stop)
	flooding.Wait()
}

// Failed sign-ins count for the address, together with those of other ways in; they are seen at the
// device that was named.
func TestStationFailedSignIns(t *testing.T) {
	e := newStations(t, func(o *Options) { o.FailureRate, o.FailureBurst = 0.01, 2 })
	base := e.serveHTTP().URL
	wrong := base + weatherStationPath + "?ID=WS-1&PASSWORD=wrong-secret-0123456789&tempf=1"
	for i, want := range []int{401, 401, 429} {
		if status, _, _ := get(t, wrong); status != want {
			t.Errorf("failure %d: %d", i, status)
		}
	}
	if status, _, _ := post(t, base+"/api/v1/wrong/ecowitt", "tempf=1"); status != 429 {
		t.Errorf("Ecowitt: %d", status)
	}
	if status, _, _ := get(t, base+weatherStationQuery("WS-1", "tempf=1")); status != 200 {
		t.Errorf("the right secret: %d", status)
	}
	if n := e.pipeline.Stats().SignInFailures; n != 4 {
		t.Errorf("%d failures", n)
	}
}

// While memory is short, stations are told to send again later, before their forms are read.
func TestStationWhileMemoryIsShort(t *testing.T) {
	gauge, percent := testkit.FakeMemory()
	e := newStations(t, func(o *Options) { o.Memory = gauge })
	base := e.serveHTTP().URL
	percent.Store(98)
	for _, path := range []string{ecowittPath("WS-1"), weatherStationPath, weatherStationQuery("WS-1", "")} {
		status, answer, header := post(t, base+path, "humidity=5")
		if status != 503 || answer != `{"code":"unavailable"}` || header.Get("Retry-After") != "5" {
			t.Errorf("%s: %d %s %v", path, status, answer, header)
		}
	}
}

// A report of one tenant's station never becomes a reading of another's.
func TestStationWritesItsOwnReadings(t *testing.T) {
	e := newStations(t)
	base := e.serveHTTP().URL
	post(t, base+ecowittPath("BLUE-1"), "ID=WS-1&PASSWORD="+secretOf("WS-1")+"&deviceName=WS-1&humidity=5")
	get(t, base+weatherStationQuery("BLUE-1", "humidity=6"))
	var of []tenant.ID
	for _, f := range e.journal.frames() {
		of = append(of, f.Tenant)
	}
	if !slices.Equal(of, []tenant.ID{blue, blue}) {
		t.Errorf("frames of %v", of)
	}
}

// FuzzStation checks what the store relies on, whatever a station sends.
func FuzzStation(f *testing.F) {
	for _, form := range []string{
		"PASSKEY=1&stationtype=GW2000A&dateutc=2023-11-14+22:13:10&tempf=70.5&baromabsin=29.92&totalrainin=1.04",
		"ID=a&PASSWORD=b&dateutc=now&humidity=-9999&UV=3&wh65batt=1",
		"a=%zz&=1&b&&tempf=1e308&tempf=\"",
		"dateutc=2023-11-14%2B22%3A13%3A10&dailyrainin=0&rainratein=1e300",
	} {
		f.Add([]byte(form))
	}
	p := stationProduct()
	f.Fuzz(func(t *testing.T, form []byte) {
		d := newDecoder()
		d.registry.Replace(stationEntries(p))
		var c messageContent
		d.decodeReport(&c, d.registry.Get(1), form, now)
		checkFrames(t, c, 1)
		if len(c.arrivals) > 1 || len(c.parts) != 1 || len(c.parts[0].refusals) > maxFormFields+len(p.Properties) {
			t.Fatalf("%d frames, %d parts", len(c.arrivals), len(c.parts))
		}
		for _, a := range c.arrivals {
			for _, field := range a.Fields {
				property := p.Properties[slices.IndexFunc(p.Properties, func(x device.Property) bool {
					return x.ID == field.Property || x.Identifier == device.Rainfall && field.Property.IsRainCounter()
				})]
				if property.Derived() ||
					property.DataType == device.Number && field.Value.Kind() != reading.KindNumber {
					t.Fatalf("%s=%s", property.Identifier, field.Value)
				}
			}
		}
	})
}
