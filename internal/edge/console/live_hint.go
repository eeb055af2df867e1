package console

import (
	"encoding/json"

	"tilth/internal/domain/device"
	"tilth/internal/edge/console/wire"
	"tilth/internal/platform/live"
)

// hintEvent is the name of the live event that tells what went wrong as a device tried to report. It is
// for those who may change the device.
const hintEvent = "hint"

// PublishHint tells the screens of a tenant of a hint.
func PublishHint(hub *live.Hub, e *device.Entry, h device.Hint) {
	if !hub.Watched(e.Tenant) {
		return
	}
	body, err := json.Marshal(struct {
		DeviceName string `json:"deviceName"`
		wire.DeviceHint
	}{e.Name, deviceHint(h)})
	if err != nil {
		return // a struct of texts and a number always marshals
	}
	hub.Publish(e.Tenant, hintEvent, body)
}
