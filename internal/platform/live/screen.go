package live

// screenBuffer is how many events a screen may lag behind before it is ended.
const screenBuffer = 512

// EndReason says why the server ended a screen's stream.
type EndReason string

// The reasons for the end of a stream.
const (
	EndExpired  EndReason = "expired"  // the session ended
	EndSlow     EndReason = "slow"     // the screen did not keep up
	EndShutdown EndReason = "shutdown" // the server stops
	EndReplaced EndReason = "replaced" // a newer screen of the same person took its place
	EndFull     EndReason = "full"     // the tenant has as many screens as it may; this one never opened
)

// Screen is one open stream.
type Screen struct {
	Events <-chan *Event   // shared with the tenant's other screens
	Ended  <-chan struct{} // closed when the server ends the stream; see Reason

	topic  *topic
	person int64 // the owner; 0: no particular person
	key    string
	events chan *Event
	ended  chan struct{}
	reason EndReason // guarded by the topic's lock
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

// Reason is why the stream ended, once Ended is closed.
func (s *Screen) Reason() EndReason {
	s.topic.mu.Lock()
	defer s.topic.mu.Unlock()
	return s.reason
}

// Close ends a stream from the screen's side.
func (s *Screen) Close() { s.topic.unsubscribe(s) }
