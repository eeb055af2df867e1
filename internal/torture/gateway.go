package torture

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"sync/atomic"
	"time"
)

// gateway is an SMS gateway that counts what it accepted.
type gateway struct {
	*moody
	server *http.Server
	served chan error
	all    atomic.Int64
}

func newGateway(ctx context.Context) (*gateway, error) {
	l, err := listen(ctx)
	if err != nil {
		return nil, err
	}
	g := &gateway{moody: l, served: make(chan error, 1)}
	g.server = &http.Server{Handler: g, ReadHeaderTimeout: 10 * time.Second, ErrorLog: log.New(io.Discard, "", 0)}
	go func() { g.served <- g.server.Serve(l) }()
	return g, nil
}

func (g *gateway) url() string { return "http://" + g.address() + "/send" }

// ServeHTTP takes an SMS.
func (g *gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var m struct{ To, Text string }
	if err := json.NewDecoder(r.Body).Decode(&m); err != nil || m.To == "" || m.Text == "" {
		http.Error(w, `{"status":"unreadable"}`, http.StatusBadRequest)
		return
	}
	g.all.Add(1)
	_, _ = io.WriteString(w, `{"status":"ok"}`) // who does not hear it sends again, which shows
}

func (g *gateway) close() error {
	g.hangUp()
	err := notClosed(g.server.Close())
	if served := <-g.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, notClosed(served))
	}
	return err
}
