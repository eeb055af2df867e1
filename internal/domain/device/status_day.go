package device

import (
	"cmp"
	"context"
	"slices"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
)

type dayRow struct {
	bun.BaseModel `bun:"table:device_days"`
	DeviceID      ID  `bun:",pk"`
	Day           Day `bun:",pk"`
	TenantID      tenant.ID
	Messages      int64
	ValueCount    int64
	Refused       int64
}

func (r dayRow) intake() DayIntake {
	return DayIntake{Day: r.Day, Messages: r.Messages, Values: r.ValueCount, Refused: r.Refused}
}

// today is the current day by the server's clock.
func (s *StatusStore) today() Day { return DayOf(s.presence.now().UnixMilli()) }

// Days gives what arrived from a tenant's device on each of the last 31 days, oldest first; days on
// which nothing arrived are absent.
func (s *StatusStore) Days(ctx context.Context, t tenant.ID, id ID) ([]DayIntake, error) {
	// Read the memory before the disk: a day that a flush moves to disk in between is the same
	// there.
	newer := s.diagnostics.days(t, id)
	today := s.today()
	first := today - intakeRetentionDays + 1
	var rows []dayRow
	if err := s.db.Read(ctx).NewSelect().Model(&rows).
		Where("device_id = ? AND tenant_id = ? AND day BETWEEN ? AND ?", id, t, first, today).Scan(ctx); err != nil {
		return nil, wrap("read days", err)
	}
	byDay := map[Day]DayIntake{}
	for _, r := range rows {
		byDay[r.Day] = r.intake()
	}
	for _, d := range newer {
		if d.Day >= first && d.Day <= today {
			byDay[d.Day] = d
		}
	}
	days := make([]DayIntake, 0, len(byDay))
	for _, d := range byDay {
		days = append(days, d)
	}
	slices.SortFunc(days, func(a, b DayIntake) int { return cmp.Compare(a.Day, b.Day) })
	return days, nil
}

// loadDays restores each device's newest day, with which counting continues.
func (s *StatusStore) loadDays(ctx context.Context) error {
	var rows []dayRow
	err := s.db.Read(ctx).NewSelect().Model(&rows).
		Where("day = (SELECT MAX(day) FROM device_days AS newest WHERE newest.device_id = day_row.device_id)").Scan(ctx)
	if err != nil {
		return err
	}
	for _, r := range rows {
		s.diagnostics.restoreDay(Ref{Tenant: r.TenantID, ID: r.DeviceID}, r.intake())
	}
	return nil
}

// dayRows gives the days of a device to write.
func (s *StatusStore) dayRows(ref Ref) (rows []dayRow) {
	for _, d := range s.diagnostics.unsavedDays(ref) {
		rows = append(rows, dayRow{
			DeviceID:   ref.ID,
			Day:        d.Day,
			TenantID:   ref.Tenant,
			Messages:   d.Messages,
			ValueCount: d.Values,
			Refused:    d.Refused,
		})
	}
	return rows
}

func writeDays(ctx context.Context, tx bun.IDB, rows []dayRow) error {
	for start := 0; start < len(rows); start += rowsPerStatement {
		batch := rows[start:min(start+rowsPerStatement, len(rows))]
		if _, err := tx.NewInsert().Model(&batch).On("CONFLICT (device_id, day) DO UPDATE").
			Set("messages = EXCLUDED.messages, value_count = EXCLUDED.value_count, refused = EXCLUDED.refused").
			Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// markDaysSaved tells diagnostics which days are on disk now.
func (s *StatusStore) markDaysSaved(rows []dayRow) {
	written := map[Ref][]DayIntake{}
	for _, r := range rows {
		ref := Ref{Tenant: r.TenantID, ID: r.DeviceID}
		written[ref] = append(written[ref], r.intake())
	}
	for ref, days := range written {
		s.diagnostics.markDaysSaved(ref, days)
	}
}

// sweepDays removes the days past their retention.
func sweepDays(ctx context.Context, tx bun.IDB, today Day) error {
	_, err := tx.NewDelete().Model((*dayRow)(nil)).Where("day <= ?", today-intakeRetentionDays).Exec(ctx)
	return err
}
