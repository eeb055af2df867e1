package letter

import (
	"strconv"
	"strings"
	"time"

	"tilth/internal/text"
)

// layouts are a language's day and time, and the same as short as an SMS has
// it; on a 24-hour clock.
var layouts = map[text.Language]struct{ full, brief string }{
	text.English: {"Jan 2, 2006, 15:04", "Jan 2, 15:04"},
	text.Chinese: {"2006-01-02 15:04", "1月2日15:04"},
	text.Turkish: {"02.01.2006 15:04", "02.01 15:04"},
	text.Russian: {"02.01.2006, 15:04", "02.01 15:04"},
}

func (v *Voice) at(ms int64) time.Time {
	zone := v.Zone
	if zone == nil {
		zone = time.UTC
	}
	return time.UnixMilli(ms).In(zone)
}

// zoned says a time with its zone's offset, which the first time of a letter
// has; the others are of the same zone.
func (v *Voice) zoned(ms int64) string { return text.Moment(v.Language, v.at(ms)) }

func (v *Voice) moment(ms int64) string { return v.at(ms).Format(layouts[v.Language].full) }

func (v *Voice) brief(ms int64) string { return v.at(ms).Format(layouts[v.Language].brief) }

// duration says how long something lasted, in its largest unit and the next
// below: 1 h 35 min.
func (v *Voice) duration(ms int64) string {
	left := time.Duration(max(ms, 0)) * time.Millisecond
	parts := []struct {
		length time.Duration
		key    string
	}{
		{24 * time.Hour, "letter.days"}, {time.Hour, "wait.hours"}, {time.Minute, "wait.minutes"}, {time.Second, "wait.seconds"},
	}
	first := 0
	for first < len(parts)-1 && left < parts[first].length {
		first++
	}
	var said []string
	for _, part := range parts[first:min(first+2, len(parts))] {
		n := int(left / part.length)
		left %= part.length
		if n > 0 || len(said) == 0 {
			said = append(said, v.say(part.key, "n", strconv.Itoa(n)))
		}
	}
	if v.Language == text.Chinese {
		return strings.Join(said, "")
	}
	return strings.Join(said, " ")
}
