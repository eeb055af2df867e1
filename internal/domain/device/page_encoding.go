package device

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"time"

	"tilth/internal/domain/tenant"
)

// The content of a page of devices, of their status or of one of their days:
//
//	1 byte   version, pageVersion
//	varint   a time in epoch milliseconds near those of the page (only pages of status)
//	uvarint  number of devices
//	         the devices by ascending ID, each with its ID as a uvarint difference from the one before
//	4 bytes  CRC-32C of the page's place (placeOf) and everything before, big endian
//
// Migration 00030 wrote pages as JSON, which begins with a bracket: a list of the devices, each a list of its
// numbers and texts. Such a page is replaced when it is next written.
const (
	pageVersion = 1
	jsonPage    = '['
)

var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)

	errPageChecksum = errors.New("its checksum is wrong")
	errPageContent  = errors.New("its content makes no sense")
)

// deviceStatus is what a page of status holds of one device.
type deviceStatus struct {
	ID ID
	Status
	Intake
}

// deviceDay is what a page of a day holds of one device.
type deviceDay struct {
	ID       ID
	Messages int64
	Values   int64
	Refused  int64
}

// pageKey is the place of a page.
type pageKey struct {
	tenant tenant.ID
	page   int64
}

// placeOf gives the numbers of a page's place as its checksum contains them, so that a page in the place of
// another is noticed. numbers are those after the tenant and the page.
func placeOf(k pageKey, numbers ...int64) (place []byte) {
	place = binary.AppendVarint(place, int64(k.tenant))
	place = binary.AppendVarint(place, k.page)
	for _, n := range numbers {
		place = binary.AppendVarint(place, n)
	}
	return place
}

// appendChecksum ends a page.
func appendChecksum(content, place []byte) []byte {
	sum := crc32.Update(crc32.Checksum(place, castagnoli), castagnoli, content)
	return binary.BigEndian.AppendUint32(content, sum)
}

// openPage checks a page's version and checksum, and gives a reader of what is between them.
func openPage(content, place []byte) (*pageReader, error) {
	if len(content) == 0 {
		return nil, errPageContent
	}
	if v := content[0]; v != pageVersion {
		return nil, fmt.Errorf("its version is %d; this program reads version %d", v, pageVersion)
	}
	end := len(content) - crc32.Size
	if end < 1 {
		return nil, errPageContent
	}
	sum := crc32.Update(crc32.Checksum(place, castagnoli), castagnoli, content[:end])
	if binary.BigEndian.Uint32(content[end:]) != sum {
		return nil, errPageChecksum
	}
	return &pageReader{rest: content[1:end]}, nil
}

// What follows the ID of a device in a page of status: a byte that says what is there, and those parts in this
// order. Times are varint differences from the page's time; counts are varints, texts have their length before
// them.
const (
	statusOnline      = 1 << iota // no part
	statusLastContact             // time
	statusOnlineTime              // time
	statusOfflineTime             // time
	statusIntake                  // messages, values
	statusRefused                 // how many values or messages were refused
	statusLastRefusal             // time, identifier, reason
	statusClockAhead              // milliseconds
)

// appendStatus encodes a page of status. list is in the order of IDs, without duplicates.
func appendStatus(content []byte, k pageKey, list []deviceStatus) []byte {
	start := len(content)
	base := int64(0)
	for i := range list {
		base = max(base, list[i].LastContact)
	}
	content = append(content, pageVersion)
	content = binary.AppendVarint(content, base)
	content = binary.AppendUvarint(content, uint64(len(list)))
	before := ID(0)
	for i := range list {
		d := &list[i]
		content = binary.AppendUvarint(content, uint64(d.ID-before))
		before = d.ID
		content = d.append(content, base)
	}
	return append(content[:start], appendChecksum(content[start:], placeOf(k))...)
}

