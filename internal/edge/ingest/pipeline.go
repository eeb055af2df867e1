package ingest

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/platform/memory"
)

// itemWeight is what an accepted message counts in the queue besides its payload: for its frames,
// refusals and answer.
const itemWeight = 512

const (
	// If many clients publish, each waiting for its answer, it pays to delay a commit: one of few
	// messages costs almost as much as one of hundreds. A device that publishes alone never waits.
	gatherThreshold = 16                   // messages of the previous commit from which on gathering pays
	gatherDelay     = 2 * time.Millisecond // maximum delay
	gatherLimit     = 1024                 // messages with which gathering ends at once
)

// Pipeline accepts messages from the connections, commits them in batches, one after the other
// (while one is written the next gathers), and answers after the commit, in the order in which
// messages were submitted.
type Pipeline struct {
	opts    Options
	decoder decoder
	gate    *gate
	stats   *counters

	capacity *semaphore.Weighted // bytes that may wait; callers that wait for room are served in order

	mu       sync.Mutex
	more     *sync.Cond // there is enough to commit, gathering ended, or the pipeline closed
	waiting  []item
	spare    []item // the memory of an answered batch
	enough   int    // how many waiting messages wake the committing goroutine
	gathered bool
	closed   bool

	ctx      context.Context // ends when Close gives up
	giveUp   context.CancelFunc
	finished chan struct{}
	flushers *ackFlushers

	// writing is held from the moment a batch is checked for deleted devices until it is written.
	writing sync.Mutex

	// Used by the committing goroutine.
	lastBatchSize  int         // messages of the previous batch
	gather         *time.Timer // ends gathering
	failing        bool        // the previous commit failed
	reportedErrors reportedErrors
	gauges         heldGauges

	dirty []*writeBuffer // used by the answering goroutine: buffers with answers of the batch
}

// item is an accepted message.
type item struct {
	messageContent
	weight    int64
	done      func(Outcome) // nil: the answer goes to conn
	recompute *recompute    // nil: the item is a message

	conn *conn
	id   uint16 // packet identifier
	qos  byte
}

// NewPipeline makes a pipeline and starts committing; Close ends it.
func NewPipeline(o Options) *Pipeline {
	o.setDefaults()
	p := &Pipeline{
		opts:     o,
		decoder:  decoder{registry: o.Registry, retention: o.Retention, clock: arrivalClock{registry: o.Registry}},
		stats:    newCounters(),
		capacity: semaphore.NewWeighted(int64(o.QueueBytes)),
		finished: make(chan struct{}),
		flushers: newAckFlushers(),
		enough:   1,
		gauges:   heldGauges{},
	}
	p.gate = newGate(o, p.stats)
	p.more = sync.NewCond(&p.mu)
	p.gather = time.AfterFunc(gatherDelay, p.stopGathering)
	p.gather.Stop()
	p.ctx, p.giveUp = context.WithCancel(context.Background())
	go p.run()
	return p
}

// StructureChanged forgets what is known of devices that are gone.
func (p *Pipeline) StructureChanged() { p.decoder.clock.sweep() }

// Stats is what the edge has counted so far.
func (p *Pipeline) Stats() Stats { return p.stats.snapshot() }

// Submit decodes a message and queues it. It waits while too much waits for the disk. If Submit
// returns nil, done is called exactly once, after the commit, and for one caller in the order of
// its messages; done must not block. An error (of ctx, or ErrClosed) means that nothing was
// accepted.
func (p *Pipeline) Submit(ctx context.Context, m Message, done func(Outcome)) error {
	return p.submit(ctx, m, item{done: done})
}

func (p *Pipeline) submit(ctx context.Context, m Message, it item) error {
	p.decode(&it.messageContent, m)
	it.weight = min(int64(itemWeight+len(m.Payload)), int64(p.opts.QueueBytes))
	if p.opts.Admit != nil && len(it.arrivals) > 0 {
		// Wait before taking capacity that others share.
		if err := p.opts.Admit(ctx, m.Entry.Tenant); err != nil {
			return err
		}
	}
	return p.enqueue(ctx, it)
}

// enqueue waits for capacity for an item, and queues it for the commit.
func (p *Pipeline) enqueue(ctx context.Context, it item) error {
	if err := p.waitForMemory(ctx); err != nil {
		return err
	}
	if err := p.capacity.Acquire(ctx, it.weight); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		p.capacity.Release(it.weight)
		return ErrClosed
	}
	p.waiting = append(p.waiting, it)
	p.stats.waiting.Add(1)
	if len(p.waiting) >= p.enough {
		p.more.Signal()
	}
	return nil
}

// memoryPollInterval is how often the pipeline checks whether there is memory again.
const memoryPollInterval = 100 * time.Millisecond

// waitForMemory waits while memory is short. A waiting message is not accepted yet, so nothing can
// be lost.
func (p *Pipeline) waitForMemory(ctx context.Context) error {
	if !p.opts.Memory.Refuse(memory.Intake) {
		return nil
	}
	again := time.NewTicker(memoryPollInterval)
	defer again.Stop()
	for p.opts.Memory.IsShort(memory.Intake) {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-again.C:
		}
		p.mu.Lock()
		closed := p.closed
		p.mu.Unlock()
		if closed {
			return ErrClosed
		}
	}
	return nil
}

