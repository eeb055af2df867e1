package ingest

import (
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"tilth/internal/domain/device"
)

// maxFlattenDepth is how deep objects and lists may be nested in a decoded payload.
const maxFlattenDepth = 16

// uplink is a network server's report of one message of a device.
type uplink struct {
	eui    string             // of the device, 16 hexadecimal digits
	name   string             // the device's name at the network server
	at     time.Time          // when it arrived at the network server; zero: unknown
	values json.RawMessage    // the payload as decoded by the network server's codec; a JSON text or empty
	radio  map[string]float64 // reception at the gateway that received it best
}

// errNoUplink marks an event without readings: a join, an acknowledgement, a status.
var errNoUplink = errors.New("ingest: not an uplink")

// errUnreadable says that a body is no JSON, or no UTF-8.
var errUnreadable = errors.New("ingest: unreadable")

// chirpStack reads an event of ChirpStack 4, as its HTTP integration posts it in the JSON encoding.
//
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
		Object json.RawMessage `json:"object"`
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
		u.noteReception(rx.RSSI, rx.SNR)
	}
	return u, nil
}

// thingsStack reads a message of The Things Stack 3, as its webhooks post it in the JSON format.
//
// Source: The Things Stack's documentation, "Data Formats", uplink messages.
func thingsStack(body []byte) (*uplink, error) {
	var e struct {
		EndDeviceIDs *struct {
			DeviceID string `json:"device_id"`
			DevEUI   string `json:"dev_eui"`
		} `json:"end_device_ids"`
		ReceivedAt    time.Time `json:"received_at"`
		UplinkMessage *struct {
			ReceivedAt     time.Time       `json:"received_at"`
			DecodedPayload json.RawMessage `json:"decoded_payload"`
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
		u.noteReception(rx.RSSI, rx.SNR)
	}
	return u, nil
}

// noteReception notes how well a gateway received the message; the best reception counts.
func (u *uplink) noteReception(rssi, snr *float64) {
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

// telemetry is the uplink in the form of a device's own message. Objects in the decoded payload are
// flattened: battery: {voltage} becomes battery_voltage. rssi and snr are added if the product has
// such properties and the payload does not. A message that was not decoded, or whose payload is
// nested deeper than any codec produces, becomes an unreadable one.
func (u *uplink) telemetry(p *device.Product) []byte {
	if !u.decoded() || maxDepth(u.values) > maxFlattenDepth {
		return []byte("null")
	}
	b := make([]byte, 0, 2*len(u.values))
	if !u.at.IsZero() {
		b = append(b, `{"ts":`...)
		b = strconv.AppendInt(b, u.at.UnixMilli(), 10)
		b = append(b, `,"values":`...)
	}
	b = append(b, '{')
	for _, name := range []string{"rssi", "snr"} { // before the payload's own, so that those count
		if f, known := u.radio[name]; known && p.Property(name) != nil {
			b = appendMember(b, name, strconv.AppendFloat(nil, f, 'g', -1, 64))
		}
	}
	longest := 0
	for i := range p.Properties {
		longest = max(longest, len(p.Properties[i].Identifier))
	}
	b = append(flattenObject(b, longest, "", u.values), '}')
	if !u.at.IsZero() {
		b = append(b, '}')
	}
	return b
}

// decoded tells whether the network server's codec decoded the message.
func (u *uplink) decoded() bool {
	if len(u.values) == 0 {
		return false
	}
	c := cursor{text: u.values}
	if c.kind() != '{' {
		return false
	}
	c.enter()
	return c.more()
}

// flattenObject appends the members of an object, and of the objects in it, as members of one
// object. An object whose name is already as long as the product's longest identifier is not
// flattened, since no longer name can match: it is refused as one value.
func flattenObject(b []byte, longest int, prefix string, object []byte) []byte {
	c := cursor{text: object}
	for c.enter(); c.more(); {
		name, value := prefix+string(stringBytes(c.key())), c.value()
		if value[0] == '{' && len(name) < longest {
			b = flattenObject(b, longest, name+"_", value)
		} else {
			b = appendMember(b, name, value)
		}
	}
	return b
}

// appendMember appends a member to an object that is still open.
func appendMember(b []byte, name string, value []byte) []byte {
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	b = append(appendString(b, name), ':')
	return append(b, value...)
}
