package reading

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/db"
)

var (
	// ErrFenced is wrapped by an error of Log.Append if another node leads: the entry is not in the
	// log, and this node can append nothing more.
	ErrFenced = errors.New("another node leads")
	// ErrGap is wrapped if entries are needed that nobody holds any more.
	ErrGap = errors.New("entries are missing; seed this node anew: tilth join --again")
	// ErrDiverged is wrapped if the store holds other entries than the log.
	ErrDiverged = errors.New("this node's readings and the log have diverged; seed this node anew: tilth join --again")
	// ErrOtherLife is wrapped if the store does not belong to the log.
	ErrOtherLife = errors.New("this node's readings do not belong to the log; seed this node anew: tilth join --again")
	// ErrNotLeading is wrapped by Append and Erase, in an errs.Unavailable error, after Follow or
	// Lead was called and while the store does not lead.
	ErrNotLeading = errors.New("reading: this node does not lead")
)

// EntryKind tells what the body of an Entry holds.
type EntryKind byte

// The kinds of entry.
const (
	EntryFrames  EntryKind = 1 // a batch of Append, as a journal entry
	EntryErasure EntryKind = 2 // a device of which Erase deletes everything that earlier entries hold
)

// Entry is one change of the readings, as the log of several nodes holds it. Positions rise by one
// from entry to entry. Nodes that apply the same entries hold the same readings.
type Entry struct {
	Position uint64
	Chain    uint64 // see ChainAfter
	Kind     EntryKind
	Body     []byte
}

// ChainAfter returns the chain of an entry: a digest of the entry and of the previous entry's chain,
// hence of all entries before. Two nodes that have the same chain at a position hold the same
// entries up to it.
func (e *Entry) ChainAfter(previous uint64) uint64 {
	head := make([]byte, 0, 8+8+1)
	head = binary.BigEndian.AppendUint64(head, previous)
	head = binary.BigEndian.AppendUint64(head, e.Position)
	return digest(append(head, byte(e.Kind)), e.Body)
}

// BeginChain returns the chain before the first entry of a life that began after position begin.
func BeginChain(mark string, begin uint64) uint64 {
	return digest([]byte(mark), binary.BigEndian.AppendUint64(nil, begin))
}

// digest returns the first eight bytes of the SHA-256 of the parts together.
func digest(parts ...[]byte) uint64 {
	h := sha256.New()
	for _, p := range parts {
		h.Write(p)
	}
	return binary.BigEndian.Uint64(h.Sum(nil))
}

// LogReader is what a node needs of the log in order to follow it.
type LogReader interface {
	// Life returns the mark of the log's life and the position after which that life began: its
	// first entry is at begin+1.
	Life(ctx context.Context) (mark string, begin uint64, err error)
	// After calls fn for the entries after pos, in order, until there are no more at present; for a
	// position at or beyond the log's end there are none. If the log no longer holds the entry at
	// pos+1, or never did because its life began later, the error wraps ErrGap. It wraps db.ErrNewer
	// if an entry is of a version that this program does not know. After stops on an error of fn and
	// returns it, wrapped or as it is. The log does not change an entry's body after the call.
	After(ctx context.Context, pos uint64, fn func(Entry) error) error
	// Last returns the newest position and its chain; (begin, 0) if the log has no entries in this
	// life.
	Last(ctx context.Context) (pos, chain uint64, err error)
}

// Log is the log to which the leading node appends.
type Log interface {
	LogReader
	// Append makes an entry durable: when it returns nil, the log holds the entry whatever happens.
	// The error wraps ErrFenced if another node leads. While the database is away, Append tries again
	// until ctx ends; it is then unknown whether the log holds the entry. An entry at a position that
	// the log already has is an error, unless Append itself had put it there in an earlier try.
	// Append does not keep the body.
	Append(ctx context.Context, e Entry) error
	// Forget allows the log to drop the entries up to upTo, which are evaluated. The log keeps them
	// for as long as its own settings say, and always keeps its newest entry.
	Forget(ctx context.Context, upTo uint64) error
}

// appendErasure appends the body of an erasure: the tenant and the device.
func appendErasure(b []byte, ref device.Ref) []byte {
	b = binary.AppendUvarint(b, uint64(ref.Tenant))
	return binary.AppendUvarint(b, uint64(ref.ID))
}

// decodeErasure reads what appendErasure wrote; its error wraps ErrCorrupt.
func decodeErasure(b []byte) (device.Ref, error) {
	c := byteReader{rest: b}
	ref := device.Ref{Tenant: tenant.ID(c.uvarint()), ID: device.ID(c.uvarint())}
	if c.failed || len(c.rest) != 0 || ref.Tenant <= 0 || ref.ID <= 0 {
		return device.Ref{}, fmt.Errorf("%w: erasure", ErrCorrupt)
	}
	return ref, nil
}

// entryContent is the decoded body of an Entry.
type entryContent struct {
	batch  []Arrival    // of EntryFrames
	frames []entryFrame // where the frames of batch are in the body
	erased device.Ref   // of EntryErasure
}

// decodeContent reads the body of an entry. Its error wraps ErrCorrupt, or db.ErrNewer for a kind
// that this version does not know.
func decodeContent(e *Entry) (c entryContent, err error) {
	switch e.Kind {
	case EntryFrames:
		c.batch, err = decodeArrivals(e.Body, &c.frames)
		for i := 0; i < len(c.batch) && err == nil; i++ {
			f := &c.batch[i].Frame
			if checkErr := checkFrame(f); checkErr != nil {
				err = fmt.Errorf("%w: %w", ErrCorrupt, checkErr)
			} else if len(f.Fields) == 0 || !inOrder(f.Fields) {
				err = fmt.Errorf("%w: fields of arrival %d", ErrCorrupt, i+1)
			}
		}
	case EntryErasure:
		c.erased, err = decodeErasure(e.Body)
	default:
		err = fmt.Errorf("kind %d: %w", e.Kind, db.ErrNewer)
	}
	if err != nil {
		return entryContent{}, fmt.Errorf("reading: entry %d of the log: %w", e.Position, err)
	}
	return c, nil
}
