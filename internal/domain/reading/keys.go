package reading

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
)

// The key space. The first byte of every key says what it is; numbers are big-endian or "ordered"
// (see appendOrdered), so that byte order is numeric order.
//
//	h | day 4 | generation 2 | tenant ordered | device ordered | ms of day 4 -> frame
//	c | day 4 | tenant ordered | device ordered | ms of day 4                -> segment of a sealed device-day
//	d | day/64 4 | tenant ordered | device ordered | day%64 1                -> aggregates of a sealed device-day
//	j | position 8                                                           -> journal entry
//	k | position 8                                                           -> chain of that entry in the log
//	l | tenant ordered | device ordered                                      -> a device's latest values
//	e | tenant ordered | device ordered                                      -> journal position of its erasure
//	a | day 4 | tenant ordered | device ordered                              -> position; it is to be archived
//	x | day 4                                                                -> nothing; it is in the archive
//	m | name                                                                 -> format number, checkpoint position,
//	                                                                            first day with aggregates, life,
//	                                                                            what is marked for the archive
//
// The day comes first, so retention is one range delete and writing touches one end of the key
// space. Days and milliseconds are UTC. The generation lets the store seal a day into segments
// without stopping its writers; see calendar.
const (
	tagHot       = 'h'
	tagSegment   = 'c'
	tagDay       = 'd'
	tagJournal   = 'j'
	tagChain     = 'k'
	tagLatest    = 'l'
	tagErased    = 'e'
	tagMeta      = 'm'
	tagToArchive = 'a'
	tagMissing   = 'x'
	msPerDay     = int64(24 * time.Hour / time.Millisecond)
	dayLen       = 1 + 4      // tag, day
	hotPrefixLen = dayLen + 2 // and generation
	msLen        = 4
	afterAnyMs   = 0xff // above the first byte of any millisecond of a day
)

var (
	keyFormat         = []byte{tagMeta, 'f'}
	keyCheckpoint     = []byte{tagMeta, 'c'}
	keyAggregatedFrom = []byte{tagMeta, 'a'}
	keyLife           = []byte{tagMeta, 'l'}
	keyMarked         = []byte{tagMeta, 'r'}
)

// dayEnd is above every continuation of a day's key prefix.
var dayEnd = []byte{0xff, 0xff, 0xff, 0xff}

var errKey = errors.New("malformed key")

// The times that a key can hold: about 5.8 million years before and after 1970. Append accepts only
// times strictly between, so that a clamped time finds no frame.
const (
	minTime = int64(math.MinInt32) * msPerDay
	maxTime = int64(math.MaxInt32)*msPerDay + msPerDay - 1
)

// clampTime limits t to the range that keys can hold.
func clampTime(t int64) int64 { return min(max(t, minTime), maxTime) }

// dayOf splits a time (epoch ms, within minTime..maxTime) into its UTC day and
// the milliseconds since that day began.
func dayOf(t int64) (day int32, ms uint32) {
	d := t / msPerDay
	r := t % msPerDay
	if r < 0 {
		d--
		r += msPerDay
	}
	return int32(d), uint32(r)
}

// appendOrdered appends x in a form that sorts as the number does: the count of its significant
// bytes, then these bytes.
func appendOrdered(b []byte, x uint64) []byte {
	var buf [8]byte
	binary.BigEndian.PutUint64(buf[:], x)
	skip := 0
	for skip < 8 && buf[skip] == 0 {
		skip++
	}
	b = append(b, byte(8-skip))
	return append(b, buf[skip:]...)
}

// cutOrdered reads what appendOrdered wrote and returns the rest.
func cutOrdered(b []byte) (x uint64, rest []byte, err error) {
	if len(b) == 0 || b[0] > 8 || len(b) < 1+int(b[0]) {
		return 0, nil, errKey
	}
	n := int(b[0])
	for _, c := range b[1 : 1+n] {
		x = x<<8 | uint64(c)
	}
	return x, b[1+n:], nil
}

// appendDay appends the prefix of every key of a day under tagHot or tagSegment, or of 64 days under
// tagDay; days before 1970 sort first.
func appendDay(b []byte, tag byte, day int32) []byte {
	b = append(b, tag)
	return binary.BigEndian.AppendUint32(b, uint32(day)^1<<31)
}

