package ingest

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	v3 "github.com/eclipse/paho.mqtt.golang/packets"

	v5 "github.com/eclipse/paho.golang/packets"

	"tilth/internal/domain/device"
)

// levelBits are the bits of a protocol level. Bridges of Mosquitto set another one besides.
const levelBits = 0x7f

// connectRefusal is the answer to a refused CONNECT, for both versions.
type connectRefusal struct {
	returnCode byte // 0: the connection is closed without an answer
	reason     byte
}

var (
	refusedMalformed   = connectRefusal{0, reasonMalformed}
	refusedCredentials = connectRefusal{v3.ErrRefusedNotAuthorised, reasonBadCredentials}
	refusedMissing     = connectRefusal{v3.ErrRefusedBadUsernameOrPassword, reasonBadCredentials}
	refusedRateLimited = connectRefusal{v3.ErrRefusedServerUnavailable, reasonTooManyConnection}
	refusedID          = connectRefusal{v3.ErrRefusedIDRejected, 0x85}
	refusedMethod      = connectRefusal{0, reasonBadAuthMethod}
	refusedVersion     = connectRefusal{v3.ErrRefusedBadProtocolVersion, reasonVersion}
	refusedShutdown    = connectRefusal{v3.ErrRefusedServerUnavailable, 0x88}
)

// handleConnect reads the CONNECT and signs the device in. The caller closes the connection after
// an error.
func (c *conn) handleConnect() error {
	// Check the first byte before trusting the length: otherwise a client that speaks HTTP or TLS
	// would keep the server waiting for the rest.
	first, err := c.packets.r.Peek(1)
	if err != nil {
		return err
	}
	gate := c.server.pipeline.gate
	if first[0] != v5.CONNECT<<4 {
		gate.noteFault(c.address, device.FaultNotMQTT, device.Claim{})
		return malformed("the first packet is no CONNECT")
	}
	pk, err := c.packets.next()
	if err != nil {
		return err
	}
	level, rest, ok := cutProtocol(pk.body)
	switch {
	case !ok:
		gate.noteFault(c.address, device.FaultNotMQTT, device.Claim{})
		return malformed("a protocol that is not MQTT")
	case level == 4, level == 5:
	case level&levelBits == 4: // a bridge that asks for more than the standard has, and then tries without
		return c.refuseConnect(4, refusedVersion, "MQTT 3.1.1 of bridges")
	case level&levelBits < 4:
		g, _ := readConnect(rest, 4) // MQTT 3.1 has the same fields; what cannot be read stays empty
		return c.turnAway(g, device.FaultMQTT31, refusedVersion, "MQTT before 3.1.1")
	default:
		return c.turnAway(connectRequest{version: 5}, device.FaultMQTTVersion, refusedVersion, "MQTT after 5")
	}
	g, err := readConnect(rest, level)
	if err != nil {
		why := refusedMalformed
		if e := (protocolError{}); errors.As(err, &e) {
			why.reason = e.reason
		}
		return errors.Join(err, c.turnAway(g, device.FaultMalformed, why, "unreadable"))
	}
	return c.signIn(g)
}

// turnAway refuses a CONNECT before its secret is looked at, and notes why.
func (c *conn) turnAway(g connectRequest, f device.Fault, why connectRefusal, text string) error {
	c.server.pipeline.gate.noteFault(c.address, f, device.Claim{
		UserName: g.userName, Password: g.password, ClientID: g.clientID,
	})
	return c.refuseConnect(g.version, why, text)
}

