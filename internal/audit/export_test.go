package audit

// Limit makes a list end, and a searched text be walked for, after fewer
// entries than the server does, so that a test needs no hundred thousand.
func (s *Store) Limit(counted, sorted int64) { s.counted, s.sorted = counted, sorted }
