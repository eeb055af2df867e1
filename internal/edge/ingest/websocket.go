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

// subprotocols are the names by which clients ask for MQTT over a WebSocket; the second is what
// MQTT 3.1.1 clients sent before the standard.
var subprotocols = []string{"mqtt", "mqttv3.1"}

// NewWebSocket makes the handler that serves MQTT over WebSockets, with m's limits.
// Options.ClientAddr says which address a connection counts for.
func NewWebSocket(m *MQTT) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			w.Header().Set("Allow", http.MethodGet)
			http.Error(w, "a WebSocket is opened by GET", http.StatusMethodNotAllowed)
			return
		}
		if r.Header.Get("Upgrade") != "" && !asksForMQTT(r) {
			http.Error(w, "the WebSocket subprotocol is mqtt", http.StatusBadRequest)
			return
		}
		hijacked := &hijackable{ResponseWriter: w}
		ws, err := websocket.Accept(hijacked, r, &websocket.AcceptOptions{
			Subprotocols: subprotocols,
			// A page of another origin has no cookie that could sign it in: a device signs in with
			// its secret, wherever it runs.
			InsecureSkipVerify: true,
		})
		if err != nil {
			return // Accept has answered
		}
		defer func() { _ = ws.CloseNow() }() // normally closed already
		// Messages are read as streams: MaxMessage limits packets, and a message may hold many
		// packets.
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

// hijackable remembers the connection that is taken from the HTTP server: its deadlines end one
// read or write, while those of a WebSocket end the whole connection.
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

// lastErrConn keeps the network's error of the last read, to tell the end of the connection or a
// deadline from a client that violates the WebSocket protocol.
type lastErrConn struct {
	net.Conn
	err error // used by the reading goroutine
}

func (c *lastErrConn) Read(b []byte) (int, error) {
	var n int
	n, c.err = c.Conn.Read(b)
	return n, c.err
}

// wsConn presents a WebSocket as the connection under MQTT: binary messages whose boundaries mean
// nothing. Deadlines and addresses are those of the network connection. Read and CloseWrite are for
// one goroutine.
type wsConn struct {
	*lastErrConn
	ws      *websocket.Conn
	message io.Reader            // the unread rest of the current message
	status  websocket.StatusCode // sent when it closes
}

// Read reads from the current message, or waits for the next. io.EOF means that the client has
// closed its side.
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

// readError returns why reading ended, as an error of the network.
func (c *wsConn) readError(err error) error {
	if c.err != nil {
		return c.err
	}
	var network *net.OpError
	switch {
	case websocket.CloseStatus(err) != -1, errors.Is(err, net.ErrClosed):
		return io.EOF
	case errors.Is(err, context.DeadlineExceeded),
		errors.Is(err, os.ErrDeadlineExceeded): // of a pong that the client did not read
		return errStalled
	case errors.As(err, &network): // of a pong to a client that is gone
		return err
	}
	c.status = websocket.StatusProtocolError
	return protocolError{reasonProtocolError, err.Error()}
}

// Write sends b as one message, by the write deadline, and then clears the deadline, which must not
// apply to later pongs.
func (c *wsConn) Write(b []byte) (int, error) {
	if err := c.ws.Write(context.Background(), websocket.MessageBinary, b); err != nil {
		return 0, err
	}
	return len(b), c.SetWriteDeadline(time.Time{})
}

// CloseWrite sends a close message and waits, by the deadlines that are set, until the client
// closes, too.
func (c *wsConn) CloseWrite() error { return c.ws.Close(c.status, "") }

// NetConn returns the network connection.
func (c *wsConn) NetConn() net.Conn { return c.Conn }
