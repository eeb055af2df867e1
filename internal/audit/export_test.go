package audit

import "time"

// Limit makes a list end, and a searched text be walked for, after fewer
// entries than the server does, so that a test needs no hundred thousand.
func (s *Store) Limit(counted, sorted int64) { s.counted, s.sorted = counted, sorted }

// TryAgainAfter makes what could not be written be tried again sooner.
func (s *Store) TryAgainAfter(pause time.Duration) { s.again = pause }
