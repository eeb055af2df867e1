package ingest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
)

// journal hands out committed batches in the order of their arrival.
type journal interface {
	Consume(
		ctx context.Context,
		from uint64,
		fn func(ctx context.Context, pos uint64, batch []reading.Arrival) error,
	) error
	Trim(pos uint64)
}

// position remembers how far the journal is judged.
type position interface {
	Load(ctx context.Context) (uint64, error)
	Save(ctx context.Context, pos uint64) error
}

// screens are the open ones of each tenant.
type screens interface {
	Watched(t tenant.ID) bool
	MedianLag(t tenant.ID) int
	Publish(t tenant.ID, name string, data []byte)
}

// alarms are the rules that readings are judged by: they take batches over at
// once and judge them beside, tenant by tenant. Taken is what they have or find
// in the journal themselves; what they come to is on disk up to Recorded.
type alarms interface {
	Taken() uint64
	Take(pos uint64, batch []reading.Arrival)
	Work(ctx context.Context) error
	Recorded() uint64
}

// ConsumerOptions say what a Judge works with; all but Logger and SaveEvery are
// needed.
type ConsumerOptions struct {
	Journal   journal
	Position  position
	Alarms    alarms
	Screens   screens
	Registry  *device.Registry
	Logger    *slog.Logger  // default: discard
	SaveEvery time.Duration // how often the position is saved at most; default 1 s
}

// Consumer reads the journal in order: what was committed is handed over to be
// judged, and told to the screens. One Judge runs at a time.
type Consumer struct {
	opts      ConsumerOptions
	publisher *livePublisher
	saved     uint64 // known to Run and then to its saver
}

// NewConsumer makes a judge; Run sets it to work.
func NewConsumer(o ConsumerOptions) *Consumer {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	fallback(&o.SaveEvery, time.Second)
	return &Consumer{opts: o, publisher: newLivePublisher(o.Screens, o.Registry)}
}

// Run judges until ctx ends and then saves the position a last time. It returns
// nil when that was all, else why it cannot go on.
func (j *Consumer) Run(ctx context.Context) error {
	from, err := j.opts.Position.Load(ctx)
	if ctx.Err() != nil { // ended before anything was judged
		return nil
	}
	if err != nil {
		return fmt.Errorf("ingest: cannot read how far the journal is judged: %w", err)
	}
	j.saved = from
	j.opts.Journal.Trim(from)

	beside, stop := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { j.saveRegularly(beside) })
	running.Go(func() { j.publisher.run(beside) })
	var working error
	running.Go(func() {
		defer stop()
		working = j.opts.Alarms.Work(beside)
	})
	err = j.opts.Journal.Consume(beside, j.opts.Alarms.Taken(), j.consume)
	stop()
	running.Wait()
	if working != nil {
		err = working
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		err = nil
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return errors.Join(err, j.save(last))
}

// consume hands one batch over. What must never be missed comes before the position
// moves; the screens may miss it, since they resume by fetching.
func (j *Consumer) consume(_ context.Context, pos uint64, batch []reading.Arrival) error {
	j.opts.Alarms.Take(pos, batch)
	j.publisher.add(batch)
	return nil
}

func (j *Consumer) saveRegularly(ctx context.Context) {
	tick := time.NewTicker(j.opts.SaveEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			// A position that is saved late costs a longer replay, nothing
			// else; the next tick tries again.
			if err := j.save(ctx); err != nil && ctx.Err() == nil {
				j.opts.Logger.Warn("judged position not saved, trying again", "error", err)
			}
		}
	}
}

// save makes the position durable; the journal up to there may go then.
func (j *Consumer) save(ctx context.Context) error {
	pos := j.opts.Alarms.Recorded()
	if pos <= j.saved {
		return nil
	}
	if err := j.opts.Position.Save(ctx, pos); err != nil {
		return fmt.Errorf("ingest: judged position %d not saved: %w", pos, err)
	}
	j.saved = pos
	j.opts.Journal.Trim(pos)
	return nil
}
