package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// Idle is the cost of idle connections.
type Idle struct {
	Target      string
	Connections int
	Connecting  time.Duration // to open all
	Open        float64       // connections that the server counted while all were open; 0: not known
	// The server's memory in bytes: before the connections, and with them open.
	MemoryBefore, MemoryOpen int64
}

// MeasureIdle opens the options' connections to a target, which must be a process of this machine,
// and signs in; it publishes nothing. The memory includes garbage that opening the connections
// left.
func MeasureIdle(ctx context.Context, o Options, t Target) (*Idle, error) {
	o.Window = 1
	c, err := newConnectionGroup(o, t.Tenant, time.Now())
	if err != nil {
		return nil, err
	}
	i := &Idle{Target: t.Name, Connections: o.Connections}
	if i.MemoryBefore, err = residentMemory(t.PID); err != nil {
		return nil, err
	}
	began := time.Now()
	if err := c.connect(ctx, t.MQTT); err != nil {
		return nil, err
	}
	i.Connecting = time.Since(began)
	if i.MemoryOpen, err = residentMemory(t.PID); err != nil {
		return nil, errors.Join(err, c.close())
	}
	figures, err := t.metrics(ctx)
	i.Open = figures[connections]
	return i, errors.Join(err, c.close())
}

// Err returns why the result does not count, or nil.
func (i *Idle) Err() error {
	if i.Open > 0 && i.Open < float64(i.Connections) {
		return fmt.Errorf("%.0f of %d connections were open when memory was measured", i.Open, i.Connections)
	}
	return nil
}

// PerConnection returns how many bytes of memory a connection takes.
func (i *Idle) PerConnection() int64 { return (i.MemoryOpen - i.MemoryBefore) / int64(i.Connections) }

// Print prints the result.
func (i *Idle) Print(out io.Writer) error {
	_, err := fmt.Fprintf(
		out,
		"\n%s: %s idle connections, opened in %s: memory %s before, %s with them, %s each\n",
		i.Target,
		thousands(float64(i.Connections)),
		short(i.Connecting),
		mebibytes(i.MemoryBefore),
		mebibytes(i.MemoryOpen),
		kibibytes(i.PerConnection()),
	)
	return err
}
