package bench

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func sampleResult() *Result {
	return &Result{
		Target:       "tilth",
		Options:      Options{Connections: 100, Window: 32, Duration: 10 * time.Second, Protocol: 5},
		Values:       8,
		Payload:      175,
		Connecting:   1234 * time.Millisecond,
		Messages:     1_234_560,
		Sent:         1_300_000,
		Acknowledged: 1_250_000,
		P50:          1500 * time.Microsecond,
		P99:          250 * time.Millisecond,
		Max:          12_340 * time.Millisecond,
		ServerCPU:    1.25,
		OwnCPU:       0.5,
		MemoryBefore: 30 << 20,
		MemoryOpen:   31 << 20,
		MemoryEnd:    90 << 20,
		Commits:      1250,
		CommitWait:   2500 * time.Microsecond,
		Unevaluated:  7,
		DiskBlocks:   400,
		Screen:       true,
		LiveReadings: 5000,
		LiveCuts:     2,
		LiveResets:   1,
		Verdict:      &Verification{Checked: 10_000_000, Took: 3 * time.Second},
	}
}

func printed(t *testing.T, r *Result) string {
	t.Helper()
	var b strings.Builder
	if err := r.Print(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPrint(t *testing.T) {
	all := printed(t, sampleResult())
	for _, part := range []string{
		"tilth: 100 connections, window 32, 8 values in 175 bytes, MQTT 5, QoS 1, 10s",
		"123,456 messages/s, 987,648 values/s", "p50 1.5ms, p99 250ms, longest 12.3s", "in 1.234s",
		"server 1.25 (10.1µs of them a message), generator 0.50", "30 MiB before the connections, 31 MiB with them (10.2 KiB each), 90 MiB at the end",
		"1,250, 1,000 messages each, waiting 2.5ms for the disk; 7 not yet judged", "400 appends of that size a second, each made durable: 400,000 messages/s",
		"5,000 readings told, cut off 2 times", "1,300,000 sent, 1,250,000 acknowledged, 0 refused, 0 connections broke",
		"10,000,000 acknowledged values in 3s: 0 lost, 0 wrong, 0 extra",
	} {
		if !strings.Contains(all, part) {
			t.Errorf("lacks %q:\n%s", part, all)
		}
	}
	r := sampleResult()
	r.Verdict, r.Screen, r.Commits, r.DiskBlocks, r.MemoryBefore = nil, false, 0, 0, 0
	few := printed(t, r)
	for part, want := range map[string]bool{
		"nothing": true, "the server's are not known": true, "live stream": false, "commits": false, "the disk": false, "memory": false,
	} {
		if strings.Contains(few, part) != want {
			t.Errorf("%q:\n%s", part, few)
		}
	}
	r.ProcessUnknown = errors.New("no such folder")
	if text := printed(t, r); !strings.Contains(text, "not known: no such folder") {
		t.Errorf("%s", text)
	}
}

func TestResultErr(t *testing.T) {
	if err := sampleResult().Err(); err != nil {
		t.Errorf("a good run: %v", err)
	}
	for says, change := range map[string]func(*Result){
		"1 values lost, 0 wrong, 0 extra; the first: here": func(r *Result) { r.Verdict.Lost, r.Verdict.Example = 1, "here" },
		"0 values lost, 2 wrong":                           func(r *Result) { r.Verdict.Wrong = 2 },
		"3 extra":                                          func(r *Result) { r.Verdict.Extra = 3 },
		"4 connections broke, the first: cut":              func(r *Result) { r.Broken, r.FirstBreak = 4, errors.New("cut") },
		"5 messages were refused":                          func(r *Result) { r.Refused = 5 },
		"nothing was acknowledged":                         func(r *Result) { r.Messages = 0 },
	} {
		r := sampleResult()
		change(r)
		if err := r.Err(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
}

func TestCompare(t *testing.T) {
	peer, slow := sampleResult(), sampleResult()
	peer.Target, peer.Messages = "peer", 2*peer.Messages
	slow.Options.Window, slow.ServerCPU = 1, 0
	var b strings.Builder
	if err := Compare(&b, []Pair{{sampleResult(), peer}, {slow, slow}}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	if len(lines) != 3 ||
		strings.Join(strings.Fields(lines[1]), " ") != "32 123,456 246,912 0.50 250ms 250ms 10.1µs 5.1µs" ||
		strings.Join(strings.Fields(lines[2]), " ") != "1 123,456 123,456 1.00 250ms 250ms not known not known" {
		t.Errorf("%s", b.String())
	}
}

func TestNumbers(t *testing.T) {
	for f, want := range map[float64]string{0: "0", 999: "999", 1000: "1,000", -100: "-100", -1234: "-1,234", 1234567.8: "1,234,568"} {
		if got := thousands(f); got != want {
			t.Errorf("%v is %s", f, got)
		}
	}
	for d, want := range map[time.Duration]string{
		0: "0s", 12_345: "12.3µs", 123_456: "123µs", 1_234_567: "1.2ms", 123_456_789: "123ms", 1_234_567_890: "1.235s", 98_765_432_100: "1m38.8s",
	} {
		if got := short(d); got != want {
			t.Errorf("%d is %s", d, got)
		}
	}
}
