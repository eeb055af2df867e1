package reading

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"tilth/internal/domain/device"
)

// life is the life of the log to which a store belongs. A restore begins a new one, so that nodes
// that hold what came after the restored moment do not go on with it.
type life struct {
	mark  string // empty: the store never belonged to a log
	begin uint64 // position after which the life began
}

// Life returns the mark of the log's life to which the store belongs; empty if it never belonged to
// a log.
func (s *Store) Life() string { return s.life().mark }

func (s *Store) life() life {
	if l := s.replica.life.Load(); l != nil {
		return *l
	}
	return life{}
}

// Position returns the last position whose entry readers see. Positions of nodes that follow one log
// can be compared.
func (s *Store) Position() uint64 {
	written, _, _ := s.journal.positions()
	return written
}

// BeginLife makes the store's content at its position the beginning of a log's life, durably. The
// mark is any text that no other life has. BeginLife is called before Follow and Lead, on one node;
// all others get a copy of its store, or begin empty if the position is 0.
func (s *Store) BeginLife(mark string) error {
	if mark == "" {
		return errors.New("reading: the mark of a life must not be empty")
	}
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	s.replica.mu.Lock()
	defer s.replica.mu.Unlock()
	if s.replicated() {
		return errors.New("reading: a life begins before the store follows or leads")
	}
	if s.hasMissing() {
		return errStillMissing // the archive belongs to the present life
	}
	return s.setLife(func(pos uint64) life { return life{mark, pos} })
}

// setLife records the life durably, and with it everything written before. The caller holds
// replica.mu.
func (s *Store) setLife(at func(pos uint64) life) error {
	b := s.db.NewBatch()
	if err := b.DeleteRange([]byte{tagChain}, []byte{tagChain + 1}, nil); err != nil {
		return err
	}
	var l life
	err := s.write(b, func(pos uint64) (uint64, error) {
		l = at(pos)
		return 0, b.Set(keyLife, append(binary.AppendUvarint(nil, l.begin), l.mark...), nil)
	}, func(uint64) {
		s.replica.life.Store(&l)
		s.replica.chain, s.replica.chainKnown = BeginChain(l.mark, l.begin), true
	})
	if err != nil {
		return fmt.Errorf("reading: begin a life: %w", err)
	}
	return b.Close()
}

// recoverLife reads the life. The chain of the last entry is read by joinLife.
func (s *Store) recoverLife() error {
	value, err := s.get(keyLife)
	if err != nil || value == nil {
		return err
	}
	begin, n := binary.Uvarint(value)
	if n <= 0 || n == len(value) {
		return fmt.Errorf("%w: %s", ErrCorrupt, printKey(keyLife))
	}
	s.replica.life.Store(&life{string(value[n:]), begin})
	return nil
}

// chainAt returns the chain of the entry at pos; false if the store does not hold it (any more).
func (s *Store) chainAt(pos uint64) (chain uint64, known bool, err error) {
	if l := s.life(); l.mark != "" && l.begin == pos {
		return BeginChain(l.mark, l.begin), true, nil
	}
	value, err := s.get(chainKey(pos))
	if err != nil || value == nil {
		return 0, false, err
	}
	e, err := decodeChain(value)
	if err != nil {
		return 0, false, fmt.Errorf("reading: %s: %w", printKey(chainKey(pos)), err)
	}
	return e.Chain, true, nil
}

// get returns a copy of the value under a key, nil if there is none.
func (s *Store) get(key []byte) ([]byte, error) {
	b, closer, err := s.db.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading: %s: %w", printKey(key), err)
	}
	value := append([]byte{}, b...)
	return value, closer.Close()
}

// appendChain appends what is stored of an entry beside its journal entry: the chain, the kind, and
// the body of an erasure. The body of frames is the journal entry.
func appendChain(b []byte, e *Entry) []byte {
	b = binary.BigEndian.AppendUint64(b, e.Chain)
	b = append(b, byte(e.Kind))
	if e.Kind != EntryFrames {
		b = append(b, e.Body...)
	}
	return b
}

// decodeChain reads what appendChain wrote; its error wraps ErrCorrupt.
func decodeChain(b []byte) (e Entry, err error) {
	if len(b) < 9 {
		return e, fmt.Errorf("%w: it is cut off", ErrCorrupt)
	}
	e = Entry{Chain: binary.BigEndian.Uint64(b), Kind: EntryKind(b[8]), Body: b[9:]}
	switch e.Kind {
	case EntryFrames:
		if len(e.Body) != 0 {
			err = fmt.Errorf("%w: %d extra bytes", ErrCorrupt, len(e.Body))
		}
	case EntryErasure:
		_, err = decodeErasure(e.Body)
	default:
		err = fmt.Errorf("%w: kind %d", ErrCorrupt, e.Kind)
	}
	return e, err
}

// ownEntry returns the log's entry at pos as this store holds it. Its error wraps ErrGap if the
// journal does not reach back to it.
func (s *Store) ownEntry(pos uint64) (Entry, error) {
	value, err := s.get(chainKey(pos))
	if err != nil {
		return Entry{}, err
	}
	body, err := s.get(appendJournalKey(nil, pos))
	if err != nil {
		return Entry{}, err
	}
	if value == nil || body == nil {
		return Entry{}, fmt.Errorf("reading: this node's journal no longer holds entry %d: %w", pos, ErrGap)
	}
	e, err := decodeChain(value)
	if err != nil {
		return Entry{}, fmt.Errorf("reading: %s: %w", printKey(chainKey(pos)), err)
	}
	e.Position = pos
	if e.Kind == EntryFrames {
		e.Body = body
	}
	return e, nil
}

// LargestIDs returns the largest numbers of a tenant, a device and a property that the readings
// name, and of devices that were erased while the journal may hold entries of them. After a mend the
// relational database may be older than the readings and must not give these numbers to others.
func (s *Store) LargestIDs(ctx context.Context) (tenant, device, property uint64, err error) {
	if err := s.enter(); err != nil {
		return 0, 0, 0, err
	}
	defer s.leave()
	if err := s.stopErr(ctx); err != nil {
		return 0, 0, 0, err
	}
	tenant, device, property = s.latest.largestIDs()
	s.order.Lock()
	defer s.order.Unlock()
	for ref := range s.order.erased {
		tenant, device = max(tenant, uint64(ref.Tenant)), max(device, uint64(ref.ID))
	}
	return tenant, device, property, nil
}

// largestIDs returns the largest numbers among the latest values, which name every device and
// property with readings.
func (l *latest) largestIDs() (tenant, deviceID, property uint64) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	note := func(ref device.Ref) {
		tenant, deviceID = max(tenant, uint64(ref.Tenant)), max(deviceID, uint64(ref.ID))
	}
	for ref, d := range l.devices {
		note(ref)
		if n := len(d.values); n > 0 { // sorted by property
			property = max(property, uint64(d.values[n-1].Property))
		}
	}
	return tenant, deviceID, property
}
