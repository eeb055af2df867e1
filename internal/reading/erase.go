package reading

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"tilth/internal/device"
	"tilth/internal/tenant"
)

// Erase deletes every reading of a device and its latest values, durably: a
// restart does not bring them back out of the journal. Batches already in the
// journal still reach the consumer as they were appended.
//
// The device must have been taken out of the registry first. Frames of it that
// are appended while Erase runs are deleted too or stay, later ones stay.
func (s *Store) Erase(ctx context.Context, t tenant.ID, d device.ID) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	// A checkpoint under way could write the latest values back.
	s.checkpointing.Lock()
	defer s.checkpointing.Unlock()
	ref := device.Ref{Tenant: t, ID: d}
	// Looked for outside the order of writes, which must not wait for it; a
	// second look finds what was appended in between, and a third is the last
	// for a device that goes on being written to.
	for look := range 3 {
		days, err := s.deviceDays(ctx, t, d)
		if err != nil {
			return fmt.Errorf("reading: erase: %w", err)
		}
		if len(days) == 0 && look > 0 {
			return nil
		}
		if err := s.eraseDays(ref, days); err != nil {
			return err
		}
	}
	return nil
}

// eraseDays deletes a device's frames on the given days and its latest values,
// and marks how far in the journal the erasure reaches.
func (s *Store) eraseDays(ref device.Ref, days []int32) error {
	b := s.db.NewBatch()
	for _, day := range days {
		from := appendDevicePrefix(nil, day, ref.Tenant, ref.ID)
		to := append(appendDevicePrefix(nil, day, ref.Tenant, ref.ID), afterEveryKey)
		if err := b.DeleteRange(from, to, nil); err != nil {
			return err
		}
	}
	if err := b.Delete(appendRefKey(nil, tagLatest, ref), nil); err != nil {
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

// deviceDays lists the days on which a device has frames.
func (s *Store) deviceDays(ctx context.Context, t tenant.ID, d device.ID) (days []int32, err error) {
	scan, err := s.newScan(ctx, t, d, minTime, maxTime)
	if err != nil {
		return nil, err
	}
	defer closeInto(&err, scan)
	for ok := scan.first(); ok; ok = scan.nextDay() {
		days = append(days, scan.day)
	}
	return days, scan.failed()
}

// hotBounds are the keys of all frames before a day.
func hotBounds(before int32) *pebble.IterOptions {
	return &pebble.IterOptions{LowerBound: []byte{tagHot}, UpperBound: appendDay(nil, before)}
}
