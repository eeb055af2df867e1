package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// Idle is what connections cost a server that say nothing.
type Idle struct {
	Target      string
	Connections int
	Connecting  time.Duration // all of them
	Open        float64       // connections by the server's own count, while all were open; 0: not known
	// The server's memory in bytes: before the connections, and with them open.
	MemoryBefore, MemoryOpen int64
}

// MeasureIdle opens the options' connections to a target, which must be a
// process of this machine, and signs in; nothing is published. What the opening
// itself leaves behind for the collector counts too.
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

// Err is why the figures do not count, nil when they do.
func (i *Idle) Err() error {
	if i.Open > 0 && i.Open < float64(i.Connections) {
		return fmt.Errorf("%.0f of %d connections were open when memory was measured", i.Open, i.Connections)
	}
	return nil
}

// PerConnection is how many bytes of memory a connection costs.
func (i *Idle) PerConnection() int64 { return (i.MemoryOpen - i.MemoryBefore) / int64(i.Connections) }

// Print tells the figures.
func (i *Idle) Print(out io.Writer) error {
	_, err := fmt.Fprintf(
		out,
		"\n%s: %s idle connections, opened in %s: memory %s before, %s with them, %s each\n",
		i.Target,
		thousands(
			float64(i.Connections),
		),
		short(i.Connecting),
		mebibytes(i.MemoryBefore),
		mebibytes(i.MemoryOpen),
		kibibytes(i.PerConnection()),
	)
	return err
}
