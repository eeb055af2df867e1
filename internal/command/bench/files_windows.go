package bench

// raiseFileLimit has nothing to raise: Windows limits a process's connections by
// memory alone.
func (*ingestBench) raiseFileLimit() error { return nil }
