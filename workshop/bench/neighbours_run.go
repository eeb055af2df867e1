package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// neighbourRun is a server with the victim and the attackers.
type neighbourRun struct {
	options *NeighbourOptions
	server  *Server
	victim  *victim
	people  []*console // signed in; start updates their addresses
}

// maxMemory is how much memory a server may take before it is killed: machines have no more to
// spare, and the limit is broken long before.
const maxMemory = 3 << 30

// startNeighbourRun starts a server with the victim and the other tenants. arrange may change the
// server's options.
func startNeighbourRun(
	ctx context.Context,
	o *NeighbourOptions,
	dir string,
	others []Tenant,
	arrange func(context.Context, *ServerOptions) error,
) (_ *neighbourRun, err error) {
	t := &neighbourRun{options: o, victim: newVictim()}
	data := filepath.Join(dir, "data")
	if err := os.Mkdir(data, 0o700); err != nil {
		return nil, err
	}
	file, err := fileOf(append([]Tenant{t.victim.tenant}, others...))
	if err != nil {
		return nil, err
	}
	own := ServerOptions{
		Binary: o.Binary, Dir: data, Tenant: t.victim.tenant, StartTimeout: o.Size.StartTimeout,
		Apply: func(ctx context.Context, admin, token string, _ []byte) error {
			return o.Apply(ctx, admin, token, file)
		},
	}
	if err := arrange(ctx, &own); err != nil {
		return nil, err
	}
	if t.server, err = Start(ctx, own); err != nil {
		return nil, err
	}
	if err := t.victim.setUp(ctx, t.server.Target); err != nil {
		return nil, errors.Join(err, t.server.Stop())
	}
	t.people = append(t.people, t.victim.person)
	return t, nil
}

// close ends the server, unless it has ended: with SIGTERM, or with SIGKILL where it may be busy
// for minutes.
func (t *neighbourRun) close(orderly bool) error {
	select {
	case <-t.server.ended: // the code that ended it reported errors
		return nil
	default:
	}
	if orderly {
		return t.server.Stop()
	}
	return t.server.Kill()
}

// signIn signs a tenant's user in.
func (t *neighbourRun) signIn(ctx context.Context, w Tenant) (*console, error) {
	c, err := signIn(ctx, t.server.Console, w)
	if err == nil {
		t.people = append(t.people, c)
	}
	return c, err
}

// start starts a server that has ended, and gives the signed-in people its new address.
func (t *neighbourRun) start(ctx context.Context) error {
	if err := t.server.start(ctx); err != nil {
		return err
	}
	for _, c := range t.people {
		c.base = t.server.Console
	}
	return nil
}

// copyRules stops the server, writes copies of rules into its folder, and starts it.
func (t *neighbourRun) copyRules(ctx context.Context, copies []RuleCopies) error {
	return t.whileStopped(ctx, func() error { return t.options.CopyRules(ctx, t.server.Dir, copies) })
}

// whileStopped stops the server, calls do, which may change its folder, and starts it.
func (t *neighbourRun) whileStopped(ctx context.Context, do func() error) error {
	if err := t.server.Stop(); err != nil {
		return err
	}
	if err := do(); err != nil {
		return err
	}
	return t.start(ctx)
}

// watchMemory measures the server's memory from now on. The returned function ends that and returns
// the most that was measured. watchMemory kills a server that takes more than maxMemory.
func (t *neighbourRun) watchMemory(ctx context.Context) func() (int64, error) {
	ctx, stop := context.WithCancel(ctx)
	var most int64
	ended := make(chan error, 1)
	go func() {
		ended <- func() error {
			tick := time.NewTicker(listEvery)
			defer tick.Stop()
			for {
				now, err := residentMemory(t.server.PID)
				if err != nil {
					return fmt.Errorf("read the server's memory: %w", err)
				}
				if most = max(most, now); now > maxMemory {
					return errors.Join(fmt.Errorf("the server took %s of memory and was killed", mebibytes(now)), t.server.Kill())
				}
				select {
				case <-tick.C:
				case <-ctx.Done():
					return nil
				}
			}
		}()
	}()
	return func() (int64, error) {
		stop()
		err := <-ended
		return most, err
	}
}