// decode decodes a message into frames and refusals. Any message counts as a contact of its device,
// whatever it holds.
func (p *Pipeline) decode(c *messageContent, m Message) {
	p.opts.Presence.SeenAt(m.Entry.Ref, m.At)
	p.opts.Traces.NoteReporter(m.Entry.Ref, 0)
	gateway := m.Kind == GatewayTelemetry || m.Kind == GatewayConnect || m.Kind == GatewayDisconnect
	switch {
	case gateway && !m.Entry.Gateway:
		c.refuse(m, "", device.ReasonNotGateway)
	case m.Kind == Telemetry:
		p.decoder.decodeOwn(c, m.Entry, m.Payload, m.At)
	case m.Kind == StationReport:
		p.decoder.decodeReport(c, m.Entry, m.Payload, m.At)
	case m.Kind == Uplink:
		p.decoder.decodeUplink(c, m.Entry, m.uplink, m.At)
	case m.Kind == GatewayTelemetry:
		p.decoder.decodeGateway(c, m.Entry, m.Payload, m.At)
		for i := range c.parts[1:] {
			p.opts.Presence.SeenAt(c.parts[1+i].ref, m.At)
			p.opts.Traces.NoteReporter(c.parts[1+i].ref, m.Entry.ID)
		}
	case gateway:
		p.gatewayPresence(c, m)
	case m.Kind == Ignored:
		c.parts = append(c.parts, deviceContent{ref: m.Entry.Ref, at: m.At})
	default:
		c.refuse(m, "", device.ReasonUnknownTopic)
	}
}

func (c *messageContent) refuse(m Message, identifier string, reason device.Reason) {
	c.parts = append(c.parts, deviceContent{ref: m.Entry.Ref, at: m.At})
	c.parts[0].refuse(identifier, reason)
}

// gatewayPresence notes that a gateway reports one of its devices as connected or disconnected.
func (p *Pipeline) gatewayPresence(c *messageContent, m Message) {
	var named struct {
		Device string `json:"device"`
	}
	text, ok := readableJSON(m.Payload)
	if !ok || json.Unmarshal(text, &named) != nil || named.Device == "" {
		c.refuse(m, "", device.ReasonUnreadable)
		return
	}
	child, reason := findChild(p.opts.Registry, m.Entry, named.Device)
	if child == nil {
		c.refuse(m, named.Device, reason)
		return
	}
	c.parts = append(c.parts, deviceContent{ref: m.Entry.Ref, at: m.At})
	if m.Kind == GatewayConnect {
		p.opts.Presence.SeenAt(child.Ref, m.At)
		p.opts.Traces.NoteReporter(child.Ref, m.Entry.ID)
	} else {
		p.opts.Presence.Gone(child.Ref)
	}
}

// run commits batches until the pipeline is closed and empty. Another goroutine answers them, so
// that the disk does not wait for the network.
func (p *Pipeline) run() {
	defer close(p.finished)
	defer p.flushers.close()
	committed := make(chan commit, 1)
	var answering sync.WaitGroup
	defer answering.Wait()
	defer close(committed)
	answering.Go(func() {
		for c := range committed {
			p.answerBatch(c)
		}
	})
	for {
		batch := p.nextBatch()
		if batch == nil {
			return
		}
		written := commit{batch, p.write(batch)}
		p.stats.batches.Add(1)
		committed <- written
	}
}

// commit is a batch with the result of writing it.
type commit struct {
	batch []item
	err   error
}

// nextBatch waits for messages and takes those that wait, up to a batch; nil if the pipeline is
// closed and empty.
func (p *Pipeline) nextBatch() []item {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.waiting) == 0 {
		if p.closed {
			return nil
		}
		p.more.Wait()
	}
	if p.lastBatchSize >= gatherThreshold {
		p.waitForMore()
	}
	n, frames := 0, 0
	for n < len(p.waiting) {
		next := &p.waiting[n]
		if n > 0 && (next.recompute != nil || frames+len(next.arrivals) > p.opts.BatchFrames) {
			break
		}
		frames += len(next.arrivals)
		n++
		if next.recompute != nil {
			break // it reads what is written, and so is a batch of its own
		}
	}
	batch := p.waiting[:n:n]
	if p.waiting = p.waiting[n:]; len(p.waiting) == 0 {
		p.waiting, p.spare = p.spare, nil
	}
	if batch[0].recompute == nil {
		p.lastBatchSize = n
	}
	return batch
}

// waitForMore gathers messages. Callers hold the lock.
func (p *Pipeline) waitForMore() {
	p.gathered, p.enough = false, gatherLimit
	p.gather.Reset(gatherDelay)
	for !p.gathered && !p.closed && len(p.waiting) < gatherLimit {
		p.more.Wait()
	}
	p.gather.Stop()
	p.enough = 1
}

func (p *Pipeline) stopGathering() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gathered = true
	p.more.Signal()
}

