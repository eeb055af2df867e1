package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"tilth/internal/tools/announced"
)

// Metrics of a node.
const (
	nodeLeads    = "tilth_cluster_leads"
	nodeEpoch    = "tilth_cluster_epoch"
	nodePosition = "tilth_cluster_position"
	// evaluations begins at 0 in each term.
	evaluations = "tilth_alarm_judged_total"
)

// clusterNode is a node of a cluster that a run started. Its addresses stay the same.
type clusterNode struct {
	*Server

	name  string
	dir   string // for its data
	ports announced.Addresses
}

// newNode makes a node that does not run yet. All nodes of a cluster have one token. args are settings
// beside those of all servers.
func (b *clusterBench) newNode(dir, name, database, token string, tenant Tenant, args ...string) (*clusterNode, error) {
	var at [3]string
	for i := range at {
		port, err := freePort(at[:i])
		if err != nil {
			return nil, err
		}
		at[i] = port
	}
	n := &clusterNode{name: name, dir: filepath.Join(dir, name)}
	ports := announced.Addresses{HTTP: at[0], MQTT: at[1], Admin: at[2]}
	n.ports = ports
	n.Server = newServer(ServerOptions{
		Binary:       b.Binary,
		Dir:          n.dir,
		Tenant:       tenant,
		StartTimeout: 2 * startTime,
		Ports:        ports,
		Args: slices.Concat([]string{
			"--cluster", "--node-name", name, "--database-url", database,
		}, b.Args, args),
	})
	n.Target.Name, n.Target.Dir = name, "" // the disk alone is not measured
	n.token = token
	n.setAddresses(ports)
	return n, nil
}

// join makes the node's folder from another node.
func (n *clusterNode) join(ctx context.Context, from *clusterNode) error {
	return n.command(ctx, "join", "--from", from.admin, "--data-dir", n.dir)
}

// command runs a command of the node's program.
func (n *clusterNode) command(ctx context.Context, args ...string) error {
	c := exec.CommandContext(ctx, n.binary, args...)
	c.Env = append(environment(), "TILTH_PROVIDER_TOKEN="+n.token)
	printed, err := c.CombinedOutput()
	if err != nil {
		return fmt.Errorf("tilth %s: %w\n%s", args[0], err, printed)
	}
	return nil
}

// standBy starts the node beside another one that leads, and waits until it has the log.
func (n *clusterNode) standBy(ctx context.Context, leader *clusterNode) error {
	if err := n.launch(ctx); err != nil {
		return err
	}
	return n.awaitFollowing(ctx, leader)
}

// awaitFollowing waits until the node is a standby that has what the leader has.
func (n *clusterNode) awaitFollowing(ctx context.Context, leader *clusterNode) error {
	ctx, cancel := context.WithTimeout(ctx, n.patience)
	defer cancel()
	var why error
	for {
		why = n.follows(ctx, leader)
		if why == nil {
			return nil
		}
		select {
		case <-n.ended:
			return fmt.Errorf("%s: %w: %w\n%s", n.name, errEnded, n.err, &n.log)
		case <-ctx.Done():
			return fmt.Errorf("%s does not follow %s: %w\n%s", n.name, leader.name, why, &n.log)
		case <-time.After(pollInterval): // another process: there is no event to wait for
		}
	}
}

// awaitEvaluation waits until the node, which leads, has evaluated a rule on a reading.
func (n *clusterNode) awaitEvaluation(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, n.patience)
	defer cancel()
	for {
		own, err := n.metrics(ctx)
		if err != nil {
			return err
		}
		if own[evaluations] > 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s evaluates no rule: %w", n.name, ctx.Err())
		case <-time.After(pollInterval): // another process: there is no event to wait for
		}
	}
}

func (n *clusterNode) follows(ctx context.Context, leader *clusterNode) error {
	led, err := leader.metrics(ctx)
	if err != nil {
		return err
	}
	own, err := n.metrics(ctx)
	switch {
	case err != nil:
		return err
	case led[nodeLeads] != 1 || own[nodeLeads] != 0 || led[nodeEpoch] != own[nodeEpoch]:
		return errors.New("who leads is not settled")
	case own[nodePosition] < led[nodePosition]:
		return fmt.Errorf("it has entry %.0f of %.0f", own[nodePosition], led[nodePosition])
	}
	return nil
}

// The ports of nodes are below those that the system gives to connections, and below those that the
// databases of a run take.
const lowestPort, portCount = 12_000, 8_000

// freePort returns an address of this machine that nobody has.
func freePort(taken []string) (string, error) {
	first := rand.IntN(portCount)
	for i := range portCount {
		at := net.JoinHostPort("127.0.0.1", strconv.Itoa(lowestPort+(first+i)%portCount))
		ln, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", at)
		if err != nil {
			continue
		}
		if err := ln.Close(); err != nil {
			return "", err
		}
		if !slices.Contains(taken, at) {
			return at, nil
		}
	}
	return "", errors.New("no port is free")
}
