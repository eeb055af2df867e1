package ingest

import (
	"context"
	"fmt"
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// submitN submits n messages at once and returns a function that counts the answers.
func submitN(t *testing.T, e *edge, n int) (answered func() int) {
	t.Helper()
	outcomes := make(chan Outcome, n)
	for i := range n {
		m := Message{
			Entry:   e.find("WS-1"),
			Kind:    Telemetry,
			Payload: fmt.Appendf(nil, `{"humidity":%d}`, i%100),
			At:      now,
		}
		if err := e.pipeline.Submit(context.Background(), m, func(o Outcome) { outcomes <- o }); err != nil {
			t.Fatal(err)
		}
	}
	return func() int { return len(outcomes) }
}

// If many publish at once, a commit waits a moment for more messages; a device that publishes alone
// never waits.
func TestPipelineGathersWhereManyPublish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEdge(t)
		for range 3 {
			alone := submitN(t, e, 1)
			if synctest.Wait(); alone() != 1 {
				t.Fatal("a single message waits")
			}
		}
		e.journal.hold()
		submitN(t, e, 1)
		synctest.Wait()
		many := submitN(t, e, gatherThreshold)
		e.journal.release()
		if synctest.Wait(); many() != gatherThreshold {
			t.Fatalf("%d of the many messages are answered", many())
		}
		commits := e.journal.commits()
		first := submitN(t, e, 1)
		time.Sleep(gatherDelay / 2)
		second := submitN(t, e, 2)
		if synctest.Wait(); first()+second() != 0 {
			t.Error("no messages were gathered after a commit of many")
		}
		time.Sleep(gatherDelay / 2)
		if synctest.Wait(); first() != 1 || second() != 2 || e.journal.commits() != commits+1 {
			t.Errorf("%d and %d messages answered with %d commits", first(), second(), e.journal.commits()-commits)
		}
		// Those were few: the next message does not wait.
		alone := submitN(t, e, 1)
		if synctest.Wait(); alone() != 1 {
			t.Error("a message waits after a commit of few")
		}
	})
}

// Gathering ends as soon as there is enough, and when the pipeline is closed.
func TestPipelineGathersNoLongerThanNeeded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEdge(t)
		submitMany := func() {
			e.journal.hold()
			submitN(t, e, 1)
			synctest.Wait()
			submitN(t, e, gatherThreshold)
			e.journal.release()
			synctest.Wait()
		}
		submitMany()
		began := time.Now()
		enough := submitN(t, e, gatherLimit)
		if synctest.Wait(); enough() != gatherLimit || time.Since(began) != 0 {
			t.Errorf("%d of %d answered", enough(), gatherLimit)
		}
		submitMany()
		last := submitN(t, e, 1)
		if err := e.pipeline.Close(context.Background()); err != nil || last() != 1 || time.Since(began) != 0 {
			t.Errorf("closed after %v: %v, %d answered", time.Since(began), err, last())
		}
	})
}

// Bytes that the network does not take at once are written later, in order and completely.
func TestDirectWriterLeavesTheRest(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	client, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	server, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	o := newWriteBuffer(server, time.Minute)
	if o.direct == nil {
		t.Fatal("there is no direct writer for plain TCP")
	}
	const n = 1 << 20 // more than a socket buffers
	var flushes int
	for i := range n {
		o.mu.Lock()
		if o.queueLocked([]byte{byte(i), byte(i >> 8), byte(i >> 16), 0xff}) {
			flushes++
		}
		o.mu.Unlock()
	}
	if flushes != 1 {
		t.Errorf("%d requests to flush, want one", flushes)
	}
	o.flush()
	o.mu.Lock()
	if !o.writing {
		t.Error("the network took everything at once, so the test shows nothing")
	}
	o.appendLocked([]byte("end"))
	o.mu.Unlock()
	got := make([]byte, 4*n+3)
	for at := 0; at < len(got); {
		m, err := client.Read(got[at:])
		if err != nil {
			t.Fatalf("after %d bytes: %v", at, err)
		}
		at += m
	}
	for i := range n {
		if b := got[4*i:]; int(b[0])|int(b[1])<<8|int(b[2])<<16 != i&0xffffff || b[3] != 0xff {
			t.Fatalf("answer %d is %x", i, b[:4])
		}
	}
	if string(got[4*n:]) != "end" {
		t.Errorf("the output ends with %q", got[4*n:])
	}
	// The goroutine has ended, and its deadline is cleared.
	eventually(t, "the writer has left", func() bool {
		o.mu.Lock()
		defer o.mu.Unlock()
		return !o.writing
	})
	client.Close()
	eventually(t, "a connection that is gone is noticed", func() bool {
		o.mu.Lock()
		defer o.mu.Unlock()
		if !o.closed {
			o.appendLocked([]byte("x"))
		}
		return o.closed
	})
	if o.hasStalled() {
		t.Error("a client that disconnected counts as stalled")
	}
}
