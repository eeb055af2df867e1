package ingest

import (
	"bytes"
	"encoding/json"
	"errors"
	"time"

	"tilth/internal/device"
)

// uplink is what a LoRaWAN network server tells of one message of a device.
type uplink struct {
	eui    string    // the device's, 16 hexadecimal digits
	name   string    // what the network server calls the device
	at     time.Time // when it arrived there; zero: not said
	values map[string]json.RawMessage
	radio  map[string]float64 // of the gateway that heard it best
}

// errNoUplink is of an event that brings no readings: a join, an
// acknowledgement, a status.
var errNoUplink = errors.New("ingest: not an uplink")

// chirpStack reads an event of ChirpStack 4, as its HTTP integration posts it
// with the JSON encoding.
// Source: ChirpStack's documentation, "Event types", UplinkEvent.
func chirpStack(event string, body []byte) (*uplink, error) {
	if event != "" && event != "up" {
		return nil, errNoUplink
	}
	var e struct {
		Time       time.Time `json:"time"`
		DeviceInfo *struct {
			DeviceName string `json:"deviceName"`
			DevEUI     string `json:"devEui"`
		} `json:"deviceInfo"`
		Object map[string]json.RawMessage `json:"object"`
		RxInfo []struct {
			RSSI *float64 `json:"rssi"`
			SNR  *float64 `json:"snr"`
		} `json:"rxInfo"`
	}
	if err := json.Unmarshal(body, &e); err != nil {
		return nil, err
	}
	if e.DeviceInfo == nil {
		return nil, errors.New("no deviceInfo")
	}
	u := &uplink{eui: e.DeviceInfo.DevEUI, name: e.DeviceInfo.DeviceName, at: e.Time, values: e.Object}
	for _, rx := range e.RxInfo {
		u.heard(rx.RSSI, rx.SNR)
	}
	return u, nil
}

// thingsStack reads a message of The Things Stack 3, as its webhooks post it
// with the JSON format.
// Source: The Things Stack's documentation, "Data Formats", uplink messages.
func thingsStack(body []byte) (*uplink, error) {
	var e struct {
		EndDeviceIDs *struct {
			DeviceID string `json:"device_id"`
			DevEUI   string `json:"dev_eui"`
		} `json:"end_device_ids"`
		ReceivedAt    time.Time `json:"received_at"`
		UplinkMessage *struct {
			ReceivedAt     time.Time                  `json:"received_at"`
			DecodedPayload map[string]json.RawMessage `json:"decoded_payload"`
			RxMetadata     []struct {
				RSSI *float64 `json:"rssi"`
				SNR  *float64 `json:"snr"`
			} `json:"rx_metadata"`
		} `json:"uplink_message"`
	}
	if err := json.Unmarshal(body, &e); err != nil {
		return nil, err
	}
	switch {
	case e.EndDeviceIDs == nil:
		return nil, errors.New("no end_device_ids")
	case e.UplinkMessage == nil:
		return nil, errNoUplink
	}
	u := &uplink{
		eui: e.EndDeviceIDs.DevEUI, name: e.EndDeviceIDs.DeviceID, at: e.UplinkMessage.ReceivedAt,
		values: e.UplinkMessage.DecodedPayload,
	}
	if u.at.IsZero() {
		u.at = e.ReceivedAt
	}
	for _, rx := range e.UplinkMessage.RxMetadata {
		u.heard(rx.RSSI, rx.SNR)
	}
	return u, nil
}

// heard takes in how well a gateway received the message; the best counts.
func (u *uplink) heard(rssi, snr *float64) {
	if rssi == nil {
		return
	}
	if best, known := u.radio["rssi"]; known && best >= *rssi {
		return
	}
	u.radio = map[string]float64{"rssi": *rssi}
	if snr != nil {
		u.radio["snr"] = *snr
	}
}

// telemetry is the uplink as a device's own message: objects in the decoded
// payload are opened, battery: {voltage} is battery_voltage; rssi and snr are
// added where the product has such properties and the payload has not. A
// message that nobody decoded is one that cannot be read.
func (u *uplink) telemetry(p *device.Product) ([]byte, error) {
	if len(u.values) == 0 {
		return []byte("null"), nil
	}
	values := map[string]json.RawMessage{}
	open(values, "", u.values)
	for name, v := range u.radio {
		if _, there := values[name]; there || p.Property(name) == nil {
			continue
		}
		raw, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		values[name] = raw
	}
	if u.at.IsZero() {
		return json.Marshal(values)
	}
	return json.Marshal(struct {
		TS     int64                      `json:"ts"`
		Values map[string]json.RawMessage `json:"values"`
	}{u.at.UnixMilli(), values})
}

// open puts what is in an object, and in objects of it, into flat.
func open(flat map[string]json.RawMessage, prefix string, object map[string]json.RawMessage) {
	for name, raw := range object {
		var inner map[string]json.RawMessage
		if bytes.HasPrefix(raw, []byte("{")) && json.Unmarshal(raw, &inner) == nil {
			open(flat, prefix+name+"_", inner)
			continue
		}
		flat[prefix+name] = raw
	}
}
