package text

import (
	"fmt"
	"time"
)

// moments are how the four languages write a day and a time, on a 24-hour
// clock, and around it the offset from UTC.
var moments = map[Language]struct{ layout, zone string }{
	English: {"Jan 2, 2006, 15:04", " (%s)"},
	Chinese: {"2006-01-02 15:04", "（%s）"},
	Turkish: {"02.01.2006 15:04", " (%s)"},
	Russian: {"02.01.2006, 15:04", " (%s)"},
}

// Moment writes a time with its zone's offset, for mails: it is read where the
// reader's own zone is not known.
func Moment(l Language, t time.Time) string {
	form, ok := moments[l]
	if !ok {
		form = moments[English]
	}
	_, offset := t.Zone()
	sign := '+'
	if offset < 0 {
		sign, offset = '-', -offset
	}
	zone := fmt.Sprintf("UTC%c%d", sign, offset/3600)
	if minutes := offset % 3600 / 60; minutes != 0 {
		zone += fmt.Sprintf(":%02d", minutes)
	}
	return t.Format(form.layout) + fmt.Sprintf(form.zone, zone)
}
