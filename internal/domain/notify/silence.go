package notify

import (
	"context"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
)

// silencesTold bounds for how many alarms of one notification it is found out why their devices are
// silent.
const silencesTold = 20

// loadSilence fills in why the devices of a tenant's alarms on being offline are silent, as it is
// now.
func (o *Outbox) loadSilence(ctx context.Context, t tenant.ID, alarms []alertmsg.Alarm) error {
	if o.Silence == nil {
		return nil
	}
	told := 0
	for i := range alarms {
		a := &alarms[i]
		if !a.Offline || a.Event == alertmsg.Resolved {
			continue
		}
		if told++; told > silencesTold {
			break
		}
		var err error
		if a.Silence, err = o.Silence(ctx, t, a.DeviceID); err != nil {
			return err
		}
	}
	return nil
}
