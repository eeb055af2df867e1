package audit

import "time"

// SetLimits makes a list end, and a searched text be walked for, after fewer
// entries than the server does, so that a test needs no hundred thousand.
func (s *Store) SetLimits(counted, sorted int64) { s.maxListed, s.maxSorted = counted, sorted }

// SetRetryInterval makes what could not be written be tried again sooner.
func (s *Store) SetRetryInterval(pause time.Duration) { s.retryInterval = pause }
