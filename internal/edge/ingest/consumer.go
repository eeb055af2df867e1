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

// journal hands out committed batches in the order of arrival.
type journal interface {
	Consume(
		ctx context.Context,
		from uint64,
		fn func(ctx context.Context, pos uint64, batch []reading.Arrival) error,
	) error
	Trim(pos uint64)
}

// position stores the evaluated position of the journal.
type position interface {
	Load(ctx context.Context) (uint64, error)
	Save(ctx context.Context, pos uint64) error
}

// screens are the open screens of each tenant.
type screens interface {
	Watched(t tenant.ID) bool
	MedianLag(t tenant.ID) int
	Publish(t tenant.ID, name string, data []byte)
}

// alarms evaluate the rules: Take accepts a batch at once, and Work evaluates the batches tenant by
// tenant. Taken is the position up to which the alarms have the batches or read them from the
// journal themselves; up to Recorded, their results are on disk.
type alarms interface {
	Taken() uint64
	Take(pos uint64, batch []reading.Arrival)
	Work(ctx context.Context) error
	Recorded() uint64
}

// ConsumerOptions say what a Consumer works with; all but Follower, Logger and SaveEvery are needed.
type ConsumerOptions struct {
	Journal  journal
	Position position
	Alarms   alarms
	Screens  screens
	Registry *device.Registry
	Curves   func(device.Ref) reading.Curves // nil: numbers are shown as they arrived
	// Follower gets each batch, too, and must not wait; nil: there is none.
	Follower  func(batch []reading.Arrival)
	Logger    *slog.Logger  // default: discard
	SaveEvery time.Duration // minimum time between saves of the position; default 1 s
}

// Consumer reads the journal in order: it hands committed batches to the alarms, and publishes them
// to the screens. One Consumer runs at a time.
type Consumer struct {
	opts      ConsumerOptions
	publisher *livePublisher
	saved     uint64 // used by Run and then by its saver
}

// NewConsumer makes a consumer; Run starts it.
func NewConsumer(o ConsumerOptions) *Consumer {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	fallback(&o.SaveEvery, time.Second)
	return &Consumer{opts: o, publisher: newLivePublisher(o.Screens, o.Registry, o.Curves)}
}

// Run consumes the journal until ctx ends, and then saves the position a last time. It returns nil
// in that case, and otherwise why it cannot continue.
func (c *Consumer) Run(ctx context.Context) error {
	from, err := c.opts.Position.Load(ctx)
	if ctx.Err() != nil { // ended before anything was consumed
		return nil
	}
	if err != nil {
		return fmt.Errorf("ingest: load evaluated position: %w", err)
	}
	c.saved = from
	c.opts.Journal.Trim(from)

	runCtx, stop := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { c.saveRegularly(runCtx) })
	running.Go(func() { c.publisher.run(runCtx) })
	var alarmsErr error
	running.Go(func() {
		defer stop()
		alarmsErr = c.opts.Alarms.Work(runCtx)
	})
	err = c.opts.Journal.Consume(runCtx, c.opts.Alarms.Taken(), c.consume)
	stop()
	running.Wait()
	if alarmsErr != nil {
		err = alarmsErr
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		err = nil
	}
	saveCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return errors.Join(err, c.save(saveCtx))
}

// consume hands over one batch. The alarms, which must miss nothing, get it before the position
// moves; the screens may miss it, because they resume by fetching.
func (c *Consumer) consume(_ context.Context, pos uint64, batch []reading.Arrival) error {
	c.opts.Alarms.Take(pos, batch)
	c.publisher.add(batch)
	if c.opts.Follower != nil {
		c.opts.Follower(batch)
	}
	return nil
}

func (c *Consumer) saveRegularly(ctx context.Context) {
	tick := time.NewTicker(c.opts.SaveEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			// If the position is saved late, only the replay after a restart takes longer; the next
			// tick tries again.
			if err := c.save(ctx); err != nil && ctx.Err() == nil {
				c.opts.Logger.Warn("the evaluated position was not saved; trying again", "error", err)
			}
		}
	}
}

// save stores the evaluated position; the journal before it may then be removed.
func (c *Consumer) save(ctx context.Context) error {
	pos := c.opts.Alarms.Recorded()
	if pos <= c.saved {
		return nil
	}
	if err := c.opts.Position.Save(ctx, pos); err != nil {
		return fmt.Errorf("ingest: save evaluated position %d: %w", pos, err)
	}
	c.saved = pos
	c.opts.Journal.Trim(pos)
	return nil
}