func (c *conn) signIn(g connectRequest) error {
	switch {
	case !utf8.ValidString(g.clientID):
		return c.turnAway(g, device.FaultClientID, refusedMalformed, "client identifier")
	case g.authMethod:
		return c.turnAway(g, device.FaultAuthMethod, refusedMethod, "enhanced authentication")
	case g.version != 5 && g.hasSecret && !g.hasUser:
		return c.turnAway(g, device.FaultNoUserName, refusedMissing, "a password without a user name")
	case g.userName == "" && g.password == "":
		return c.turnAway(g, device.FaultNoSecret, refusedMissing, "no credentials")
	case len(g.clientID) > maxClientID:
		return c.turnAway(g, device.FaultClientID, refusedID, "a client identifier that is too long")
	case g.clientID == "" && g.version != 5 && !g.cleanStart:
		return c.turnAway(g, device.FaultClientID, refusedID, "a session without a client identifier")
	}
	if g.userName == "" { // the secret alone, as the password
		g.userName, g.password = g.password, ""
	}
	// Loaded before the registry is read, so that a change in between is noticed.
	c.generation = c.server.generation.Load()
	entry, hash, err := c.server.pipeline.gate.signIn(c.address, g.userName, g.password)
	if err != nil {
		why := refusedCredentials
		if !errors.Is(err, errWrongSecret) {
			why = refusedRateLimited
		}
		return c.refuseConnect(g.version, why, err.Error())
	}
	assigned := ""
	if g.clientID == "" {
		assigned = "tilth-" + rand.Text()
		g.clientID = assigned
	}
	c.version, c.clientID, c.maxPacket = g.version, g.clientID, int(g.maxPacket)
	c.entry, c.ref, c.hash = entry, entry.Ref, hash
	c.packets.limit = c.server.opts.MaxMessage
	return c.acceptConnect(g, assigned)
}

// acceptConnect adds the connection and then answers the CONNECT, so that a client that sees the
// answer is known to the server.
func (c *conn) acceptConnect(g connectRequest, assigned string) error {
	keepAlive := g.keepAlive
	if g.version == 5 && (keepAlive == 0 || keepAlive > maxKeepAlive) {
		keepAlive = maxKeepAlive
	}
	c.in.deadline = time.Time{}
	c.in.idleTimeout = time.Duration(keepAlive) * 3 * time.Second / 2
	answer, err := encodeConnack(g, assigned, keepAlive, c.server.opts)
	if err != nil {
		return err
	}
	if c.maxPacket > 0 && len(answer) > c.maxPacket {
		return fmt.Errorf("ingest: the client takes %d bytes, too few for a CONNACK", c.maxPacket)
	}
	if !c.server.attach(c) {
		return c.refuseConnect(g.version, refusedShutdown, "shutting down")
	}
	c.out.mu.Lock()
	c.connected = true
	if !c.out.closing {
		c.out.appendLocked(answer)
	}
	c.out.mu.Unlock()
	return nil
}

// refuseConnect answers a CONNECT with a refusal and returns the error that ends the connection.
func (c *conn) refuseConnect(version byte, why connectRefusal, text string) error {
	var answer []byte
	if version == 5 {
		answer = []byte{v5.CONNACK << 4, 3, 0, why.reason, 0}
	} else if why.returnCode != 0 {
		answer = []byte{v3.Connack << 4, 2, 0, why.returnCode}
	}
	if err := c.send(answer); err != nil {
		return err
	}
	return fmt.Errorf("%w: %s", errConnectRefused, text)
}

func encodeConnack(g connectRequest, assigned string, keepAlive uint16, o Options) ([]byte, error) {
	var b bytes.Buffer
	if g.version != 5 {
		err := v3.NewControlPacket(v3.Connack).Write(&b)
		return b.Bytes(), err
	}
	inFlight, aliases, largest := uint16(min(o.InFlight, 65535)), uint16(topicAliases), uint32(o.MaxMessage)
	props := v5.Properties{
		ReceiveMaximum:    &inFlight,
		TopicAliasMaximum: &aliases,
		MaximumPacketSize: &largest,
		AssignedClientID:  assigned,
	}
	if keepAlive != g.keepAlive {
		props.ServerKeepAlive = &keepAlive
	}
	if g.sessionExpiry {
		never := uint32(0) // no session outlives its connection
		props.SessionExpiryInterval = &never
	}
	answer := v5.Connack{Properties: &props}
	_, err := answer.WriteTo(&b)
	return b.Bytes(), err
}
