package device

import (
	"context"

	"tilth/internal/platform/db"
)

// PageDevices is how many devices a page holds.
const PageDevices = pageDevices

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
