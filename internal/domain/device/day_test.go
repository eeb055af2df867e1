package device

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

func TestDayOf(t *testing.T) {
	for at, want := range map[string]string{
		"2026-11-21T00:00:00Z": "2026-11-21", "2026-11-21T23:59:59.999Z": "2026-11-21", "2026-11-22T00:00:00Z": "2026-11-22",
		"2026-11-22T01:30:00+03:00": "2026-11-21", "2024-02-29T12:00:00Z": "2024-02-29",
		"1970-01-01T00:00:00Z": "1970-01-01", "1969-12-31T23:59:59.999Z": "1969-12-31", "1969-12-31T00:00:00Z": "1969-12-31",
	} {
		when, err := time.Parse(time.RFC3339, at)
		if err != nil {
			t.Fatal(err)
		}
		if got := DayOf(when.UnixMilli()).String(); got != want {
			t.Errorf("the day of %s is %s, want %s", at, got, want)
		}
	}
}

// noon gives noon of a day, in epoch milliseconds.
func noon(day Day) int64 { return int64(day)*dayMillis + dayMillis/2 }

// formatDays formats days as day:messages/values/refused, with * for unsaved ones.
func formatDays(c dayCounts) string {
	text := ""
	for _, d := range c {
		text += fmt.Sprintf(" %d:%d/%d/%d", d.Day, d.Messages, d.Values, d.Refused)
		if d.unsaved {
			text += "*"
		}
	}
	return text
}

func TestDayCounts(t *testing.T) {
	var c dayCounts
	step := func(what string, do func(), want string) {
		t.Helper()
		do()
		if got := formatDays(c); got != want {
			t.Errorf("%s:%s, want%s", what, got, want)
		}
	}
	count := func(day Day, values, refused int) func() {
		return func() { c.count(noon(day), values, refused) }
	}
	markSaved := func(written dayCounts) {
		for _, d := range written {
			if d.unsaved {
				c.markSaved(d.DayIntake)
			}
		}
	}
	saved := func() { markSaved(slices.Clone(c)) }
	step("the first message", count(100, 3, 1), " 100:1/3/1*")
	step("a second message", count(100, 2, 0), " 100:2/5/1*")
	step("saved", saved, " 100:2/5/1")
	step("a message after saving", count(100, 0, 0), " 100:3/5/1*")
	written := slices.Clone(c)
	step("a message during saving", count(100, 1, 0), " 100:4/6/1*")
	step("saved as it was before", func() { markSaved(written) }, " 100:4/6/1*")
	step("the next day", count(101, 1, 0), " 100:4/6/1* 101:1/1/0*")
	step("a late message of the day before", count(100, 1, 0), " 100:4/6/1* 101:2/2/0*")
	step("both saved", saved, " 101:2/2/0")
	step("weeks later", count(130, 1, 0), " 130:1/1/0*")
	step("the clock is set back", count(102, 1, 0), " 130:1/1/0* 102:1/1/0*")
	step("the clock is set ahead again", count(130, 1, 0), " 102:1/1/0* 130:2/2/0*")
	step("all saved", saved, " 130:2/2/0")
	step("the clock is set back for good", count(103, 1, 0), " 103:1/1/0*")
	step("nothing was saved", func() { markSaved(nil) }, " 103:1/1/0*")
}
