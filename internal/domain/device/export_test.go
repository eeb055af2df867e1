package device

import (
	"context"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/db"
)

// SetPageDevices sets how many devices a page holds.
func (s *StatusStore) SetPageDevices(n int) { s.pages.size = n }

// StoredPages reads how many devices of which tenant each page has on disk.
func StoredPages(ctx context.Context, d *db.DB) (sizes []int, owners map[ID]tenant.ID, err error) {
	owners = map[ID]tenant.ID{}
	err = readStatusPages(ctx, d, 0, func(r *statusPageRow) error {
		list, err := decodeStatus(r.Content, r.key())
		for _, x := range list {
			owners[x.ID] = r.TenantID
		}
		sizes = append(sizes, len(list))
		return err
	})
	return sizes, owners, err
}

// StoredStatus reads what the database has of each device's status.
func StoredStatus(ctx context.Context, d *db.DB) (map[ID]Status, map[ID]Intake, error) {
	status, intake := map[ID]Status{}, map[ID]Intake{}
	err := readStatusPages(ctx, d, 0, func(r *statusPageRow) error {
		list, err := decodeStatus(r.Content, r.key())
		for _, x := range list {
			status[x.ID], intake[x.ID] = x.Status, x.Intake
		}
		return err
	})
	return status, intake, err
}

// StoredDays reads what the database has of each device's days.
func StoredDays(ctx context.Context, d *db.DB) (map[ID][]DayIntake, error) {
	days := map[ID][]DayIntake{}
	err := readDayPages(ctx, d, 0, 0, func(r *dayPageRow) error {
		list, err := decodeDay(r.Content, r.key(), r.Day)
		for _, x := range list {
			days[x.ID] = append(days[x.ID], x.intake(r.Day))
		}
		return err
	})
	return days, err
}

// RestoreOnline restores devices as online since a time, as a start does.
func (p *Presence) RestoreOnline(t tenant.ID, ids []ID, since int64) {
	list := make([]deviceStatus, len(ids))
	for i, id := range ids {
		list[i] = deviceStatus{ID: id, Status: Status{Online: true, LastContact: since, OnlineTime: since}}
	}
	page := &devicePage{key: pageKey{tenant: t}}
	p.restore(page, list)
	for _, id := range ids {
		p.devices[id].page = nil // a flush places it
	}
}
