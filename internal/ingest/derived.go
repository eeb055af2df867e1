package ingest

import (
	"tilth/internal/derivation"
	"tilth/internal/device"
	"tilth/internal/reading"
)

// append makes frames durable together with what is derived from them.
func (p *Pipeline) append(arrivals []reading.Arrival, deriving []*device.Entry) error {
	if deriving == nil {
		return p.opts.Log.Append(p.life, arrivals)
	}
	whole, lapsed, err := p.opts.Derivation.DeriveBatch(p.life, arrivals, deriving)
	if err == nil {
		err = p.opts.Log.Append(p.life, whole)
	}
	if err != nil {
		p.opts.Derivation.ForgetBatch(deriving)
		return err
	}
	for _, l := range lapsed {
		if p.lapses.isNew(l) {
			p.opts.Logger.Error("nothing can be derived from what a device sends; it is kept as it was measured",
				"tenant", l.Tenant, "device", l.ID, "error", l.Err)
		}
	}
	return nil
}

// lapses are those that the log was told of: a device that cannot be read may
// send a message a second.
type lapses map[lapse]struct{}

type lapse struct {
	device.Ref
	reason string
}

// mostLapses bounds the memory of lapses; beyond, the log is told again.
const mostLapses = 1000

func (known *lapses) isNew(l derivation.DeviceFailure) bool {
	key := lapse{l.Ref, l.Err.Error()}
	if _, told := (*known)[key]; told {
		return false
	}
	if *known == nil || len(*known) >= mostLapses {
		*known = lapses{}
	}
	(*known)[key] = struct{}{}
	return true
}
