package cluster

import (
	"crypto/rand"
	"sync"
	"time"
)

// Leader is the node that leads. If Address is empty and Local is false, none has led yet.
type Leader struct {
	Name    string
	Address string // of its admin port
	Epoch   int64  // of its term; each leader has a larger one than the leader before
	Local   bool   // this node leads
}

// leaderState holds what a node knows of who leads.
type leaderState struct {
	mu          sync.Mutex
	leader      Leader
	changed     chan struct{} // closed at the next change
	synchronous bool
	known       bool // whether synchronous was read
	led         bool // a node held the lock of the log when this one last looked
	looked      time.Time
}

func newLeaderState() *leaderState { return &leaderState{changed: make(chan struct{})} }

func (s *leaderState) set(l Leader) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.change(l)
}

// replace sets who leads unless that has changed from before meanwhile.
func (s *leaderState) replace(before, l Leader) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.leader == before {
		s.change(l)
	}
}

// change sets who leads. Callers hold mu.
func (s *leaderState) change(l Leader) {
	if s.leader == l {
		return
	}
	s.leader = l
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *leaderState) get() Leader {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.leader
}

// setSynchronous records whether PostgreSQL waits for a copy, and reports whether to warn of that.
func (s *leaderState) setSynchronous(yes bool) (warn bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	warn = !yes && (s.synchronous || !s.known)
	s.synchronous, s.known = yes, true
	return warn
}

// Leader returns who leads as far as this node knows, and a channel that is closed when that changes.
func (n *Node) Leader() (Leader, <-chan struct{}) {
	n.leader.mu.Lock()
	defer n.leader.mu.Unlock()
	return n.leader.leader, n.leader.changed
}

// setLed records whether a node holds the lock of the log now.
func (s *leaderState) setLed(yes bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.led, s.looked = yes, time.Now()
}

// Led reports whether a node leads, as far as this node has seen a moment ago.
func (n *Node) Led() bool {
	n.leader.mu.Lock()
	defer n.leader.mu.Unlock()
	return n.leader.leader.Local || n.leader.led && time.Since(n.leader.looked) < presentFor
}

// Synchronous reports whether the database waits for a copy before it confirms a commit.
func (n *Node) Synchronous() bool {
	n.leader.mu.Lock()
	defer n.leader.mu.Unlock()
	return n.leader.synchronous
}

// newMark makes a mark that no other log has.
func newMark() string { return rand.Text() }
