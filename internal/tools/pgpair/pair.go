// Package pgpair starts PostgreSQL servers for tests and for a cluster on one machine: a primary and
// a synchronous copy of it, which can be killed, frozen, promoted and cut off. It needs Debian's
// PostgreSQL (scripts/tools.sh) or initdb on the PATH, and Unix.
//
// Everybody on this machine can sign in to these servers as anybody: they listen on 127.0.0.1 alone,
// and ask for no password.
package pgpair

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// Options of a pair. The zero value is for tests.
type Options struct {
	// Dir is the folder for data, sockets and the log. Its path has 80 bytes at most, since sockets
	// have short paths; it holds no earlier pair, and remains after Stop. When empty, it is a
	// temporary folder, which Stop deletes.
	Dir string
	// Fsync makes PostgreSQL wait for the disk. Without it, data survive the end of processes, but
	// not of the machine.
	Fsync bool
	// Ports of the two servers. A port that is 0 is chosen.
	Ports [2]int
}

// synchronousStandbys is the setting with which a commit waits for one copy, whichever it is.
const synchronousStandbys = "ANY 1 (*)"

// Pair is a primary and a copy. Its methods may be called at the same time, but those that change
// roles or replication one after the other.
type Pair struct {
	host    *host
	servers [2]*Server // in the order of the URL

	mu          sync.Mutex
	primary     *Server
	copy        *Server
	synchronous bool
}

// Start makes and starts a pair, and returns when the copy is synchronous: from then on, what is
// committed is on both.
func Start(ctx context.Context, o Options) (_ *Pair, err error) {
	h, err := newHost(o)
	if err != nil {
		return nil, err
	}
	p := &Pair{host: h, synchronous: true}
	for i := range p.servers {
		p.servers[i] = h.server(i)
	}
	p.primary, p.copy = p.servers[0], p.servers[1]
	defer func() {
		if err != nil {
			err = errors.Join(err, p.Stop())
		}
	}()
	if err := p.primary.create(ctx, synchronousStandbys); err != nil {
		return nil, err
	}
	if err := p.copy.copyFrom(ctx, p.primary); err != nil {
		return nil, err
	}
	return p, p.awaitStreaming(ctx)
}

// StartSingle makes and starts one server without a copy. Its end is Discard.
func StartSingle(ctx context.Context, o Options) (*Server, error) {
	h, err := newHost(o)
	if err != nil {
		return nil, err
	}
	s := h.server(0)
	if err := s.create(ctx, ""); err != nil {
		return nil, errors.Join(err, s.Discard())
	}
	return s, nil
}

// URL returns the address of the database with both servers, of which a client uses the primary. The
// role tilth owns the database, and is no superuser.
func (p *Pair) URL() string { return p.URLThrough(p.servers[0].Addr(), p.servers[1].Addr()) }

// URLThrough returns the address of the database with other addresses for the servers, such as those
// of proxies.
func (p *Pair) URLThrough(addresses ...string) string { return databaseURL(addresses...) }

func databaseURL(addresses ...string) string {
	u := url.URL{
		Scheme:   "postgres",
		User:     url.User(role),
		Host:     strings.Join(addresses, ","),
		Path:     "/" + database,
		RawQuery: "target_session_attrs=primary&sslmode=disable",
	}
	return u.String()
}

// Primary returns the server that is the primary now, be it running or not.
func (p *Pair) Primary() *Server {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.primary
}

// Copy returns the other server. After Failover it is the former primary, which is dead, until
// NewCopy makes it a copy.
func (p *Pair) Copy() *Server {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.copy
}

// Log returns what the servers and the programs of PostgreSQL have written.
func (p *Pair) Log() (string, error) { return p.host.readLog() }

// Failover kills the primary and promotes the copy, which is alone then: commits wait for nobody
// until NewCopy. The killed server still has its data; if it is started, there are two primaries.
func (p *Pair) Failover(ctx context.Context) error {
	dead, next := p.Primary(), p.Copy()
	if err := dead.Kill(); err != nil {
		return err
	}
	if err := next.Promote(ctx); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.primary, p.copy = next, dead
	return nil
}

