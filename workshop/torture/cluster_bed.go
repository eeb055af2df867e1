package torture

import (
	"context"
	cryptorand "crypto/rand"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"tilth/internal/tools/pgpair"
	"tilth/workshop/bench"
	"tilth/workshop/haproxy"
)

const (
	clusterNodes = 3

	// Twenty devices with sixteen messages each, ten times a second.
	clusterWindow = 16
	clusterEvery  = 100 * time.Millisecond
	// devicePatience is how long a device waits for an answer before it connects to the next address.
	devicePatience = 3 * time.Second
	devicePause    = 100 * time.Millisecond

	// loadAge is how old the devices' readings are: their day has ended, so it is sealed and archived, and
	// what comes while it is is late.
	loadAge = 3 * 24 * time.Hour

	stepPatience = 40 * time.Second // how long a step may take; more is a failure
)

// clusterBed is a cluster and its surroundings: PostgreSQL and its copy, three nodes with HAProxy before
// them, devices that publish through it, a device whose readings open and close alarms, and a mail server.
type clusterBed struct {
	options  *ClusterOptions
	dir      string
	pair     *pgpair.Pair
	nodes    []*clusterNode
	balancer *haproxy.Process
	world    *testbed // its server is whichever node is asked
	acks     *ackWatch
	page     *clusterPage
	probe    bench.Device // publishes nothing but what a fault sends
	load     *bench.Load
	repeated int // mails that came again so far
	began    time.Time
}

// openClusterBed starts everything, with the first node leading and the others joined to it.
func openClusterBed(ctx context.Context, o *ClusterOptions) (_ *clusterBed, err error) {
	b := &clusterBed{options: o, acks: newAckWatch(loadDevices), began: time.Now()}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.logs(), b.close())
		}
	}()
	if b.dir, err = os.MkdirTemp(o.Dir, "c"); err != nil {
		return b, err
	}
	if err := os.Chmod(b.dir, 0o755); err != nil { // PostgreSQL may run as another user
		return b, err
	}
	if b.pair, err = pgpair.Start(ctx, pgpair.Options{Dir: filepath.Join(b.dir, "pg"), Fsync: o.Fsync}); err != nil {
		return b, err
	}
	mail, err := newMailServer(ctx)
	if err != nil {
		return b, err
	}
	tenant := bench.NewTenant(2+loadDevices, 2)
	tenant.Guests = []string{"guest"}
	b.world = &testbed{mail: mail, server: &bench.Server{Target: bench.Target{Tenant: tenant}}}
	b.world.alarms = alarmDevice{bed: b.world, device: tenant.Devices[0], property: tenant.Properties[0]}
	b.probe = tenant.Devices[1]
	loaded := tenant
	loaded.Devices = tenant.Devices[2:]
	b.load, err = bench.NewLoad(bench.Options{
		Connections: loadDevices, Window: clusterWindow, Protocol: 4, Age: loadAge,
	}, loaded)
	if err != nil {
		return b, err
	}
	if err := b.makeNodes(mail); err != nil {
		return b, err
	}
	if err := b.startBalancer(ctx); err != nil {
		return b, err
	}
	return b, b.startNodes(ctx, tenant)
}

func (b *clusterBed) makeNodes(mail *countingMailServer) error {
	token := cryptorand.Text() + cryptorand.Text() // a provider's token must be longer than a device's secret
	args := append(limitless(mail), "--mqtt-per-address", "10000")
	inDir := *b.options
	inDir.Dir = b.dir
	for i := range clusterNodes {
		n, err := newClusterNode(&inDir, b.pair, fmt.Sprintf("n%d", i+1), token, args)
		if err != nil {
			return err
		}
		b.nodes = append(b.nodes, n)
	}
	return nil
}

// startBalancer starts HAProxy before the nodes.
func (b *clusterBed) startBalancer(ctx context.Context) (err error) {
	o := haproxy.Options{Dir: b.dir}
	for _, n := range b.nodes {
		o.Nodes = append(o.Nodes, haproxy.Node{Name: n.name, HTTP: n.http, MQTT: n.mqtt, Admin: n.admin})
	}
	b.balancer, err = haproxy.Start(ctx, o)
	return err
}

// startNodes starts the first node with a tenant, and joins the others.
func (b *clusterBed) startNodes(ctx context.Context, tenant bench.Tenant) error {
	first := b.nodes[0]
	if err := first.start(ctx); err != nil {
		return err
	}
	if _, err := b.awaitLeader(ctx, nil); err != nil {
		return err
	}
	file, err := tenant.File()
	if err != nil {
		return err
	}
	if err := apply(ctx, "http://"+b.balancer.Admin, first.token, file); err != nil {
		return err
	}
	for _, n := range b.nodes[1:] {
		if err := n.join(ctx, b.balancer); err != nil {
			return err
		}
		if err := n.start(ctx); err != nil {
			return err
		}
	}
	b.askAt(first)
	if err := b.world.alarms.armMails(ctx); err != nil {
		return err
	}
	if b.page, err = openPage(ctx, b.balancer.HTTP, tenant); err != nil {
		return err
	}
	return b.awaitWhole(ctx)
}

