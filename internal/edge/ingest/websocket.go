package ingest

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/coder/websocket"
)

// subprotocols are the names under which MQTT is asked for over a WebSocket;
// the second is what clients of MQTT 3.1.1 said before the standard did.
var subprotocols = []string{"mqtt", "mqttv3.1"}

// NewWebSocket makes the handler that serves MQTT over WebSockets, with m's
// limits. Options.ClientAddr tells whom a connection counts for.
func NewWebSocket(m *MQTT) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") != "" && !asksForMQTT(r) {
			http.Error(w, "the WebSocket subprotocol is mqtt", http.StatusBadRequest)
			return
		}
		hijacked := &hijackable{ResponseWriter: w}
		ws, err := websocket.Accept(hijacked, r, &websocket.AcceptOptions{
			Subprotocols: subprotocols,
			// A page of another origin holds no cookie of ours that could sign
			// it in: a device signs in by its secret, wherever it runs.
			InsecureSkipVerify: true,
		})
		if err != nil {
			return // Accept has answered
		}
		defer func() { _ = ws.CloseNow() }() // closed long since, where all went well
		// Messages are read as a stream: what a packet may have is the limit,
		// and a message may hold many packets.
		ws.SetReadLimit(-1)
		m.ServeConn(
			&wsConn{lastErrConn: hijacked.conn, ws: ws, status: websocket.StatusNormalClosure},
			m.opts.ClientAddr(r),
		)
	})
}

func asksForMQTT(r *http.Request) bool {
	for _, line := range r.Header.Values("Sec-WebSocket-Protocol") {
		for name := range strings.SplitSeq(line, ",") {
			if slices.Contains(subprotocols, strings.ToLower(strings.TrimSpace(name))) {
				return true
			}
		}
	}
	return false
}

// hijackable remembers the connection that is taken from the HTTP server: its
// deadlines end a read or a write, while those of a WebSocket end everything.
type hijackable struct {
	http.ResponseWriter
	conn *lastErrConn
}

// Hijack takes the connection from the HTTP server.
func (h *hijackable) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffers, err := http.NewResponseController(h.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	h.conn = &lastErrConn{Conn: conn}
	return h.conn, buffers, nil
}

// lastErrConn keeps what the network said of the last read, so that an end or a
// deadline is told from a client that does not speak WebSocket as it should.
type lastErrConn struct {
	net.Conn
	err error // of the reading goroutine
}

func (c *lastErrConn) Read(b []byte) (int, error) {
	var n int
	n, c.err = c.Conn.Read(b)
	return n, c.err
}

// wsConn is a WebSocket as the connection that MQTT runs over: binary messages
// whose borders mean nothing. Deadlines and addresses are those of the network
// connection below. Read and CloseWrite are for one goroutine.
type wsConn struct {
	*lastErrConn
	ws      *websocket.Conn
	message io.Reader            // what is left of the message that is being read
	status  websocket.StatusCode // why it will be closed
}

// Read reads of the message that came, or waits for the next. io.EOF means that
// the client has said that it ends.
func (c *wsConn) Read(b []byte) (int, error) {
	for {
		if c.message == nil {
			kind, message, err := c.ws.Reader(context.Background())
			if err != nil {
				return 0, c.readError(err)
			}
			if kind != websocket.MessageBinary {
				c.status = websocket.StatusUnsupportedData
				return 0, protocolError{reasonProtocolError, "a WebSocket message of text"}
			}
			c.message = message
		}
		n, err := c.message.Read(b)
		if errors.Is(err, io.EOF) && c.err == nil {
			c.message, err = nil, nil
		}
		if err != nil {
			return n, c.readError(err)
		}
		if n > 0 {
			return n, nil
		}
	}
}

// readError is what ended reading, in the words of the network.
func (c *wsConn) readError(err error) error {
	if c.err != nil {
		return c.err
	}
	var network *net.OpError
	switch {
	case websocket.CloseStatus(err) != -1, errors.Is(err, net.ErrClosed):
		return io.EOF
	case errors.Is(err, context.DeadlineExceeded),
		errors.Is(err, os.ErrDeadlineExceeded): // of a pong that was not taken
		return errStalled
	case errors.As(err, &network): // of a pong to a client that is gone
		return err
	}
	c.status = websocket.StatusProtocolError
	return protocolError{reasonProtocolError, err.Error()}
}

// Write sends b as one message, by the write deadline. That does not outlive
// it: pongs go out at other times.
func (c *wsConn) Write(b []byte) (int, error) {
	if err := c.ws.Write(context.Background(), websocket.MessageBinary, b); err != nil {
		return 0, err
	}
	return len(b), c.SetWriteDeadline(time.Time{})
}

// CloseWrite says that nothing more comes and waits, by the deadlines that are
// set, until the client says so too.
func (c *wsConn) CloseWrite() error { return c.ws.Close(c.status, "") }

// NetConn is the network connection below.
func (c *wsConn) NetConn() net.Conn { return c.Conn }
