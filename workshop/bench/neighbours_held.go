package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"time"
)

// heldBody is a POST whose body lacks its last byte.
type heldBody struct {
	nc     net.Conn
	stop   func() bool
	last   []byte
	answer chan heldAnswer // has the answer once there is one
}

// heldAnswer is how such a POST was answered.
type heldAnswer struct {
	executed  bool // it was done
	comeLater bool // it was refused for now
	err       error
}

// holdBody sends a POST without the last byte of its body. It ends with ctx.
func holdBody(ctx context.Context, address, path, token string, body []byte) (*heldBody, error) {
	nc, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	h := &heldBody{nc: nc, last: body[len(body)-1:], answer: make(chan heldAnswer, 1)}
	h.stop = context.AfterFunc(ctx, func() { _ = nc.SetDeadline(time.Unix(1, 0)) })
	go func() { h.answer <- readAnswer(nc) }()
	head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: tilth\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n", path, token, len(body))
	// If the server answers and closes before it has all of that, the answer says why.
	if _, err := nc.Write([]byte(head)); err == nil {
		_, _ = nc.Write(body[:len(body)-1])
	}
	return h, nil
}

// complete sends the last byte and returns the answer.
func (h *heldBody) complete() heldAnswer {
	_, _ = h.nc.Write(h.last) // fails if the server has answered and closed
	return h.close(<-h.answer)
}

func (h *heldBody) close(a heldAnswer) heldAnswer {
	h.stop()
	_ = h.nc.Close() // nothing more is expected of it
	return a
}

func readAnswer(nc net.Conn) (a heldAnswer) {
	res, err := http.ReadResponse(bufio.NewReader(nc), nil)
	if err != nil {
		return heldAnswer{err: err}
	}
	defer func() { _ = res.Body.Close() }() // the connection is closed anyway
	a.comeLater = res.Header.Get("Retry-After") != ""
	envelope := struct{ Code int }{http.StatusOK} // a device gets an empty object
	if res.StatusCode == http.StatusOK {
		a.err = json.NewDecoder(res.Body).Decode(&envelope)
		a.executed = envelope.Code == http.StatusOK
	}
	return a
}
