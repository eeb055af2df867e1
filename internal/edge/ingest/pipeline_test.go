package ingest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
)

var errDisk = errors.New("the disk is full")

func TestPipelineCommitsBeforeItAnswers(t *testing.T) {
	e := newEdge(t)
	e.journal.hold()
	outcomes := make(chan Outcome, 1)
	m := Message{Entry: e.find("WS-1"), Kind: Telemetry, Payload: []byte(`{"humidity":5}`), At: now}
	if err := e.pipeline.Submit(context.Background(), m, func(o Outcome) { outcomes <- o }); err != nil {
		t.Fatal(err)
	}
	receive(t, e.journal.entered)
	select {
	case o := <-outcomes:
		t.Fatalf("answered before the commit: %+v", o)
	default:
	}
	e.journal.release()
	if o := receive(t, outcomes); o.Err != nil || o.Values != 1 || o.Rejected() {
		t.Errorf("outcome %+v", o)
	}
	if got := describe(e.journal.frames()); got != "1@0 hum=5" {
		t.Errorf("committed %s", got)
	}
}

// Readings of a tenant that is not admitted wait, without taking capacity from others; messages
// without readings do not wait.
func TestPipelineAdmits(t *testing.T) {
	open := make(chan struct{})
	var kept tenant.ID
	e := newEdge(t, func(o *Options) {
		o.Admit = func(ctx context.Context, of tenant.ID) error {
			if of != kept {
				return nil
			}
			select {
			case <-open:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	})
	kept = e.find("WS-1").Tenant
	submit := func(ctx context.Context, device string, kind Kind) error {
		done := make(chan Outcome, 1)
		err := e.pipeline.Submit(
			ctx,
			Message{Entry: e.find(device), Kind: kind, Payload: []byte(`{"humidity":5}`), At: now},
			func(o Outcome) { done <- o },
		)
		if err == nil {
			err = receive(t, done).Err
		}
		return err
	}
	gone, stop := context.WithCancel(context.Background())
	stop()
	if err := submit(gone, "WS-1", Telemetry); !errors.Is(err, context.Canceled) {
		t.Errorf("a tenant that is not admitted: %v", err)
	}
	if err := submit(context.Background(), "WS-1", Ignored); err != nil {
		t.Errorf("a message without readings: %v", err)
	}
	if err := submit(context.Background(), "BLUE-1", Telemetry); err != nil {
		t.Errorf("a message of another tenant: %v", err)
	}
	waits := make(chan error, 1)
	go func() { waits <- submit(context.Background(), "WS-1", Telemetry) }()
	close(open)
	if err := receive(t, waits); err != nil {
		t.Errorf("after the admission: %v", err)
	}
}

// While one batch is written the next gathers, and answers keep the order of submission.
func TestPipelineGroupsCommits(t *testing.T) {
	e := newEdge(t)
	e.journal.hold()
	const n = 500
	var mu sync.Mutex
	var order []int
	all := make(chan struct{})
	for i := range n {
		m := Message{
			Entry:   e.find("WS-1"),
			Kind:    Telemetry,
			Payload: fmt.Appendf(nil, `{"humidity":%d}`, i%100),
			At:      now,
		}
		if i%10 == 3 {
			m.Kind = Ignored // nothing to write, but answered in order
		}
		err := e.pipeline.Submit(context.Background(), m, func(Outcome) {
			mu.Lock()
			defer mu.Unlock()
			if order = append(order, i); len(order) == n {
				close(all)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			receive(t, e.journal.entered)
		}
	}
	if s := e.pipeline.Stats(); s.Waiting != n {
		t.Errorf("%d messages wait, want %d", s.Waiting, n)
	}
	e.journal.release()
	receive(t, all)
	if !slices.IsSorted(order) {
		t.Error("answered out of order")
	}
	if got := e.journal.commits(); got != 2 {
		t.Errorf("%d commits, want one for the first message and one for the gathered ones", got)
	}
	s := e.pipeline.Stats()
	if s.Messages != n || s.Values != n-n/10 || s.Commits != 2 || s.Waiting != 0 {
		t.Errorf("stats %+v", s)
	}
}

func TestPipelineLimitsBatches(t *testing.T) {
	e := newEdge(t, func(o *Options) { o.BatchFrames = 4 })
	e.journal.hold()
	var answered sync.WaitGroup
	submit := func(payload string) {
		answered.Add(1)
		m := Message{Entry: e.find("WS-1"), Kind: Telemetry, Payload: []byte(payload), At: now}
		if err := e.pipeline.Submit(context.Background(), m, func(Outcome) { answered.Done() }); err != nil {
			t.Fatal(err)
		}
	}
	submit(`{"humidity":1}`)
	receive(t, e.journal.entered)
	submit(`[{"humidity":1},{"humidity":2},{"humidity":3}]`)
	// This does not fit together with the three.
	submit(`[{"humidity":4},{"humidity":5}]`)
	// This is larger than a batch, so it is committed alone.
	submit(`[{"humidity":6},{"humidity":7},{"humidity":8},{"humidity":9},{"humidity":10},{"humidity":11}]`)
	e.journal.release()
	answered.Wait()
	var sizes []int
	for range 3 {
		sizes = append(sizes, receive(t, e.journal.entered))
	}
	if !slices.Equal(sizes, []int{3, 2, 6}) {
		t.Errorf("batch sizes %v", sizes)
	}
}

func TestPipelineHoldsBackWhenTooMuchWaits(t *testing.T) {
	e := newEdge(t, func(o *Options) { o.QueueBytes = 2 * (itemWeight + 14) })
	e.journal.hold()
	m := Message{Entry: e.find("WS-1"), Kind: Telemetry, Payload: []byte(`{"humidity":1}`), At: now}
	nothing := func(Outcome) {}
	for range 2 {
		if err := e.pipeline.Submit(context.Background(), m, nothing); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	refused := make(chan error, 1)
	go func() { refused <- e.pipeline.Submit(ctx, m, nothing) }()
	taken := make(chan error, 1)
	go func() { taken <- e.pipeline.Submit(context.Background(), m, nothing) }()
	cancel()
	if err := receive(t, refused); !errors.Is(err, context.Canceled) {
		t.Errorf("Submit returned %v", err)
	}
	select {
	case err := <-taken:
		t.Fatalf("a third message was accepted (%v)", err)
	default:
	}
	e.journal.release()
	if err := receive(t, taken); err != nil {
		t.Errorf("Submit after the commit: %v", err)
	}
	// A message larger than the whole queue is accepted if nothing else waits.
	large := m
	large.Payload = append([]byte(`{"humidity":1}`), make([]byte, 4096)...)
	for i := range large.Payload[14:] {
		large.Payload[14+i] = ' '
	}
	done := make(chan Outcome, 1)
	if err := e.pipeline.Submit(context.Background(), large, func(o Outcome) { done <- o }); err != nil {
		t.Fatal(err)
	}
	if o := receive(t, done); o.Values != 1 {
		t.Errorf("outcome %+v", o)
	}
}

func TestPipelineReportsFailure(t *testing.T) {
	e := newEdge(t)
	e.journal.fail(errDisk)
	if o := e.submit("WS-1", Telemetry, `{"humidity":5,"wind":1}`); !errors.Is(o.Err, errDisk) || o.Rejected() {
		t.Errorf("outcome %+v", o)
	}
	if in := e.diagnostics.Get(green, 1); in.Messages != 0 || in.Refused != 0 {
		t.Errorf("a message that will be sent again was counted: %+v", in)
	}
	// A message that needs no disk is answered all the same.
	if o := e.submit("WS-1", Telemetry, `{"wind":1}`); o.Err != nil || !o.Rejected() {
		t.Errorf("outcome %+v", o)
	}
	e.journal.fail(nil)
	if o := e.submit("WS-1", Telemetry, `{"humidity":5,"wind":1}`); o.Err != nil || o.Values != 1 || o.Refused != 1 {
		t.Errorf("outcome after sending again: %+v", o)
	}
	if s := e.pipeline.Stats(); s.CommitFailures != 1 || s.Commits != 1 || s.Messages != 2 {
		t.Errorf("stats %+v", s)
	}
}

func TestPipelineOutcomesAndDiagnostics(t *testing.T) {
	e := newEdge(t)
	ahead := fmt.Sprintf(`{"ts":%d,"values":{"humidity":7,"heating":"x"}}`, now+120_000)
	for _, test := range []struct {
		name, from string
		kind       Kind
		payload    string
		values     int
		rejected   bool
		first      device.Refusal
	}{
		{"good", "WS-1", Telemetry, `{"humidity":5}`, 1, false, device.Refusal{}},
		{"partly valid", "WS-1", Telemetry, ahead, 1, false, device.Refusal{Time: now, Identifier: "heating", Reason: device.ReasonWrongType}},
		{"an empty message is valid", "WS-1", Telemetry, `{}`, 0, false, device.Refusal{}},
		{"unreadable", "WS-1", Telemetry, `{`, 0, true, device.Refusal{Time: now, Reason: device.ReasonUnreadable}},
		{"attributes", "WS-1", Ignored, `whatever`, 0, false, device.Refusal{}},
		{"stray", "WS-1", UnknownTopic, `{}`, 0, true, device.Refusal{Time: now, Reason: device.ReasonUnknownTopic}},
		{"not a gateway", "WS-1", GatewayTelemetry, `{"WS-2":[{"humidity":5}]}`, 0, true, device.Refusal{Time: now, Reason: device.ReasonNotGateway}},
		{"not a gateway, connect", "WS-1", GatewayConnect, `{"device":"WS-2"}`, 0, true, device.Refusal{Time: now, Reason: device.ReasonNotGateway}},
		{"gateway, another tenant's", "BLUE-GW", GatewayTelemetry, `{"WS-1":[{"humidity":5}]}`, 0, true,
			device.Refusal{Time: now, Identifier: "WS-1", Reason: device.ReasonNotYours}},
		{"connect, another tenant's", "BLUE-GW", GatewayConnect, `{"device":"WS-2"}`, 0, true,
			device.Refusal{Time: now, Identifier: "WS-2", Reason: device.ReasonNotYours}},
		{"connect without a device", "GW-1", GatewayConnect, `{"name":"WS-2"}`, 0, true, device.Refusal{Time: now, Reason: device.ReasonUnreadable}},
		{"disconnect, disabled", "GW-1", GatewayDisconnect, `{"device":"WS-OFF"}`, 0, true,
			device.Refusal{Time: now, Identifier: "WS-OFF", Reason: device.ReasonDisabled}},
	} {
		o := e.submit(test.from, test.kind, test.payload)
		if o.Err != nil || o.Values != test.values || o.Rejected() != test.rejected || o.FirstRefusal != test.first {
			t.Errorf("%s: %+v", test.name, o)
		}
	}
	in := e.diagnostics.Get(green, 1)
	if in.Messages != 8 || in.Values != 2 || in.Refused != 5 || in.LastRefusal.Reason != device.ReasonNotGateway {
		t.Errorf("WS-1's diagnostics %+v", in)
	}
	if in := e.diagnostics.Get(blue, 6); in.Messages != 2 || in.Refused != 2 || in.LastRefusal.Identifier != "WS-2" {
		t.Errorf("BLUE-GW's diagnostics %+v", in)
	}
	if got := describe(e.journal.frames()); got != "1@0 hum=5; 1@120000 hum=7" {
		t.Errorf("committed %s", got)
	}
	s := e.pipeline.Stats()
	if s.Refused[device.ReasonNotYours] != 2 || s.Refused[device.ReasonUnreadable] != 2 ||
		s.Refused[device.ReasonTooOld] != 0 {
		t.Errorf("refused %v", s.Refused)
	}
}

func TestPipelineShowsClockAhead(t *testing.T) {
	e := newEdge(t)
	e.submit("WS-1", Telemetry, fmt.Sprintf(`{"ts":%d,"values":{"humidity":7}}`, now+90_000))
	if in := e.diagnostics.Get(green, 1); in.ClockAhead != 90*time.Second {
		t.Errorf("clock ahead %v", in.ClockAhead)
	}
	for _, untold := range []string{`{"nonsense":1}`, `not JSON`, fmt.Sprintf(`{"ts":%d,"values":{"humidity":7}}`, now-60_001)} {
		e.submit("WS-1", Telemetry, untold)
		if in := e.diagnostics.Get(green, 1); in.ClockAhead != 90*time.Second {
			t.Errorf("%s: clock ahead %v", untold, in.ClockAhead)
		}
	}
	e.submit("WS-2", Telemetry, `{"humidity":7}`) // another device
	if in := e.diagnostics.Get(green, 1); in.ClockAhead != 90*time.Second {
		t.Errorf("after a message of another device: clock ahead %v", in.ClockAhead)
	}
	e.submit("WS-1", Telemetry, fmt.Sprintf(`{"ts":%d,"values":{"humidity":7}}`, now))
	if in := e.diagnostics.Get(green, 1); in.ClockAhead != 0 {
		t.Errorf("clock still ahead %v", in.ClockAhead)
	}
}

func TestPipelineContact(t *testing.T) {
	e := newEdge(t)
	online := func(id device.ID) bool { return e.presence.Status(green, id).Online }
	e.submit("GW-1", GatewayTelemetry, `{"WS-1":[{"humidity":500}],"BLUE-1":[{"humidity":5}],"WS-OFF":[]}`)
	if !online(3) || !online(1) || online(2) || online(4) {
		t.Error("a gateway's message must count as contact of the gateway and of its children")
	}
	if e.presence.Status(blue, 5).Online {
		t.Error("a gateway's message counted as contact of another tenant's device")
	}
	e.submit("GW-1", GatewayConnect, `{"device":"WS-2"}`)
	if !online(2) {
		t.Error("connect must count as contact of the child")
	}
	e.submit("GW-1", GatewayDisconnect, `{"device":"WS-2","type":"default"}`)
	if online(2) || e.presence.Status(green, 2).OfflineTime != now {
		t.Error("the child is not offline after disconnect")
	}
	e.presence.Connected(device.Ref{Tenant: green, ID: 1})
	e.submit("GW-1", GatewayDisconnect, `{"device":"WS-1"}`)
	if !online(1) {
		t.Error("a child with its own connection is not online")
	}
	e.submit("BLUE-GW", GatewayDisconnect, `{"device":"WS-1"}`)
	e.submit("BLUE-1", UnknownTopic, ``)
	if !online(1) || !e.presence.Status(blue, 5).Online {
		t.Error("any message must count as contact")
	}
}

func TestPipelineCloseFinishesWhatWasAccepted(t *testing.T) {
	e := newEdge(t)
	e.journal.hold()
	outcomes := make(chan Outcome, 3)
	m := Message{Entry: e.find("WS-1"), Kind: Telemetry, Payload: []byte(`{"humidity":5}`), At: now}
	for range 3 {
		if err := e.pipeline.Submit(context.Background(), m, func(o Outcome) { outcomes <- o }); err != nil {
			t.Fatal(err)
		}
	}
	closed := make(chan error, 1)
	go func() { closed <- e.pipeline.Close(context.Background()) }()
	eventually(t, "no more messages", func() bool {
		return errors.Is(e.pipeline.Submit(context.Background(), m, func(Outcome) {}), ErrClosed)
	})
	e.journal.release()
	if err := receive(t, closed); err != nil {
		t.Error(err)
	}
	for range 3 {
		if o := receive(t, outcomes); o.Err != nil || o.Values != 1 {
			t.Errorf("outcome %+v", o)
		}
	}
	if n := len(e.journal.frames()); n < 3 {
		t.Errorf("%d frames committed", n)
	}
}

func TestPipelineCloseGivesUpInTime(t *testing.T) {
	e := newEdge(t)
	e.journal.hold()
	outcomes := make(chan Outcome, 1)
	m := Message{Entry: e.find("WS-1"), Kind: Telemetry, Payload: []byte(`{"humidity":5}`), At: now}
	if err := e.pipeline.Submit(context.Background(), m, func(o Outcome) { outcomes <- o }); err != nil {
		t.Fatal(err)
	}
	receive(t, e.journal.entered)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := e.pipeline.Close(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Close returned %v", err)
	}
	if o := receive(t, outcomes); o.Err == nil {
		t.Error("a message that was not written was answered as if it were")
	}
}

// WaitCommitted waits for a batch that is being written when its device is deleted.
func TestPipelineWaitCommitted(t *testing.T) {
	e := newEdge(t)
	e.pipeline.WaitCommitted() // no batch is being written
	e.journal.hold()
	gone := e.find("WS-1")
	outcomes := make(chan Outcome, 1)
	m := Message{Entry: gone, Kind: Telemetry, Payload: []byte(`{"humidity":5}`), At: now}
	if err := e.pipeline.Submit(context.Background(), m, func(o Outcome) { outcomes <- o }); err != nil {
		t.Fatal(err)
	}
	receive(t, e.journal.entered)
	settled := make(chan int, 1)
	go func() {
		e.pipeline.WaitCommitted()
		settled <- len(e.journal.frames())
	}()
	select {
	case <-settled:
		t.Error("WaitCommitted returned while a batch is being written")
	case <-time.After(50 * time.Millisecond):
	}
	e.journal.release()
	if written := receive(t, settled); written != 1 {
		t.Errorf("%d frames were written when WaitCommitted returned", written)
	}
	receive(t, outcomes)
}

// Messages that wait when their device is deleted are not written after its data was erased.
func TestPipelineWritesNothingForADeletedDevice(t *testing.T) {
	e := newEdge(t)
	e.journal.hold()
	gone, stays := e.find("WS-1"), e.find("WS-2")
	outcomes := make(chan Outcome, 3)
	for i, entry := range []*device.Entry{stays, gone, stays} {
		m := Message{Entry: entry, Kind: Telemetry, Payload: []byte(`{"humidity":5}`), At: now}
		if err := e.pipeline.Submit(context.Background(), m, func(o Outcome) { outcomes <- o }); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			receive(t, e.journal.entered) // it is being written; the others wait
		}
	}
	e.registry.Replace(slices.DeleteFunc(testDevices(), func(entry *device.Entry) bool { return entry.ID == gone.ID }))
	e.journal.release()
	for range 3 {
		if o := receive(t, outcomes); o.Err != nil {
			t.Errorf("outcome %+v", o)
		}
	}
	frames := e.journal.frames()
	if len(frames) != 2 || frames[0].Device != stays.ID || frames[1].Device != stays.ID {
		t.Errorf("frames written: %+v", frames)
	}
}
