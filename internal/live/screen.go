package live

// backlog is how many events a screen may lag behind before it is cut off.
const backlog = 512

// End says why a screen's stream was ended by the server.
type End string

// The ends of a stream.
const (
	EndExpired  End = "expired"  // the session ended
	EndSlow     End = "slow"     // the screen did not keep up
	EndShutdown End = "shutdown" // the server stops
	EndReplaced End = "replaced" // a newer one of the same person's took its place
	EndFull     End = "full"     // the tenant has as many as it may; it was never open
)

// Screen is one open stream.
type Screen struct {
	Events <-chan *Event   // shared with the tenant's other screens
	Ended  <-chan struct{} // closed when the server ends the stream; see Why

	channel *channel
	person  int64 // whose it is; 0: nobody's in particular
	key     string
	events  chan *Event
	ended   chan struct{}
	why     End // under the channel's lock
}

func newScreen(c *channel, person int64, key string) *Screen {
	s := &Screen{channel: c, person: person, key: key, events: make(chan *Event, backlog), ended: make(chan struct{})}
	s.Events, s.Ended = s.events, s.ended
	return s
}

// Why is the reason once Ended is closed.
func (s *Screen) Why() End {
	s.channel.mu.Lock()
	defer s.channel.mu.Unlock()
	return s.why
}

// Close ends a stream from the screen's side.
func (s *Screen) Close() { s.channel.leave(s) }
