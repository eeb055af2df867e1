// Package haproxy runs Debian's HAProxy before the nodes of a cluster on this machine, with the
// configuration that users get.
package haproxy

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"tilth/deploy/cluster"
)

const (
	startTimeout = 20 * time.Second
	pollInterval = 10 * time.Millisecond
)

// Options say how HAProxy runs.
type Options struct {
	Dir   string // with a short path, for its files
	Nodes []Node
}

// Process is an HAProxy that runs, at free ports of this machine.
type Process struct {
	Addresses
	socket string
	cmd    *exec.Cmd
	out    bytes.Buffer
	ended  chan struct{}
	close  sync.Once
}

// Start starts HAProxy, and returns once it has asked every node whether it leads: before that it takes
// each for one that does.
func Start(ctx context.Context, o Options) (*Process, error) {
	program, err := find()
	if err != nil {
		return nil, err
	}
	p := &Process{socket: filepath.Join(o.Dir, "haproxy.sock"), ended: make(chan struct{})}
	ports, binds, err := p.listen(ctx)
	defer func() { // HAProxy has its own
		for _, f := range ports {
			_ = f.Close()
		}
	}()
	if err != nil {
		return nil, err
	}
	config, err := localConfig(cluster.HAProxy, binds, o.Nodes, p.socket)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(o.Dir, "haproxy.cfg")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		return nil, err
	}
	// ctx does not end the process: Close does.
	p.cmd = exec.CommandContext(context.WithoutCancel(ctx), program, "-db", "-f", file)
	p.cmd.Stdout, p.cmd.Stderr, p.cmd.ExtraFiles = &p.out, &p.out, ports
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = p.cmd.Wait() // Close kills it; await says if it ended by itself
		close(p.ended)
	}()
	if err := p.await(ctx, func(int) bool { return true }); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// listen opens HAProxy's ports, which it inherits: another process could take one that was only chosen. It
// returns how its configuration names them.
func (p *Process) listen(ctx context.Context) (ports []*os.File, binds Addresses, err error) {
	const firstInherited = 3
	for _, port := range []struct{ address, bind *string }{
		{&p.HTTP, &binds.HTTP}, {&p.MQTT, &binds.MQTT}, {&p.Admin, &binds.Admin},
	} {
		ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp4", "127.0.0.1:0")
		if err != nil {
			return ports, binds, err
		}
		*port.address, *port.bind = ln.Addr().String(), fmt.Sprintf("fd@%d", firstInherited+len(ports))
		f, err := ln.(*net.TCPListener).File()
		if err := errors.Join(err, ln.Close()); err != nil {
			return ports, binds, err
		}
		ports = append(ports, f)
	}
	return ports, binds, nil
}

// ErrMissing says that HAProxy is not installed.
var ErrMissing = errors.New("HAProxy is missing: scripts/tools.sh installs it")

// find finds the program, which is not in everybody's path.
func find() (string, error) {
	if path, err := exec.LookPath("haproxy"); err == nil {
		return path, nil
	}
	const debian = "/usr/sbin/haproxy"
	if _, err := os.Stat(debian); err != nil {
		return "", ErrMissing
	}
	return debian, nil
}

// AwaitLeader waits until HAProxy knows who leads. It may still try another node, too, which ended or led
// before, and refuses its clients.
func (p *Process) AwaitLeader(ctx context.Context) error {
	return p.await(ctx, func(leading int) bool { return leading == 1 })
}

// Close ends HAProxy.
func (p *Process) Close() {
	p.close.Do(func() {
		_ = p.cmd.Process.Signal(syscall.SIGKILL) // it may have ended
		<-p.ended
	})
}

// await waits until HAProxy has asked every node, and the number of nodes that lead is right at each of its
// ports.
func (p *Process) await(ctx context.Context, right func(leading int) bool) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	for {
		leading, err := p.leading(ctx)
		settled := err == nil
		for _, n := range leading {
			settled = settled && right(n)
		}
		if settled {
			return nil
		}
		select {
		case <-time.After(pollInterval): // it tells of no change
		case <-p.ended:
			return fmt.Errorf("HAProxy has ended: %s", p.out.String())
		case <-ctx.Done():
			return fmt.Errorf("HAProxy does not know who leads: %v: %w", leading, errors.Join(ctx.Err(), err))
		}
	}
}

// leading is how many nodes HAProxy takes for the one that leads, at each of its ports.
func (p *Process) leading(ctx context.Context) (map[string]int, error) {
	nc, err := (&net.Dialer{}).DialContext(ctx, "unix", p.socket)
	if err != nil {
		return nil, err
	}
	defer func() { _ = nc.Close() }() // HAProxy closes it after its answer
	if _, err := io.WriteString(nc, "show stat -1 4 -1\n"); err != nil {
		return nil, err
	}
	rows, err := csv.NewReader(nc).ReadAll()
	if err != nil || len(rows) == 0 {
		return nil, errors.Join(errors.New("HAProxy tells nothing of its servers"), err)
	}
	column := map[string]int{}
	for i, name := range rows[0] {
		column[strings.TrimPrefix(name, "# ")] = i
	}
	leading := map[string]int{}
	for _, row := range rows[1:] {
		proxy := row[column["pxname"]]
		if strings.HasSuffix(row[column["check_status"]], "INI") { // with an asterisk in front while it is asked
			return nil, fmt.Errorf("HAProxy has not asked %s for %s", row[column["svname"]], proxy)
		}
		leading[proxy] += 0                // none of its nodes may lead
		if row[column["status"]] == "UP" { // after a check that failed there is a number behind it
			leading[proxy]++
		}
	}
	return leading, nil
}
