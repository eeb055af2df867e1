package reading

import (
	"context"
	"errors"
	"time"

	"tilth/internal/platform/db"
)

// lifeChecks is how many times Follow asks for new entries between two checks of the log's life.
const lifeChecks = 50

// Follow applies the log's entries in order until ctx or the store ends, and returns the reason. It
// asks for new entries every so often, because not every log can tell that there are some. It logs
// errors of the log and tries again, except those that waiting does not resolve, which wrap ErrGap,
// ErrDiverged, ErrOtherLife, ErrCorrupt or db.ErrNewer. It returns these, and every error of
// applying an entry.
//
// A store that holds more than the log, because the log lost its end, waits until entries after its
// own come, and then compares.
//
// Follow must not be called while Append or Erase run. From then on they return ErrNotLeading until
// Lead has succeeded, which is called after Follow has ended.
func (s *Store) Follow(ctx context.Context, log LogReader, every time.Duration) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	if err := s.beginFollowing(log); err != nil {
		return err
	}
	defer s.endFollowing()
	ctx, cancel := s.withLifetime(ctx)
	defer cancel()
	wait := every
	for checks := 0; ; checks++ {
		applied, err := s.followOnce(ctx, log, checks%lifeChecks == 0)
		switch {
		case ctx.Err() != nil:
			return s.consumeErr(ctx)
		case err == nil:
			wait = every
		case applied != nil:
			return applied
		case endsFollowing(err):
			return err
		default:
			s.opts.Logger.Warn("readings: the log cannot be read; trying again", "wait", wait, "error", err)
			checks = -1 // the next try compares the life
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return s.consumeErr(ctx)
		}
		if err != nil {
			wait = min(2*wait, 64*every)
		}
	}
}

func (s *Store) beginFollowing(log LogReader) error {
	r := &s.replica
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.leading.Load() != nil || r.following {
		return errors.New("reading: the store already leads or follows")
	}
	r.following = true
	r.reader.Store(&log)
	return nil
}

func (s *Store) endFollowing() {
	s.replica.mu.Lock()
	defer s.replica.mu.Unlock()
	s.replica.following = false
}

// followOnce applies the entries that the log holds at present. Its first error is one of applying,
// the other one of the log.
func (s *Store) followOnce(ctx context.Context, log LogReader, checkLife bool) (applied, err error) {
	if checkLife {
		if err := s.joinLifeLocked(ctx, log); err != nil {
			return nil, err
		}
	}
	err = log.After(ctx, s.lastPosition(), func(e Entry) error {
		s.replica.mu.Lock()
		defer s.replica.mu.Unlock()
		applied = s.applyVerified(ctx, e)
		return applied
	})
	return applied, err
}

func (s *Store) joinLifeLocked(ctx context.Context, log LogReader) error {
	s.replica.mu.Lock()
	defer s.replica.mu.Unlock()
	return s.joinLife(ctx, log)
}

// endsFollowing reports whether waiting does not resolve an error.
func endsFollowing(err error) bool {
	for _, final := range []error{ErrGap, ErrDiverged, ErrOtherLife, ErrCorrupt, ErrBroken, db.ErrNewer} {
		if errors.Is(err, final) {
			return true
		}
	}
	return false
}
