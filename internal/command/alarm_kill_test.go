package command

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	mqtt "github.com/eclipse/paho.mqtt.golang"
)

const (
	alarmDevices = 4
	alarmStep    = 2 // ms between the readings of a device

	// defaultKillRounds lets a start follow a kill, and further kills follow such starts. Only the
	// many rounds before a release make it likely that a kill hits every place.
	defaultKillRounds = 3
)

// killRoundsFromEnv is how often the server is killed. A release is tested with
// TILTH_KILL_ROUNDS=50.
func killRoundsFromEnv(t *testing.T) int {
	t.Helper()
	said := os.Getenv("TILTH_KILL_ROUNDS")
	if said == "" {
		return defaultKillRounds
	}
	n, err := strconv.Atoi(said)
	if err != nil || n < 1 {
		t.Fatalf("TILTH_KILL_ROUNDS=%q: must be above 0", said)
	}
	return n
}

// The test kills the server with kill -9 again and again while notices open and end. After the last
// start every rule has exactly the notices of a server that took the same readings undisturbed.
func TestKillChangesNoNotice(t *testing.T) {
	t.Parallel()
	rounds := killRoundsFromEnv(t)
	killed, undisturbedServer := newAlarmProcess(t), newAlarmProcess(t)
	first := time.Now().Add(time.Second).UnixMilli() // after the rules were started

	loads := make([]*resendingDevice, alarmDevices)
	for i := range loads {
		loads[i] = &resendingDevice{number: i, first: first}
	}
	for round := range rounds {
		var acks atomic.Int64
		enough := make(chan struct{})
		target := int64(200 + rand.IntN(800))
		all := killed.publishAll(loads, 1<<40, func() {
			if acks.Add(1) == target {
				close(enough)
			}
		})
		select {
		case <-enough:
		case <-time.After(60 * time.Second):
			t.Fatalf("round %d: %d of %d acknowledgements\n%s", round, acks.Load(), target, killed.stderr)
		}
		killed.kill()
		all.Wait()
		killed.start(unlimitedArgs...)
	}
	// Each device sends again what was not acknowledged, so that all have sent the same number.
	perDevice := int64(0)
	for _, l := range loads {
		perDevice = max(perDevice, l.sent)
	}
	// Early kills leave few readings behind, so send enough that notices open and end between all
	// kills.
	perDevice = max(perDevice+50, 200*int64(rounds))
	killed.publishAll(loads, perDevice, func() {}).Wait()
	got := killed.notices()

	undisturbed := make([]*resendingDevice, alarmDevices)
	for i := range undisturbed {
		undisturbed[i] = &resendingDevice{number: i, first: first}
	}
	undisturbedServer.publishAll(undisturbed, perDevice, func() {}).Wait()
	want := undisturbedServer.notices()

	for i, l := range loads {
		if l.acked != perDevice || undisturbed[i].acked != perDevice {
			t.Fatalf("device %d: %d and %d of %d readings acknowledged", i, l.acked, undisturbed[i].acked, perDevice)
		}
	}
	if len(want) < 20*rounds {
		t.Errorf("only %d notices, which proves little", len(want))
	}
	if !slices.Equal(got, want) {
		missing, extra := differences(got, want)
		t.Errorf(
			"killed %d times: %d notices, want %d; missing %v; too many %v",
			rounds,
			len(got),
			len(want),
			missing,
			extra,
		)
	}
	t.Logf("%d notices of %d readings are the same after %d kills", len(got), perDevice*alarmDevices, rounds)
	killed.stop()
	undisturbedServer.stop()
}

var unlimitedArgs = []string{"--device-rate", "1000000", "--device-burst", "1000000", "--notices-an-hour", "0"}

// newAlarmProcess is a server with devices whose rules run.
func newAlarmProcess(t *testing.T) *process {
	t.Helper()
	p := newProcess(t)
	p.start(unlimitedArgs...)
	p.applyAlarms()
	return p
}

// applyAlarms makes the devices and starts their rules.
func (p *process) applyAlarms() {
	p.t.Helper()
	var devices strings.Builder
	for i := range alarmDevices {
		fmt.Fprintf(
			&devices,
			"      - {deviceName: A-%d, serial: s, product: mast, secret: alarm-test-secret-number-%d}\n",
			i,
			i,
		)
	}
	p.apply(`products:
  - name: mast
    properties:
      - {identifier: airTemperature, dataType: number, precision: 1}
      - {identifier: airHumidity, dataType: number}
tenants:
  - name: farm
    timeZone: Europe/Istanbul
    language: en-us
    users: [{userName: ada, password: correct horse}]
    devices:
` + devices.String())
	token := p.adaToken()
	for i := range alarmDevices {
		for name, rest := range map[string]string{
			"frost":  `"hitCounts":1,"conditions":[{"andor":"and","tslAttribute":"airTemperature","subconditions":"<","value":1}]`,
			"damp":   `"hitCounts":3,"conditions":[{"andor":"and","tslAttribute":"airHumidity","subconditions":">","value":97,"recovery":30}]`,
			"either": `"hitCounts":2,"conditions":[{"andor":"and","tslAttribute":"airTemperature","subconditions":"<","value":1},{"andor":"or","tslAttribute":"airHumidity","subconditions":">=","value":99}]`,
		} {
			var id int64
			p.call(http.MethodPost, "/admin-api/client/pc/alarm-rules/create", token, fmt.Sprintf(
				`{"alarmName":%q,"dataSource":1,"executionId":"A-%d","triggerType":0,"durations":60000,"alarmLevel":1,"manualRelease":0,%s}`,
				name,
				i,
				rest,
			), &id)
			var done bool
			p.call(
				http.MethodGet,
				fmt.Sprintf("/admin-api/client/pc/alarm-rules/publish?alarmRulesId=%d", id),
				token,
				"",
				&done,
			)
		}
	}
}