// appendHotPrefix appends the prefix of the hot keys of one device on one day in one generation.
func appendHotPrefix(b []byte, day int32, generation uint16, ref device.Ref) []byte {
	b = appendDay(b, tagHot, day)
	b = binary.BigEndian.AppendUint16(b, generation)
	return appendRef(b, ref)
}

// appendSegmentPrefix appends the prefix of the keys of one device's segments of one day.
func appendSegmentPrefix(b []byte, day int32, ref device.Ref) []byte {
	return appendRef(appendDay(b, tagSegment, day), ref)
}

// appendToArchiveKey appends the key of a device-day that is to be archived.
func appendToArchiveKey(b []byte, day int32, ref device.Ref) []byte {
	return appendRef(appendDay(b, tagToArchive, day), ref)
}

// parseToArchiveKey reads what appendToArchiveKey wrote.
func parseToArchiveKey(key []byte) (day int32, ref device.Ref, err error) {
	if day, err = parseDay(key, tagToArchive); err != nil {
		return 0, ref, err
	}
	ref, rest, err := cutRef(key[dayLen:])
	if err == nil && len(rest) != 0 {
		err = errKey
	}
	return day, ref, err
}

// missingKey returns the key of a day whose segments are in the archive only.
func missingKey(day int32) []byte { return appendDay(nil, tagMissing, day) }

// parseDay reads the day at the beginning of a key under a tag.
func parseDay(key []byte, tag byte) (int32, error) {
	if len(key) < dayLen || key[0] != tag {
		return 0, errKey
	}
	return int32(binary.BigEndian.Uint32(key[1:]) ^ 1<<31), nil
}

// appendMs appends the time of day with which hot and segment keys end.
func appendMs(b []byte, ms uint32) []byte { return binary.BigEndian.AppendUint32(b, ms) }

// daysOfSpan is how many days of a device's aggregates are next to each other; a power of two.
const daysOfSpan = 64

// spanOf returns the number of the span of days that contains day.
func spanOf(day int32) int32 { return day >> 6 }

// appendDayAggregatesKey appends the key of a device-day's aggregates.
func appendDayAggregatesKey(b []byte, ref device.Ref, day int32) []byte {
	b = appendRef(appendDay(b, tagDay, spanOf(day)), ref)
	return append(b, byte(day&(daysOfSpan-1)))
}

// parseDayAggregatesKey reads what appendDayAggregatesKey wrote.
func parseDayAggregatesKey(key []byte) (ref device.Ref, day int32, err error) {
	if len(key) < dayLen || key[0] != tagDay {
		return ref, 0, errKey
	}
	ref, rest, err := cutRef(key[dayLen:])
	if err == nil && (len(rest) != 1 || rest[0] >= daysOfSpan) {
		err = errKey
	}
	if err != nil {
		return ref, 0, err
	}
	span := int32(binary.BigEndian.Uint32(key[1:]) ^ 1<<31)
	return ref, span*daysOfSpan + int32(rest[0]), nil
}

// cutDay reads the day of a hot or segment key.
func cutDay(key []byte) (int32, error) {
	if len(key) < dayLen || key[0] != tagHot && key[0] != tagSegment {
		return 0, errKey
	}
	return int32(binary.BigEndian.Uint32(key[1:]) ^ 1<<31), nil
}

// cutGeneration reads the generation of a hot key.
func cutGeneration(key []byte) (uint16, error) {
	if len(key) < hotPrefixLen || key[0] != tagHot {
		return 0, fmt.Errorf("%w: %s", ErrCorrupt, printKey(key))
	}
	return binary.BigEndian.Uint16(key[dayLen:]), nil
}

// parseFrameKey reads a hot key or a segment key.
func parseFrameKey(key []byte) (ref device.Ref, at int64, err error) {
	day, err := cutDay(key)
	if err != nil {
		return ref, 0, err
	}
	skip := dayLen
	if key[0] == tagHot {
		skip = hotPrefixLen
	}
	if len(key) < skip {
		return ref, 0, errKey
	}
	ref, rest, err := cutRef(key[skip:])
	if err != nil {
		return ref, 0, err
	}
	ms, err := cutMs(rest)
	return ref, int64(day)*msPerDay + int64(ms), err
}

