package ingest

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/live"
)

// fakeJournal is a journal whose content a test decides.
type fakeJournal struct {
	live chan []reading.Arrival

	mu      sync.Mutex
	from    uint64
	trimmed []uint64
}

func newFakeJournal() *fakeJournal { return &fakeJournal{live: make(chan []reading.Arrival)} }

func (s *fakeJournal) Consume(
	ctx context.Context,
	from uint64,
	fn func(context.Context, uint64, []reading.Arrival) error,
) error {
	s.mu.Lock()
	s.from = from
	s.mu.Unlock()
	pos := from
	for {
		select {
		case batch, ok := <-s.live:
			if !ok {
				return reading.ErrClosed
			}
			pos++
			if err := fn(ctx, pos, batch); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (s *fakeJournal) Trim(pos uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trimmed = append(s.trimmed, pos)
}

// memoryPosition is a position whose Save a test can make fail.
type memoryPosition struct {
	mu    sync.Mutex
	pos   uint64
	saves []uint64
	err   error
}

func (p *memoryPosition) Load(context.Context) (uint64, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pos, p.err
}

func (p *memoryPosition) Save(_ context.Context, pos uint64) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil {
		return p.err
	}
	p.pos = pos
	p.saves = append(p.saves, pos)
	return nil
}

func (p *memoryPosition) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.err = err
}

func (p *memoryPosition) saved() []uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.saves)
}

// fakeAlarms accept batches until a test makes them fail.
type fakeAlarms struct {
	start uint64
	fails chan error
	mu    sync.Mutex
	taken []uint64
}

func (r *fakeAlarms) Taken() uint64 { return r.start }

func (r *fakeAlarms) Take(pos uint64, _ []reading.Arrival) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.taken = append(r.taken, pos)
}

func (r *fakeAlarms) Work(ctx context.Context) error {
	select {
	case err := <-r.fails:
		return err
	case <-ctx.Done():
		return nil
	}
}

func (r *fakeAlarms) Recorded() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.taken) == 0 {
		return r.start
	}
	return r.taken[len(r.taken)-1]
}

func arrival(t tenant.ID, id device.ID, at int64, fields ...reading.Field) reading.Arrival {
	return reading.Arrival{Frame: reading.Frame{Tenant: t, Device: id, Time: at, Fields: fields}, At: now}
}

func field(p device.PropertyID, v reading.Value) reading.Field {
	return reading.Field{Property: p, Value: v}
}

func testRegistry() *device.Registry {
	r := device.NewRegistry(hashKey)
	r.Replace(testDevices())
	return r
}

// runConsumer runs a consumer until the returned function is called, which returns the result of
// Run.
func runConsumer(t *testing.T, j *Consumer) (stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- j.Run(ctx) }()
	return func() error {
		cancel()
		return <-ended
	}
}