// publishAll lets the devices publish until each has sent count readings or its connection breaks.
func (p *process) publishAll(loads []*resendingDevice, count int64, onAck func()) *sync.WaitGroup {
	var running sync.WaitGroup
	for _, l := range loads {
		running.Go(func() {
			if err := l.publish(p.mqtt, count, onAck); err != nil {
				p.t.Errorf("device %d: %v", l.number, err)
			}
		})
	}
	return &running
}

// resendingDevice is a device that sends again, in order, what was not acknowledged. Its readings
// follow from their numbers.
type resendingDevice struct {
	number      int
	first       int64 // time of reading number 0
	sent, acked int64 // readings handed to the client so far; readings acknowledged without a gap
}

func (l *resendingDevice) payload(n int64) string {
	x := uint64(l.number+1)<<32 ^ uint64(n)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	x ^= x >> 31
	at := l.first + n*alarmStep
	switch { // some hold only one value, and some are a little late
	case x%11 == 0:
		return fmt.Sprintf(`{"ts":%d,"values":{"airTemperature":%.2f}}`, at, float64(x>>8%3000)/100)
	case x%13 == 0:
		return fmt.Sprintf(`{"ts":%d,"values":{"airHumidity":%d}}`, at-7*alarmStep+1, x>>8%100)
	}
	return fmt.Sprintf(
		`{"ts":%d,"values":{"airTemperature":%.2f,"airHumidity":%d}}`,
		at,
		float64(x>>8%3000)/100,
		x>>24%100,
	)
}

func (l *resendingDevice) publish(addr string, count int64, onAck func()) error {
	client := mqtt.NewClient(
		mqtt.NewClientOptions().AddBroker(
			"tcp://" + addr,
		).SetClientID(
			fmt.Sprint("a-", l.number),
		).SetWriteTimeout(
			2 * time.Second,
		).
			SetUsername(
				fmt.Sprint("A-", l.number),
			).SetPassword(
			fmt.Sprint("alarm-test-secret-number-", l.number),
		).
			SetAutoReconnect(
				false,
			).SetOrderMatters(
			false,
		),
	)
	if token := client.Connect(); token.Wait() && token.Error() != nil {
		return token.Error()
	}
	defer client.Disconnect(0)
	inFlight := make(chan mqtt.Token, 16)
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		gap := false
		for token := range inFlight {
			if token.Wait() && token.Error() != nil {
				gap = true // the device sends it and all later readings again
			}
			if !gap {
				l.acked++
				onAck()
			}
		}
	}()
	for n := l.acked; n < count && client.IsConnectionOpen(); n++ {
		// A reading is sent when its time has come: the order of readings that are ahead of their arrival
		// is that of their arrivals, which a kill changes.
		time.Sleep(time.Until(time.UnixMilli(l.first + n*alarmStep)))
		inFlight <- client.Publish("v1/devices/me/telemetry", 1, false, l.payload(n))
		l.sent = max(l.sent, n+1)
	}
	if !client.IsConnectionOpen() {
		client.Disconnect(0) // fails what is still in flight
	}
	close(inFlight)
	<-answered
	return nil
}

// notices are all notices of the farm once everything is evaluated, as lines that can be compared
// between two servers.
func (p *process) notices() (lines []string) {
	p.t.Helper()
	p.waitEvaluated()
	token := p.adaToken()
	for page, total := 1, 1; len(lines) < total; page++ {
		var got struct {
			Total int
			List  []struct {
				Title, DeviceName  string
				ResolveStatus      int
				StartTime, EndTime int64
			}
		}
		p.call(
			http.MethodGet,
			fmt.Sprintf("/admin-api/client/pc/alarm-notice/page?pageNo=%d&pageSize=400", page),
			token,
			"",
			&got,
		)
		if total = got.Total; len(got.List) == 0 {
			break
		}
		for _, n := range got.List {
			lines = append(
				lines,
				fmt.Sprintf("%s %s %d-%d %d", n.DeviceName, n.Title, n.StartTime, n.EndTime, n.ResolveStatus),
			)
		}
	}
	slices.Sort(lines)
	return lines
}

// waitEvaluated waits until the whole journal is evaluated and the resulting notices are on disk.
func (p *process) waitEvaluated() {
	p.t.Helper()
	deadline := time.Now().Add(time.Minute)
	for {
		if p.metricText("tilth_readings_journal_lag") == "0" && p.metricText("tilth_alarm_unrecorded") == "0" {
			return
		}
		if time.Now().After(deadline) {
			p.t.Fatalf("the journal is not evaluated\n%s", p.stderr)
		}
		time.Sleep(20 * time.Millisecond) // another process: there is no event to wait for
	}
}

// differences are a few of the lines that got lacks, and a few of those that it has and want does
// not.
func differences(got, want []string) (missing, extra []string) {
	count := map[string]int{}
	for _, w := range want {
		count[w]++
	}
	for _, g := range got {
		count[g]--
	}
	for line, n := range count {
		switch {
		case n > 0 && len(missing) < 5:
			missing = append(missing, line)
		case n < 0 && len(extra) < 5:
			extra = append(extra, line)
		}
	}
	return missing, extra
}
