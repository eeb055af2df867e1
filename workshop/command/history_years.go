package command

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"tilth/internal/domain/reading"
	"tilth/workshop/bench"
)

// yearsLoad are the readings of years: one year, and ten years of one property.
type yearsLoad struct {
	*bench.Years

	year, ten *historyRecords
}

const (
	// yearBatchSteps is more than batchSteps, since fewer devices have years; it divides the days of
	// both.
	yearBatchSteps = 144
	yearGoal       = 30 * time.Millisecond
)

// newYearsLoad returns nil if there are no years.
func newYearsLoad(years *bench.Years) *yearsLoad {
	if years == nil {
		return nil
	}
	return &yearsLoad{
		Years: years,
		year:  &historyRecords{records: years.Year, batchSteps: yearBatchSteps},
		ten:   &historyRecords{records: years.Ten, batchSteps: yearBatchSteps},
	}
}

// runYears writes the years into the folder that has the month, seals them, and queries the store
// about them. The figures of the folder are taken before, so that they are those of the month.
func (l *historyLoad) runYears(ctx context.Context, data string) error {
	l.printf("Writing %d values of years, sealing them", l.years.year.records.Total()+l.years.ten.records.Total())
	if err := l.fillYears(ctx, data); err != nil {
		return err
	}
	return l.reopenYears(ctx, data)
}

func (l *historyLoad) fillYears(ctx context.Context, data string) (err error) {
	s, end, err := l.open(ctx, filepath.Join(data, "readings"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	for _, h := range []*historyRecords{l.years.year, l.years.ten} {
		count := h.records.Count()
		if _, err := h.write(ctx, s, 0, count/h.batchSteps, nil); err != nil {
			return err
		}
		if err := s.Seal(ctx, h.records.Time(count).Add(48*time.Hour)); err != nil {
			return err
		}
	}
	return nil
}

func (l *historyLoad) reopenYears(ctx context.Context, data string) (err error) {
	s, end, err := l.open(ctx, filepath.Join(data, "readings"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	if err := l.queryYears(ctx, s); err != nil {
		return err
	}
	return waitForStableSize(ctx, s)
}

// queryYears queries the store as the console's call does, each time for another device.
func (l *historyLoad) queryYears(ctx context.Context, s *reading.Store) error {
	for _, q := range []struct {
		name string
		of   *historyRecords
		step reading.Step
		goal time.Duration
	}{
		{"a year by hour", l.years.year, reading.Hour, yearGoal},
		{"a year by day", l.years.year, reading.Day, 0},
		{"ten years by day", l.years.ten, reading.Day, yearGoal},
	} {
		r, properties := q.of.records, q.of.properties
		want := r.Days * int(24*time.Hour/time.Duration(q.step))
		from, to := r.Time(0).UnixMilli(), r.Time(r.Count()-1).UnixMilli()
		took, err := bench.Measure(l.years.Repeats, func(n int) error {
			ref := q.of.devices[n%len(q.of.devices)]
			got, err := s.Aggregates(ctx, ref.Tenant, ref.ID, from, to, properties, q.step)
			if err != nil {
				return err
			}
			for _, id := range properties {
				if len(got[id]) != want {
					return fmt.Errorf("%s: %d of them, %d were expected", q.name, len(got[id]), want)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		l.figures.Years = append(l.figures.Years, bench.GoalResult{
			Question: fmt.Sprintf("%s, properties: %d", q.name, len(properties)),
			Took:     took,
			Goal:     q.goal,
		})
	}
	return nil
}
