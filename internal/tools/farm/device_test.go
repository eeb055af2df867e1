package farm

import (
	"math"
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"
	"time"
)

func TestEveryDeviceReportsItsThingModelInOrder(t *testing.T) {
	s, err := parse(farmFile)
	if err != nil {
		t.Fatal(err)
	}
	models := map[string][]Property{}
	for _, p := range s.Products {
		models[p.Name] = p.Properties
	}
	for _, d := range testFarm(t).Devices() {
		values, ok := d.At(demoNow.AddDate(0, 0, -3).Add(7*time.Hour), d.LiveInterval)
		if !ok {
			if d.Name != "SP-1299" {
				t.Errorf("%s is dark", d.Name)
			}
			continue
		}
		i := 0
		for _, p := range models[d.Product] {
			if p.DataType == "text" || p.Formula != "" {
				continue // devices do not report cameras' pictures and computed properties
			}
			if i >= len(values) || values[i].Identifier != p.Identifier {
				t.Fatalf("%s: %v, want %s at %d", d.Name, values, p.Identifier, i)
			}
			switch v := values[i].Value.(type) {
			case float64:
				if p.DataType != "number" || math.IsNaN(v) || v < *p.Min || v > *p.Max {
					t.Errorf("%s: %s is %v", d.Name, p.Identifier, v)
				}
			case bool:
				if p.DataType != "boolean" {
					t.Errorf("%s: %s is %v", d.Name, p.Identifier, v)
				}
			default:
				t.Errorf("%s: %s is a %T", d.Name, p.Identifier, v)
			}
			i++
		}
		if i != len(values) {
			t.Errorf("%s: values beyond its thing model: %v", d.Name, values)
		}
	}
}

// Calls in any order and from many goroutines give the same bits.
func TestSameBitsInAnyOrder(t *testing.T) {
	t.Parallel()
	type question struct {
		device int
		at     time.Time
	}
	var questions []question
	r := rand.New(rand.NewPCG(5, 6))
	forward := testFarm(t)
	for i := range 600 {
		questions = append(questions, question{
			device: i % len(forward.devices),
			at:     demoNow.Add(-time.Duration(r.Int64N(int64(400 * 24 * time.Hour)))),
		})
	}
	ask := func(f *Farm, q question) []Value {
		values, _ := f.devices[q.device].At(q.at, time.Minute)
		return values
	}
	var want [][]Value
	for _, q := range questions {
		want = append(want, ask(forward, q))
	}
	other := testFarm(t)
	var wg sync.WaitGroup
	for worker := range 4 {
		order := rand.New(rand.NewPCG(7, uint64(worker))).Perm(len(questions))
		wg.Go(func() {
			for _, i := range order {
				if got := ask(other, questions[i]); !reflect.DeepEqual(got, want[i]) {
					t.Errorf("call %d returns %v, then %v", i, want[i], got)
					return
				}
			}
		})
	}
	wg.Wait()
}

func TestSeedsMakeDifferentFarms(t *testing.T) {
	at := demoNow.AddDate(0, 0, -2)
	a, _ := New(1, demoNow).devices[0].At(at, time.Minute)
	b, _ := New(2, demoNow).devices[0].At(at, time.Minute)
	if reflect.DeepEqual(a, b) {
		t.Errorf("both report %v", a)
	}
}

func TestDevicesOfASiteShareTheWeather(t *testing.T) {
	f := testFarm(t)
	hollow, ridge := findDevice(t, f, "WS-0417"), findDevice(t, f, "WS-0422")
	same, total := 0, 0
	for i := range 200 {
		at := demoNow.AddDate(0, 0, -20).Add(time.Duration(i) * 37 * time.Minute)
		a, _ := hollow.At(at, time.Minute)
		b, _ := ridge.At(at, time.Minute)
		assertNear(t, "the difference in pressure", number(t, a, "airPressure"), number(t, b, "airPressure"), 1)
		assertNear(
			t,
			"the difference in temperature",
			number(t, a, "airTemperature"),
			number(t, b, "airTemperature"),
			4,
		)
		total++
		if number(t, a, "airTemperature") == number(t, b, "airTemperature") {
			same++
		}
	}
	assertBetween(t, "share of equal readings", float64(same)/float64(total), 0, .5)
}

func TestRainfallIsSinceTheLastReport(t *testing.T) {
	d := findDevice(t, testFarm(t), "WS-0417")
	day, r := rainyDay(t, d.site)
	end := time.UnixMilli(int64(1000 * (d.site.start(day.number) + (r.start+r.length)*3600))).Add(time.Minute)
	whole, _ := d.At(end, 6*time.Hour)
	sum := 0.
	for at := end.Add(-6*time.Hour + 10*time.Minute); !at.After(end); at = at.Add(10 * time.Minute) {
		values, _ := d.At(at, 10*time.Minute)
		sum += number(t, values, "rainfall")
	}
	assertNear(t, "ten-minute rain", sum, number(t, whole, "rainfall"), 1e-6)
	assertNear(t, "the rain of the shower", sum, r.rain, tipSize)
}

func TestProductsAreThoseOfTheTable(t *testing.T) {
	for name, want := range map[string][2]time.Duration{
		"weather-mast":       {time.Minute, 10 * time.Second},
		"soil-probe":         {10 * time.Minute, time.Minute},
		"greenhouse-climate": {time.Minute, 10 * time.Second},
		"water-station":      {5 * time.Minute, time.Minute},
		"light-station":      {time.Minute, 10 * time.Second},
		"field-camera":       {15 * time.Minute, time.Minute},
	} {
		p := products[name]
		if p == nil || p.history != want[0] || p.live != want[1] {
			t.Errorf("%s is %+v", name, p)
		}
	}
}
