package reading

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
)

// The archive is a copy of the sealed days outside of every node. The leading node copies them, a node
// with an empty folder begins with them (Fill), and readers fetch from it what this node does not hold.

var (
	// ErrArchiveDamaged is wrapped if a device-day in the archive is not as it was written.
	ErrArchiveDamaged = errors.New("the archive holds it damaged")
	// ErrArchiveIncomplete is wrapped if the archive does not hold everything up to a position of the
	// log, or belongs to another life of it.
	ErrArchiveIncomplete = errors.New("the archive is not complete")
)

// ArchivedDay is a sealed day of one device: a device-day.
type ArchivedDay struct {
	Ref device.Ref
	Day int32 // UTC, since 1970
	// Position is an entry of the log that the device-day holds, and everything before it.
	Position   uint64
	Aggregates []byte // as in the store; nil: there are none
	Segments   []byte // see packSegments
	Digest     uint64 // see digest
}

// digestOf returns the digest of what the device-day holds. The position is not a part of it, so equal
// content has equal digests.
func (d *ArchivedDay) digestOf() uint64 {
	head := binary.BigEndian.AppendUint32(nil, uint32(d.Day))
	head = binary.BigEndian.AppendUint64(head, uint64(d.Ref.Tenant))
	head = binary.BigEndian.AppendUint64(head, uint64(d.Ref.ID))
	head = binary.AppendUvarint(head, uint64(len(d.Aggregates)))
	return digest(head, d.Aggregates, d.Segments)
}

// Name names the device-day for people.
func (d *ArchivedDay) Name() string {
	return fmt.Sprintf("tenant %d device %d on %s", d.Ref.Tenant, d.Ref.ID, dayName(d.Day))
}

// Check returns an error, which wraps ErrArchiveDamaged, unless the device-day is as it was written and
// can be read back.
func (d *ArchivedDay) Check() error {
	err := d.checkDigest()
	if err == nil {
		err = checkPacked(d)
	}
	return err
}

func (d *ArchivedDay) checkDigest() error {
	if d.digestOf() != d.Digest {
		return fmt.Errorf("reading: %s: %w: its digest differs", d.Name(), ErrArchiveDamaged)
	}
	return nil
}

// LatestDay stands in place of a day for a device's latest values, where damage is noted.
const LatestDay = math.MinInt32

// ArchivedLatest holds the latest values of one device, as the store keeps them.
type ArchivedLatest struct {
	Ref      device.Ref
	Position uint64 // as of ArchivedDay
	Values   []byte
	Digest   uint64
}

// Check returns an error, which wraps ErrArchiveDamaged, unless the values are as they were written.
func (l *ArchivedLatest) Check() error {
	if l.digestOf() != l.Digest {
		return fmt.Errorf("reading: the latest values of tenant %d device %d: %w: their digest differs",
			l.Ref.Tenant, l.Ref.ID, ErrArchiveDamaged)
	}
	return nil
}

func (l *ArchivedLatest) digestOf() uint64 {
	head := binary.BigEndian.AppendUint64(nil, uint64(l.Ref.Tenant))
	return digest(binary.BigEndian.AppendUint64(head, uint64(l.Ref.ID)), l.Values)
}

// ArchiveWrite names a transaction that wrote to the archive: the leader's term, and which of its writes.
// Nodes remember the newest one that they know, so they notice that the database went back to a moment
// before it.
type ArchiveWrite struct{ Term, Number uint64 }

// ArchiveState says what an archive holds.
type ArchiveState struct {
	Life     string // of the log; empty: the archive was never begun
	Mark     string // another one whenever the archive is begun anew
	Complete bool   // Position and Chain are known
	// Position is the archived position: of the days before it, and of the latest values, the archive
	// holds all that the log's entries up to it brought. The entries after it are in the log.
	Position uint64
	Chain    uint64       // of the entry at Position
	Last     ArchiveWrite // the newest one
}

// checkComplete returns an error unless the archive is complete and belongs to a life.
func (a *ArchiveState) checkComplete(life string) error {
	switch {
	case a.Life != life:
		return fmt.Errorf("reading: %w: it belongs to another life of the log", ErrArchiveIncomplete)
	case !a.Complete:
		return fmt.Errorf("reading: %w yet", ErrArchiveIncomplete)
	}
	return nil
}

// ArchiveReader is what every node needs of the archive.
type ArchiveReader interface {
	// State returns what the archive holds; the zero state if it was never begun.
	State(ctx context.Context) (ArchiveState, error)
	// Has reports whether the archive still holds what a write brought, and all writes before; true for the
	// zero write.
	Has(ctx context.Context, w ArchiveWrite) (bool, error)
	// Days returns the days of which the archive holds any, in order.
	Days(ctx context.Context) ([]int32, error)
	// DeviceDays calls fn for a device's device-days among the given days, in order. Its error wraps
	// ErrArchiveIncomplete unless the archive belongs to the life and is complete.
	DeviceDays(ctx context.Context, t tenant.ID, d device.ID, life string, days []int32,
		fn func(*ArchivedDay) error) error
	// DayAfter returns device-days of a day, in the order of tenants and devices, after a device, up to
	// a number of them.
	DayAfter(ctx context.Context, day int32, after device.Ref, most int) ([]ArchivedDay, error)
	// LatestAfter returns latest values in the order of tenants and devices, after a device, up to a
	// number of them.
	LatestAfter(ctx context.Context, after device.Ref, most int) ([]ArchivedLatest, error)
	// NoteDamaged asks the leader to write a device-day anew, or with LatestDay its latest values.
	NoteDamaged(ctx context.Context, t tenant.ID, d device.ID, day int32) error
}

