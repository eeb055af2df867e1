package console

import (
	"encoding/json"

	"tilth/internal/domain/device"
	"tilth/internal/edge/console/wire"
)

// hintEvent is the name of the live event that tells what went wrong as a device tried to report. It is
// for those who may change the device.
const hintEvent = "hint"

// publishHint tells the screens of a tenant of a hint.
func (s *server) publishHint(h device.GivenHint) {
	if !s.Live.Watched(h.Tenant) {
		return
	}
	body, err := json.Marshal(struct {
		DeviceName string `json:"deviceName"`
		wire.DeviceHint
	}{h.Name, deviceHint(h.Hint)})
	if err != nil {
		return // a struct of texts and a number always marshals
	}
	s.Live.Publish(h.Tenant, hintEvent, body)
}
