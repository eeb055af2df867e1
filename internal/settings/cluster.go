package settings

import (
	"fmt"
	"net"
	"os"
	"time"

	"github.com/knadh/koanf/v2"
	"github.com/spf13/pflag"
)

// The bounds of the cluster's times. Below the first, a pause of a busy machine would count as silence.
const (
	minTakeoverAfter = time.Second
	maxTakeoverAfter = 5 * time.Minute
	minLogKeep       = time.Hour
)

// Cluster says how this server takes part in a cluster.
type Cluster struct {
	Node          bool   // this server is a node of a cluster
	Name          string // of this node
	Address       string // of its admin port, as others reach it
	TakeoverAfter time.Duration
	LogKeep       time.Duration
	Archive       bool // sealed days are copied to PostgreSQL
}

func addClusterFlags(f *pflag.FlagSet) {
	f.Bool("cluster", false, "run as a node of a cluster; needs --database-url (docs/cluster.md)")
	f.String(formerClusterFlag, "", "")
	if err := f.MarkHidden(formerClusterFlag); err != nil {
		panic(err) // it was declared just now
	}
	f.String("node-name", "", "name of this node, which no other node of the cluster has; empty: the machine's name")
	declareDuration(
		f,
		"takeover-after",
		4*time.Second,
		"how long a leader may be silent before another node takes over",
	)
	declareDuration(
		f,
		"log-keep",
		30*time.Hour,
		"how long PostgreSQL keeps the log of readings for nodes that are away",
	)
	f.String(
		"archive",
		archivePostgres,
		"where the leader copies sealed days, so that a node can begin without another's "+
			"disk: postgres, or off",
	)
}

// formerClusterFlag made a server a node while nodes passed clients on to each other.
const formerClusterFlag = "cluster-addr"

// The values of --archive.
const (
	archivePostgres = "postgres"
	archiveOff      = "off"
)

func (s *Server) readCluster(k *koanf.Koanf) (err error) {
	c := Cluster{
		Node:          k.Bool("cluster"),
		Name:          k.String("node-name"),
		TakeoverAfter: k.Duration("takeover-after"),
		LogKeep:       k.Duration("log-keep"),
		Archive:       k.String("archive") == archivePostgres,
	}
	if to := k.String("archive"); to != archivePostgres && to != archiveOff {
		return fmt.Errorf("--archive: %q: must be %s or %s", to, archivePostgres, archiveOff)
	}
	if k.String(formerClusterFlag) != "" {
		return fmt.Errorf("--%s: nodes speak only to PostgreSQL now: start the node with --cluster, "+
			"and put a balancer before the nodes (docs/cluster.md)", formerClusterFlag)
	}
	if !c.Node {
		return nil
	}
	switch {
	case s.DatabaseURL == "":
		return fmt.Errorf("--cluster: nodes share a database: name it with --%s", DatabaseFlag)
	case c.TakeoverAfter < minTakeoverAfter || c.TakeoverAfter > maxTakeoverAfter:
		return fmt.Errorf("--takeover-after: %s: must be %s to %s", c.TakeoverAfter, minTakeoverAfter, maxTakeoverAfter)
	case c.LogKeep < minLogKeep:
		return fmt.Errorf("--log-keep: %s: must be an hour or more", c.LogKeep)
	}
	if c.Name == "" {
		if c.Name, err = os.Hostname(); err != nil {
			return fmt.Errorf("--node-name: the machine's name is not known (%w): give one", err)
		}
	}
	host, port, err := net.SplitHostPort(s.AdminAddr)
	if err != nil {
		return err
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = c.Name // it listens on all addresses; the machine's name leads to one of them
	}
	c.Address = net.JoinHostPort(host, port)
	s.Cluster = c
	return nil
}
