package command

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	mqtt "github.com/eclipse/paho.mqtt.golang"
)

const (
	killDevices  = 6
	killInFlight = 64

	// killRounds: by chance, each kill hits another moment between writing, syncing and cleaning
	// up. All but the first follow a start after a kill.
	killRounds = 5
)

// The test kills the server with kill -9 under load, five times. Every acknowledged reading is
// there with its derived values, none twice, and nothing that was never sent.
func TestKillLosesNothingAcknowledged(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	p.start("--device-rate", "1000000", "--device-burst", "1000000")
	var devices strings.Builder
	for i := range killDevices {
		fmt.Fprintf(
			&devices,
			"      - {deviceName: K-%d, serial: s, product: mast, secret: kill-test-secret-number-%d}\n",
			i,
			i,
		)
	}
	p.apply(`products:
  - name: mast
    properties:
      - {identifier: airTemperature, dataType: number}
      - {identifier: airHumidity, dataType: number}
      - {identifier: illuminance, dataType: number, elementUnit: lx}
      - {identifier: ppfd, dataType: number, elementUnit: µmol/m²/s, formula: ppfdOfIlluminance,
         inputs: [illuminance], precision: 3, parameters: {factor: 0.025}}
tenants:
  - name: farm
    timeZone: Europe/Istanbul
    language: en-us
    users: [{userName: ada, password: correct horse}]
    devices:
` + devices.String())

	loads := make([]*loadDevice, killDevices)
	for i := range loads {
		// The times of a device rise by a millisecond a reading, from an hour ago.
		loads[i] = &loadDevice{name: fmt.Sprintf("K-%d", i), secret: fmt.Sprintf("kill-test-secret-number-%d", i),
			first: time.Now().Add(-time.Hour).UnixMilli(), acked: map[int64]bool{}}
	}
	for round := range killRounds {
		var acks atomic.Int64
		enough := make(chan struct{})
		target := int64(1000 + rand.IntN(3000))
		var running sync.WaitGroup
		for _, l := range loads {
			running.Go(func() {
				if err := l.publish(p.mqtt, func() {
					if acks.Add(1) == target {
						close(enough)
					}
				}); err != nil {
					t.Errorf("round %d: %s: %v", round, l.name, err)
				}
			})
		}
		select {
		case <-enough:
		case <-time.After(time.Minute):
			t.Fatalf("round %d: %d of %d acknowledgements\n%s", round, acks.Load(), target, p.stderr)
		}
		p.kill()
		running.Wait()
		p.start("--device-rate", "1000000", "--device-burst", "1000000")
	}

	token := p.signIn("farm", "ada", "correct horse")
	total := 0
	for _, l := range loads {
		total += l.check(t, p, token)
	}
	t.Logf("%d acknowledged readings survived %d kills", total, killRounds)
	p.stop()
}

// loadDevice is a device that publishes as fast as it is acknowledged.
type loadDevice struct {
	name, secret string
	first        int64 // time of reading number 0
	sent         int64 // how many were handed to the client
	acked        map[int64]bool
}

// publish keeps killInFlight messages in flight until the connection breaks. Each reading's value
// is its own number, so that a mix-up would show.
func (l *loadDevice) publish(addr string, onAck func()) error {
	// Without a write timeout the client may hold a message for half a minute after the connection
	// broke.
	client := mqtt.NewClient(
		mqtt.NewClientOptions().AddBroker("tcp://" + addr).SetClientID(l.name).SetWriteTimeout(2 * time.Second).
			SetUsername(l.name).SetPassword(l.secret).SetAutoReconnect(false).SetOrderMatters(false),
	)
	if token := client.Connect(); token.Wait() && token.Error() != nil {
		return token.Error()
	}
	defer client.Disconnect(0)
	type flight struct {
		number int64
		token  mqtt.Token
	}
	inFlight := make(chan flight, killInFlight)
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		for f := range inFlight {
			if f.token.Wait() && f.token.Error() == nil {
				l.acked[f.number] = true
				onAck()
			}
		}
	}()
	for client.IsConnectionOpen() {
		n := l.sent
		l.sent++
		payload := fmt.Sprintf(
			`{"ts":%d,"values":{"airTemperature":%d,"airHumidity":%d,"illuminance":%d}}`,
			l.first+n,
			n,
			-n,
			n,
		)
		inFlight <- flight{n, client.Publish("v1/devices/me/telemetry", 1, false, payload)}
	}
	client.Disconnect(0) // fails what is still in flight
	close(inFlight)
	<-answered
	return nil
}

// check reads the device's whole history and returns how many acknowledged readings it found.
func (l *loadDevice) check(t *testing.T, p *process, token string) int {
	var series map[string][]struct {
		Time  int64
		Value float64
	}
	p.call(http.MethodGet, fmt.Sprintf(
		"/admin-api/client/pc/device/get/format-map/time-interval-data?deviceName=%s&startTime=%d&endTime=%d&yeuSignList=airTemperature,airHumidity,ppfd",
		l.name,
		l.first,
		l.first+l.sent,
	), token, "", &series)
	for sign, factor := range map[string]float64{"airTemperature": 1, "airHumidity": -1, "ppfd": .025} {
		found := map[int64]bool{}
		for _, pt := range series[sign] {
			n := pt.Time - l.first
			if found[n] {
				t.Errorf("%s: %s number %d is there twice", l.name, sign, n)
			}
			found[n] = true
			if n < 0 || n >= l.sent || math.Abs(pt.Value-factor*float64(n)) > 1e-9 {
				t.Errorf("%s: %s at number %d reads %v", l.name, sign, n, pt.Value)
			}
		}
		for _, n := range slices.Sorted(maps.Keys(l.acked)) {
			if !found[n] {
				t.Fatalf("%s: acknowledged %s number %d is lost", l.name, sign, n)
			}
		}
	}
	return len(l.acked)
}
