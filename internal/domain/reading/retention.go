package reading

import (
	"context"
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// expireEvery is how often Run looks for days beyond the retention.
const expireEvery = time.Hour

// maxSilence is how long before now the newest reading may be for Expire to
// delete anything. Where nothing at all has come for longer, it is likelier that
// the machine has started with a wrong clock, and what is deleted is gone for good.
const maxSilence = 31 * 24 * time.Hour

// Expire deletes the days (UTC) that lie wholly beyond the retention as of now,
// with one range delete. Latest values stay, however old: a device that has
// been silent for longer still shows its last reading. Nothing is deleted while
// the newest reading of all lies more than 31 days before now.
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
			"readings: nothing is expired, since nothing has come for a month: is the clock right? New readings end this",
			"now",
			now.UTC().Format(time.DateTime),
			"newest",
			newest.Add(-1).Format(time.DateOnly),
		)
		return nil
	}
	s.sealMu.Lock()
	defer s.sealMu.Unlock()
	// A day that is being written to right now is forgotten with what was put there.
	s.calendar.writeMu.Lock()
	defer s.calendar.writeMu.Unlock()
	s.calendar.mu.Lock()
	defer s.calendar.mu.Unlock()
	b := s.db.NewBatch()
	for _, tag := range []byte{tagHot, tagSegment} {
		if err := b.DeleteRange([]byte{tag}, appendDay(nil, tag, oldest), nil); err != nil {
			return fmt.Errorf("reading: expire: %w", err)
		}
	}
	// Not synced: lost, it is done again.
	if err := b.Commit(pebble.NoSync); err != nil {
		return fmt.Errorf("reading: expire: %w", err)
	}
	s.calendar.forget(oldest)
	s.opts.Logger.Info(
		"readings: expired",
		"before",
		time.UnixMilli(int64(oldest)*msPerDay).UTC().Format(time.DateOnly),
	)
	return b.Close()
}

// Run does the store's regular work until ctx or the store ends: checkpoints,
// sealing, and deleting what is beyond the retention. What fails is logged and done
// again the next time. Timers, because both follow the clock and no event:
// checkpoints bound how long a start takes, days pass by themselves.
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

// logError logs what Run could not do, unless it was told to end.
func (s *Store) logError(ctx context.Context, err error) {
	if err != nil && s.stopErr(ctx) == nil {
		s.opts.Logger.Error("readings: regular work failed and is done again later", "error", err)
	}
}
