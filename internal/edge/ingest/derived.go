package ingest

import (
	"tilth/internal/domain/derivation"
	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
)

// appendFrames makes frames durable together with the values derived from them.
func (p *Pipeline) appendFrames(arrivals []reading.Arrival, deriving []*device.Entry) error {
	if deriving == nil {
		return p.opts.Journal.Append(p.ctx, arrivals)
	}
	whole, failures, err := p.opts.Derivation.DeriveBatch(p.ctx, arrivals, deriving)
	if err == nil {
		err = p.opts.Journal.Append(p.ctx, whole)
	}
	if err != nil {
		p.opts.Derivation.ForgetBatch(deriving)
		return err
	}
	for _, l := range failures {
		if p.reportedErrors.add(l) {
			p.opts.Logger.Error("nothing can be derived from what a device sends; it is kept as it was measured",
				"tenant", l.Tenant, "device", l.ID, "error", l.Err)
		}
	}
	return nil
}

// reportedErrors are the errors that the log already shows: a device whose data cannot be read may
// send a message per second.
type reportedErrors map[reportedError]struct{}

type reportedError struct {
	device.Ref
	reason string
}

// maxReportedErrors bounds the memory of reportedErrors; beyond it, errors are logged again.
const maxReportedErrors = 1000

func (known *reportedErrors) add(l derivation.DeviceFailure) bool {
	key := reportedError{l.Ref, l.Err.Error()}
	if _, reported := (*known)[key]; reported {
		return false
	}
	if *known == nil || len(*known) >= maxReportedErrors {
		*known = reportedErrors{}
	}
	(*known)[key] = struct{}{}
	return true
}
