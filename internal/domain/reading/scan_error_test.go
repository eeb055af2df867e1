package reading

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"tilth/internal/domain/device"
)

// Errors of a disk that cannot be read name what was being read.
func TestReadErrorsNameWhatWasRead(t *testing.T) {
	var failing atomic.Bool
	disk := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if failing.Load() && strings.HasSuffix(op.Path, ".sst") &&
			(op.Kind == errorfs.OpFileReadAt || op.Kind == errorfs.OpOpen) {
			return errorfs.ErrInjected
		}
		return nil
	}))
	fill := openStoreFailing(t, disk)
	mustAppend(t, fill, arrival(1, 1, start, num(1, 1)), arrival(1, 2, start, num(1, 1)))
	if err := fill.Erase(t.Context(), 1, 2); err != nil {
		t.Fatal(err)
	}
	checkpoint(t, fill)
	if err := fill.db.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := fill.Close(); err != nil {
		t.Fatal(err)
	}
	// With hardly any cache, all is read from the disk.
	s, err := Open(t.Context(), Options{Dir: "data", fs: disk, CacheBytes: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() }) // the disk is broken
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	failing.Store(true)
	for what, read := range map[string]func() error{
		"journal": func() error {
			return s.Backlog(ctx, 0, func(uint64, []Arrival) error { return nil })
		},
		"journal of a consumer": func() error {
			return s.Consume(ctx, 0, func(context.Context, uint64, []Arrival) error {
				cancel() // else a batch that was read after all would keep the consumer waiting
				return nil
			})
		},
		"latest values": func() error { return s.loadLatest(ctx) },
		"erasures":      func() error { return s.loadErased(ctx) },
		"frames": func() error {
			return s.Range(ctx, 1, 1, start, start, []device.PropertyID{1}, func(int64, []Field) error { return nil })
		},
		"frames at the start": func() error { return s.recoverCalendar(ctx) },
	} {
		err := read()
		name, _, _ := strings.Cut(what, " of a ")
		name, _, _ = strings.Cut(name, " at the ")
		if !errors.Is(err, errorfs.ErrInjected) || !strings.HasPrefix(err.Error(), "reading: scan "+name+": ") {
			t.Errorf("%s: %v", what, err)
		}
	}
	// The caller's error comes back as it is.
	failing.Store(false)
	stop := errors.New("stop")
	if err := s.Backlog(ctx, 0, func(uint64, []Arrival) error { return stop }); !errors.Is(err, stop) ||
		err.Error() != "stop" {
		t.Errorf("the caller's error: %v", err)
	}
	if err := s.each(ctx, tagJournal, []byte{tagJournal}, func(*pebble.Iterator) error { return stop }); err == nil ||
		err.Error() != "stop" {
		t.Errorf("the caller's error: %v", err)
	}
}
