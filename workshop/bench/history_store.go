package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"
)

// queryStore is a store that has the records and answers queries.
type queryStore interface {
	// load writes the records and returns when they can be queried.
	load(ctx context.Context) error
	// points reads every reading of a device in a span, of all properties.
	points(ctx context.Context, device int, s span, a *answer) error
	// minMax reads the lowest and the highest value of each bucket of the whole range.
	minMax(ctx context.Context, device int, a *answer) error
	// withYears returns the same store for readings of years; nil if these are not compared with it.
	withYears(r *Records) aggregateStore
}

// aggregateStore is a store that has the readings of years.
type aggregateStore interface {
	// load writes the records and returns when they can be queried.
	load(ctx context.Context) error
	// aggregates reads the lowest value, the mean and the highest value of each hour or day of the whole
	// range.
	aggregates(ctx context.Context, device int, step time.Duration, a *answer) error
}

// Peer is another store to compare with, on the network.
type Peer struct{ Name, Address string }

// peers are the stores that can be compared, and where they can be installed from.
var peers = []struct{ name, address, from string }{
	{
		"victoriametrics",
		"http://host:port",
		"Debian's package victoria-metrics, or go install github.com/VictoriaMetrics/VictoriaMetrics/app/victoria-metrics@v1.115.0",
	},
	{"influxdb", "http://host:port", "Debian's package influxdb (1.6)"},
	{"postgres", "postgres://user@host:port/database", "Debian's package postgresql-15"},
}

// ParsePeers reads peers written as name=address; "none" and the empty string are no peer.
func ParsePeers(list []string) ([]Peer, error) {
	var found []Peer
	for _, entry := range list {
		if entry == "none" || entry == "" {
			continue
		}
		name, address, _ := bytes.Cut([]byte(entry), []byte("="))
		p := Peer{string(name), string(address)}
		i := slices.IndexFunc(peers, func(o struct{ name, address, from string }) bool { return o.name == p.Name })
		switch {
		case i < 0:
			return nil, fmt.Errorf("%q is none of victoriametrics, influxdb, postgres", p.Name)
		case p.Address == "":
			return nil, fmt.Errorf(
				"%s: its address is missing: %s=%s; scripts/bench-history.sh starts it",
				p.Name,
				p.Name,
				peers[i].address,
			)
		case slices.ContainsFunc(found, func(f Peer) bool { return f.Name == p.Name }):
			return nil, fmt.Errorf("%s is given twice", p.Name)
		}
		found = append(found, p)
	}
	return found, nil
}

// MissingPeers returns a line for each peer that is not in some, with where it can be installed
// from.
func MissingPeers(some []Peer) (lines []string) {
	for _, p := range peers {
		if !slices.ContainsFunc(some, func(s Peer) bool { return s.Name == p.name }) {
			lines = append(
				lines,
				fmt.Sprintf("Not compared with %s: it is %s; scripts/bench-history.sh starts it.", p.name, p.from),
			)
		}
	}
	return lines
}

func openPeer(ctx context.Context, p Peer, r *Records) (queryStore, error) {
	switch p.Name {
	case "victoriametrics":
		return &victoriaMetrics{httpStore: newHTTPStore(p.Address), records: r}, nil
	case "influxdb":
		return &influxDB{httpStore: newHTTPStore(p.Address), records: r}, nil
	case "postgres":
		store, err := openPostgres(ctx, p.Address, r)
		if err != nil {
			return nil, err
		}
		return store, nil
	}
	return nil, fmt.Errorf("%q is no peer", p.Name)
}

// httpStore queries a server over HTTP. It reads responses into memory that it reuses.
type httpStore struct {
	base string
	http *http.Client
	body bytes.Buffer
}

func newHTTPStore(base string) *httpStore {
	return &httpStore{base: base, http: &http.Client{Transport: &http.Transport{
		// Compression would cost both sides more time than it saves on a loopback.
		DisableCompression: true,
	}}}
}

var errAnswer = errors.New("refused")

// ask sends a request and returns its response, valid until the next request.
func (w *httpStore) ask(
	ctx context.Context,
	method, path string,
	header http.Header,
	body io.Reader,
) (*scanner, error) {
	r, err := http.NewRequestWithContext(ctx, method, w.base+path, body)
	if err != nil {
		return nil, err
	}
	if header != nil {
		r.Header = header
	}
	res, err := w.http.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }() // read to its end
	w.body.Reset()
	if _, err := w.body.ReadFrom(res.Body); err != nil {
		return nil, err
	}
	raw := w.body.Bytes()
	if res.StatusCode/100 != 2 {
		return nil, fmt.Errorf("%w: %s: %.300s", errAnswer, res.Status, raw)
	}
	return &scanner{raw: raw}, nil
}

// property returns the index of a property; -1 for an unknown name.
func (r *Records) property(name []byte) int {
	for i, p := range r.Properties {
		if string(name) == p {
			return i
		}
	}
	return -1
}