// cutMs reads what appendMs wrote at the end of a key.
func cutMs(b []byte) (uint32, error) {
	if len(b) != msLen || int64(binary.BigEndian.Uint32(b)) >= msPerDay {
		return 0, errKey
	}
	return binary.BigEndian.Uint32(b), nil
}

// appendRefKey appends a key of one device under tag.
func appendRefKey(b []byte, tag byte, ref device.Ref) []byte {
	return appendRef(append(b, tag), ref)
}

// appendRef appends the tenant and the device of a key.
func appendRef(b []byte, ref device.Ref) []byte {
	b = appendOrdered(b, uint64(ref.Tenant))
	return appendOrdered(b, uint64(ref.ID))
}

// cutRef reads the tenant and device of a key and returns the rest.
func cutRef(b []byte) (device.Ref, []byte, error) {
	t, b, err := cutOrdered(b)
	if err != nil {
		return device.Ref{}, nil, err
	}
	d, b, err := cutOrdered(b)
	if err != nil {
		return device.Ref{}, nil, err
	}
	return device.Ref{Tenant: tenant.ID(t), ID: device.ID(d)}, b, nil
}

// parseRefKey reads a key that appendRefKey wrote.
func parseRefKey(key []byte) (device.Ref, error) {
	if len(key) == 0 {
		return device.Ref{}, errKey
	}
	ref, rest, err := cutRef(key[1:])
	if err == nil && len(rest) != 0 {
		err = errKey
	}
	return ref, err
}

// appendJournalKey appends the key of a journal entry.
func appendJournalKey(b []byte, pos uint64) []byte {
	return binary.BigEndian.AppendUint64(append(b, tagJournal), pos)
}

// chainKey returns the key of the chain of a journal entry.
func chainKey(pos uint64) []byte { return binary.BigEndian.AppendUint64([]byte{tagChain}, pos) }

// parseJournalKey reads the position of a journal entry.
func parseJournalKey(key []byte) (uint64, error) { return parsePositionKey(key, tagJournal) }

func parsePositionKey(key []byte, tag byte) (uint64, error) {
	if len(key) != 9 || key[0] != tag {
		return 0, errKey
	}
	return binary.BigEndian.Uint64(key[1:]), nil
}

// printKey names a key for an error or a log.
func printKey(key []byte) string {
	if ref, at, err := parseFrameKey(key); err == nil {
		kind := "frame"
		if key[0] == tagSegment {
			kind = "segment"
		}
		return fmt.Sprintf(kind+" of tenant %d device %d at %s", ref.Tenant, ref.ID,
			time.UnixMilli(at).UTC().Format("2006-01-02T15:04:05.000Z"))
	}
	if ref, day, err := parseDayAggregatesKey(key); err == nil {
		return fmt.Sprintf("aggregates of tenant %d device %d on %s", ref.Tenant, ref.ID, dayName(day))
	}
	if pos, err := parseJournalKey(key); err == nil {
		return fmt.Sprintf("journal entry %d", pos)
	}
	if pos, err := parsePositionKey(key, tagChain); err == nil {
		return fmt.Sprintf("chain of journal entry %d", pos)
	}
	if day, ref, err := parseToArchiveKey(key); err == nil {
		return fmt.Sprintf("mark of tenant %d device %d on %s", ref.Tenant, ref.ID, dayName(day))
	}
	if day, err := parseDay(key, tagMissing); err == nil {
		return "day in the archive " + dayName(day)
	}
	if len(key) > 0 && key[0] == tagLatest {
		if ref, err := parseRefKey(key); err == nil {
			return fmt.Sprintf("latest values of tenant %d device %d", ref.Tenant, ref.ID)
		}
	}
	return fmt.Sprintf("key %x", key)
}

// tagName says what the keys under a tag hold, for errors.
func tagName(tag byte) string {
	switch tag {
	case tagHot:
		return "frames"
	case tagSegment:
		return "segments"
	case tagJournal:
		return "journal"
	case tagChain:
		return "chain of the journal"
	case tagLatest:
		return "latest values"
	case tagErased:
		return "erasures"
	case tagToArchive:
		return "days to archive"
	case tagMissing:
		return "days in the archive"
	default:
		return fmt.Sprintf("keys under %q", tag)
	}
}
