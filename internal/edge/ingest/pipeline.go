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

// itemWeight is what an accepted message counts in the queue besides its
// payload: its frames, refusals and answer.
const itemWeight = 512

const (
	// Where many publish at once, each for an answer of its own, a commit is
	// worth waiting for: one of few messages costs almost as much as one of
	// hundreds. A device that publishes alone never waits.
	gatherThreshold = 16                   // messages of the newest commit from which on it is worth it
	gatherDelay     = 2 * time.Millisecond // from the first message on
	gatherLimit     = 1024                 // messages with which it ends at once
)

// Pipeline takes messages from the connections, commits what waits in one
// batch after the other (while one is written the next gathers) and answers
// after the commit, in the order in which messages were submitted.
type Pipeline struct {
	opts    Options
	decoder decoder
	gate    *gate
	stats   *counters

	capacity *semaphore.Weighted // bytes that may wait; who waits for room is served in turn

	mu       sync.Mutex
	more     *sync.Cond // enough waits, gathering has lasted long enough, or closed
	waiting  []item
	spare    []item // the room of a batch that was answered
	enough   int    // how many waiting messages the committing goroutine is woken for
	gathered bool
	closed   bool

	ctx      context.Context // ends when Close gives up
	giveUp   context.CancelFunc
	finished chan struct{}
	flushers *ackFlushers

	// writing is held while a batch is looked through for devices that are gone and
	// written.
	writing sync.Mutex

	// Of the committing goroutine.
	lastBatchSize  int         // messages of the newest batch
	gather         *time.Timer // ends gathering
	failing        bool        // the newest commit failed
	reportedErrors reportedErrors

	dirty []*writeBuffer // of the answering goroutine: what the batch left something in
}

// item is an accepted message.
type item struct {
	messageContent
	weight    int64
	done      func(Outcome) // nil: conn is answered
	recompute *recompute    // nil: a message

	conn *conn
	id   uint16 // of the packet
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
	}
	o.Registry.OnStructureChange(p.decoder.clock.sweep)
	p.gate = newGate(o, p.stats)
	p.more = sync.NewCond(&p.mu)
	p.gather = time.AfterFunc(gatherDelay, p.stopGathering)
	p.gather.Stop()
	p.ctx, p.giveUp = context.WithCancel(context.Background())
	go p.run()
	return p
}

// Stats is what the edge has counted so far.
func (p *Pipeline) Stats() Stats { return p.stats.snapshot() }

// Submit decodes a message and hands it over. It waits while too much is
// waiting for the disk. done is called exactly once when Submit returns nil,
// after the commit, messages of one caller in their order; it must not block.
// An error (of ctx, or ErrClosed) means that nothing was accepted.
func (p *Pipeline) Submit(ctx context.Context, m Message, done func(Outcome)) error {
	return p.submit(ctx, m, item{done: done})
}

func (p *Pipeline) submit(ctx context.Context, m Message, it item) error {
	p.decode(&it.messageContent, m)
	it.weight = min(int64(itemWeight+len(m.Payload)), int64(p.opts.QueueBytes))
	if p.opts.Admit != nil && len(it.arrivals) > 0 {
		// Before it takes room that others share.
		if err := p.opts.Admit(ctx, m.Entry.Tenant); err != nil {
			return err
		}
	}
	return p.enqueue(ctx, it)
}

// enqueue waits for room for an item, and leaves it to be committed.
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

// memoryPollInterval is how often it is looked whether there is memory again.
const memoryPollInterval = 100 * time.Millisecond

// waitForMemory waits while there is too little memory to take anything in. What
// waits is not accepted yet, so nothing of it can be lost.
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

