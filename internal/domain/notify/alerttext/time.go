package alerttext

import (
	"time"

	"tilth/internal/platform/text"
)

func (v *Renderer) localTime(ms int64) time.Time {
	zone := v.Zone
	if zone == nil {
		zone = time.UTC
	}
	return time.UnixMilli(ms).In(zone)
}

// zoned writes a time with the offset of its zone. Only the first time of a text has the offset;
// the others are of the same zone.
func (v *Renderer) zoned(ms int64) string { return text.DateTimeWithZone(v.Language, v.localTime(ms)) }

func (v *Renderer) moment(ms int64) string { return text.DateTime(v.Language, v.localTime(ms)) }

func (v *Renderer) shortMoment(ms int64) string {
	return text.ShortDateTime(v.Language, v.localTime(ms))
}

func (v *Renderer) duration(ms int64) string {
	return text.Duration(v.Language, time.Duration(ms)*time.Millisecond)
}

func (v *Renderer) interval(ms int64) string {
	return text.Interval(v.Language, time.Duration(ms)*time.Millisecond)
}
