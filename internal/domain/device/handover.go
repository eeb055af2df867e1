package device

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/platform/db"
)

// handoverRow is what a leader of a cluster leaves to the next one. There is one shard, 0.
type handoverRow struct {
	bun.BaseModel `bun:"table:presence_handover"`
	Shard         int64 `bun:",pk"`
	Devices       []byte
}

// silentDevice is a device that is online, with what its status on disk does not tell.
type silentDevice struct {
	id              ID
	silence         int64 // for how long it has been silent, ms; the clocks of two machines may differ
	prevOfflineTime int64 // as in presenceState
}

// HandOver leaves to the next leader of a cluster, of all tenants, for how long each device that is online has
// been silent. It comes after the last Flush; devices have been disconnected by then.
func (s *StatusStore) HandOver(ctx context.Context) error {
	row := handoverRow{Devices: encodeSilence(s.presence.silence())}
	return wrap("hand over presence", s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewInsert().Model(&row).On("CONFLICT (shard) DO UPDATE").Set("devices = EXCLUDED.devices").
			Exec(ctx)
		return err
	}))
}

// TakeOver goes on where the leader before this one ended, if that was in an orderly way: a device that was
// silent goes offline when it would have. It comes after Load, and before AcceptDevices.
func (s *StatusStore) TakeOver(ctx context.Context) error {
	var row handoverRow
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewDelete().Model(&row).Where("shard = 0").Returning("devices").Exec(ctx)
		return err
	})
	if db.IsMissing(err) || err == nil && row.Devices == nil {
		return nil
	}
	if err != nil {
		return wrap("take over presence", err)
	}
	devices, err := decodeSilence(row.Devices)
	if err != nil {
		s.presence.logger.Warn("presence is not taken over; the silence of devices counts anew", "error", err)
		return nil
	}
	s.presence.resume(devices)
	return nil
}

// silence gives the devices that are online, by number.
func (p *Presence) silence() []silentDevice {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.readClock()
	if p.stoppedAt != 0 {
		now = min(now, p.stoppedAt)
	}
	var list []silentDevice
	for id, c := range p.devices {
		if c.status.Online {
			list = append(list, silentDevice{id, max(0, now-c.silentSince), c.prevOfflineTime})
		}
	}
	slices.SortFunc(list, func(a, b silentDevice) int { return int(a.id - b.id) })
	return list
}

// resume gives devices the silence that they had. The time until AcceptDevices does not count.
func (p *Presence) resume(devices []silentDevice) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.readClock()
	for _, d := range devices {
		if c := p.devices[d.id]; c != nil && c.status.Online {
			c.silence = time.Duration(d.silence) * time.Millisecond
			c.prevOfflineTime = min(d.prevOfflineTime, now)
		}
	}
}

// handoverVersion begins a hand-over; another number is of another version, whose hand-over is left out.
const handoverVersion = 1

var errHandover = errors.New("what the leader before handed over is damaged")

// encodeSilence writes the version and then, for each device, three numbers: how much its number is greater
// than the one before, its silence, and its former time offline.
func encodeSilence(list []silentDevice) []byte {
	b := []byte{handoverVersion}
	before := ID(0)
	for _, d := range list {
		b = binary.AppendUvarint(b, uint64(d.id-before))
		b = binary.AppendUvarint(b, uint64(d.silence))
		b = binary.AppendVarint(b, d.prevOfflineTime)
		before = d.id
	}
	return b
}

func decodeSilence(b []byte) (list []silentDevice, err error) {
	if len(b) == 0 || b[0] != handoverVersion {
		return nil, nil
	}
	b = b[1:]
	var d silentDevice
	for len(b) > 0 {
		step, n := binary.Uvarint(b)
		if n <= 0 {
			return nil, errHandover
		}
		silence, m := binary.Uvarint(b[n:])
		if m <= 0 {
			return nil, errHandover
		}
		before, k := binary.Varint(b[n+m:])
		if k <= 0 {
			return nil, errHandover
		}
		d = silentDevice{d.id + ID(step), int64(silence), before}
		list, b = append(list, d), b[n+m+k:]
	}
	return list, nil
}