// decode makes frames and refusals of a message. What arrived is contact,
// whatever it holds.
func (p *Pipeline) decode(c *messageContent, m Message) {
	p.opts.Presence.SeenAt(m.Entry.Ref, m.At)
	gateway := m.Kind == GatewayTelemetry || m.Kind == GatewayConnect || m.Kind == GatewayDisconnect
	switch {
	case gateway && !m.Entry.Gateway:
		c.refuse(m, "", device.ReasonNotGateway)
	case m.Kind == Telemetry:
		p.decoder.decodeOwn(c, m.Entry, m.Payload, m.At)
	case m.Kind == GatewayTelemetry:
		p.decoder.decodeGateway(c, m.Entry, m.Payload, m.At)
		for i := range c.parts[1:] {
			p.opts.Presence.SeenAt(c.parts[1+i].ref, m.At)
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

// gatewayPresence takes a gateway's word that one of its devices came or went.
func (p *Pipeline) gatewayPresence(c *messageContent, m Message) {
	var named struct {
		Device string `json:"device"`
	}
	if err := json.Unmarshal(m.Payload, &named); err != nil || named.Device == "" {
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
	} else {
		p.opts.Presence.Gone(child.Ref)
	}
}

// run commits batches until the pipeline is closed and empty. Another goroutine
// answers them, so that the disk need not wait for the network.
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
		committed <- commit{batch, p.write(batch)}
	}
}

// commit is a batch that was written, or was not because of an error.
type commit struct {
	batch []item
	err   error
}

// nextBatch waits for messages and takes what is there, up to a batch; nil when the
// pipeline is closed and empty.
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
	for n < len(p.waiting) && (n == 0 || p.waiting[n].recompute == nil && frames+len(p.waiting[n].arrivals) <= p.opts.BatchFrames) {
		frames += len(p.waiting[n].arrivals)
		n++
		if p.waiting[n-1].recompute != nil {
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

// waitForMore gathers. Callers hold the lock.
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

// WaitCommitted waits until nothing is being written any more that was looked for in
// the registry before: of a device that was taken out of it nothing more comes.
func (p *Pipeline) WaitCommitted() {
	p.writing.Lock()
	defer p.writing.Unlock()
}

// write makes a batch's frames durable. A batch that brought none needs no disk.
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
	var deriving []*device.Entry // by arrival; nil while nothing is derived from any
	for i := range batch {
		for _, a := range batch[i].arrivals {
			// A device deleted while its message waited gets no readings
			// behind the erasure of the others.
			e := p.opts.Registry.Get(a.Device)
			if e == nil {
				continue
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
	p.noteCommit(err)
	return err
}

// answerBatch tells every sender of a batch what became of its message. One that
// brought no frames needed no disk, so a failure does not concern it.
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

// reuse lets the room of a batch be used again, unless it is an exceptional one.
func (p *Pipeline) reuse(batch []item) {
	clear(batch)
	p.mu.Lock()
	defer p.mu.Unlock()
	if cap(batch) > cap(p.spare) && cap(batch) <= 2*p.opts.BatchFrames {
		p.spare = batch[:0]
	}
}

// noteCommit counts commits and tells the log once when they begin to fail and once
// when they work again.
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

// recordOutcome enters what a message brought in the diagnostics, so that nothing
// vanishes in silence.
func (p *Pipeline) recordOutcome(it *item) Outcome {
	var o Outcome
	for i := range it.parts {
		part := &it.parts[i]
		p.opts.Diagnostics.Count(part.ref, part.at, part.values, part.refusals, part.clockAhead())
		for _, r := range part.refusals {
			p.stats.refused[r.Reason].Add(1)
		}
		if o.Refused == 0 && len(part.refusals) > 0 {
			o.FirstRefusal = part.refusals[0]
		}
		o.Values += part.values
		o.Refused += len(part.refusals)
	}
	p.stats.messages.Add(1)
	p.stats.values.Add(uint64(o.Values))
	return o
}

// Close takes no more messages, finishes what was accepted and answers it. When
// ctx ends first, what is still waiting is answered as failed and ctx's error
// returned.
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
