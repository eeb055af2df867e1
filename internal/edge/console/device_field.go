package console

import (
	"tilth/internal/domain/device"
	"tilth/internal/edge/console/wire"
)

// writePlainFields writes the plain fields of a device that the contract has.
func writePlainFields(w *wire.Device, d *device.Device) {
	w.Serial, w.NoteName = d.Serial, d.NoteName
	w.Longitude, w.Latitude = d.Longitude, d.Latitude
	if d.Removable() {
		w.Removable = new(true)
	}
}

// editFrom gives the edit that a request asks for. What it leaves out is emptied.
func editFrom(b *wire.DeviceUpdate) device.Edit {
	e := device.Edit{NoteName: deref(b.NoteName), Longitude: b.Longitude, Latitude: b.Latitude}
	if b.GroupId != nil {
		e.SceneID = *b.GroupId
	}
	return e
}
