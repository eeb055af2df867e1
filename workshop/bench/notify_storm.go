package bench

import (
	"fmt"
	"time"
)

// lowValue is a value, in hundredths, for which no rule holds.
const lowValue = 10_000

// sendCrossing sends a reading whose first value is above or below its rule's threshold, and waits
// for its acknowledgement.
func (r *reportingDevice) sendCrossing(above bool, volley int, began time.Time) error {
	at := time.Now().UnixMilli()
	if n := len(r.reports); n > 0 {
		at = max(at, r.reports[n-1].time+1)
	}
	value := lowValue
	if above {
		value = high
	}
	const id = 1
	r.payload = fmt.Appendf(r.payload[:0], `{"ts":%d,"values":{%s%d}}`, at, r.stream.keys[0], value/100)
	r.out = appendPublish(r.out, r.protocol, id, r.payload)
	if err := r.nc.SetDeadline(time.Now().Add(drainTime)); err != nil {
		return err
	}
	if err := r.flush(); err != nil {
		return err
	}
	got, reason, err := r.packets.readPuback()
	switch {
	case err != nil:
		return err
	case got != id || reason >= 0x80:
		return fmt.Errorf("acknowledgement of packet %d, reason %#x", got, reason)
	}
	r.reports = append(r.reports, ackedReading{time: at, acked: time.Since(began), part: volley})
	r.acked.Add(1)
	return nil
}
