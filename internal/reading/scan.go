package reading

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/cockroachdb/pebble/v2"

	"tilth/internal/device"
	"tilth/internal/tenant"
)

// checkEvery is after how many frames a scan looks whether it should stop.
const checkEvery = 256

// deviceScan walks one device's frames between two times, forwards or
// backwards. Keys are ordered by day first, so it jumps from day to day and
// over days without the device.
type deviceScan struct {
	store  *Store
	ctx    context.Context
	it     *pebble.Iterator
	tenant tenant.ID
	device device.ID
	day    int32
	prefix []byte // of the device's keys on day
	target []byte
	steps  int
	err    error
}

// newScan begins a scan of the frames with from <= time <= to.
func (s *Store) newScan(ctx context.Context, t tenant.ID, d device.ID, from, to int64) (*deviceScan, error) {
	from, to = clampTime(from), clampTime(to)
	it, err := s.db.NewIterWithContext(ctx, &pebble.IterOptions{
		LowerBound: appendFrameKey(nil, t, d, from),
		UpperBound: append(appendFrameKey(nil, t, d, to), 0),
	})
	if err != nil {
		return nil, err
	}
	return &deviceScan{store: s, ctx: ctx, it: it, tenant: t, device: d}, nil
}

// first goes to the earliest frame.
func (c *deviceScan) first() bool { return c.forward(c.it.First()) }

// next goes to the following frame.
func (c *deviceScan) next() bool { return c.forward(c.it.Next()) }

// nextDay goes to the first frame of a later day.
func (c *deviceScan) nextDay() bool {
	c.target = append(append(c.target[:0], c.prefix...), afterEveryKey)
	return c.forward(c.it.SeekGE(c.target))
}

// last goes to the latest frame.
func (c *deviceScan) last() bool { return c.backward(c.it.Last()) }

// previous goes to the frame before.
func (c *deviceScan) previous() bool { return c.backward(c.it.Prev()) }

// forward moves on from wherever the iterator stands to the next frame of the
// device.
func (c *deviceScan) forward(valid bool) bool {
	for valid && c.goOn() {
		key := c.it.Key()
		if len(c.prefix) > 0 && bytes.HasPrefix(key, c.prefix) {
			return true
		}
		if !c.enterDayOf(key) {
			return false
		}
		if bytes.HasPrefix(key, c.prefix) {
			return true
		}
		if bytes.Compare(c.prefix, key) < 0 { // this day's were before key
			if c.day == math.MaxInt32 {
				return false
			}
			c.setDay(c.day + 1)
		}
		valid = c.it.SeekGE(c.prefix)
	}
	return false
}

// backward is forward the other way.
func (c *deviceScan) backward(valid bool) bool {
	for valid && c.goOn() {
		key := c.it.Key()
		if len(c.prefix) > 0 && bytes.HasPrefix(key, c.prefix) {
			return true
		}
		if !c.enterDayOf(key) {
			return false
		}
		if bytes.HasPrefix(key, c.prefix) {
			return true
		}
		if bytes.Compare(key, c.prefix) < 0 { // this day's are behind key
			if c.day == math.MinInt32 {
				return false
			}
			c.setDay(c.day - 1)
		}
		c.target = append(append(c.target[:0], c.prefix...), afterEveryKey)
		valid = c.it.SeekLT(c.target)
	}
	return false
}

// goOn is false when the caller or the store has ended.
func (c *deviceScan) goOn() bool {
	if c.steps%checkEvery == 0 {
		if c.err = c.store.ended(c.ctx); c.err != nil {
			return false
		}
	}
	c.steps++
	return true
}

func (c *deviceScan) enterDayOf(key []byte) bool {
	day, err := cutDay(key)
	if err != nil {
		c.err = fmt.Errorf("reading: %w: %s", ErrCorrupt, printKey(key))
		return false
	}
	c.setDay(day)
	return true
}

func (c *deviceScan) setDay(day int32) {
	c.day = day
	c.prefix = appendDevicePrefix(c.prefix[:0], day, c.tenant, c.device)
}

// frame is the time and the bytes of the frame at which the scan stands, valid
// until it moves.
func (c *deviceScan) frame() (at int64, frame []byte, err error) {
	key := c.it.Key()
	ms := key[len(c.prefix):]
	if len(ms) != msLen || int64(binary.BigEndian.Uint32(ms)) >= msPerDay {
		return 0, nil, fmt.Errorf("reading: %w: %s", ErrCorrupt, printKey(key))
	}
	at = int64(c.day)*msPerDay + int64(binary.BigEndian.Uint32(ms))
	frame, err = c.it.ValueAndErr()
	return at, frame, err
}

// wanted appends the wanted fields of the frame at which the scan stands.
func (c *deviceScan) wanted(dst []Field, props []device.PropertyID) (at int64, fields []Field, err error) {
	at, frame, err := c.frame()
	if err != nil {
		return 0, dst, err
	}
	fields, err = appendWanted(dst, frame, props)
	if err != nil {
		err = fmt.Errorf("reading: %s: %w", printKey(c.it.Key()), err)
	}
	return at, fields, err
}

// failed is why the scan ended, nil when it was at its end.
func (c *deviceScan) failed() error {
	if c.err != nil {
		return c.err
	}
	return c.it.Error()
}

// Close gives the iterator back.
func (c *deviceScan) Close() error { return c.it.Close() }
