package reading

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"tilth/internal/domain/device"
)

// maxNamedProblems is how many problems Findings lists; it counts all.
const maxNamedProblems = 100

// Findings holds what Examine found in a folder of readings.
type Findings struct {
	Days     int    // days with readings
	Frames   uint64 // frames that are not sealed
	Segments uint64
	Sealed   uint64 // frames in segments
	Values   uint64 // values in Frames and Sealed
	Entries  uint64 // journal entries not yet evaluated or not yet in a checkpoint, or kept for a mend
	Devices  int    // devices that have readings or latest values
	Missing  int    // days that a node has not fetched from the archive yet
	Losses   []Loss // what damage of the disk took from the newest readings, now or before earlier starts
	Orphans  []device.Ref
	Problems []string // the first maxNamedProblems
	Total    int      // number of all problems
}

// OK is true when nothing is wrong.
func (f *Findings) OK() bool { return f.Total == 0 && len(f.Losses) == 0 && len(f.Orphans) == 0 }

// Examine reads everything in a folder of readings that no server has open. It reports what cannot
// be read back, what is inconsistent, what is lost, and the devices with readings of which known says
// that they do not exist. evaluated is the evaluated position. It changes nothing and guesses nothing;
// its error means that the folder could not be examined.
func Examine(
	ctx context.Context,
	dir string,
	evaluated uint64,
	known func(device.Ref) bool,
) (_ *Findings, err error) {
	o := Options{Dir: dir}
	o.setDefaults()
	return examine(ctx, o, evaluated, known)
}

func examine(
	ctx context.Context,
	o Options,
	evaluated uint64,
	known func(device.Ref) bool,
) (_ *Findings, err error) {
	o.readOnly = true
	db, logs, err := openEngine(o)
	if err != nil {
		return nil, err
	}
	defer closeInto(&err, db)
	if _, err := readFormat(db); err != nil {
		return nil, openError(o, err)
	}
	e := &examiner{ctx: ctx, db: db, findings: &Findings{}, devices: map[device.Ref]bool{}, days: map[int32]bool{}}
	if e.aggregatedFrom, err = readAggregatedFrom(db); err != nil {
		return nil, openError(o, err)
	}
	for _, step := range []struct {
		tag  byte
		look func(key, value []byte) error
	}{
		{tagSegment, e.segment},
		{tagDay, e.dayAggregates},
		{tagHot, e.frame},
		{tagJournal, e.entry},
		{tagChain, e.chain},
		{tagLatest, e.latest},
		{tagErased, e.erased},
		{tagToArchive, e.toArchive},
		{tagMissing, e.missing},
	} {
		if err := e.each(step.tag, step.look); err != nil {
			return nil, err
		}
		e.endDay()
	}
	e.findings.Days, e.findings.Devices = len(e.days), len(e.devices)
	if e.findings.Losses, err = e.losses(logs, evaluated); err != nil {
		return nil, openError(o, err)
	}
	for ref := range e.devices {
		if !known(ref) {
			e.findings.Orphans = append(e.findings.Orphans, ref)
		}
	}
	slices.SortFunc(e.findings.Orphans, func(a, b device.Ref) int {
		return cmp.Or(cmp.Compare(a.Tenant, b.Tenant), cmp.Compare(a.ID, b.ID))
	})
	return e.findings, nil
}

// losses lists what is lost: what was recorded when the folder was opened, what its logs lack now, and
// what was evaluated and is not in the journal. A node's own journal may be behind those of others.
func (e *examiner) losses(logs *salvage, evaluated uint64) ([]Loss, error) {
	losses, err := readLosses(logs.FS, logs.dir)
	if err != nil {
		return nil, err
	}
	losses = addLosses(losses, logs.losses)
	pos, err := readNumber(e.db, keyCheckpoint)
	if err != nil {
		return nil, err
	}
	if pos = max(pos, e.pos); pos >= evaluated {
		return losses, nil
	}
	joined, err := hasKeys(e.ctx, e.db, keyLife, append(slices.Clone(keyLife), 0))
	if err != nil || joined {
		return losses, err
	}
	return addLosses(losses, []Loss{logs.missingAtEnd(pos, evaluated)}), nil
}

type examiner struct {
	ctx      context.Context
	db       *pebble.DB
	findings *Findings
	devices  map[device.Ref]bool
	days     map[int32]bool

	reader   segmentReader
	head     segmentHead
	block    block
	fields   []Field
	previous struct { // the previous segment
		ref  device.Ref
		last int64
	}
	day struct { // the device-day of the previous segment
		ref    device.Ref
		day    int32
		totals []propertyTotal // of its segments so far
	}
	firstSealed    int32 // day of the first segment
	aggregatedFrom int32
	pos            uint64 // position of the previous entry
	chained        Entry  // the previous entry with a chain
}

// each calls look for every key under a tag. It records an error of look as a problem of that key
// and continues.
func (e *examiner) each(tag byte, look func(key, value []byte) error) (err error) {
	it, err := e.db.NewIterWithContext(e.ctx, &pebble.IterOptions{LowerBound: []byte{tag}, UpperBound: []byte{tag + 1}})
	if err != nil {
		return scanError(tagName(tag), err)
	}
	defer closeInto(&err, it)
	for ok := it.First(); ok; ok = it.Next() {
		if err := e.ctx.Err(); err != nil {
			return err
		}
		value, err := it.ValueAndErr()
		if err == nil {
			err = look(it.Key(), value)
		}
		if err != nil {
			e.problem("%s: %v", printKey(it.Key()), err)
		}
	}
	if err := it.Error(); err != nil {
		// The iterator stops at a damaged file and cannot see the keys after it.
		e.problem("readings under %q end early: %v", tag, err)
	}
	return nil
}

