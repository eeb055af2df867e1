package reading

import (
	"context"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"tilth/internal/platform/errs"
)

// Snapshot writes all stored data to dir, which must not exist, while the store is in use; on the
// same file system this takes hardly any space. It calls before first. The evaluated position that
// before reads is not ahead of the snapshot, and the journal in the snapshot holds all batches that
// are not evaluated by then.
func (s *Store) Snapshot(ctx context.Context, dir string, before func(context.Context) error) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	// Checkpoints delete evaluated batches from the journal.
	s.checkpointMu.Lock()
	defer s.checkpointMu.Unlock()
	if s.hasMissing() {
		return errs.New(errs.Unavailable, "error.503").WithCause(errStillMissing)
	}
	if err := before(ctx); err != nil {
		return err
	}
	// Acknowledged batches are on disk, or written and not synced if the log holds them. The
	// checkpoint syncs them, so they are in the snapshot.
	if err := s.db.Checkpoint(dir, pebble.WithFlushedWAL()); err != nil {
		return fmt.Errorf("reading: snapshot: %w", err)
	}
	return nil
}
