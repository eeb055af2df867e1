package torture

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"

	"tilth/workshop/bench"
)

// lateDevice has a connection to one node, and publishes to it when that node cannot answer.
type lateDevice struct{ nc net.Conn }

// latePatience is how long a late device waits to be disconnected.
const latePatience = 15 * time.Second

// localHeader is a PROXY header, of version 2, that names no client.
const localHeader = "\r\n\r\n\x00\r\nQUIT\n\x20\x00\x00\x00"

// connectLate connects to a node, past HAProxy, and signs in.
func connectLate(ctx context.Context, address string, d bench.Device) (*lateDevice, error) {
	nc, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	_ = nc.SetDeadline(time.Now().Add(devicePatience)) // fails only when the connection is closed
	_, err = io.WriteString(nc, localHeader+connectPacketFor(d, "late", latePatience))
	connack := make([]byte, 4)
	if err == nil {
		_, err = io.ReadFull(nc, connack)
	}
	if err == nil && (connack[0] != 0x20 || connack[3] != 0) {
		err = fmt.Errorf("the answer to CONNECT was % x", connack)
	}
	if err != nil {
		return nil, errors.Join(err, nc.Close())
	}
	return &lateDevice{nc}, nc.SetDeadline(time.Time{})
}

// publish sends a message with QoS 1.
func (d *lateDevice) publish() error {
	const topic, payload = "v1/devices/me/telemetry", `{"sensor01":1}`
	body := string([]byte{0, byte(len(topic))}) + topic + "\x00\x01" + payload
	_, err := io.WriteString(d.nc, "\x32"+string([]byte{byte(len(body))})+body)
	return err
}

// expectNoAnswer waits until the connection ends, and returns an error if it did not, or if the message
// was acknowledged before.
func (d *lateDevice) expectNoAnswer() error {
	defer func() { _ = d.nc.Close() }() // all has been read
	_ = d.nc.SetReadDeadline(time.Now().Add(latePatience))
	got, err := io.ReadAll(d.nc)
	switch {
	case len(got) > 0 && got[0] == 0x40:
		return errors.New("a message that was sent to it meanwhile was acknowledged")
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("it kept a device connected for %s", latePatience)
	}
	return nil // a reset ends it as well
}

// beganAnew tells whether a node's log says that it began anew and is a standby.
func beganAnew(log string) bool {
	_, since, found := strings.Cut(log, `msg="the server begins anew"`)
	return found && strings.Contains(since, `msg="tilth is a standby"`)
}