func (e *examiner) problem(format string, args ...any) {
	if e.findings.Total++; len(e.findings.Problems) < maxNamedProblems {
		e.findings.Problems = append(e.findings.Problems, oneLine(fmt.Sprintf(format, args...)))
	}
}

// noteKey records the device and the day of a reading.
func (e *examiner) noteKey(key []byte) (ref device.Ref, at int64, err error) {
	ref, at, err = parseFrameKey(key)
	if err == nil {
		day, _ := dayOf(at)
		e.days[day] = true
		e.devices[ref] = true
	}
	return ref, at, err
}

func (e *examiner) segment(key, value []byte) error {
	ref, first, err := e.noteKey(key)
	if err != nil {
		return err
	}
	e.findings.Segments++
	if err := readHead(&e.head, value, first); err != nil {
		return err
	}
	if ref == e.previous.ref && first <= e.previous.last {
		e.problem("%s begins before the end of the previous segment", printKey(key))
	}
	e.previous.ref, e.previous.last = ref, e.head.last
	begin, _ := dayOf(first)
	if e.findings.Segments == 1 {
		e.firstSealed = begin
	}
	if end, _ := dayOf(e.head.last); end != begin {
		return errors.New("the segment reaches into the next day")
	}
	if _, err := e.reader.decode(&e.block, &e.head, nil); err != nil {
		return err
	}
	if err := checkSummaries(&e.block, &e.head); err != nil {
		return err
	}
	e.addToDay(ref, begin)
	e.findings.Sealed += uint64(e.head.count)
	for _, c := range e.block.columns {
		e.findings.Values += uint64(len(c.rows))
	}
	return nil
}

// addToDay adds the decoded segment to the totals of its device-day. When the device-day is complete,
// it compares them with the daily aggregates.
func (e *examiner) addToDay(ref device.Ref, day int32) {
	if ref != e.day.ref || day != e.day.day {
		e.endDay()
		e.day.ref, e.day.day = ref, day
	}
	e.day.totals = mergeTotals(e.day.totals, totalsOf(&e.block))
}

// endDay compares the totals of the device-day with its daily aggregates.
func (e *examiner) endDay() {
	if e.day.ref == (device.Ref{}) {
		return
	}
	if err := checkDayAggregates(e.db, e.day.ref, e.day.day, e.aggregatedFrom, e.day.totals); err != nil {
		e.problem("tenant %d device %d on %s: %v", e.day.ref.Tenant, e.day.ref.ID, dayName(e.day.day), err)
	}
	e.day.ref, e.day.totals = device.Ref{}, e.day.totals[:0]
}

// dayAggregates looks at an entry of daily aggregates. Those of expired days may outlive them.
func (e *examiner) dayAggregates(key, value []byte) error {
	ref, day, err := parseDayAggregatesKey(key)
	if err != nil {
		return err
	}
	if err := decodeDayAggregates(value, nil, func(device.PropertyID, Aggregate) {}); err != nil {
		return err
	}
	if e.findings.Segments == 0 || day < e.firstSealed {
		return nil
	}
	from := appendSegmentPrefix(nil, day, ref)
	found, err := hasKeys(e.ctx, e.db, from, append(slices.Clone(from), afterAnyMs))
	if err == nil && !found {
		err = errors.New("they belong to no segment")
	}
	return err
}

func (e *examiner) frame(key, value []byte) (err error) {
	if _, _, err := e.noteKey(key); err != nil {
		return err
	}
	e.findings.Frames++
	if e.fields, err = appendFields(e.fields[:0], value); err != nil {
		return err
	}
	e.findings.Values += uint64(len(e.fields))
	return nil
}

func (e *examiner) entry(key, value []byte) error {
	pos, err := parseJournalKey(key)
	if err != nil {
		return err
	}
	if e.pos != 0 && pos != e.pos+1 {
		e.problem("the journal has no entries from %d to %d", e.pos+1, pos-1)
	}
	e.pos = pos
	e.findings.Entries++
	_, err = decodeEntry(value)
	return err
}

// chain looks at the chain of an entry. It continues the previous one, unless that or the journal
// entry is gone.
func (e *examiner) chain(key, value []byte) (err error) {
	pos, err := parsePositionKey(key, tagChain)
	if err != nil {
		return err
	}
	entry, err := decodeChain(value)
	if err != nil {
		return err
	}
	entry.Position = pos
	previous := e.chained
	e.chained = Entry{Position: pos, Chain: entry.Chain}
	body, closer, err := e.db.Get(appendJournalKey(nil, pos))
	if errors.Is(err, pebble.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	defer closeInto(&err, closer)
	if entry.Kind == EntryFrames {
		entry.Body = body
	} else if !slices.Equal(body, emptyEntry) {
		return errors.New("the journal entry of an erasure holds readings")
	}
	if previous.Position+1 == pos && previous.Position != 0 && entry.ChainAfter(previous.Chain) != entry.Chain {
		return errors.New("it does not continue the entry before it")
	}
	return nil
}

func (e *examiner) latest(key, value []byte) error {
	ref, err := parseRefKey(key)
	if err != nil {
		return err
	}
	e.devices[ref] = true
	_, _, err = decodeLatest(value)
	return err
}

func (e *examiner) toArchive(key, value []byte) error {
	if _, n := binary.Uvarint(value); n <= 0 {
		return ErrCorrupt
	}
	_, _, err := parseToArchiveKey(key)
	return err
}

func (e *examiner) missing(key, _ []byte) error {
	e.findings.Missing++
	_, err := parseDay(key, tagMissing)
	return err
}

func (e *examiner) erased(key, _ []byte) error {
	_, err := parseRefKey(key)
	return err
}
