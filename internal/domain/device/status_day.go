package device

import (
	"cmp"
	"context"
	"slices"

	"tilth/internal/domain/tenant"
)

func (d deviceDay) intake(day Day) DayIntake {
	return DayIntake{Day: day, Messages: d.Messages, Values: d.Values, Refused: d.Refused}
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
	byDay, err := s.daysOnDisk(ctx, t, id, first, today)
	if err != nil {
		return nil, wrap("read days", err)
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

func (s *StatusStore) daysOnDisk(ctx context.Context, t tenant.ID, id ID, first, last Day) (map[Day]DayIntake, error) {
	byDay := map[Day]DayIntake{}
	k, placed := s.pages.keyOf(t, id)
	if !placed {
		return byDay, nil
	}
	rows, err := s.daysOfPage(ctx, k, first, last)
	for i := range rows {
		list := s.decodeDay(&rows[i])
		if at, found := slices.BinarySearchFunc(list, id, compareDay); found {
			byDay[rows[i].Day] = list[at].intake(rows[i].Day)
		}
	}
	return byDay, err
}

func compareDay(d deviceDay, id ID) int { return cmp.Compare(d.ID, id) }

// decodeDay decodes a page of a day. A damaged one counts as empty, and is replaced when it is written.
func (s *StatusStore) decodeDay(r *dayPageRow) []deviceDay {
	list, err := decodeDay(r.Content, r.key(), r.Day)
	if err != nil {
		s.presence.logger.Error("a page of what arrived from devices on a day is damaged: its counts are lost",
			"tenant", r.TenantID, "page", r.Page, "day", r.Day, "error", err)
		return nil
	}
	return list
}

// loadDays restores each device's newest day, if it is yesterday or later: counting continues with it.
func (s *StatusStore) loadDays(ctx context.Context) error {
	if s.daysFrom == 0 {
		s.daysFrom = s.today() - 1
	}
	return readDayPages(ctx, s.db, s.daysFrom, s.daysSeen, func(r *dayPageRow) error {
		list := s.decodeDay(r)
		s.diagnostics.restoreDays(r.TenantID, r.Day, list)
		s.pages.setNewestDay(r.key(), r.Day, list)
		s.daysSeen = max(s.daysSeen, r.Written)
		return nil
	})
}

// setNewestDay records what a page has of a day on disk.
func (t *pageTable) setNewestDay(k pageKey, day Day, list []deviceDay) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p := t.page(k); day >= p.newestDay {
		p.newestDay, p.newestCounts = day, list
	}
}

// addDays adds to w the pages of days that unsaved ones of a page's devices, or removed devices, make necessary.
// unsaved are of all its devices, as the status is that is written: the two must agree after a crash.
func (s *StatusStore) addDays(ctx context.Context, w *pageWrites, p *devicePage, unsaved []savedDay) error {
	lists, err := s.daysWithoutRemoved(ctx, p)
	if err != nil {
		return err
	}
	counted := map[Day][]deviceDay{}
	for _, x := range unsaved {
		list := counted[x.day.Day]
		if list == nil {
			list = make([]deviceDay, 0, len(unsaved))
		}
		counted[x.day.Day] = append(list,
			deviceDay{ID: x.id, Messages: x.day.Messages, Values: x.day.Values, Refused: x.day.Refused})
	}
	w.saved = append(w.saved, unsaved)
	for day, list := range counted {
		known, read := lists[day]
		if !read {
			if known, err = s.countsOnDisk(ctx, p, day); err != nil {
				return err
			}
		}
		lists[day] = mergeDays(known, list)
	}
	for day, list := range lists {
		w.days = append(w.days, dayPageRow{
			TenantID: p.key.tenant,
			Page:     p.key.page,
			Day:      day,
			Written:  w.written,
			Content:  appendDay(p.key, day, list),
		})
		w.lists = append(w.lists, list)
	}
	return nil
}

// daysWithoutRemoved gives the days of a page that contain removed devices, without these.
func (s *StatusStore) daysWithoutRemoved(ctx context.Context, p *devicePage) (map[Day][]deviceDay, error) {
	lists := map[Day][]deviceDay{}
	if len(p.removed) == 0 {
		return lists, nil
	}
	const lastDay = 1 << 40
	rows, err := s.daysOfPage(ctx, p.key, 0, lastDay)
	for i := range rows {
		list := s.decodeDay(&rows[i])
		before := len(list)
		list = slices.DeleteFunc(list, func(d deviceDay) bool { return slices.Contains(p.removed, d.ID) })
		if len(list) < before {
			lists[rows[i].Day] = list
		}
	}
	return lists, err
}

// countsOnDisk gives what a page has on disk of a day.
func (s *StatusStore) countsOnDisk(ctx context.Context, p *devicePage, day Day) ([]deviceDay, error) {
	switch {
	case day == p.newestDay:
		return p.newestCounts, nil
	case day > p.newestDay && (p.newestDay > 0 || s.daysFrom > 0 && day >= s.daysFrom):
		return nil, nil
	}
	rows, err := s.daysOfPage(ctx, p.key, day, day)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return s.decodeDay(&rows[0]), nil
}

// markDaysWritten records that days are on disk. Callers hold the table's lock.
func (s *StatusStore) markDaysWritten(w *pageWrites) {
	for i := range w.days {
		r := &w.days[i]
		if pages := s.pages.tenants[r.TenantID]; pages != nil {
			if p := pages.all[r.Page]; p != nil && r.Day >= p.newestDay {
				p.newestDay, p.newestCounts = r.Day, w.lists[i]
			}
		}
	}
	for _, days := range w.saved {
		s.diagnostics.markDaysSaved(days)
	}
}
