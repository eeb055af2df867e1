package homeassistant

import (
	"encoding/json"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
)

// config announces a property, as Home Assistant's MQTT discovery reads it.
type config struct {
	Name             string         `json:"name"`
	UniqueID         string         `json:"unique_id"`
	StateTopic       string         `json:"state_topic"`
	ValueTemplate    string         `json:"value_template"`
	Unit             string         `json:"unit_of_measurement,omitempty"`
	DeviceClass      string         `json:"device_class,omitempty"`
	StateClass       string         `json:"state_class,omitempty"`
	Decimals         *int           `json:"suggested_display_precision,omitempty"`
	PayloadOn        string         `json:"payload_on,omitempty"`
	PayloadOff       string         `json:"payload_off,omitempty"`
	Availability     []availability `json:"availability"`
	AvailabilityMode string         `json:"availability_mode"`
	Device           deviceConfig   `json:"device"`
	Origin           originConfig   `json:"origin"`
}

type availability struct {
	Topic string `json:"topic"`
}

type deviceConfig struct {
	Identifiers  []string `json:"identifiers"`
	Name         string   `json:"name"`
	Model        string   `json:"model,omitempty"`
	SerialNumber string   `json:"serial_number,omitempty"`
}

type originConfig struct {
	Name     string `json:"name"`
	Software string `json:"sw_version,omitempty"`
}

// entity is a property of a device that is announced.
type entity struct {
	property   device.PropertyID
	identifier string
	kind       reading.Kind // of its values
}

// plannedDevice is a device that is announced.
type plannedDevice struct {
	id       device.ID
	segment  string // its name in topics
	entities []entity
}

func (d *plannedDevice) stateTopic(s *Settings) string { return s.Base + "/" + d.segment + "/state" }

func (d *plannedDevice) availabilityTopic(s *Settings) string {
	return s.Base + "/" + d.segment + "/availability"
}

// state gives the JSON of a device's newest values, with null for those that it has none of: else Home
// Assistant would log each as an error.
func (d *plannedDevice) state(newest []reading.Last) ([]byte, error) {
	values := make(map[string]any, len(d.entities))
	for _, e := range d.entities {
		values[e.identifier] = nil
		for _, l := range newest {
			if l.Property == e.property && l.Value.Kind() == e.kind {
				values[e.identifier] = l.Value
			}
		}
	}
	return json.Marshal(values)
}

// announcement gives the topic and the message that announce a property; ok is false for a text, which
// Home Assistant has no use for.
func (p *planner) announcement(
	x *device.Device,
	d *plannedDevice,
	of *device.Property,
) (m message, ok bool, err error) {
	s := p.settings
	c := config{
		Name:       p.catalog.Name(p.language, of),
		UniqueID:   "tilth." + d.segment + "." + segment(of.Identifier), // no segment has a dot
		StateTopic: d.stateTopic(s),
		// An identifier has neither quotes nor braces.
		ValueTemplate:    "{{ value_json['" + of.Identifier + "'] }}",
		Availability:     []availability{{s.bridgeTopic()}, {d.availabilityTopic(s)}},
		AvailabilityMode: "all",
		Device: deviceConfig{
			Identifiers: []string{"tilth_" + d.segment}, Name: x.Title(), SerialNumber: x.Serial,
		},
		Origin: originConfig{Name: "Tilth", Software: p.version},
	}
	if product := p.catalog.Product(x.ProductID); product != nil {
		c.Device.Model = product.DisplayName(p.language)
	}
	component := "sensor"
	switch of.DataType {
	case device.Number:
		c.Unit, c.DeviceClass, c.StateClass = classOf(of, p.catalog.Unit(of))
		c.Decimals = of.Precision
	case device.Boolean:
		component = "binary_sensor"
		c.PayloadOn, c.PayloadOff = "True", "False" // as a template writes them
	default:
		return m, false, nil
	}
	m.topic = s.Prefix + "/" + component + "/tilth_" + d.segment + "/" + segment(of.Identifier) + "/config"
	m.payload, err = json.Marshal(c)
	return m, true, err
}
