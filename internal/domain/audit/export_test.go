package audit

import "time"

// SetLimits lowers maxListed and maxSorted, so that a test needs no hundred thousand entries.
func (s *Store) SetLimits(counted, sorted int64) { s.maxListed, s.maxSorted = counted, sorted }

// SetRetryInterval shortens the wait after a failed write.
func (s *Store) SetRetryInterval(pause time.Duration) { s.retryInterval = pause }