func (d *deviceStatus) append(content []byte, base int64) []byte {
	at := len(content)
	content = append(content, 0)
	part := func(flag byte, present bool) bool {
		if present {
			content[at] |= flag
		}
		return present
	}
	part(statusOnline, d.Online)
	if part(statusLastContact, d.LastContact != 0) {
		content = binary.AppendVarint(content, d.LastContact-base)
	}
	if part(statusOnlineTime, d.OnlineTime != 0) {
		content = binary.AppendVarint(content, d.OnlineTime-base)
	}
	if part(statusOfflineTime, d.OfflineTime != 0) {
		content = binary.AppendVarint(content, d.OfflineTime-base)
	}
	if part(statusIntake, d.Messages != 0 || d.Values != 0) {
		content = binary.AppendVarint(content, d.Messages)
		content = binary.AppendVarint(content, d.Values)
	}
	if part(statusRefused, d.Refused != 0) {
		content = binary.AppendVarint(content, d.Refused)
	}
	if part(statusLastRefusal, d.LastRefusal != Refusal{}) {
		content = binary.AppendVarint(content, d.LastRefusal.Time-base)
		content = appendText(content, d.LastRefusal.Identifier)
		content = appendText(content, string(d.LastRefusal.Reason))
	}
	if ahead := d.ClockAhead.Milliseconds(); part(statusClockAhead, ahead != 0) {
		content = binary.AppendVarint(content, ahead)
	}
	return content
}

func appendText(content []byte, s string) []byte {
	return append(binary.AppendUvarint(content, uint64(len(s))), s...)
}

// decodeStatus decodes a page of status, of any version.
func decodeStatus(content []byte, k pageKey) ([]deviceStatus, error) {
	if len(content) > 0 && content[0] == jsonPage {
		return decodeJSONPage(content, deviceStatusOf, func(d deviceStatus) ID { return d.ID })
	}
	r, err := openPage(content, placeOf(k))
	if err != nil {
		return nil, err
	}
	base := r.varint()
	list := make([]deviceStatus, r.count())
	id := ID(0)
	for i := range list {
		id = r.nextID(id)
		list[i] = r.status(id, base)
	}
	return list, r.end()
}

// appendDay encodes a page of a day. list is in the order of IDs, without duplicates.
func appendDay(k pageKey, day Day, list []deviceDay) []byte {
	content := []byte{pageVersion}
	content = binary.AppendUvarint(content, uint64(len(list)))
	before := ID(0)
	for _, d := range list {
		content = binary.AppendUvarint(content, uint64(d.ID-before))
		before = d.ID
		content = binary.AppendVarint(content, d.Messages)
		content = binary.AppendVarint(content, d.Values)
		content = binary.AppendVarint(content, d.Refused)
	}
	return appendChecksum(content, placeOf(k, int64(day)))
}

// decodeDay decodes a page of a day, of any version.
func decodeDay(content []byte, k pageKey, day Day) ([]deviceDay, error) {
	if len(content) > 0 && content[0] == jsonPage {
		return decodeJSONPage(content, deviceDayOf, func(d deviceDay) ID { return d.ID })
	}
	r, err := openPage(content, placeOf(k, int64(day)))
	if err != nil {
		return nil, err
	}
	list := make([]deviceDay, r.count())
	id := ID(0)
	for i := range list {
		id = r.nextID(id)
		list[i] = deviceDay{ID: id, Messages: r.varint(), Values: r.varint(), Refused: r.varint()}
	}
	return list, r.end()
}

// pageReader reads a page's content. After an error it gives zeros; end tells of it.
type pageReader struct {
	rest   []byte
	failed bool
}

func (r *pageReader) fail() {
	r.rest, r.failed = nil, true
}