func TestConsumerPublishesToScreensOfTenant(t *testing.T) {
	hub := live.NewHub("e")
	greenScreen, _, _, _ := hub.Subscribe(green, "", "")
	blueScreen, _, _, _ := hub.Subscribe(blue, "", "")
	journal := newFakeJournal()
	j := NewConsumer(
		ConsumerOptions{
			Alarms:   &fakeAlarms{},
			Journal:  journal,
			Position: &memoryPosition{},
			Screens:  hub,
			Registry: testRegistry(),
		},
	)
	stop := runConsumer(t, j)
	journal.live <- []reading.Arrival{
		arrival(green, 1, now, field(airTemperature, reading.Number(3.4)), field(heating, reading.Boolean(true))),
		arrival(blue, 5, now-1, field(note, reading.Text(`"quoted" <&> ä`))),
		arrival(green, 2, now, field(99, reading.Number(1))),        // a property that the product lost
		arrival(green, 77, now, field(humidity, reading.Number(1))), // a deleted device
		arrival(green, 5, now, field(humidity, reading.Number(2))),  // a device of another tenant
		// Only the first property is known.
		arrival(green, 2, now, field(humidity, reading.Number(1e-9)), field(99, reading.Boolean(false))),
	}
	for _, want := range []string{
		`{"deviceName":"WS-1","time":1700000000000,"values":{"airTemperature":3.4,"heating":true}}`,
		`{"deviceName":"WS-2","time":1700000000000,"values":{"humidity":1e-9}}`,
	} {
		if e := receive(t, greenScreen.Events); e.Name != "reading" || string(e.Data) != want {
			t.Errorf("green: %s %s\nwant %s", e.Name, e.Data, want)
		}
	}
	want := `{"deviceName":"BLUE-1","time":1699999999999,"values":{"note":"\"quoted\" \u003c\u0026\u003e ä"}}`
	if e := receive(t, blueScreen.Events); string(e.Data) != want {
		t.Errorf("blue: %s\nwant %s", e.Data, want)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	if len(greenScreen.Events)+len(blueScreen.Events) > 0 {
		t.Error("an unexpected event was published")
	}
}

// What the alarms read from the journal themselves is neither handed over nor published.
func TestConsumerStartsAtAlarmPosition(t *testing.T) {
	hub := live.NewHub("e")
	screen, _, _, _ := hub.Subscribe(green, "", "")
	journal := newFakeJournal()
	position, alarms := &memoryPosition{pos: 40}, &fakeAlarms{start: 42}
	j := NewConsumer(ConsumerOptions{
		Alarms: alarms, Journal: journal, Position: position, Screens: hub, Registry: testRegistry(),
	})
	stop := runConsumer(t, j)
	journal.live <- []reading.Arrival{arrival(green, 1, now, field(humidity, reading.Number(3)))}
	want := `{"deviceName":"WS-1","time":1700000000000,"values":{"humidity":3}}`
	if e := receive(t, screen.Events); string(e.Data) != want {
		t.Errorf("first published event: %s", e.Data)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	if journal.from != 42 || position.pos != 43 || !slices.Equal(alarms.taken, []uint64{43}) {
		t.Errorf("taken %v, from %d to %d", alarms.taken, journal.from, position.pos)
	}
}

func TestConsumerSkipsUnwatchedTenants(t *testing.T) {
	hub := live.NewHub("e")
	journal := newFakeJournal()
	j := NewConsumer(
		ConsumerOptions{
			Alarms:   &fakeAlarms{},
			Journal:  journal,
			Position: &memoryPosition{},
			Screens:  hub,
			Registry: testRegistry(),
		},
	)
	stop := runConsumer(t, j)
	journal.live <- []reading.Arrival{arrival(green, 1, now, field(humidity, reading.Number(1)))}
	if err := stop(); err != nil {
		t.Error(err)
	}
	if hub.Watched(green) {
		t.Error("an event was published for a tenant without screens")
	}
}

func TestConsumerSavesPosition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		journal, position := newFakeJournal(), &memoryPosition{pos: 7}
		j := NewConsumer(
			ConsumerOptions{
				Alarms:   &fakeAlarms{start: 7},
				Journal:  journal,
				Position: position,
				Screens:  live.NewHub("e"),
				Registry: testRegistry(),
			},
		)
		stop := runConsumer(t, j)
		for range 100 { // 1 s in total
			journal.live <- nil
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(10 * time.Millisecond)
		if got := position.saved(); len(got) != 1 || got[0] < 105 {
			t.Errorf("positions saved in the first second: %v", got)
		}
		time.Sleep(10 * time.Second)
		if got := position.saved(); got[len(got)-1] != 107 || len(got) > 2 {
			t.Errorf("positions saved: %v", got)
		}
		position.fail(errDisk)
		journal.live <- nil
		time.Sleep(3 * time.Second)
		position.fail(nil)
		time.Sleep(2 * time.Second)
		if got := position.saved(); got[len(got)-1] != 108 {
			t.Errorf("a failed save was not repeated: %v", got)
		}
		journal.live <- nil
		synctest.Wait()
		if err := stop(); err != nil {
			t.Error(err)
		}
		saved := position.saved()
		if saved[len(saved)-1] != 109 {
			t.Errorf("positions saved at the end: %v", saved)
		}
		// The journal is trimmed only up to the saved position.
		if want := append([]uint64{7}, saved...); !slices.Equal(journal.trimmed, want) {
			t.Errorf("trimmed %v, want %v", journal.trimmed, want)
		}
	})
}

func TestConsumerReturnsFailures(t *testing.T) {
	broken := &memoryPosition{err: errDisk}
	j := NewConsumer(
		ConsumerOptions{
			Alarms:   &fakeAlarms{},
			Journal:  newFakeJournal(),
			Position: broken,
			Screens:  live.NewHub("e"),
			Registry: testRegistry(),
		},
	)
	if err := j.Run(context.Background()); !errors.Is(err, errDisk) {
		t.Errorf("without a position, Run returned %v", err)
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	broken.fail(context.Canceled)
	if err := j.Run(stopped); err != nil {
		t.Errorf("with an ended context, Run returned %v", err)
	}
	journal, position := newFakeJournal(), &memoryPosition{}
	j = NewConsumer(
		ConsumerOptions{
			Alarms:   &fakeAlarms{},
			Journal:  journal,
			Position: position,
			Screens:  live.NewHub("e"),
			Registry: testRegistry(),
		},
	)
	ended := make(chan error, 1)
	go func() { ended <- j.Run(context.Background()) }()
	journal.live <- nil
	position.fail(errDisk)
	close(journal.live)
	err := receive(t, ended)
	if !errors.Is(err, reading.ErrClosed) || !errors.Is(err, errDisk) {
		t.Errorf("Run returned %v; want the journal's error and that the position was not saved", err)
	}
}

// If the alarms fail, the consumer ends; the position stays at what they recorded.
func TestConsumerEndsWhenAlarmsFail(t *testing.T) {
	hub := live.NewHub("e")
	screen, _, _, _ := hub.Subscribe(green, "", "")
	journal, position := newFakeJournal(), &memoryPosition{pos: 4}
	alarms := &fakeAlarms{start: 4, fails: make(chan error)}
	j := NewConsumer(ConsumerOptions{
		Alarms: alarms, Journal: journal, Position: position, Screens: hub, Registry: testRegistry(),
	})
	ended := make(chan error, 1)
	go func() { ended <- j.Run(context.Background()) }()
	journal.live <- []reading.Arrival{arrival(green, 1, now, field(humidity, reading.Number(1)))}
	receive(t, screen.Events)
	alarms.fails <- errDisk
	if err := receive(t, ended); !errors.Is(err, errDisk) {
		t.Errorf("Run returned %v", err)
	}
	if position.pos != 5 || !slices.Equal(alarms.taken, []uint64{5}) {
		t.Errorf("taken %v, recorded up to %d", alarms.taken, position.pos)
	}
}
