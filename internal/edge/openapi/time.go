package openapi

import (
	"strconv"
	"strings"
	"time"
)

// maxTime is the end of the year 9999, epoch milliseconds: RFC 3339 has no
// later one.
const maxTime = 253_402_300_799_999

// parseTime reads a time: RFC 3339 with any offset, or epoch milliseconds. It rounds fractions of a
// millisecond up, which is right for ranges: no reading lies in between. The T and Z of RFC 3339
// may be lower-case, too.
func parseTime(parameter, given string) (int64, error) {
	ms, err := strconv.ParseInt(given, 10, 64)
	if err != nil {
		t, err := time.Parse(time.RFC3339Nano, strings.ToUpper(restorePlusSign(given)))
		if err != nil {
			return 0, invalid("open.time", parameter)
		}
		if ms = t.UnixMilli(); t.Nanosecond()%int(time.Millisecond) != 0 {
			ms++
		}
	}
	if ms < 0 || ms > maxTime {
		return 0, invalid("open.time", parameter)
	}
	return ms, nil
}

// restorePlusSign restores the plus sign of a time's offset: in a URL that is not escaped, a plus
// sign means a space.
func restorePlusSign(given string) string {
	if at := len(given) - len(" 03:00"); at > 0 && given[at] == ' ' {
		return given[:at] + "+" + given[at+1:]
	}
	return given
}

// parseOptionalTime is parseTime for a parameter that may be absent (nil).
func parseOptionalTime(parameter string, given *string) (*int64, error) {
	if given == nil {
		return nil, nil
	}
	ms, err := parseTime(parameter, *given)
	return &ms, err
}
