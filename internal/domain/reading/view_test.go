package reading

import (
	"errors"
	"testing"
	"time"

	"tilth/internal/domain/device"
)

// A view shows the store at its moment, whatever is written, sealed and removed since; skipped
// values do not count.
func TestView(t *testing.T) {
	s := openStore(t, Options{})
	mustAppend(t, s, arrival(1, 7, start, num(1, 1), num(2, 2)), arrival(1, 7, start+minute, num(1, 3)))
	v, err := s.View()
	if err != nil {
		t.Fatal(err)
	}
	if v.Position() != 1 {
		t.Errorf("position %d", v.Position())
	}
	mustAppend(t, s,
		arrival(1, 7, start+minute, num(1, 9)),
		arrival(1, 7, start+2*minute, num(2, 8)),
		arrival(1, 7, start, removedField(2)))
	if err := s.Seal(t.Context(), time.UnixMilli(start+3*msPerDay)); err != nil {
		t.Fatal(err)
	}
	if err := s.Erase(t.Context(), 1, 8); err != nil {
		t.Fatal(err)
	}
	var rows []row
	err = v.Range(t.Context(), 1, 7, start, start+msPerDay, []device.PropertyID{1, 2},
		func(at int64, fields []Field) error {
			rows = append(rows, row{at, append([]Field{}, fields...)})
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "range", rows, []row{{start, []Field{num(1, 1), num(2, 2)}}, {start + minute, []Field{num(1, 3)}}})
	asOf := func(what string, skip func(int64, device.PropertyID) bool, want ...Last) {
		t.Helper()
		got, err := v.AsOf(t.Context(), 1, 7, start+msPerDay, []device.PropertyID{1, 2, 3}, skip)
		if err != nil {
			t.Fatal(err)
		}
		same(t, what, got, want)
	}
	asOf("as of", nil, Last{1, start + minute, Number(3)}, Last{2, start, Number(2)})
	skipNewer := func(at int64, p device.PropertyID) bool { return p == 1 && at > start }
	asOf("without one value", skipNewer, Last{1, start, Number(1)}, Last{2, start, Number(2)})
	same(t, "the store", readAsOf(t, s, 1, 7, start+msPerDay, 1, 2),
		[]Last{{1, start + minute, Number(9)}, {2, start + 2*minute, Number(8)}})
	// Close of the store closes the open view.
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := v.Close(); err != nil {
		t.Error(err)
	}
	if _, err := s.View(); !errors.Is(err, ErrClosed) {
		t.Errorf("a view of a closed store: %v", err)
	}
}
