package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tilth/workshop/haproxy"
)

const (
	// settleTime is how long both nodes run before the next take-over, so that the standby waits in the
	// queue and has no work of its start left.
	settleTime = 2 * time.Second
	// takeoverTimeout is how long a take-over may take.
	takeoverTimeout = 2 * time.Minute
)

// takeoverResult is how long nodes took to take over with a number of devices.
type takeoverResult struct {
	size    ClusterSize
	pairs   int // of a rule and a device
	filled  time.Duration
	kills   []time.Duration // from kill -9 of the leader to the first acknowledgement at the next one
	judged  []time.Duration // from kill -9 of the leader until the next one has evaluated a reading
	yields  []time.Duration // the longest time between two acknowledgements during a hand-over
	asked   []time.Duration // from tilth cluster yield to the first acknowledgement at the next leader
	checked *Verification
}

// takeovers lets two nodes take over from each other, with so many devices registered.
func (b *clusterBench) takeovers(ctx context.Context, size ClusterSize) (r *takeoverResult, err error) {
	r = &takeoverResult{size: size}
	began := time.Now()
	err = b.inFolder("takeover", func(dir string) error {
		return b.withDatabase(ctx, dir, func(url string) (err error) {
			tenants := clusterTenants(size.Devices, b.Values)
			tenant := tenants[0]
			token, pairs, err := b.fill(ctx, dir, url, tenants)
			if err != nil {
				return fmt.Errorf("fill: %w", err)
			}
			r.pairs = pairs
			p := &takeoverPair{bench: b, result: r}
			proxied := []string{"--proxy-protocol", "127.0.0.1/32"}
			if p.leader, err = b.newNode(dir, "node1", url, token, tenant, proxied...); err != nil {
				return err
			}
			if p.standby, err = b.newNode(dir, "node2", url, token, tenant, proxied...); err != nil {
				return err
			}
			if p.balancer, err = startBalancer(ctx, dir, p.leader, p.standby); err != nil {
				return err
			}
			defer p.balancer.Close()
			if err := p.leader.start(ctx); err != nil {
				return err
			}
			defer func() { err = errors.Join(err, p.leader.Stop()) }()
			if err := p.standby.join(ctx, p.leader); err != nil {
				return err
			}
			if err := p.standby.standBy(ctx, p.leader); err != nil {
				return err
			}
			defer func() { err = errors.Join(err, p.standby.Stop()) }()
			r.filled = time.Since(began)
			return p.run(ctx, url)
		})
	})
	return r, err
}

// startBalancer starts HAProxy before nodes.
func startBalancer(ctx context.Context, dir string, nodes ...*clusterNode) (*haproxy.Process, error) {
	o := haproxy.Options{Dir: dir}
	for _, n := range nodes {
		at := n.ports
		o.Nodes = append(o.Nodes, haproxy.Node{Name: n.name, HTTP: at.HTTP, MQTT: at.MQTT, Admin: at.Admin})
	}
	return haproxy.Start(ctx, o)
}

// takeoverPair are two nodes of which one leads.
type takeoverPair struct {
	bench           *clusterBench
	leader, standby *clusterNode
	balancer        *haproxy.Process
	probe           *clusterProbe
	result          *takeoverResult
}

func (p *takeoverPair) run(ctx context.Context, url string) error {
	p.probe = newClusterProbe(p.leader.Tenant, time.Now())
	for i := range 2 * p.result.size.Times {
		takeOver, name := p.kill, "killed"
		if i%2 == 1 {
			takeOver, name = p.handOver, "handed over"
		}
		if err := p.standby.awaitFollowing(ctx, p.leader); err != nil {
			return err
		}
		select {
		case <-time.After(settleTime):
		case <-ctx.Done():
			return ctx.Err()
		}
		took, err := p.takeOver(ctx, url, takeOver)
		if err != nil {
			return fmt.Errorf("%s %s: %w\n%s\n%s", p.leader.name, name, err, &p.leader.log, &p.standby.log)
		}
		p.bench.printf("%s devices, %s %s: %s until an acknowledgement\n",
			thousands(float64(p.result.size.Devices)), p.standby.name, name, short(took))
	}
	person, err := signIn(ctx, "http://"+p.balancer.HTTP, p.leader.Tenant)
	if err != nil {
		return err
	}
	if p.result.checked, err = p.probe.verify(ctx, person); err != nil {
		return err
	}
	if !p.result.checked.OK() {
		return fmt.Errorf("read back: %+v", *p.result.checked)
	}
	return nil
}

// takeOver publishes through HAProxy while f ends the leader's term, and exchanges their roles.
func (p *takeoverPair) takeOver(
	ctx context.Context,
	url string,
	f func(ctx context.Context, url string) (time.Duration, error),
) (took time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, takeoverTimeout)
	defer cancel()
	if err := p.probe.start(ctx, p.balancer.MQTT); err != nil {
		return 0, err
	}
	took, err = f(ctx, url)
	p.probe.stop()
	p.leader, p.standby = p.standby, p.leader
	if err == nil {
		err = p.leader.ready(ctx)
	}
	return took, err
}

// kill kills the leader, and starts it again once the other node leads.
func (p *takeoverPair) kill(ctx context.Context, _ string) (time.Duration, error) {
	began := time.Now()
	if err := p.leader.kill(); err != nil {
		return 0, err
	}
	first, _, err := p.probe.awaitNext(ctx, began)
	if err != nil {
		return 0, err
	}
	took := first.Sub(began)
	p.result.kills = append(p.result.kills, took)
	if err := p.standby.awaitEvaluation(ctx); err != nil {
		return 0, err
	}
	p.result.judged = append(p.result.judged, time.Since(began))
	return took, p.leader.launch(ctx)
}

// handOver asks the leader to hand over. It becomes a standby by itself.
func (p *takeoverPair) handOver(ctx context.Context, url string) (time.Duration, error) {
	began := time.Now()
	if err := p.leader.command(ctx, "cluster", "yield", "--database-url", url); err != nil {
		return 0, err
	}
	first, gap, err := p.probe.awaitNext(ctx, began)
	if err != nil {
		return 0, err
	}
	p.result.asked = append(p.result.asked, first.Sub(began))
	p.result.yields = append(p.result.yields, gap)
	return gap, nil
}