// NewCopy makes the server that is not the primary a copy of the primary, whatever its state and
// data were, at the same address, and returns when it is as synchronous as SetSynchronous asks for.
func (p *Pair) NewCopy(ctx context.Context) error {
	primary, standby := p.Primary(), p.Copy()
	if err := standby.Kill(); err != nil {
		return err
	}
	if err := standby.copyFrom(ctx, primary); err != nil {
		return err
	}
	return p.applySynchronous(ctx)
}

// SetSynchronous makes commits wait for the copy, or not.
func (p *Pair) SetSynchronous(ctx context.Context, on bool) error {
	p.mu.Lock()
	p.synchronous = on
	p.mu.Unlock()
	return p.applySynchronous(ctx)
}

func (p *Pair) applySynchronous(ctx context.Context) error {
	standbys := ""
	if p.isSynchronous() {
		standbys = synchronousStandbys
	}
	if err := p.Primary().set(ctx, "synchronous_standby_names", standbys); err != nil {
		return err
	}
	return p.awaitStreaming(ctx)
}

func (p *Pair) isSynchronous() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.synchronous
}

// DetachCopy makes commits wait for nobody, and the copy receive nothing more: it answers queries, and
// is stale. The primary keeps what AttachCopy needs.
func (p *Pair) DetachCopy(ctx context.Context) error {
	primary, standby := p.Primary(), p.Copy()
	if err := primary.set(ctx, "synchronous_standby_names", ""); err != nil {
		return err
	}
	if err := standby.set(ctx, "primary_conninfo", ""); err != nil {
		return err
	}
	return primary.await(ctx, standby.name+" is detached", func(ctx context.Context, conn *pgx.Conn) (bool, error) {
		states, err := replicationStates(ctx, conn, standby.name)
		return len(states) == 0, err
	})
}

// AttachCopy undoes DetachCopy, and returns when the copy has caught up and is as synchronous as
// SetSynchronous asks for.
func (p *Pair) AttachCopy(ctx context.Context) error {
	primary, standby := p.Primary(), p.Copy()
	if err := standby.set(ctx, "primary_conninfo", standby.connectionTo(primary)); err != nil {
		return err
	}
	return p.applySynchronous(ctx)
}

// awaitStreaming waits until the copy streams, synchronously if the pair is.
func (p *Pair) awaitStreaming(ctx context.Context) error {
	standby := p.Copy()
	synchronous := p.isSynchronous()
	return p.Primary().await(ctx, standby.name+" streams", func(ctx context.Context, conn *pgx.Conn) (bool, error) {
		states, err := replicationStates(ctx, conn, standby.name)
		return slices.ContainsFunc(states, func(s replicationState) bool {
			return s.State == "streaming" && synchronous == (s.SyncState != "async")
		}), err
	})
}

type replicationState struct{ State, SyncState string }

// replicationStates returns how the connections of a copy to the primary are.
func replicationStates(ctx context.Context, conn *pgx.Conn, name string) ([]replicationState, error) {
	rows, err := conn.Query(
		ctx,
		// Both columns are NULL while the copy connects.
		"SELECT coalesce(state, ''), coalesce(sync_state, '') FROM pg_stat_replication WHERE application_name = $1",
		name,
	)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[replicationState])
}

// Stop ends all processes and, unless Options.Dir named one, deletes the folder. It takes seconds at
// most, whatever state the servers are in.
func (p *Pair) Stop() error {
	return p.host.discard(p.servers[:]...)
}

// pollInterval is how often this package asks for what PostgreSQL does not report by itself.
const pollInterval = 10 * time.Millisecond

// patience bounds every wait for PostgreSQL.
const patience = time.Minute

// poll asks until the answer is yes, an error, or too late.
func poll(ctx context.Context, what string, ask func(ctx context.Context) (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		switch done, err := ask(ctx); {
		case err != nil:
			return fmt.Errorf("waiting until %s: %w", what, err)
		case done:
			return nil
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return fmt.Errorf("waiting until %s: %w", what, ctx.Err())
		}
	}
}
