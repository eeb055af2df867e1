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

// smsGateway is an SMS gateway that counts the SMS it accepted.
type smsGateway struct {
	*faultyListener
	server *http.Server
	served chan error
	total  atomic.Int64
}

func newSMSGateway(ctx context.Context) (*smsGateway, error) {
	l, err := listen(ctx)
	if err != nil {
		return nil, err
	}
	g := &smsGateway{faultyListener: l, served: make(chan error, 1)}
	g.server = &http.Server{Handler: g, ReadHeaderTimeout: 10 * time.Second, ErrorLog: log.New(io.Discard, "", 0)}
	go func() { g.served <- g.server.Serve(l) }()
	return g, nil
}

func (g *smsGateway) url() string { return "http://" + g.address() + "/send" }

// ServeHTTP accepts an SMS.
func (g *smsGateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var m struct{ To, Text string }
	if err := json.NewDecoder(r.Body).Decode(&m); err != nil || m.To == "" || m.Text == "" {
		http.Error(w, `{"status":"unreadable"}`, http.StatusBadRequest)
		return
	}
	g.total.Add(1)
	_, _ = io.WriteString(w, `{"status":"ok"}`) // a sender that misses it sends again, which the counts show
}

func (g *smsGateway) close() error {
	g.closeAll()
	err := notClosed(g.server.Close())
	if served := <-g.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, notClosed(served))
	}
	return err
}
