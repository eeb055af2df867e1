package listen

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"
)

// Over TCP a write follows what the client takes: the kernel does not take megabytes ahead, and
// then nothing for as long as a slow client needs for a third of them.
func TestPaceOverTCP(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	pace := Pace{ChunkSize: 32 << 10, Within: 20 * time.Second}
	limited := newTestLimiter(0).Listen(ln, ListenerOptions{Name: "http", Pace: pace})
	defer func() { _ = limited.Close() }() // nothing was written
	client, err := net.Dial("tcp", limited.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }() // likewise
	server, err := limited.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Close() }() // likewise
	sent := make([]byte, 8<<20)
	_, _ = rand.Read(sent) // never fails (crypto/rand)

	// As much as the client's kernel takes by itself, and a little more.
	if err := server.SetWriteDeadline(time.Now().Add(200 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	n, err := server.Write(sent)
	if !errors.Is(err, os.ErrDeadlineExceeded) || n > 1<<20 {
		t.Errorf("the kernel took %d bytes ahead, %v", n, err)
	}
	if err := server.SetWriteDeadline(time.Time{}); err != nil {
		t.Fatal(err)
	}
	wrote := make(chan error, 1)
	go func() {
		_, err := server.Write(sent[n:])
		wrote <- errors.Join(err, server.(interface{ CloseWrite() error }).CloseWrite())
	}()
	if got, err := io.ReadAll(client); err != nil || !bytes.Equal(got, sent) {
		t.Errorf("%d bytes arrived of %d, %v", len(got), len(sent), err)
	}
	if err := <-wrote; err != nil {
		t.Error(err)
	}
}
