package bench

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

const (
	parallelReads = 2                      // devices that are read back at the same time
	pageSize      = 10_000                 // messages of one history call
	verifyMargin  = int64(time.Hour / 1e6) // ms before the first and after the last message in which nothing may be
)

// Verification is the result of reading everything back. It counts values: a message has one for
// each property.
type Verification struct {
	Checked    int // acknowledged values that were checked
	Lost       int // acknowledged but missing
	Wrong      int // stored with another value than was sent
	Extra      int // stored but never sent, or stored twice
	Unanswered int // stored, sent but not acknowledged, which is correct
	Example    string
	Took       time.Duration
}

// OK tells whether all acknowledged values are stored, and no others.
func (v *Verification) OK() bool { return v.Lost == 0 && v.Wrong == 0 && v.Extra == 0 }

func (v *Verification) add(o *Verification) {
	v.Checked += o.Checked
	v.Lost += o.Lost
	v.Wrong += o.Wrong
	v.Extra += o.Extra
	v.Unanswered += o.Unanswered
	if v.Example == "" {
		v.Example = o.Example
	}
}

func (v *Verification) addFault(count *int, device, property string, at int64, what string) {
	*count++
	if v.Example == "" {
		v.Example = fmt.Sprintf("%s of %s at %d: %s", property, device, at, what)
	}
}

// verify reads back all readings of the group's devices from the server.
func (c *connectionGroup) verify(ctx context.Context, from *console) (*Verification, error) {
	began := time.Now()
	var all Verification
	var mu sync.Mutex
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(parallelReads)
	for device := range min(len(c.world.Devices), len(c.members)) {
		work.Go(func() error {
			v, err := c.verifyDevice(ctx, from, device)
			if err != nil {
				return fmt.Errorf("read back %s: %w", c.world.Devices[device].Name, err)
			}
			mu.Lock()
			defer mu.Unlock()
			all.add(v)
			return nil
		})
	}
	err := work.Wait()
	all.Took = time.Since(began)
	return &all, err
}

// verifyDevice reads a device's history in pages of pageSize messages. Message n has the time first + n
// ms. It reads one page even if nothing was sent, to find what should not be there.
func (c *connectionGroup) verifyDevice(ctx context.Context, from *console, device int) (*Verification, error) {
	d := &deviceCheck{group: c, name: c.world.Devices[device].Name, senders: c.ofDevice(device)}
	end := 0 // one more than the highest number of a sent message
	for _, m := range d.senders {
		if m.sent > 0 {
			end = max(end, m.number(m.sent-1)+1)
		}
	}
	for low := 0; low < end || low == 0; low += pageSize {
		high := min(low+pageSize, end)
		start, stop := c.first+int64(low), c.first+int64(high)-1
		if low == 0 {
			start -= verifyMargin
		}
		if high == end {
			stop += verifyMargin
		}
		series, err := from.history(ctx, d.name, c.world.Properties, start, stop)
		if err != nil {
			return nil, err
		}
		for i, property := range c.world.Properties {
			d.check(i, property, series[property], low, high)
		}
	}
	return &d.Verification, nil
}

// deviceCheck compares one device's history with what was sent.
type deviceCheck struct {
	Verification
	group   *connectionGroup
	name    string
	senders []*connection
}

// check compares the points of a property with the messages from number low to number high, which
// is not included.
func (d *deviceCheck) check(index int, property string, points []point, low, high int) {
	var there bitset
	for _, p := range points {
		n := int(p.Time - d.group.first)
		m, order := d.sender(n)
		switch {
		case n < low || n >= high || order >= m.sent:
			d.addFault(&d.Extra, d.name, property, p.Time, "never sent")
			continue
		case there.has(n - low):
			d.addFault(&d.Extra, d.name, property, p.Time, "there twice")
			continue
		}
		there.add(n - low)
		if want := m.stream.value(n, index); p.Value != want {
			d.addFault(&d.Wrong, d.name, property, p.Time, fmt.Sprintf("%v was sent, %v is there", want, p.Value))
		}
		if !m.acked.has(order) {
			d.Unanswered++
		}
	}
	for n := low; n < high; n++ {
		m, order := d.sender(n)
		if !m.acked.has(order) {
			continue
		}
		d.Checked++
		if !there.has(n - low) {
			d.addFault(&d.Lost, d.name, property, d.group.first+int64(n), "acknowledged and not there")
		}
	}
}

// sender returns the connection that sends the message with a number, and its place in that
// connection's order. A number below 0 comes from the margin before the messages.
func (d *deviceCheck) sender(number int) (m *connection, order int) {
	parts := len(d.senders)
	return d.senders[max(0, number)%parts], number / parts
}
