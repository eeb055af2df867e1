package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"
)

// NeighbourOptions are the options of a run in which tenants attack the server that they share with
// another tenant, the victim.
type NeighbourOptions struct {
	Binary string // path of tilth
	Dir    string // an existing folder for all files
	Out    io.Writer
	Only   []string // names of attacks; none: all
	Size   NeighbourSize
	// Apply hands a provider's file to the server with this admin address.
	Apply func(ctx context.Context, admin, token string, file []byte) error
	// CopyRules writes copies of rules into a folder that no server has open.
	CopyRules func(ctx context.Context, dir string, copies []RuleCopies) error
	// FillTenant fills a tenant of such a folder.
	FillTenant func(ctx context.Context, dir string, c TenantFill) error
}

// NeighbourSize is the size of the attacks.
type NeighbourSize struct {
	Quiet         time.Duration // how long the victim is measured without an attack
	Attack        time.Duration // how long each attack lasts
	Brief         time.Duration // how long attacks last whose whole effect shows at once
	Patience      time.Duration // how long the run waits for late notices and a late evaluation
	StartTimeout  time.Duration // how long a start may take
	Readers       int           // slow readers
	DenseMessages int           // messages of lateBatch readings that they read
	Rules         int           // rules of the attackers' device
	OlderRules    int           // rules of that device in an older version's folder
	Tenants       int           // tenants in the folder of the attack "starting"
	Devices       int           // devices of each of these tenants
	Running       int           // running rules of each of them, beside OlderRules of the attackers' device
	Backlog       int           // messages of lateBatch readings that are not evaluated at that start
	Swings        int           // values in the message in which every swing is a notice
	StormDevices  int           // devices whose alarms open at once, each with mailsEach mails
	OldMessages   int           // messages of the crowded tenant past their retention
	Unread        int           // unread messages of the crowded tenant
	OpenNotices   int           // open notices of the crowded tenant, a multiple of crowdRules
	// Rehearsers is how many clients rehearse rules at the same time; Screens is how many live
	// streams one session opens.
	Rehearsers, Screens int
	// Bodies is how many large bodies are sent at the same time, HeldBodies how many besides are
	// held without their last byte.
	Bodies, HeldBodies int
	// Slack is what a page may take beside one and a half times its time before the attack: on two
	// processors a call sometimes waits for another to release one (docs/benchmarks.md). A second
	// or two are too short to measure a 95th percentile.
	Slack time.Duration
}

// NeighbourRun and NeighbourSample are the sizes of `make neighbours` and of the part of it in
// `make prove`.
var (
	NeighbourRun = NeighbourSize{
		Quiet:         30 * time.Second,
		Attack:        30 * time.Second,
		Brief:         30 * time.Second,
		Patience:      3 * time.Minute,
		StartTimeout:  6 * time.Minute,
		Readers:       300,
		DenseMessages: 190,
		Rules:         200,
		OlderRules:    1000,
		Tenants:       50,
		Devices:       2000,
		Running:       400,
		Backlog:       60,
		Swings:        lateBatch,
		StormDevices:  400,
		OldMessages:   1_000_000,
		Unread:        100_000,
		OpenNotices:   20_000,
		Rehearsers:    200,
		Screens:       4000,
		Bodies:        150,
		HeldBodies:    1500,
		Slack:         20 * time.Millisecond,
	}
	NeighbourSample = NeighbourSize{
		Quiet:         3 * time.Second,
		Attack:        3 * time.Second,
		Brief:         1500 * time.Millisecond,
		Patience:      20 * time.Second,
		StartTimeout:  20 * time.Second,
		Readers:       60,
		DenseMessages: 20,
		Rules:         200,
		OlderRules:    250,
		Tenants:       2,
		Devices:       1000,
		Running:       200,
		Backlog:       8,
		Swings:        200,
		StormDevices:  20,
		OldMessages:   20_000,
		Unread:        5000,
		OpenNotices:   400,
		Rehearsers:    50,
		Screens:       200,
		Bodies:        60,
		HeldBodies:    150,
		Slack:         200 * time.Millisecond,
	}
)

// RuleCopies asks for copies of a tenant's rule: so many for each of the devices, running since a
// time.
type RuleCopies struct {
	Tenant  string
	Rule    int64
	Devices []string
	Each    int
	Since   time.Time
}

// neighbourValues is how many properties the devices have.
const neighbourValues = 5

// attack is one way to take more than a fair share. A new attack is a type and an entry in attacks.
type attack interface {
	// tenants returns the tenants that it needs beside the victim.
	tenants() []Tenant
	// prepare is called after the victim is set up; it may restart the server.
	prepare(ctx context.Context, t *neighbourRun, r *NeighbourRow) error
	// run attacks until ctx ends.
	run(ctx context.Context, t *neighbourRun, r *NeighbourRow) error
	// compare checks what the server has of the attackers against what it acknowledged, and their
	// notices against the reference.
	compare(ctx context.Context, t *neighbourRun, r *NeighbourRow) error
}

// serverSetup is an attack that changes how its server is started.
type serverSetup interface {
	// setUp is called before the server starts.
	setUp(ctx context.Context, o *ServerOptions) error
	// tearDown is called after it has ended.
	tearDown() error
}

// quietAttack is the name of the row without an attack, with which the others are compared.
const quietAttack = "quiet"

