package reading

import (
	"context"
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// expireEvery is how often Run looks for days beyond the retention.
const expireEvery = time.Hour

// maxSilence is how old the newest reading may be for Expire to delete anything. If nothing has
// arrived for longer, a wrong clock of the machine is the likelier reason, and deleting cannot be
// undone.
const maxSilence = 31 * 24 * time.Hour

// Expire deletes the days (UTC) that lie completely beyond the retention as of now, with one range
// delete. Latest values stay, however old: a device that has been silent for longer still shows its
// last reading. Expire deletes nothing while the newest reading of all is more than 31 days before
// now.
func (s *Store) Expire(ctx context.Context, now time.Time) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	if err := s.stopErr(ctx); err != nil {
		return err
	}
	if p := s.broken.Load(); p != nil {
		return *p
	}
	oldest, _ := dayOf(clampTime(now.Add(-s.opts.Retention).UnixMilli()))
	days := s.calendar.now()
	if len(days) == 0 || days[0].day >= oldest {
		return nil
	}
	newest := time.UnixMilli(int64(days[len(days)-1].day+1) * msPerDay).UTC()
	if now.Sub(newest) > maxSilence {
		s.opts.Logger.Warn(
			"readings: no reading arrived for a month, so none expire until one does; is the clock right?",
			"now",
			now.UTC().Format(time.DateTime),
			"newest",
			newest.Add(-1).Format(time.DateOnly),
		)
		return nil
	}
	s.sealMu.Lock()
	defer s.sealMu.Unlock()
	// An expired day may be receiving frames; their writes finish first, and Expire deletes them
	// too.
	s.calendar.writeMu.Lock()
	defer s.calendar.writeMu.Unlock()
	s.calendar.mu.Lock()
	defer s.calendar.mu.Unlock()
	b := s.db.NewBatch()
	for _, tag := range []byte{tagHot, tagSegment, tagToArchive, tagMissing} {
		if err := b.DeleteRange([]byte{tag}, appendDay(nil, tag, oldest), nil); err != nil {
			return fmt.Errorf("reading: expire: %w", err)
		}
	}
	// Aggregates go 64 days at a time. Readers ask for the days of the calendar only.
	if err := b.DeleteRange([]byte{tagDay}, appendDay(nil, tagDay, spanOf(oldest)), nil); err != nil {
		return fmt.Errorf("reading: expire: %w", err)
	}
	// Not synced: if the delete is lost, the next Expire repeats it.
	if err := b.Commit(pebble.NoSync); err != nil {
		return fmt.Errorf("reading: expire: %w", err)
	}
	s.calendar.forget(oldest)
	before := time.UnixMilli(int64(oldest) * msPerDay).UTC().Format(time.DateOnly)
	s.opts.Logger.Info("readings: expired", "before", before)
	return b.Close()
}

// Run does the store's regular work until ctx or the store ends: checkpoints, sealing, and expiry.
// It logs failures and retries the work the next time. It uses timers because the work follows the
// clock and no event: checkpoints bound how long a start takes, and days pass by themselves.
func (s *Store) Run(ctx context.Context) error {
	checkpoint := time.NewTicker(s.opts.CheckpointEvery)
	defer checkpoint.Stop()
	expire := time.NewTicker(expireEvery)
	defer expire.Stop()
	seal := time.NewTicker(sealEvery)
	defer seal.Stop()
	s.logError(ctx, s.Expire(ctx, s.opts.RetentionClock()))
	// Sealing may take long, and checkpoints must not wait for it.
	sealed := make(chan struct{})
	go func() {
		defer close(sealed)
		for {
			s.logError(ctx, s.Seal(ctx, s.opts.Now()))
			s.logError(ctx, s.fillAggregates(ctx))
			s.noteSealed()
			select {
			case <-seal.C:
			case <-ctx.Done():
				return
			case <-s.lifetime.Done():
				return
			}
		}
	}()
	defer func() { <-sealed }()
	// The log may be away for long, and checkpoints must not wait for it either.
	forgotten := make(chan struct{})
	go func() {
		defer close(forgotten)
		s.forgetRegularly(ctx)
	}()
	defer func() { <-forgotten }()
	for {
		select {
		case <-checkpoint.C:
			s.logError(ctx, s.checkpoint(ctx))
		case <-expire.C:
			s.logError(ctx, s.Expire(ctx, s.opts.RetentionClock()))
		case <-ctx.Done():
			return nil
		case <-s.lifetime.Done():
			return nil
		}
	}
}

// forgetRegularly tells the log of a leading store which entries are evaluated.
func (s *Store) forgetRegularly(ctx context.Context) {
	tick := time.NewTicker(s.opts.CheckpointEvery)
	defer tick.Stop()
	told := uint64(0)
	for {
		select {
		case <-tick.C:
			var err error
			told, err = s.forgetEvaluated(ctx, told)
			s.logError(ctx, err)
		case <-ctx.Done():
			return
		case <-s.lifetime.Done():
			return
		}
	}
}

// logError logs an error of the regular work, unless ctx or the store has ended.
func (s *Store) logError(ctx context.Context, err error) {
	if err != nil && s.stopErr(ctx) == nil {
		s.opts.Logger.Error("readings: regular work failed and is retried later", "error", err)
	}
}
