package alarm

// insert puts one at place i of the samples. Most come at the end and leave in
// front, so what is free in front of samples is used again before there is
// more: a rule that has been judged for a while takes no more memory and moves
// little of it.
func (s *State) insert(i int, one sample) {
	s.spare = nil // one has it
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

// dropFront lets the n oldest samples go; the room of the values of one of them
// is kept for the next.
func (s *State) dropFront(n int) {
	if n == 0 {
		return
	}
	s.spare = s.samples[n-1].values
	clear(s.samples[:n])
	s.samples = s.samples[n:]
	s.dirty.dropped(n)
}