// Archive is what the leading node needs of the archive. Every call that writes is one transaction; it
// returns which one, and its error wraps ErrFenced once another node leads.
type Archive interface {
	ArchiveReader
	// Digests returns the digests that the archive holds of devices on a day.
	Digests(ctx context.Context, day int32, refs []device.Ref) (map[device.Ref]uint64, error)
	// RefsAfter returns devices of a day, in order, after one, up to a number of them.
	RefsAfter(ctx context.Context, day int32, after device.Ref, most int) ([]device.Ref, error)
	// LatestDigests returns the digests that the archive holds of devices' latest values.
	LatestDigests(ctx context.Context, refs []device.Ref) (map[device.Ref]uint64, error)
	// Put replaces what the archive holds of devices on a day.
	Put(ctx context.Context, day int32, remove []device.Ref, put []ArchivedDay) (ArchiveWrite, error)
	// PutLatest replaces the latest values of devices.
	PutLatest(ctx context.Context, put []ArchivedLatest) (ArchiveWrite, error)
	// Erase removes what the archive holds of a device with a position before an entry of the log.
	Erase(ctx context.Context, t tenant.ID, d device.ID, before uint64) (ArchiveWrite, error)
	// Expire removes the days before a day, as far as the archive can do that cheaply: ten at a time.
	Expire(ctx context.Context, before int32) (ArchiveWrite, error)
	// Begin removes everything and begins anew for a life; an empty one leaves it without.
	Begin(ctx context.Context, life string) (ArchiveWrite, error)
	// Reach sets the archived position: the archive is complete.
	Reach(ctx context.Context, pos, chain uint64) (ArchiveWrite, error)
	// Doubt makes the archive incomplete until the next Reach.
	Doubt(ctx context.Context) (ArchiveWrite, error)
	// Damaged returns what NoteDamaged was told, with nothing but the names.
	Damaged(ctx context.Context) ([]ArchivedDay, error)
}

// packedSegment is a segment of a device-day, and the millisecond of the day at which it begins.
type packedSegment struct {
	ms  uint32
	raw []byte
}

// packSegments puts the segments of a device-day into one value: their number, and of each its
// milliseconds and its length, then the segments.
func packSegments(segments []packedSegment) []byte {
	size := 8
	for _, s := range segments {
		size += len(s.raw) + 8
	}
	b := binary.AppendUvarint(make([]byte, 0, size), uint64(len(segments)))
	for _, s := range segments {
		b = binary.AppendUvarint(b, uint64(s.ms))
		b = binary.AppendUvarint(b, uint64(len(s.raw)))
	}
	for _, s := range segments {
		b = append(b, s.raw...)
	}
	return b
}

// unpackSegments reads what packSegments wrote; the segments are parts of b.
func unpackSegments(b []byte) (segments []packedSegment, err error) {
	c := byteReader{rest: b}
	count := c.uvarint()
	if c.failed || count > uint64(len(b)) {
		return nil, ErrCorrupt
	}
	lengths := make([]uint64, count)
	segments = make([]packedSegment, count)
	for i := range segments {
		ms := c.uvarint()
		lengths[i] = c.uvarint()
		if c.failed || int64(ms) >= msPerDay || i > 0 && uint32(ms) <= segments[i-1].ms {
			return nil, ErrCorrupt
		}
		segments[i].ms = uint32(ms)
	}
	rest := c.rest
	for i, n := range lengths {
		if n > uint64(len(rest)) {
			return nil, ErrCorrupt
		}
		segments[i].raw, rest = rest[:n:n], rest[n:]
	}
	if len(rest) != 0 {
		return nil, ErrCorrupt
	}
	return segments, nil
}

// checkPacked reads a device-day back, and compares its summaries and aggregates with its readings.
func checkPacked(d *ArchivedDay) error {
	wrap := func(err error) error {
		return fmt.Errorf("reading: %s: %w: %w", d.Name(), ErrArchiveDamaged, err)
	}
	segments, err := unpackSegments(d.Segments)
	if err != nil {
		return wrap(err)
	}
	totals, err := readSegments(d.Day, segments)
	if err != nil {
		return wrap(err)
	}
	if len(d.Aggregates) > 0 && !bytes.Equal(d.Aggregates, encodeDayAggregates(totals)) {
		return wrap(errors.New("its daily aggregates differ from those of its readings"))
	}
	return nil
}

// readSegments decodes the segments of a device-day, compares their summaries with their readings, and
// returns the totals of the day.
func readSegments(day int32, segments []packedSegment) (totals []propertyTotal, err error) {
	var reader segmentReader
	var head segmentHead
	var b block
	begin := int64(day) * msPerDay
	before := begin - 1
	for _, s := range segments {
		first := begin + int64(s.ms)
		if err := readHead(&head, s.raw, first); err != nil {
			return nil, err
		}
		if first <= before || head.last >= begin+msPerDay {
			return nil, fmt.Errorf("%w: the times of its segments", ErrCorrupt)
		}
		before = head.last
		if _, err := reader.decode(&b, &head, nil); err != nil {
			return nil, err
		}
		if err := checkSummaries(&b, &head); err != nil {
			return nil, err
		}
		totals = mergeTotals(totals, totalsOf(&b))
	}
	return totals, nil
}

// totalsOf returns the aggregates of a block's columns with numbers.
func totalsOf(b *block) (totals []propertyTotal) {
	for i := range b.columns {
		c := &b.columns[i]
		if total, ok := aggregateOfColumn(c, 0, len(c.rows)); ok {
			totals = append(totals, propertyTotal{c.property, total})
		}
	}
	return totals
}
