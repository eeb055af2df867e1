package wire

import "time"

// Moment is a time, epoch milliseconds. In JSON it is RFC 3339 in UTC with milliseconds, always of
// the same length, so that the order of the texts is the order of the times.
type Moment int64

const momentLayout = "2006-01-02T15:04:05.000Z"

// AppendText appends m as RFC 3339.
func (m Moment) AppendText(dst []byte) ([]byte, error) {
	return time.UnixMilli(int64(m)).UTC().AppendFormat(dst, momentLayout), nil
}

// MarshalText writes m as RFC 3339; encoding/json puts quotes around it.
func (m Moment) MarshalText() ([]byte, error) { return m.AppendText(nil) }

// UnmarshalText reads what MarshalText wrote.
func (m *Moment) UnmarshalText(b []byte) error {
	t, err := time.Parse(momentLayout, string(b))
	*m = Moment(t.UnixMilli())
	return err
}
