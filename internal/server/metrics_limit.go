package server

import "tilth/internal/platform/limit"

// describeLimits publishes what all rate limits refuse.
func (s *Server) describeLimits() {
	read := func(of func(limit.Stats) uint64) func() map[string]uint64 {
		return func() map[string]uint64 {
			by := map[string]uint64{}
			for name, f := range s.Stores.Limits.Stats() {
				by[name] = of(f)
			}
			return by
		}
	}
	m := s.metrics
	m.labelled(
		"tilth_limit_refused_total",
		"Events over a limit, which were refused or made to wait, by limit.",
		"limit",
		read(func(f limit.Stats) uint64 { return f.Refused }),
	)
	m.labelled(
		"tilth_limit_forgiven_total",
		"Keys of a limit that were evicted early, since there were too many.",
		"limit",
		read(func(f limit.Stats) uint64 { return f.Evicted }),
	)
	m.labelledGauge("tilth_limit_entries", "Keys that a limit remembers.", "limit",
		read(func(f limit.Stats) uint64 { return uint64(f.Keys) }))
}
