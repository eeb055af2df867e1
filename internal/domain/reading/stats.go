package reading

import (
	"sync/atomic"
	"time"
)

// counters counts since the store was opened.
type counters struct {
	frames, values, batches, syncNanos atomic.Uint64
}

// Stats holds a store's figures for the metrics page. Counts are since Open.
type Stats struct {
	Frames       uint64  // frames appended, or applied from the log
	Values       uint64  // values of these frames
	Batches      uint64  // batches of these frames
	FsyncSeconds float64 // time that writes waited for the disk, in total
	JournalLag   uint64  // batches written and not yet consumed
	Position     uint64  // last journal position written
	Devices      int     // devices with latest values in memory
	DiskBytes    uint64  // size of the data folder
	Broken       bool    // see ErrBroken

	// DaysWithoutAggregates is how many sealed days fillAggregates has not reached yet.
	DaysWithoutAggregates int
}

// Stats returns the current figures; zero after Close.
func (s *Store) Stats() Stats {
	if s.enter() != nil {
		return Stats{}
	}
	defer s.leave()
	written, consumed, evaluated := s.journal.positions()
	return Stats{
		Frames:       s.counts.frames.Load(),
		Values:       s.counts.values.Load(),
		Batches:      s.counts.batches.Load(),
		FsyncSeconds: time.Duration(s.counts.syncNanos.Load()).Seconds(),
		JournalLag:   written - min(written, max(consumed, evaluated)),
		Position:     written,
		Devices:      s.latest.count(),
		DiskBytes:    s.db.Metrics().DiskSpaceUsage(),
		Broken:       s.broken.Load() != nil,

		DaysWithoutAggregates: len(s.daysWithoutAggregates()),
	}
}
