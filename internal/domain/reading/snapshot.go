package reading

import (
	"context"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

// Snapshot writes everything that is stored to dir, which must not exist, while
// the store is used; on the same file system that costs hardly any room. before
// is called first: what it reads of how far the journal is judged is not ahead
// of the snapshot, and the journal in the snapshot holds all that is not judged
// by then.
func (s *Store) Snapshot(ctx context.Context, dir string, before func(context.Context) error) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	// Checkpoints remove what is judged from the journal.
	s.checkpointMu.Lock()
	defer s.checkpointMu.Unlock()
	if err := before(ctx); err != nil {
		return err
	}
	// What was answered is on disk, and so in the snapshot.
	if err := s.db.Checkpoint(dir, pebble.WithFlushedWAL()); err != nil {
		return fmt.Errorf("reading: snapshot: %w", err)
	}
	return nil
}
