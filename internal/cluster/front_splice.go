package cluster

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

const (
	// Most connections are silent most of the time, so they wait with a small buffer. While more
	// comes than fits, a large one is borrowed.
	smallBuffer = 2 << 10
	largeBuffer = 32 << 10

	// clientLinger is how long a client may keep its connection open after the leader has ended it.
	// The kernel gives about as long to connections that a server itself closes.
	clientLinger = time.Minute
)

var largeBuffers = sync.Pool{New: func() any { return new([largeBuffer]byte) }}

// splice passes on what a client and the leader send, until both have ended, one of them fails or
// the term ends. It closes both connections.
func (f *Front) splice(term context.Context, client net.Conn, leader *tls.Conn) {
	f.spliced.Add(1)
	defer f.spliced.Add(-1)
	f.ledOn.Add(1)
	cutBoth := func() {
		cut(client)
		cut(leader)
	}
	defer cutBoth()
	defer context.AfterFunc(term, cutBoth)()
	var answers sync.WaitGroup
	answers.Go(func() {
		err := relay(client, leader)
		if err == nil {
			err = client.SetReadDeadline(time.Now().Add(clientLinger))
		}
		if err != nil {
			cutBoth()
		}
	})
	if err := relay(leader, client); err != nil {
		cutBoth()
	}
	answers.Wait()
}

// relay copies from src to dst until src has ended, and then ends the write side of dst.
func relay(dst, src net.Conn) error {
	if err := copyBytes(dst, src); err != nil {
		return err
	}
	return closeWrite(dst)
}

// copyBytes copies until src has ended.
func copyBytes(dst io.Writer, src io.Reader) error {
	small := make([]byte, smallBuffer)
	for {
		n, err := src.Read(small)
		if err := writeAll(dst, small[:n]); err != nil {
			return err
		}
		if err == nil && n == len(small) {
			err = copyLarge(dst, src)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// copyLarge copies with a large buffer as long as src fills it. It returns io.EOF when src has
// ended.
func copyLarge(dst io.Writer, src io.Reader) error {
	buf := largeBuffers.Get().(*[largeBuffer]byte)
	defer largeBuffers.Put(buf)
	for {
		n, err := src.Read(buf[:])
		if err := writeAll(dst, buf[:n]); err != nil {
			return err
		}
		if err != nil || n < len(buf) {
			return err
		}
	}
}

func writeAll(dst io.Writer, b []byte) error {
	if len(b) == 0 {
		return nil
	}
	_, err := dst.Write(b)
	return err
}
