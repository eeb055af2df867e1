package reading

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"tilth/internal/domain/device"
	"tilth/internal/platform/errs"
)

var (
	// ErrClosed is returned by every method once Close has begun.
	ErrClosed = errors.New("reading: the store is closed")
	// ErrBroken is wrapped by Append and Erase, in an errs.StorageFailure error, once a write to
	// the log has failed. It is then unknown what the disk holds of that batch, so the store writes
	// nothing more; the next start finds everything that was acknowledged before. The same holds for
	// an entry of which it is unknown whether the log of several nodes holds it (see Lead); the
	// error is an errs.Unavailable error then.
	ErrBroken = errors.New("reading: a write has failed, a restart is needed")
)

// Options says how a Store is opened; zero fields take the defaults.
type Options struct {
	Dir             string           // data folder, created if missing
	Retention       time.Duration    // how long readings are kept; default 400 days
	Now             func() time.Time // default time.Now
	RetentionClock  func() time.Time // time by which readings expire; default Now
	Logger          *slog.Logger     // default: discard
	OnBroken        func(error)      // called once, when nothing can be written any more; may be nil
	SealAfter       time.Duration    // how long after its end a day is sealed; default 1 h
	QueueBatches    int              // batches that Append may be ahead of the consumer; default 64
	QueueFrames     int              // frames of these batches together; default 32,768
	CheckpointEvery time.Duration    // between checkpoints of the latest values; default 15 s
	RetryWait       time.Duration    // before a batch is retried, doubled up to 64 times; default 100 ms
	JournalKeep     time.Duration    // how long a replicated store keeps evaluated entries; default 1 h
	CacheBytes      int64            // block cache; default 64 MiB
	Archive         ArchiveReader    // of the sealed days; nil: there is none
	Archiving       bool             // remember what is to be archived, on every node; see CopyToArchive

	fs            vfs.FS // tests: a disk that can crash; Dir is not created
	readOnly      bool   // Examine
	memTableBytes uint64 // tests: small, so that Pebble writes files
}

