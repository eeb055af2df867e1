package homeassistant

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"net"
	"net/url"
	"strconv"
	"time"

	mqtt "github.com/eclipse/paho.mqtt.golang"

	"tilth/internal/domain/tenant"
)

const (
	mqttVersion = 4 // MQTT 3.1.1, which all brokers speak
	atLeastOnce = 1 // the QoS of our messages: the broker confirms each
	refusedQoS  = 0x80
	inFlight    = 32 // messages that the broker has not confirmed yet

	payloadOnline, payloadOffline = "online", "offline"
)

// session is one connection to a broker. It does not reconnect.
type session struct {
	client  mqtt.Client
	conn    net.Conn
	lost    chan error    // receives the error when the connection is lost
	online  chan struct{} // Home Assistant has started
	waiting []mqtt.Token  // messages that are not confirmed, the oldest first

	subscribed bool // the broker tells us when Home Assistant starts
}

// connect connects to a tenant's broker and signs in.
func (s *Service) connect(ctx context.Context, t tenant.ID, to *target) (*session, error) {
	conn, err := s.dial(ctx, to.URL)
	if err != nil {
		return nil, err
	}
	x := &session{conn: conn, lost: make(chan error, 1), online: make(chan struct{}, 1)}
	options := mqtt.NewClientOptions().
		AddBroker("tcp://broker"). // not used: the connection is there
		SetCustomOpenConnectionFn(func(*url.URL, mqtt.ClientOptions) (net.Conn, error) { return conn, nil }).
		SetClientID(s.clientID(t)).
		SetProtocolVersion(mqttVersion).
		SetCleanSession(true).
		SetAutoReconnect(false).
		SetConnectRetry(false).
		SetConnectTimeout(connectWithin).
		SetWriteTimeout(writeWithin).
		SetKeepAlive(keepAlive).
		SetPingTimeout(pingWithin).
		SetWill(to.bridgeTopic(), payloadOffline, atLeastOnce, true).
		SetConnectionLostHandler(func(_ mqtt.Client, err error) { x.lost <- err })
	if to.UserName != "" {
		options.SetUsername(to.UserName).SetPassword(to.password)
	}
	x.client = mqtt.NewClient(options)
	if err := x.await(ctx, x.client.Connect()); err != nil {
		x.close()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, signInFailure(err)
	}
	if err := x.subscribe(ctx, to.statusTopic()); err != nil {
		x.close()
		return nil, err
	}
	return x, nil
}

// dial makes the connection to a broker's address, with TLS unless the address is plain.
func (s *Service) dial(ctx context.Context, address string) (net.Conn, error) {
	b, ok := brokerOf(address)
	if !ok {
		return nil, &failure{Unreachable, errors.New("the stored address cannot be read")}
	}
	dialer := &net.Dialer{Timeout: dialWithin, Control: s.Guard.Control(b.plain), Resolver: s.Resolver}
	begun := time.Now()
	raw, err := dialer.DialContext(ctx, "tcp", b.String())
	if err != nil {
		return nil, dialFailure(ctx, b.host, begun, err)
	}
	if b.plain {
		return &boundedConn{Conn: raw}, nil
	}
	secure := tls.Client(raw, &tls.Config{ServerName: b.host, MinVersion: tls.VersionTLS12, RootCAs: s.Roots})
	ctx, cancel := context.WithTimeout(ctx, connectWithin)
	defer cancel()
	if err := secure.HandshakeContext(ctx); err != nil {
		return nil, errors.Join(tlsFailure(err), raw.Close())
	}
	return &boundedConn{Conn: secure}, nil
}

// clientID names the server at a tenant's broker. It is the same after a restart and on another node of a
// cluster, so that the broker ends a connection of ours that is left over.
func (s *Service) clientID(t tenant.ID) string {
	mac := hmac.New(sha256.New, s.Key)
	mac.Write([]byte("client of tenant " + strconv.FormatInt(int64(t), 10)))
	return baseOfTilth + hex.EncodeToString(mac.Sum(nil))[:16] // brokers must take 23 letters and digits
}

// subscribe asks the broker to tell us when Home Assistant starts.
func (x *session) subscribe(ctx context.Context, topic string) error {
	token := x.client.Subscribe(topic, atLeastOnce, func(_ mqtt.Client, m mqtt.Message) {
		if m.Retained() || string(m.Payload()) != payloadOnline { // a retained one is of before our connection
			return
		}
		select {
		case x.online <- struct{}{}:
		default:
		}
	})
	err := x.await(ctx, token)
	result, ok := token.(*mqtt.SubscribeToken)
	if ok && result.Result()[topic] == refusedQoS {
		return nil // we go on, and say so
	}
	x.subscribed = err == nil
	return err
}

// publish publishes a retained message. It waits while too many are not confirmed.
func (x *session) publish(ctx context.Context, topic string, payload []byte) error {
	if len(x.waiting) == inFlight {
		oldest := x.waiting[0]
		x.waiting = append(x.waiting[:0], x.waiting[1:]...)
		if err := x.await(ctx, oldest); err != nil {
			return err
		}
	}
	x.waiting = append(x.waiting, x.client.Publish(topic, atLeastOnce, true, payload))
	return nil
}

// flush waits until the broker has confirmed all messages.
func (x *session) flush(ctx context.Context) error {
	waiting := x.waiting
	x.waiting = nil
	for _, token := range waiting {
		if err := x.await(ctx, token); err != nil {
			return err
		}
	}
	return nil
}

// await waits until the broker has answered.
func (x *session) await(ctx context.Context, token mqtt.Token) error {
	timer := time.NewTimer(ackWithin)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return &failure{TooSlow, errors.New("the broker does not answer")}
	case <-token.Done():
	}
	if err := token.Error(); err != nil {
		return &failure{Ended, err}
	}
	return nil
}

// close ends the connection. Its error does not matter: nothing is sent any more.
func (x *session) close() {
	const disconnectWait = 250 // ms to send the DISCONNECT
	x.client.Disconnect(disconnectWait)
	_ = x.conn.Close()
}