var attacks = []struct {
	name  string
	make  func(s NeighbourSize) attack
	lasts func(s NeighbourSize) time.Duration
}{
	{quietAttack, func(NeighbourSize) attack { return noAttack{} }, quietTime},
	{"slow readers", func(s NeighbourSize) attack { return newSlowReaders(s) }, attackTime},
	{"late readings", func(s NeighbourSize) attack { return newLateReadings(s.Rules) }, attackTime},
	{
		"late readings in an older folder",
		func(s NeighbourSize) attack { return newLateReadings(s.OlderRules) },
		attackTime,
	},
	{"stamped ahead", func(NeighbourSize) attack { return newStampedAhead() }, attackTime},
	{"starting", func(s NeighbourSize) attack { return newStarting(s) }, attackTime},
	{"a value that swings", func(NeighbourSize) attack { return newSwings(0, noticesAnHour) }, briefTime},
	{"every swing a notice", func(s NeighbourSize) attack { return newSwings(s.Swings, 0) }, briefTime},
	{"a storm of mail", func(s NeighbourSize) attack { return newMailStorm(s) }, briefTime},
	{"heavy calls", func(s NeighbourSize) attack { return newRehearsers(s) }, briefTime},
	{"live streams", func(s NeighbourSize) attack { return newManyScreens(s) }, briefTime},
	{"stale loggers", func(NeighbourSize) attack { return newStale() }, briefTime},
	{"guessing", func(NeighbourSize) attack { return newGuessing() }, briefTime},
	{"large bodies in 512 MiB", func(s NeighbourSize) attack { return newLargeBodies(s, 512<<20) }, attackTime},
	{"large bodies in 1 GiB", func(s NeighbourSize) attack { return newLargeBodies(s, 1<<30) }, attackTime},
	{"large bodies in 2 GiB", func(s NeighbourSize) attack { return newLargeBodies(s, 2<<30) }, attackTime},
	{"rights taken away", func(NeighbourSize) attack { return newTakenRights() }, briefTime},
	{"a flood of guesses", func(NeighbourSize) attack { return newFlood() }, briefTime},
	{"look-ups", func(NeighbourSize) attack { return newLookUps() }, briefTime},
	{"a crowded tenant", func(s NeighbourSize) attack { return newCrowded(s) }, briefTime},
}

func quietTime(s NeighbourSize) time.Duration  { return s.Quiet }
func attackTime(s NeighbourSize) time.Duration { return s.Attack }
func briefTime(s NeighbourSize) time.Duration  { return s.Brief }

// NeighbourAttacks returns the names that Only may contain.
func NeighbourAttacks() []string {
	var names []string
	for _, a := range attacks[1:] {
		names = append(names, a.name)
	}
	return names
}

// RunNeighbours runs the attacks one after the other, each against a server of its own, prints the
// table, and returns an error if a promise was broken.
func RunNeighbours(ctx context.Context, o NeighbourOptions) error {
	for _, name := range o.Only {
		if !slices.Contains(NeighbourAttacks(), name) {
			return fmt.Errorf("no attack is called %q", name)
		}
	}
	var rows []NeighbourRow
	for _, a := range attacks {
		if a.name != quietAttack && len(o.Only) > 0 && !slices.Contains(o.Only, a.name) {
			continue
		}
		fmt.Fprintf(o.Out, "%s …\n", a.name)
		began := time.Now()
		r := NeighbourRow{Attack: a.name, Limits: defaultLimits}
		if err := o.runAttack(ctx, a.make(o.Size), a.lasts(o.Size), &r); err != nil {
			r.Failed = errors.Join(r.Failed, err)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		rows = append(rows, r)
		rows[len(rows)-1].printSummary(o.Out, &rows[0], time.Since(began))
	}
	err := PrintNeighbours(o.Out, rows)
	broken := 0
	for i := range rows {
		if len(rows[i].Violations(&rows[0])) > 0 {
			broken++
		}
	}
	if broken > 0 {
		err = errors.Join(err, fmt.Errorf("%d of %d rows are not within their limits", broken, len(rows)))
	}
	return err
}

// runAttack runs an attack in a folder of its own.
func (o *NeighbourOptions) runAttack(
	ctx context.Context,
	a attack,
	duration time.Duration,
	r *NeighbourRow,
) (err error) {
	dir, err := os.MkdirTemp(o.Dir, "attack-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	arrange := func(context.Context, *ServerOptions) error { return nil }
	if own, ok := a.(serverSetup); ok {
		arrange = own.setUp
		defer func() { err = errors.Join(err, own.tearDown()) }()
	}
	t, err := startNeighbourRun(ctx, o, dir, a.tenants(), arrange)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.close(err == nil && len(r.Violations(r)) == 0)) }()
	if err := a.prepare(ctx, t, r); err != nil {
		return fmt.Errorf("before the attack: %w", err)
	}
	attacking, stop := context.WithCancel(ctx)
	defer stop()
	attacked := make(chan error, 1)
	endWatch := t.watchMemory(ctx)
	go func() { attacked <- a.run(attacking, t, r) }()
	time.AfterFunc(duration, stop) // measuring the victim may take longer than the attack
	n, err := t.victim.measure(ctx, t.server.Target, duration, o.Size.Patience)
	stop()
	err = errors.Join(err, <-attacked)
	r.setVictim(n)
	memory, e := endWatch()
	r.Memory = max(r.Memory, memory)
	if err = errors.Join(err, e); err != nil {
		return err
	}
	return errors.Join(t.victim.compare(ctx, o.Size.Patience, r), a.compare(ctx, t, r))
}

// noAttack does nothing.
type noAttack struct{}

func (noAttack) tenants() []Tenant                                           { return nil }
func (noAttack) prepare(context.Context, *neighbourRun, *NeighbourRow) error { return nil }
func (noAttack) run(context.Context, *neighbourRun, *NeighbourRow) error     { return nil }
func (noAttack) compare(context.Context, *neighbourRun, *NeighbourRow) error { return nil }