func (o *Options) setDefaults() {
	if o.Retention <= 0 {
		o.Retention = 400 * 24 * time.Hour
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.RetentionClock == nil {
		o.RetentionClock = o.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.SealAfter <= 0 {
		o.SealAfter = time.Hour
	}
	if o.QueueBatches <= 0 {
		o.QueueBatches = 64
	}
	if o.QueueFrames <= 0 {
		o.QueueFrames = 32_768
	}
	if o.CheckpointEvery <= 0 {
		o.CheckpointEvery = 15 * time.Second
	}
	if o.RetryWait <= 0 {
		o.RetryWait = 100 * time.Millisecond
	}
	if o.JournalKeep <= 0 {
		o.JournalKeep = time.Hour
	}
	if o.CacheBytes <= 0 {
		o.CacheBytes = 64 << 20
	}
	if o.memTableBytes == 0 {
		o.memTableBytes = 16 << 20
	}
}

// Store keeps readings in one folder. It is safe for concurrent use.
type Store struct {
	opts    Options
	db      *pebble.DB
	logs    *salvage
	latest  *latest
	journal *journal
	counts  counters

	// order makes journal positions follow the order of writes and of hand-overs.
	order struct {
		sync.Mutex
		pos    uint64        // last assigned position
		opened uint64        // pos when the store was opened
		done   chan struct{} // closed when the last write was handed over
		erased map[device.Ref]uint64
	}
	broken atomic.Pointer[error]

	replica  replica
	archived archived

	calendar       calendar
	aggregatedFrom atomic.Int32 // all sealed days from this one on have daily aggregates
	// sealMu is held while a device's segments are written, and by Erase, so that neither restores
	// what the other deletes.
	sealMu sync.Mutex

	// checkpointMu keeps a checkpoint from writing back what Erase removes.
	checkpointMu sync.Mutex
	trimmedTo    uint64 // guarded by checkpointMu: journal deleted up to here

	views struct {
		sync.Mutex
		open []*View
	}

	curves struct {
		sync.RWMutex
		byDevice map[device.Ref]Curves // without those of devices that have none
		ofOthers func(device.Ref) Curves
	}

	gate struct {
		sync.Mutex
		closing bool
		inside  sync.WaitGroup
	}
	lifetime       context.Context // ends when Close begins
	cancelLifetime context.CancelFunc
	closeOnce      sync.Once
	closeErr       error
}

// Open opens the readings in o.Dir and creates them if there are none. It reads the latest values
// of every device into memory: the last checkpoint, then the journal after it. Cancelling ctx stops
// that. For a folder that cannot be opened (in use, no permission, not ours) or that a newer
// version wrote, Open returns one error that says so.
func Open(ctx context.Context, o Options) (*Store, error) {
	o.setDefaults()
	db, logs, err := openEngine(o)
	if err != nil {
		return nil, err
	}
	s := &Store{opts: o, db: db, logs: logs, latest: newLatest()}
	s.journal = newJournal(o.QueueBatches, o.QueueFrames)
	s.lifetime, s.cancelLifetime = context.WithCancel(context.Background())
	s.order.erased = map[device.Ref]uint64{}
	s.archived.sealed = make(chan struct{}, 1)
	s.order.done = make(chan struct{})
	close(s.order.done)
	err = logs.remind()
	if err == nil {
		err = raiseFormat(db)
	}
	if err == nil {
		err = s.recover(ctx)
	}
	if err != nil {
		return nil, errors.Join(openError(o, err), db.Close())
	}
	return s, nil
}

// Close ends Consume and Run, waits for calls in progress, writes a last checkpoint and closes the
// folder. A second Close returns the result of the first. The log is empty afterwards: in the tables
// damage is found wherever it is, at the end of a log it looks like a write that was not finished. A
// store that belongs to the log of several nodes can read that again, and the next leader waits for Close.
func (s *Store) Close() error {
	s.closeOnce.Do(func() {
		s.gate.Lock()
		s.gate.closing = true
		s.gate.Unlock()
		s.cancelLifetime()
		s.gate.inside.Wait()
		var err error
		if s.broken.Load() == nil {
			err = s.writeCheckpoint(context.Background())
			if err == nil && s.Life() == "" {
				err = s.db.Flush()
			}
		}
		s.closeErr = errors.Join(err, s.closeViews(), s.db.Close())
	})
	return s.closeErr
}

// enter makes Close wait until leave; it fails once Close has begun.
func (s *Store) enter() error {
	s.gate.Lock()
	defer s.gate.Unlock()
	if s.gate.closing {
		return ErrClosed
	}
	s.gate.inside.Add(1)
	return nil
}

func (s *Store) leave() { s.gate.inside.Done() }

// stopErr returns why work should stop: the caller's context or Close.
func (s *Store) stopErr(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.lifetime.Err() != nil {
		return ErrClosed
	}
	return nil
}

// writeTicket is a write's place in the order: its journal position, and the moment at which it may
// hand over its batch.
type writeTicket struct {
	pos          uint64
	previousDone chan struct{} // closed when the previous write was handed over
	done         chan struct{}
}

// write makes a batch durable. prepare, called in the order of writes, completes the batch and
// returns how many journal positions it takes. handOver is called once the batch is on disk and
// every earlier write was handed over. Overlapping writes share fsyncs. After an error of the disk
// nothing is handed over any more.
func (s *Store) write(
	b *pebble.Batch,
	prepare func(pos uint64) (taken uint64, err error),
	handOver func(pos uint64),
) error {
	t, err := s.enqueueWrite(b, prepare)
	if err != nil {
		return err
	}
	return s.waitCommitted(b, t, handOver)
}

// waitCommitted waits until the batch that enqueueWrite put into the log is on disk, and calls
// handOver.
func (s *Store) waitCommitted(b *pebble.Batch, t writeTicket, handOver func(pos uint64)) error {
	defer close(t.done)
	started := time.Now() // a duration for the metrics, not a time of day
	err := b.SyncWait()
	s.counts.syncNanos.Add(uint64(time.Since(started)))
	<-t.previousDone
	if err != nil {
		s.fail(err)
	}
	if p := s.broken.Load(); p != nil {
		return *p
	}
	handOver(t.pos)
	return nil
}

// enqueueWrite assigns a batch its place in the order and puts it into the log.
func (s *Store) enqueueWrite(b *pebble.Batch, prepare func(pos uint64) (uint64, error)) (writeTicket, error) {
	s.order.Lock()
	defer s.order.Unlock()
	if p := s.broken.Load(); p != nil {
		return writeTicket{}, *p
	}
	taken, err := prepare(s.order.pos)
	if err != nil {
		return writeTicket{}, err
	}
	if err := s.db.ApplyNoSyncWait(b, pebble.Sync); err != nil {
		s.fail(err)
		return writeTicket{}, *s.broken.Load()
	}
	s.order.pos += taken
	t := writeTicket{pos: s.order.pos, previousDone: s.order.done, done: make(chan struct{})}
	s.order.done = t.done
	return t, nil
}

// fail stops all further writing; it keeps the first cause.
func (s *Store) fail(cause error) {
	var err error = errs.New(errs.StorageFailure, "error.disk").WithCause(fmt.Errorf("%w: %w", ErrBroken, cause))
	if s.broken.CompareAndSwap(nil, &err) {
		s.opts.Logger.Error("readings: a write failed; the store writes nothing more until a restart", "error", cause)
		if s.opts.OnBroken != nil {
			s.opts.OnBroken(err)
		}
	}
}

// Flush makes everything that was applied durable. A store that follows a log leaves that to the log, but
// a process that ends because the log lost its end must not lose what the log lost. Flush works after
// ErrBroken, too.
func (s *Store) Flush() error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	return s.db.LogData(nil, pebble.Sync)
}

// Broken returns why the store writes nothing more (ErrBroken); nil while it works.
func (s *Store) Broken() error {
	if p := s.broken.Load(); p != nil {
		return *p
	}
	return nil
}

// closeInto joins the error of closing c to *err.
func closeInto(err *error, c io.Closer) {
	*err = errors.Join(*err, c.Close())
}
