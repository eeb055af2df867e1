package command

import (
	"bufio"
	"encoding/binary"
	"io"
	"net"
	"sync"
	"testing"
)

// startAckServer is an MQTT server that accepts every client, acknowledges everything and stores
// nothing.
func startAckServer(t *testing.T) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	t.Cleanup(func() {
		l.Close()
		serving.Wait()
	})
	serving.Go(func() {
		for {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			serving.Go(func() {
				defer nc.Close()
				serveAcks(bufio.NewReader(nc), nc)
			})
		}
	})
	return l.Addr().String()
}

func serveAcks(r *bufio.Reader, w io.Writer) {
	for {
		first, err := r.ReadByte()
		if err != nil {
			return
		}
		length, err := binary.ReadUvarint(r)
		if err != nil {
			return
		}
		body := make([]byte, length)
		if _, err := io.ReadFull(r, body); err != nil {
			return
		}
		answer := []byte{0x20, 2, 0, 0}
		switch {
		case first == 0x32: // PUBLISH, QoS 1
			id := body[2+int(binary.BigEndian.Uint16(body)):]
			answer = []byte{0x40, 2, id[0], id[1]}
		case first != 0x10:
			return
		default:
			if body[6] == 5 { // the protocol version
				answer = []byte{0x20, 3, 0, 0, 0}
			}
		}
		if _, err := w.Write(answer); err != nil {
			return
		}
	}
}
