package alarm

// insert puts one at index i of the samples. Most samples are added at the end and removed in
// front, so insert reuses the free room in front of samples before it allocates more: a rule that
// has been evaluated for a while takes no more memory and moves little of it.
func (s *State) insert(i int, one sample) {
	s.spare = nil // one uses it
	s.dirty.inserted(i)
	n := len(s.samples)
	if n == cap(s.samples) {
		to := s.room
		if len(to) < 2*n || n == 0 {
			to = make([]sample, max(4, 2*n))
		}
		copy(to, s.samples)
		clear(to[n:])
		s.room, s.samples = to, to[:n]
	}
	s.samples = s.samples[:n+1]
	copy(s.samples[i+1:], s.samples[i:n])
	s.samples[i] = one
}

// dropFront removes the n oldest samples. It keeps the value slice of one of them for the next
// sample.
func (s *State) dropFront(n int) {
	if n == 0 {
		return
	}
	s.spare = s.samples[n-1].values
	clear(s.samples[:n])
	s.samples = s.samples[n:]
	s.dirty.dropped(n)
}
