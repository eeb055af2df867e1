package farm

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	mqtt "github.com/eclipse/paho.mqtt.golang"
)

// version is MQTT 3.1.1. It must be set: otherwise the client, after a refusal, tries the version
// before and then gets the error that this version is not supported.
const version = 4

// telemetryTopic is the topic to which a device publishes its readings.
const telemetryTopic = "v1/devices/me/telemetry"

const (
	connectTimeout = 10 * time.Second
	writeTimeout   = 10 * time.Second
	keepAlive      = 30 * time.Second
	disconnectWait = 250 // ms to send the DISCONNECT
)

// connection is one signed-in MQTT connection of a device. It does not reconnect: the sender knows
// what was acknowledged, and dials a new one.
type connection struct {
	client mqtt.Client
	lost   chan error // receives the error when the connection is lost
}

// dial signs a device in, unless ctx ends first.
func (s *sender) dial(ctx context.Context) (*connection, *Trouble) {
	c := &connection{lost: make(chan error, 1)}
	options := mqtt.NewClientOptions().
		SetClientID(s.name).
		SetUsername(s.name).
		SetPassword(s.secret).
		SetProtocolVersion(version).
		SetCleanSession(true).
		SetAutoReconnect(false).
		SetConnectTimeout(connectTimeout).
		SetWriteTimeout(writeTimeout).
		SetKeepAlive(keepAlive).
		SetConnectionLostHandler(func(_ mqtt.Client, err error) { c.lost <- err })
	for broker := range strings.SplitSeq(s.broker, ",") {
		options.AddBroker(broker) // the client tries them in this order
	}
	c.client = mqtt.NewClient(options)
	token := c.client.Connect()
	select {
	case <-ctx.Done():
		c.close()
		return nil, s.connectTrouble(ctx.Err())
	case <-token.Done():
	}
	if err := token.Error(); err != nil {
		return nil, s.connectTrouble(err)
	}
	return c, nil
}

func (c *connection) publish(r Report) mqtt.Token {
	return c.client.Publish(telemetryTopic, 1, false, r.Payload())
}

func (c *connection) close() {
	c.client.Disconnect(disconnectWait)
}

// Payload returns a report as devices send it: {"ts":ms,"values":{…}}.
func (r Report) Payload() []byte {
	b := make([]byte, 0, 64+32*len(r.Values))
	b = append(b, `{"ts":`...)
	b = strconv.AppendInt(b, r.Time.UnixMilli(), 10)
	b = append(b, `,"values":{`...)
	for i, v := range r.Values {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendJSON(b, v.Identifier)
		b = append(b, ':')
		b = appendJSON(b, v.Value)
	}
	return append(b, "}}"...)
}

// appendJSON appends an identifier or a value.
func appendJSON(b []byte, v any) []byte {
	switch v := v.(type) {
	case float64:
		return strconv.AppendFloat(b, v, 'f', -1, 64)
	case bool:
		return strconv.AppendBool(b, v)
	case string:
		text, err := json.Marshal(v)
		if err != nil {
			panic(err) // strings always marshal
		}
		return append(b, text...)
	default:
		panic(fmt.Sprintf("a reading cannot be a %T", v))
	}
}
