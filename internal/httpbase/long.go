package httpbase

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"strconv"
	"sync"
	"time"
)

const (
	// Piece is how much of a long answer is sent at once, in bytes.
	Piece = 32 << 10
	// PieceLimit is how long a client may take to receive a piece. A reader of the
	// store stays open meanwhile.
	PieceLimit = 30 * time.Second

	// keptBuffer is up to which size a buffer is kept for the next answer, in bytes.
	keptBuffer = 2 * Piece
)

// Long is how an answer goes out that is written while it is read, so that
// memory does not grow with its length.
type Long struct {
	Header http.Header // of the answer, once it begins
	// Whole is up to how many bytes are put together before any is sent, so that a
	// short answer goes out at once and with its length. 0: a piece, and no length.
	Whole int
	// Packed compresses the answer for a client that takes that, but not for one on
	// this very machine, to which sending is cheaper than packing.
	Packed bool
}

// Send sends what write writes, piece by piece. What fails before the answer
// begins is returned, to be told as any refusal is. What fails later cuts the
// connection off, lest half look like the whole. It ends when the client leaves:
// write then gets an error from the answer, or from what it reads with ctx.
func (e *Edge) Send(ctx context.Context, w http.ResponseWriter, how Long, write func(out *Answer) error) error {
	out := spareAnswers.Get().(*Answer)
	defer out.release()
	out.to = outlet{w: w, ctl: http.NewResponseController(w), header: http.Header{}}
	maps.Copy(out.to.header, how.Header)
	out.whole = how.Whole
	if how.Packed {
		out.packs = wantsPacked(Of(ctx))
	}
	err := write(out)
	if err == nil {
		err = out.end()
	}
	if err != nil && out.to.begun {
		e.cut(ctx, err, out.to.gone)
	}
	return err
}

// Answer is a long answer on its way. Who writes it appends to Buf and calls
// Next after each element, or uses it as an io.Writer.
type Answer struct {
	Buf []byte // what has been gathered

	to    outlet
	whole int
	packs bool // it is compressed, once it is worth it
	pack  packing
}

// Next passes on what has been gathered, once it is a piece, or too long to be
// sent as a whole.
func (a *Answer) Next() error {
	if len(a.Buf) < Piece || len(a.Buf) < a.whole && !a.to.begun {
		return nil
	}
	return a.Pass()
}

// Pass passes on what has been gathered, however little it is.
func (a *Answer) Pass() error {
	to := a.pack.over(a)
	_, err := to.Write(a.Buf)
	if a.Buf = a.Buf[:0]; cap(a.Buf) > 2*Piece {
		a.Buf = nil // from now on pieces are sent, and a client that reads slowly holds no more
	}
	return err
}

// Now is Pass for what somebody waits for: it leaves at once, and not with what
// comes after it.
func (a *Answer) Now() error {
	if err := a.Pass(); err != nil {
		return err
	}
	if err := a.to.ctl.Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		a.to.gone = err
		return err
	}
	return nil
}

// Write appends to what has been gathered, and passes it on as Next does.
func (a *Answer) Write(b []byte) (int, error) {
	a.Buf = append(a.Buf, b...)
	return len(b), a.Next()
}

// end passes on the rest.
func (a *Answer) end() error {
	if a.whole > 0 && !a.packs && !a.to.begun {
		a.to.header.Set("Content-Length", strconv.Itoa(len(a.Buf)))
	}
	if err := a.Pass(); err != nil {
		return err
	}
	return a.pack.close()
}

// spareAnswers are some whose buffers can be used again.
var spareAnswers = sync.Pool{New: func() any { return &Answer{Buf: make([]byte, 0, Piece+Piece/4)} }}

// release gives back what can be used again, whichever way the answer ended.
func (a *Answer) release() {
	*a = Answer{Buf: a.Buf[:0]}
	if cap(a.Buf) <= keptBuffer {
		spareAnswers.Put(a)
	}
}

// outlet hands a long answer to the connection.
type outlet struct {
	w      http.ResponseWriter
	ctl    *http.ResponseController
	header http.Header // of the answer, once it begins
	begun  bool
	gone   error // why the client could not be written to
}

// Write begins the answer if need be, and writes to the connection. What is
// longer than a piece has longer to be received.
func (o *outlet) Write(p []byte) (int, error) {
	if !o.begun {
		o.begun = true
		maps.Copy(o.w.Header(), o.header)
		o.w.WriteHeader(http.StatusOK)
	}
	// A writer without deadlines (a test's recorder) is written without one.
	_ = o.ctl.SetWriteDeadline(time.Now().Add(PieceLimit * time.Duration(max(1, len(p)/Piece))))
	n, err := o.w.Write(p)
	if err != nil {
		o.gone = err
	}
	return n, err
}
