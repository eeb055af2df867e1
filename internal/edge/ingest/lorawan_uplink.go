package ingest

import (
	"encoding/json"
	"errors"
	"strings"
	"time"
)

// uplink is a network server's report of one message of a device.
type uplink struct {
	eui        string             // of the device, 16 hexadecimal digits
	name       string             // the device's name at the network server
	received   claimedTime        // when it arrived at the network server
	empty      bool               // the device sent no payload: what was decoded comes from no byte
	values     json.RawMessage    // the payload as decoded by the network server's codec; a JSON text or empty
	normalized json.RawMessage    // the same in The Things Stack's common form; a JSON text or empty
	radio      map[string]float64 // reception at the gateway that received it best
}

// claimedTime is a time that somebody else's clock tells. The zero value tells none.
type claimedTime struct {
	field string // of the message
	at    int64  // epoch milliseconds; 0: not readable
}

// errNoUplink marks an event without readings: a join, an acknowledgement, a status.
var errNoUplink = errors.New("ingest: not an uplink")

// errUnreadable says that a body is no JSON, or no UTF-8.
var errUnreadable = errors.New("ingest: unreadable")

// chirpStack reads an event of ChirpStack 4, as its HTTP integration posts it in the JSON encoding.
//
// Its time is that of a gateway, which may have no right clock: GPS, else its own. nsTime is the
// network server's own.
//
// Sources: ChirpStack's documentation, "Event types", UplinkEvent; gw.proto, UplinkRxInfo.
func chirpStack(event string, body []byte) (*uplink, error) {
	if event != "" && event != "up" {
		return nil, errNoUplink
	}
	var e struct {
		Time       json.RawMessage `json:"time"`
		DeviceInfo *struct {
			DeviceName string `json:"deviceName"`
			DevEUI     string `json:"devEui"`
		} `json:"deviceInfo"`
		FPort  json.RawMessage `json:"fPort"`
		Data   json.RawMessage `json:"data"`
		Object json.RawMessage `json:"object"`
		RxInfo []struct {
			NsTime json.RawMessage `json:"nsTime"`
			RSSI   *float64        `json:"rssi"`
			SNR    *float64        `json:"snr"`
		} `json:"rxInfo"`
	}
	if err := json.Unmarshal(body, &e); err != nil {
		return nil, err
	}
	if e.DeviceInfo == nil {
		return nil, errors.New("no deviceInfo")
	}
	u := &uplink{eui: e.DeviceInfo.DevEUI, name: e.DeviceInfo.DeviceName, values: e.Object}
	u.empty = string(e.Data) == `""` || isNone(e.Data) && (isNone(e.FPort) || string(e.FPort) == "0")
	for _, rx := range e.RxInfo {
		u.received = earlier(u.received, claimTime("nsTime", rx.NsTime))
		u.noteReception(rx.RSSI, rx.SNR)
	}
	if u.received == (claimedTime{}) { // a ChirpStack before nsTime
		u.received = claimTime("time", e.Time)
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
		ReceivedAt    json.RawMessage `json:"received_at"`
		UplinkMessage *struct {
			ReceivedAt        json.RawMessage `json:"received_at"`
			FRMPayload        json.RawMessage `json:"frm_payload"`
			DecodedPayload    json.RawMessage `json:"decoded_payload"`
			NormalizedPayload json.RawMessage `json:"normalized_payload"`
			RxMetadata        []struct {
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
	m := e.UplinkMessage
	u := &uplink{
		eui: e.EndDeviceIDs.DevEUI, name: e.EndDeviceIDs.DeviceID,
		received: claimTime("uplink_message.received_at", m.ReceivedAt),
		empty:    isNone(m.FRMPayload) || string(m.FRMPayload) == `""`,
		values:   m.DecodedPayload, normalized: m.NormalizedPayload,
	}
	if u.received == (claimedTime{}) {
		u.received = claimTime("received_at", e.ReceivedAt)
	}
	for _, rx := range m.RxMetadata {
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

// isNone tells that a member is absent or null.
func isNone(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// claimTime reads the time in a field, RFC 3339. An empty one tells none.
func claimTime(field string, raw json.RawMessage) claimedTime {
	if isNone(raw) || string(raw) == `""` {
		return claimedTime{}
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return claimedTime{field: field}
	}
	t, err := time.Parse(time.RFC3339, strings.TrimSpace(text))
	if err != nil {
		return claimedTime{field: field}
	}
	return claimedTime{field: field, at: t.UnixMilli()}
}

// earlier returns the earlier of two times; one that can be the time of a reading goes before others.
func earlier(a, b claimedTime) claimedTime {
	switch {
	case b.field == "":
		return a
	case a.field == "" || !plausibleTime(a.at) || plausibleTime(b.at) && b.at < a.at:
		return b
	}
	return a
}
