package bench

// raiseFileLimit does nothing: on Windows only memory limits a process's connections.
func (*ingestBench) raiseFileLimit() error { return nil }
