package command

import (
	"context"
	"fmt"
	"sync"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/edge/ingest"
	"tilth/internal/server"
	"tilth/internal/tools/farm"
)

// denseHistory is the part of the history in which every report of a device is stored: what the
// console shows of a device's reports, and what rules look back at, is at most that old.
const denseHistory = 31 * 24 * time.Hour

// writeHistory submits the farm's history, each message with the time of its arrival, waits until
// all of it is on disk, and packs its days as the server packs days that are over.
//
// Rules are made afterwards: they evaluate what comes later, so a history leaves no notices.
func (d *demo) writeHistory(ctx context.Context, s *server.Server) error {
	start := d.historyEnd.Add(-d.history)
	if d.history > d.dense {
		fmt.Fprintf(d.out, "The history holds a reading in %d minutes, and all readings of the last %s.\n",
			int(farm.ThinInterval.Minutes()), historyLength(d.dense))
	}
	begin := time.Now()
	title := "Writing " + historyLength(d.history) + " of history"
	progress := newProgress(d.out, title, start, d.historyEnd)
	messages, err := d.submitHistory(ctx, s, start, progress.at)
	if err != nil {
		progress.stop()
		return err
	}
	progress.done(fmt.Sprintf("%d messages in %.1f s", messages, time.Since(begin).Seconds()))
	return d.packHistory(ctx, s, start)
}

// submitHistory returns how many messages were stored, after the last is on disk.
func (d *demo) submitHistory(
	ctx context.Context,
	s *server.Server,
	start time.Time,
	progress func(time.Time),
) (messages int, err error) {
	var outstanding sync.WaitGroup
	var failed error
	var once sync.Once
	entries := map[string]*device.Entry{}
	for _, dev := range d.farm.Devices() {
		t, err := s.Stores.Tenants.ByName(ctx, dev.Tenant)
		if err != nil {
			return 0, err
		}
		entries[dev.Name] = s.Stores.Registry.Find(t.ID, dev.Name)
	}
	denseFrom := d.historyEnd.Add(-d.dense)
	err = d.farm.History(ctx, start, d.historyEnd, denseFrom, func(name string, r farm.Report) error {
		progress(r.Sent)
		if r.Values == nil {
			s.Stores.Presence.SeenAt(entries[name].Ref, r.Sent.UnixMilli())
			return nil
		}
		messages++
		outstanding.Add(1)
		message := ingest.Message{
			Entry:   entries[name],
			Kind:    ingest.Telemetry,
			Payload: r.Payload(),
			At:      r.Sent.UnixMilli(),
		}
		err := s.Pipeline.Submit(ctx, message, func(o ingest.Outcome) {
			if o.Err != nil {
				once.Do(func() { failed = o.Err })
			}
			outstanding.Done()
		})
		if err != nil {
			outstanding.Done()
		}
		return err
	})
	outstanding.Wait()
	s.Stores.Presence.FinishBackfill()
	if failed != nil {
		return 0, failed // not the end of ctx, which may have come meanwhile
	}
	return messages, err
}

// packHistory packs the days of the history that are over, the oldest first. The server would do so
// a quarter of an hour later.
func (d *demo) packHistory(ctx context.Context, s *server.Server, start time.Time) error {
	begin := time.Now()
	progress := newProgress(d.out, "Packing the history", start, d.historyEnd)
	for day := start; ; day = day.Add(24 * time.Hour) {
		if day.After(d.historyEnd) {
			day = d.historyEnd
		}
		// Seal packs the days that are over at a time.
		if err := s.Stores.Readings.Seal(ctx, day); err != nil {
			progress.stop()
			return err
		}
		progress.at(day)
		if day.Equal(d.historyEnd) {
			break
		}
	}
	progress.done(fmt.Sprintf("%.1f s", time.Since(begin).Seconds()))
	return nil
}

// historyLength says a length in days, or as Go says it if it is no number of days.
func historyLength(length time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case length == day:
		return "1 day"
	case length%day != 0:
		return length.String()
	}
	return fmt.Sprintf("%d days", length/day)
}
