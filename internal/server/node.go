package server

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
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
	front   *cluster.Front
	follow  *db.DB // reads the database while another node leads
	isNew   bool   // the database had no tables when this process began

	outer   listeners    // the ports; the local server's listeners are behind the front
	peers   net.Listener // for the other nodes
	address string       // at which they reach this node
	admin   *nodeAdmin

	led         bool // the process before this one led until a moment ago
	lettingPass int  // how often this node has let the one that led before go first

	wired   atomic.Bool   // the local server is made
	warmed  atomic.Int64  // when this standby last read the database ahead, epoch ms; 0: not yet
	broken  chan struct{} // closed once the readings cannot be written
	trouble atomic.Pointer[string]
}

// RunNode runs a server of a cluster until ctx ends: it follows the log of readings and passes
// clients on to the node that leads, until it leads itself. ErrBeginAnew says that the process must begin anew.
func RunNode(ctx context.Context, set *settings.Server, logger *slog.Logger) error {
	s, err := openPorts(ctx, set, logger)
	if err != nil {
		return err
	}
	n := &node{Server: s, broken: make(chan struct{}), led: os.Getenv(ledVariable) != ""}
	if err := os.Unsetenv(ledVariable); err != nil {
		return errors.Join(err, s.listeners.close())
	}
	s.node = n
	if err := n.join(ctx); err != nil {
		if ctx.Err() != nil {
			err = nil // a stop is no failure
		}
		return errors.Join(err, n.closeAll())
	}
	admin := n.serveAdmin()
	defer admin.stop()
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
	if err := n.listenForPeers(ctx); err != nil {
		return err
	}
	if n.follow, err = db.OpenPostgresToFollow(n.set.DatabaseURL); err != nil {
		return err
	}
	n.cluster, err = cluster.Join(ctx, cluster.Options{
		DatabaseURL:   n.set.DatabaseURL,
		Name:          n.set.Cluster.Name,
		Address:       n.address,
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
	if err := n.openFront(ctx); err != nil {
		return err
	}
	n.describeProcess(n.isReadyToServe)
	n.describeNode()
	return nil
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
		n.logger.Error("cluster: this node cannot lead; it passes clients on", "reason", err)
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
	err = errors.Join(err, n.outer.close())
	if n.peers != nil {
		if e := n.peers.Close(); !errors.Is(e, net.ErrClosed) {
			err = errors.Join(err, e)
		}
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
