package reading

import (
	"context"
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// expireEvery is how often Run looks for days beyond the retention.
const expireEvery = time.Hour

// Expire deletes the days (UTC) that lie wholly beyond the retention as of now,
// with one range delete. Latest values stay, however old: a device that has
// been silent for longer still shows its last reading.
func (s *Store) Expire(ctx context.Context, now time.Time) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	if p := s.broken.Load(); p != nil {
		return *p
	}
	oldest, _ := dayOf(clampTime(now.Add(-s.opts.Retention).UnixMilli()))
	found, err := s.anyBefore(ctx, oldest)
	if err != nil {
		return fmt.Errorf("reading: expire: %w", err)
	}
	if !found {
		return nil
	}
	bounds := hotBounds(oldest)
	// Not synced: lost, it is done again.
	if err := s.db.DeleteRange(bounds.LowerBound, bounds.UpperBound, pebble.NoSync); err != nil {
		return fmt.Errorf("reading: expire: %w", err)
	}
	s.opts.Logger.Info("readings: expired", "before", time.UnixMilli(int64(oldest)*msPerDay).UTC().Format(time.DateOnly))
	return nil
}

// anyBefore tells whether there are frames of days before day.
func (s *Store) anyBefore(ctx context.Context, day int32) (found bool, err error) {
	it, err := s.db.NewIterWithContext(ctx, hotBounds(day))
	if err != nil {
		return false, err
	}
	defer closeInto(&err, it)
	found = it.First()
	return found, it.Error()
}

// Run does the store's regular work until ctx or the store ends: checkpoints,
// and deleting what is beyond the retention. What fails is logged and done
// again the next time. Timers, because both follow the clock and no event:
// checkpoints bound how long a start takes, days pass by themselves.
func (s *Store) Run(ctx context.Context) error {
	checkpoint := time.NewTicker(s.opts.CheckpointEvery)
	defer checkpoint.Stop()
	expire := time.NewTicker(expireEvery)
	defer expire.Stop()
	s.report(ctx, s.Expire(ctx, s.opts.Now()))
	for {
		select {
		case <-checkpoint.C:
			s.report(ctx, s.checkpoint(ctx))
		case <-expire.C:
			s.report(ctx, s.Expire(ctx, s.opts.Now()))
		case <-ctx.Done():
			return nil
		case <-s.life.Done():
			return nil
		}
	}
}

// report logs what Run could not do, unless it was told to end.
func (s *Store) report(ctx context.Context, err error) {
	if err != nil && s.ended(ctx) == nil {
		s.opts.Logger.Error("readings: regular work failed and is done again later", "error", err)
	}
}
