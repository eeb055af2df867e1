package live

// screenBuffer is how many events a screen may lag behind before it is cut off.
const screenBuffer = 512

// EndReason says why a screen's stream was ended by the server.
type EndReason string

// The ends of a stream.
const (
	EndExpired  EndReason = "expired"  // the session ended
	EndSlow     EndReason = "slow"     // the screen did not keep up
	EndShutdown EndReason = "shutdown" // the server stops
	EndReplaced EndReason = "replaced" // a newer one of the same person's took its place
	EndFull     EndReason = "full"     // the tenant has as many as it may; it was never open
)

// Screen is one open stream.
type Screen struct {
	Events <-chan *Event   // shared with the tenant's other screens
	Ended  <-chan struct{} // closed when the server ends the stream; see Why

	topic  *topic
	person int64 // whose it is; 0: nobody's in particular
	key    string
	events chan *Event
	ended  chan struct{}
	reason EndReason // under the channel's lock
}

func newScreen(c *topic, person int64, key string) *Screen {
	s := &Screen{
		topic:  c,
		person: person,
		key:    key,
		events: make(chan *Event, screenBuffer),
		ended:  make(chan struct{}),
	}
	s.Events, s.Ended = s.events, s.ended
	return s
}

// Reason is the reason once Ended is closed.
func (s *Screen) Reason() EndReason {
	s.topic.mu.Lock()
	defer s.topic.mu.Unlock()
	return s.reason
}

// Close ends a stream from the screen's side.
func (s *Screen) Close() { s.topic.unsubscribe(s) }