// close ends everything, and keeps what went wrong.
func (b *clusterBed) close() error {
	var err error
	if b.page != nil {
		b.page.close()
	}
	if b.balancer != nil {
		b.balancer.Close()
	}
	for _, n := range b.nodes {
		err = errors.Join(err, n.close())
	}
	if b.world != nil {
		err = errors.Join(err, b.world.mail.close())
	}
	if b.pair != nil {
		err = errors.Join(err, b.pair.Stop())
	}
	return errors.Join(err, os.RemoveAll(b.dir))
}

// logs is an error with the newest lines of all nodes, for whoever looks for the cause of another.
func (b *clusterBed) logs() error {
	var all strings.Builder
	for _, n := range b.nodes {
		state := "runs"
		if !n.runs() {
			state = fmt.Sprintf("has ended: %v", n.err)
		}
		fmt.Fprintf(&all, "--- %s %s; the end of its log\n%s\n", n.name, state, n.log)
	}
	return errors.New(all.String())
}

// askAt makes calls of people go to the node that leads, and reads the figures of a node.
func (b *clusterBed) askAt(n *clusterNode) {
	b.world.server.Console = "http://" + b.balancer.HTTP
	b.world.server.MetricsURL = "http://" + n.admin + "/metrics"
}

// leader returns the node that says it leads; nil: none does.
func (b *clusterBed) leader(ctx context.Context) *clusterNode {
	for _, n := range b.nodes {
		if n.runs() && n.leads(ctx) {
			return n
		}
	}
	return nil
}

// awaitLeader waits until a node leads that is not the one given, and HAProxy knows it.
func (b *clusterBed) awaitLeader(ctx context.Context, former *clusterNode) (leader *clusterNode, err error) {
	err = b.await(ctx, "another node to lead", func() (bool, error) {
		for _, n := range b.nodes {
			if n != former && n.runs() && n.leads(ctx) {
				leader = n
				return true, nil
			}
		}
		return false, nil
	})
	if err == nil {
		err = b.balancer.AwaitLeader(ctx)
	}
	return leader, err
}

// standbys returns the nodes that run and do not lead.
func (b *clusterBed) standbys(leader *clusterNode) (all []*clusterNode) {
	for _, n := range b.nodes {
		if n != leader && n.runs() {
			all = append(all, n)
		}
	}
	return all
}

func (b *clusterBed) await(ctx context.Context, what string, done func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, stepPatience)
	defer cancel()
	return waitFor(ctx, what, done)
}

// awaitWhole waits until every node runs, one leads, and the others have all that it has and could
// lead.
func (b *clusterBed) awaitWhole(ctx context.Context) error {
	var reason string
	err := b.await(ctx, "all nodes to be well", func() (bool, error) {
		reason = b.unwell(ctx)
		return reason == "", nil
	})
	if err != nil {
		return fmt.Errorf("%w: %s", err, reason)
	}
	return b.balancer.AwaitLeader(ctx)
}

// unwell says what awaitWhole waits for; empty: nothing.
func (b *clusterBed) unwell(ctx context.Context) string {
	leading := 0.0
	positions := map[float64]bool{}
	for _, n := range b.nodes {
		if !n.runs() {
			return n.name + " does not run"
		}
		if status, body, err := n.ask(ctx, "/readyz"); err != nil || status != http.StatusOK {
			return fmt.Sprintf("%s is not ready: %d %s %v", n.name, status, body, err)
		}
		for name, take := range map[string]func(v float64){
			"tilth_cluster_leads":    func(v float64) { leading += v },
			"tilth_cluster_position": func(v float64) { positions[v] = true },
		} {
			v, err := n.metric(ctx, name)
			if err != nil {
				return err.Error()
			}
			take(v)
		}
		if v, err := n.metric(ctx, "tilth_cluster_trouble"); err != nil || v != 0 {
			return fmt.Sprintf("%s could not lead (%v)", n.name, err)
		}
	}
	switch {
	case leading != 1:
		return fmt.Sprintf("%v nodes lead", leading)
	case len(positions) != 1:
		return fmt.Sprintf("the nodes have different positions: %v", positions)
	}
	return ""
}

