package server

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"strconv"
	"sync/atomic"

	"tilth/internal/cluster"
	"tilth/internal/domain/reading"
	"tilth/internal/platform/datafolder"
	"tilth/internal/platform/db"
	"tilth/internal/settings"
)

// ledVariable tells a process that begins anew that it led.
const ledVariable = "TILTH_NODE_LED"

// ErrBeginAnew ends a node that must not lead any more. The process begins anew as a standby.
var ErrBeginAnew = errors.New("this node does not lead any more; it begins anew as a standby")

// node is what a server of a cluster has beside its own parts.
type node struct {
	*Server
	base    *foundation
	cluster *cluster.Node
	follow  *db.DB // reads the database while another node leads
	isNew   bool   // the database had no tables when this process began

	admin *nodeAdmin

	led         bool // the process before this one led until a moment ago
	lettingPass int  // how often this node has let the one that led before go first

	wired   atomic.Bool   // the local server is made
	broken  chan struct{} // closed once the readings cannot be written
	trouble atomic.Pointer[string]
}

// RunNode runs a server of a cluster until ctx ends: it follows the log of readings until it leads. Only
// then it takes people and devices. ErrBeginAnew says that the process must begin anew.
func RunNode(ctx context.Context, set *settings.Server, logger *slog.Logger) error {
	s, err := newServer(set, logger)
	if err != nil {
		return err
	}
	n := &node{Server: s, broken: make(chan struct{}), led: os.Getenv(ledVariable) != ""}
	s.node = n
	if err := os.Unsetenv(ledVariable); err != nil {
		return err
	}
	if err := n.openAdmin(ctx); err != nil {
		return err
	}
	if err := n.join(ctx); err != nil {
		if ctx.Err() != nil {
			err = nil // a stop is no failure
		}
		return errors.Join(err, n.closeAll())
	}
	n.serveAdmin()
	defer func() { _ = n.admin.server.Close() }() // whoever calls now gets no answer
	// Watch goes on while this node leads: it says that the node is there, and learns who leads after it.
	watching, stopWatching := context.WithCancel(context.WithoutCancel(ctx))
	defer stopWatching()
	go n.cluster.Watch(watching)
	go n.fetchArchived(watching)
	term, err := n.standBy(ctx)
	if err != nil || term == nil {
		return errors.Join(err, n.closeAll())
	}
	return n.lead(ctx, term)
}

// join opens what a standby needs, and checks that this node belongs to the cluster.
func (n *node) join(ctx context.Context) (err error) {
	n.base = &foundation{}
	if n.base.folder, err = datafolder.LockFolder(n.set.DataDir); err != nil {
		return err
	}
	if n.follow, err = db.OpenPostgresToFollow(n.set.DatabaseURL); err != nil {
		return err
	}
	n.cluster, err = cluster.Join(ctx, cluster.Options{
		DatabaseURL:   n.set.DatabaseURL,
		Name:          n.set.Cluster.Name,
		Address:       n.address(),
		Version:       Version,
		TakeoverAfter: n.set.Cluster.TakeoverAfter,
		LogKeep:       n.set.Cluster.LogKeep,
		Logger:        n.logger,
		Position:      func() uint64 { return n.base.readings.Position() },
		Trouble:       n.troubleText,
	})
	if err != nil {
		return err
	}
	if n.isNew, err = n.follow.CheckFolder(ctx, n.set.DataDir); err != nil {
		return err
	}
	if n.base.key, err = datafolder.JoinedKey(n.set.DataDir, n.isNew); err != nil {
		return err
	}
	if err := reading.RefuseNewer(readingsDir(n.set)); err != nil {
		return ExplainDamage(n.set.DataDir, err)
	}
	n.base.archive = cluster.NewArchiveReader(n.set.DatabaseURL)
	if err := n.base.openReadings(ctx, n.set, n.logger, func(error) { close(n.broken) }); err != nil {
		return err
	}
	n.disk = newDisk(n.set.DataDir, n.base.readings.Broken, n.refusedWrites, n.logger)
	n.describeProcess(n.isReadyToServe)
	n.describeNode()
	return nil
}

// openAdmin opens the admin port, which alone a standby has. It looks whether the others can be opened
// later, so that whoever starts a node learns at once that they cannot.
func (n *node) openAdmin(ctx context.Context) error {
	if err := n.openClientPorts(ctx); err != nil {
		return err
	}
	if err := n.listeners.close(); err != nil {
		return err
	}
	n.listeners = listeners{}
	if err := n.openPorts(ctx, &settings.Server{AdminAddr: n.set.AdminAddr}); err != nil {
		return err
	}
	n.admin = &nodeAdmin{node: n, listener: n.listeners.admin}
	n.listeners = listeners{}
	return nil
}

// openClientPorts opens the ports for people and devices.
func (n *node) openClientPorts(ctx context.Context) error {
	clients := *n.set
	clients.AdminAddr = ""
	return n.openPorts(ctx, &clients)
}

// address is where others reach this node's admin port.
func (n *node) address() string {
	host, port, err := net.SplitHostPort(n.set.Cluster.Address)
	if err == nil && port == "0" { // the system chose one
		if own, is := n.admin.listener.Addr().(*net.TCPAddr); is {
			return net.JoinHostPort(host, strconv.Itoa(own.Port))
		}
	}
	return n.set.Cluster.Address
}

// sharedFiles are the files that nodes of a cluster have in common; none for a server alone.
func (s *Server) sharedFiles() []string {
	if s.node == nil {
		return nil
	}
	return datafolder.SharedFiles
}

// noteTrouble records why this node cannot lead, and logs it when it changes.
func (n *node) noteTrouble(err error) {
	text := err.Error()
	if before := n.trouble.Swap(&text); before == nil || *before != text {
		n.logger.Error("cluster: this node cannot lead; another one must", "reason", err)
	}
}

func (n *node) clearTrouble() { n.trouble.Store(nil) }

func (n *node) troubleText() string {
	if t := n.trouble.Load(); t != nil {
		return *t
	}
	return ""
}

// closeAll closes what join opened.
func (n *node) closeAll() error {
	err := n.listeners.close()
	if e := n.admin.listener.Close(); !errors.Is(e, net.ErrClosed) {
		err = errors.Join(err, e)
	}
	if n.cluster != nil {
		err = errors.Join(err, n.cluster.Close())
	}
	if n.follow != nil {
		err = errors.Join(err, n.follow.Close())
	}
	if n.base.folder != nil {
		err = errors.Join(err, n.base.close())
	}
	return err
}