// WaitCommitted waits until no batch is being written that was checked against the registry before
// the call: after that, no more readings of a device that was removed from the registry are
// written.
func (p *Pipeline) WaitCommitted() {
	p.writing.Lock()
	defer p.writing.Unlock()
}

// write makes a batch's frames durable. A batch without frames needs no disk.
func (p *Pipeline) write(batch []item) error {
	p.writing.Lock()
	defer p.writing.Unlock()
	if batch[0].recompute != nil {
		return p.recompute(batch[0].recompute)
	}
	frames := 0
	for i := range batch {
		frames += len(batch[i].arrivals)
	}
	if frames == 0 {
		return nil
	}
	arrivals := make([]reading.Arrival, 0, frames)
	var deriving []*device.Entry // by arrival; nil while no device has derived values
	rain := rainGauges{newest: p.opts.Newest, held: p.gauges}
	for i := range batch {
		for _, a := range batch[i].arrivals {
			// A device that was deleted while its message waited gets no more readings after the
			// others were erased.
			e := p.opts.Registry.Get(a.Device)
			if e == nil {
				continue
			}
			if countersFrom(a.Fields) < len(a.Fields) {
				if reason := rain.derive(p.ctx, e, &a); reason != "" {
					batch[i].parts[0].refuse(device.Rainfall, reason)
				}
			}
			if len(a.Fields) == 0 {
				continue // nothing but a count that came late
			}
			arrivals = append(arrivals, a)
			if e.Derives() && p.opts.Derivation != nil {
				if deriving == nil {
					deriving = make([]*device.Entry, frames)
				}
				deriving[len(arrivals)-1] = e
			}
		}
	}
	if len(arrivals) == 0 {
		return nil
	}
	err := p.appendFrames(arrivals, deriving)
	if err == nil {
		rain.keep()
	}
	p.noteCommit(err)
	return err
}

// answerBatch answers every message of a batch. A message without frames needs no disk, so a failed
// commit does not affect it.
func (p *Pipeline) answerBatch(c commit) {
	batch := c.batch
	var weight int64
	for i := range batch {
		weight += batch[i].weight
	}
	p.capacity.Release(weight)
	p.stats.waiting.Add(-int64(len(batch)))
	for i := range batch {
		it := &batch[i]
		outcome := Outcome{}
		switch {
		case c.err != nil && (len(it.arrivals) > 0 || it.recompute != nil):
			outcome.Err = c.err
		case it.recompute == nil:
			outcome = p.recordOutcome(it)
		}
		if it.done != nil {
			it.done(outcome)
		} else if it.conn.acknowledge(it.qos, it.id, outcome) {
			p.dirty = append(p.dirty, it.conn.out)
		}
	}
	p.reuse(batch)
	p.flushers.flush(p.dirty)
	p.dirty = p.dirty[:0]
}

// reuse keeps the memory of a batch for later ones, unless it is exceptionally large.
func (p *Pipeline) reuse(batch []item) {
	clear(batch)
	p.mu.Lock()
	defer p.mu.Unlock()
	if cap(batch) > cap(p.spare) && cap(batch) <= 2*p.opts.BatchFrames {
		p.spare = batch[:0]
	}
}

// noteCommit counts commits, and logs once when they begin to fail and once when they succeed
// again.
func (p *Pipeline) noteCommit(err error) {
	if err == nil {
		p.stats.commits.Add(1)
	} else {
		p.stats.commitFailures.Add(1)
	}
	if p.failing == (err != nil) {
		return
	}
	if p.failing = err != nil; p.failing {
		p.opts.Logger.Error("readings cannot be written; devices are not answered and send again", "error", err)
	} else {
		p.opts.Logger.Info("readings are written again")
	}
}

// recordOutcome enters the content of a message in the diagnostics, so that no refusal goes
// unnoticed.
func (p *Pipeline) recordOutcome(it *item) Outcome {
	var o Outcome
	for i := range it.parts {
		part := &it.parts[i]
		p.opts.Diagnostics.Count(part.ref, part.at, part.values, part.refusals, part.clockAhead())
		if len(part.refusals) > 0 {
			p.opts.Hints.NoteRefusals(part.ref, part.refusals)
		}
		for _, r := range part.refusals {
			p.stats.refused[r.Reason].Add(1)
		}
		for _, r := range part.refusals {
			if r.Reason == device.ReasonNetworkClock {
				continue // nothing is lost
			}
			if o.Refused == 0 {
				o.FirstRefusal = r
			}
			o.Refused++
		}
		o.Values += part.values
	}
	p.stats.messages.Add(1)
	p.stats.values.Add(uint64(o.Values))
	return o
}

// Close accepts no more messages, and finishes and answers the accepted ones. If ctx ends first, it
// answers the waiting messages as failed and returns ctx's error.
func (p *Pipeline) Close(ctx context.Context) error {
	p.mu.Lock()
	p.closed = true
	p.more.Broadcast()
	p.mu.Unlock()
	select {
	case <-p.finished:
		p.giveUp()
		return nil
	case <-ctx.Done():
		p.giveUp()
		<-p.finished
		return ctx.Err()
	}
}