// publish makes the devices publish until the caller calls stop, which waits until all that
// was sent is acknowledged.
func (b *clusterBed) publish(ctx context.Context) (stop func() error) {
	p := bench.Persistence{
		Addresses: []string{b.balancer.MQTT}, Every: clusterEvery, Patience: devicePatience, Pause: devicePause,
		Drain: stepPatience / 2, Acked: b.acks.acked,
	}
	b.acks.start()
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- b.load.Persist(ctx, p) }()
	return func() error { cancel(); return <-ended }
}

// storm sends readings that open and close alarms, until a node acknowledges them.
func (b *clusterBed) storm(ctx context.Context) error {
	s := &b.world.alarms
	payload := s.nextStorm()
	var last string
	err := b.await(ctx, "the readings of a storm to be acknowledged", func() (bool, error) {
		attempt, cancel := context.WithTimeout(ctx, devicePatience)
		defer cancel()
		status, body, err := s.sendTo(attempt, "http://"+b.balancer.HTTP, payload)
		switch last = fmt.Sprint(status, " ", body, err); {
		case err != nil, status == http.StatusServiceUnavailable, status == http.StatusBadGateway:
			time.Sleep(devicePause)
			return false, nil
		case status != http.StatusOK:
			return false, fmt.Errorf("the readings of a storm were answered with %d %s", status, body)
		}
		s.alarms += stormAlarms
		return true, nil
	})
	if err != nil {
		return fmt.Errorf("%w; the last answer: %s", err, last)
	}
	return nil
}

// awaitMails waits until some of the mails of a storm that was acknowledged now have arrived.
func (b *clusterBed) awaitMails(ctx context.Context, before int) error {
	moment := before + rand.IntN(stormAlarms*b.world.alarms.messagesPerAlarm-maxMailsInFlight)
	return b.await(ctx, "mails before a fault", func() (bool, error) {
		_, all := b.world.mail.counts()
		return all > moment, nil
	})
}

// verify compares all that was acknowledged with what the cluster has.
func (b *clusterBed) verify(ctx context.Context, r *ClusterRow) error {
	leader := b.leader(ctx)
	if leader == nil {
		return errors.New("nobody leads when everything is to be read back")
	}
	mailed, cancel := context.WithTimeout(ctx, stepPatience) // what has not arrived then counts as lost
	defer cancel()
	if err := b.awaitAllMails(mailed, leader); err != nil && mailed.Err() == nil {
		return err
	}
	b.world.alarms.compareMails(&r.Row)
	r.Repeated -= b.repeated // of earlier faults
	b.repeated += r.Repeated
	return errors.Join(
		b.world.alarms.checkNotices(ctx, &r.Row),
		b.verifyReadings(ctx, leader, r),
		b.verifyLog(ctx),
	)
}

// verifyLog makes certain that the log has every entry from its first to its newest: a node that is
// behind reads them all.
func (b *clusterBed) verifyLog(ctx context.Context) error {
	conn, err := b.pair.Primary().Connect(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }() // it only asked
	rows, err := conn.Query(ctx, "SELECT name FROM log_tables WHERE shard = 0 ORDER BY first_position")
	if err != nil {
		return err
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	var gaps []string
	last := int64(0)
	for _, table := range tables {
		rows, err := conn.Query(ctx, "SELECT position FROM "+table+" WHERE shard = 0 ORDER BY position")
		if err != nil {
			return err
		}
		positions, err := pgx.CollectRows(rows, pgx.RowTo[int64])
		if err != nil {
			return err
		}
		for _, at := range positions {
			if last != 0 && at != last+1 {
				gaps = append(gaps, fmt.Sprintf("%d after %d", at, last))
			}
			last = at
		}
	}
	if gaps != nil {
		return fmt.Errorf("the log has gaps: entry %s", strings.Join(gaps, ", "))
	}
	return nil
}

// awaitAllMails waits until every mail has arrived and the leader knows it.
func (b *clusterBed) awaitAllMails(ctx context.Context, leader *clusterNode) error {
	b.askAt(leader)
	return b.world.waitMails(ctx)
}

func (b *clusterBed) verifyReadings(ctx context.Context, leader *clusterNode, r *ClusterRow) error {
	b.askAt(leader)
	person, err := b.world.server.SignIn(ctx)
	if err != nil {
		return err
	}
	v, err := b.load.Verify(ctx, person)
	if err != nil {
		return err
	}
	r.Checked += v.Checked
	r.Lost += v.Lost
	if !v.OK() {
		return fmt.Errorf("read back from %s: %d values lost, %d wrong, %d never sent or stored twice; the first: %s",
			leader.name, v.Lost, v.Wrong, v.Extra, v.Example)
	}
	return nil
}
