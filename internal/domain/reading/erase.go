package reading

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
)

// Erase deletes every reading of a device and its latest values durably: a restart does not restore
// them from the journal. Batches already in the journal still reach the consumer as they were
// appended.
//
// The caller must have removed the device from the registry first. Frames of the device that are
// appended while Erase runs are deleted or stay; later ones stay. A store that leads (see Lead)
// appends the erasure to the log, where it has a position of its own, and does not look at ctx once
// it has begun: every node deletes exactly what earlier entries brought.
func (s *Store) Erase(ctx context.Context, t tenant.ID, d device.ID) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	ref := device.Ref{Tenant: t, ID: d}
	if s.replicated() {
		return s.eraseInLog(ctx, ref)
	}
	// A running checkpoint could write the latest values back.
	s.checkpointMu.Lock()
	defer s.checkpointMu.Unlock()
	// Sealing could write the readings back.
	s.sealMu.Lock()
	defer s.sealMu.Unlock()
	// Erase looks for the days without holding the order of writes, which must not wait for it. A
	// second pass finds what was appended in between. A third pass is the last, for a device that
	// is still being written to.
	for pass := range 3 {
		days, err := s.deviceDays(ctx, ref)
		if err != nil {
			return fmt.Errorf("reading: erase: %w", err)
		}
		if len(days) == 0 && pass > 0 {
			return nil
		}
		if err := s.eraseDays(ref, days); err != nil {
			return err
		}
	}
	return nil
}

// eraseDays deletes a device's frames on the given days and its latest values, and records up to
// which journal position the erasure applies.
func (s *Store) eraseDays(ref device.Ref, days []dayState) error {
	b := s.db.NewBatch()
	if err := s.deleteDevice(b, ref, days); err != nil {
		return err
	}
	err := s.write(b, func(pos uint64) (uint64, error) {
		s.order.erased[ref] = pos
		return 0, b.Set(appendRefKey(nil, tagErased, ref), binary.AppendUvarint(nil, pos), nil)
	}, func(uint64) {
		s.latest.remove(ref)
	})
	if err != nil {
		return err
	}
	return b.Close()
}

// deleteDevice adds to b that a device's frames on the given days and its latest values are deleted.
func (s *Store) deleteDevice(b *pebble.Batch, ref device.Ref, days []dayState) error {
	for _, day := range days {
		prefixes := [][]byte{appendSegmentPrefix(nil, day.day, ref)}
		for g := int(day.oldest); g <= int(day.newest); g++ {
			prefixes = append(prefixes, appendHotPrefix(nil, day.day, uint16(g), ref))
		}
		for _, from := range prefixes {
			if err := b.DeleteRange(from, append(slices.Clone(from), dayEnd...), nil); err != nil {
				return err
			}
		}
	}
	if err := s.eraseDayAggregates(b, ref); err != nil {
		return err
	}
	return b.Delete(appendRefKey(nil, tagLatest, ref), nil)
}

// deviceDays lists the days on which a device has readings.
func (s *Store) deviceDays(ctx context.Context, ref device.Ref) (days []dayState, err error) {
	r, err := s.newRows(ctx, ref, minTime, maxTime, nil)
	if err != nil {
		return nil, err
	}
	defer closeInto(&err, r)
	r.localOnly = true
	for {
		before := r.days
		ok, err := r.nextDay()
		if err != nil || !ok {
			return days, err
		}
		days = append(days, before[len(before)-len(r.days)-1])
	}
}