func (r *pageReader) varint() int64 {
	v, n := binary.Varint(r.rest)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

func (r *pageReader) uvarint() uint64 {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

// count reads the number of devices, each of which takes at least two bytes.
func (r *pageReader) count() int {
	n := r.uvarint()
	if n > uint64(len(r.rest))/2 {
		r.fail()
		return 0
	}
	return int(n)
}

// nextID reads the ID of a device that comes after another.
func (r *pageReader) nextID(before ID) ID {
	id := before + ID(r.uvarint())
	if id <= before {
		r.fail()
	}
	return id
}

func (r *pageReader) flags() byte {
	if len(r.rest) == 0 {
		r.fail()
		return 0
	}
	b := r.rest[0]
	r.rest = r.rest[1:]
	return b
}

func (r *pageReader) text() string {
	n := r.uvarint()
	if n > uint64(len(r.rest)) {
		r.fail()
		return ""
	}
	s := string(r.rest[:n])
	r.rest = r.rest[n:]
	return s
}

func (r *pageReader) status(id ID, base int64) (d deviceStatus) {
	d.ID = id
	flags := r.flags()
	d.Online = flags&statusOnline != 0
	if flags&statusLastContact != 0 {
		d.LastContact = base + r.varint()
	}
	if flags&statusOnlineTime != 0 {
		d.OnlineTime = base + r.varint()
	}
	if flags&statusOfflineTime != 0 {
		d.OfflineTime = base + r.varint()
	}
	if flags&statusIntake != 0 {
		d.Messages, d.Values = r.varint(), r.varint()
	}
	if flags&statusRefused != 0 {
		d.Refused = r.varint()
	}
	if flags&statusLastRefusal != 0 {
		d.LastRefusal = Refusal{Time: base + r.varint(), Identifier: r.text(), Reason: Reason(r.text())}
	}
	if flags&statusClockAhead != 0 {
		d.ClockAhead = time.Duration(r.varint()) * time.Millisecond
	}
	return d
}

// end gives an error unless the whole page was read, and nothing more.
func (r *pageReader) end() error {
	if r.failed || len(r.rest) > 0 {
		return errPageContent
	}
	return nil
}

// decodeJSONPage decodes a page that migration 00030 wrote.
func decodeJSONPage[T any](content []byte, decode func(*jsonFields) T, id func(T) ID) ([]T, error) {
	var rows [][]json.RawMessage
	if err := json.Unmarshal(content, &rows); err != nil {
		return nil, err
	}
	list := make([]T, len(rows))
	for i, row := range rows {
		f := jsonFields{rest: row}
		list[i] = decode(&f)
		if err := f.err; err != nil || len(f.rest) > 0 {
			return nil, errors.Join(errPageContent, err)
		}
		if i > 0 && id(list[i]) <= id(list[i-1]) {
			return nil, errPageContent
		}
	}
	return list, nil
}

// jsonFields reads the numbers and texts of one device.
type jsonFields struct {
	rest []json.RawMessage
	err  error
}

func (f *jsonFields) next(into any) {
	if len(f.rest) == 0 {
		f.err = errors.Join(f.err, errPageContent)
		return
	}
	f.err = errors.Join(f.err, json.Unmarshal(f.rest[0], into))
	f.rest = f.rest[1:]
}

func (f *jsonFields) number() (n int64) {
	f.next(&n)
	return n
}

func (f *jsonFields) text() (s string) {
	f.next(&s)
	return s
}

func deviceStatusOf(f *jsonFields) (d deviceStatus) {
	d.ID, d.Online = ID(f.number()), f.number() != 0
	d.LastContact, d.OnlineTime, d.OfflineTime = f.number(), f.number(), f.number()
	d.Messages, d.Values, d.Refused = f.number(), f.number(), f.number()
	d.LastRefusal = Refusal{Time: f.number(), Identifier: f.text(), Reason: Reason(f.text())}
	d.ClockAhead = time.Duration(f.number()) * time.Millisecond
	return d
}

func deviceDayOf(f *jsonFields) deviceDay {
	return deviceDay{ID: ID(f.number()), Messages: f.number(), Values: f.number(), Refused: f.number()}
}

// mergeDays replaces in a page's list what is known of devices. Both are in the order of IDs.
func mergeDays(list, known []deviceDay) []deviceDay {
	merged := make([]deviceDay, 0, len(list)+len(known))
	for len(list) > 0 && len(known) > 0 {
		switch a, b := list[0], known[0]; {
		case a.ID < b.ID:
			merged, list = append(merged, a), list[1:]
		default:
			merged, known = append(merged, b), known[1:]
			if a.ID == b.ID {
				list = list[1:]
			}
		}
	}
	return slices.Concat(merged, list, known)
}
