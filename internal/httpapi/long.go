package httpapi

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"
)

const (
	// piece is how much of a long answer is sent at once, in bytes.
	piece = 32 << 10
	// pieceLimit is how long a client may take to receive a piece. A reader of the
	// store stays open meanwhile.
	pieceLimit = 30 * time.Second
	// packFrom is the length in bytes from which JSON is worth compressing: less
	// fits into one packet of the network.
	packFrom = 1400
)

// longResponse writes an answer of any length, which the generated response
// types would put together in memory first.
type longResponse func(w http.ResponseWriter) error

// VisitGetTimeIntervalDataMapResponse writes the answer.
func (f longResponse) VisitGetTimeIntervalDataMapResponse(w http.ResponseWriter) error { return f(w) }

// VisitGetTimeIntervalDataRowsResponse writes the answer.
func (f longResponse) VisitGetTimeIntervalDataRowsResponse(w http.ResponseWriter) error { return f(w) }

// VisitGetTimeIntervalDataColumnsResponse writes the answer.
func (f longResponse) VisitGetTimeIntervalDataColumnsResponse(w http.ResponseWriter) error {
	return f(w)
}

// VisitGetSignDataResponse writes the answer.
func (f longResponse) VisitGetSignDataResponse(w http.ResponseWriter) error { return f(w) }

// VisitExportDeviceDataResponse writes the answer.
func (f longResponse) VisitExportDeviceDataResponse(w http.ResponseWriter) error { return f(w) }

// send sends what write writes as it comes, piece by piece. What fails before
// the first piece is full is returned, to be told as any refusal is. What fails
// later cuts the connection off, lest half look like the whole.
func (s *server) send(ctx context.Context, w http.ResponseWriter, header http.Header, write func(out *bufio.Writer) error) error {
	to := &outlet{w: w, ctl: http.NewResponseController(w), header: header}
	out := bufio.NewWriterSize(to, piece)
	err := write(out)
	if err == nil {
		err = out.Flush()
	}
	if err == nil || !to.begun {
		return err
	}
	info, level := of(ctx), slog.LevelDebug
	if to.gone == nil && ctx.Err() == nil { // else it is the client who left
		level = slog.LevelError
	}
	s.Log.LogAttrs(ctx, level, "answer cut off", slog.String("request", info.id), slog.String("call", info.operation),
		slog.Int64("tenant", int64(info.caller.Tenant)), slog.Any("error", err))
	panic(http.ErrAbortHandler)
}

// outlet hands a long answer to the connection.
type outlet struct {
	w      http.ResponseWriter
	ctl    *http.ResponseController
	header http.Header // of the answer, once it begins
	begun  bool
	gone   error // why the client cannot be written to
}

func (o *outlet) Write(p []byte) (int, error) {
	if !o.begun {
		o.begun = true
		maps.Copy(o.w.Header(), o.header)
		o.w.WriteHeader(http.StatusOK)
	}
	// A writer without deadlines (a test's recorder) is written without one.
	_ = o.ctl.SetWriteDeadline(time.Now().Add(pieceLimit))
	n, err := o.w.Write(p)
	if err != nil {
		o.gone = err
	}
	return n, err
}

// longJSON is JSON on its way: who writes it appends to buf and calls next
// after each element.
type longJSON struct {
	buf    []byte
	out    io.Writer
	header http.Header
	packs  bool         // the client takes gzip, and is far enough away
	packed *gzip.Writer // once the answer is worth it
}

// sendJSON sends the envelope of a success, with the data that write writes.
// It is compressed for clients that take that, but not for those on this very
// machine, to which sending is cheaper than packing.
func (s *server) sendJSON(ctx context.Context, w http.ResponseWriter, write func(j *longJSON) error) error {
	info := of(ctx)
	header := http.Header{"Content-Type": {"application/json"}, "Vary": {"Accept-Encoding"}}
	return s.send(ctx, w, header, func(out *bufio.Writer) error {
		j := &longJSON{buf: make([]byte, 0, piece+piece/4), out: out, header: header}
		j.packs = info.asked != nil && accepts(info.asked, "gzip") && !info.address.IsLoopback()
		defer j.release()
		j.buf = append(j.buf, `{"code":200,"data":`...)
		if err := write(j); err != nil {
			return err
		}
		j.buf = append(j.buf, `,"msg":""}`...)
		return j.end()
	})
}

// next passes on what has been gathered, once it is a piece.
func (j *longJSON) next() error {
	if len(j.buf) < piece {
		return nil
	}
	return j.pass()
}

func (j *longJSON) pass() (err error) {
	if j.packs && j.packed == nil && len(j.buf) >= packFrom {
		j.header.Set("Content-Encoding", "gzip")
		j.packed = packers.Get().(*gzip.Writer)
		j.packed.Reset(j.out)
	}
	if j.packed != nil {
		_, err = j.packed.Write(j.buf)
	} else {
		_, err = j.out.Write(j.buf)
	}
	j.buf = j.buf[:0]
	return err
}

func (j *longJSON) end() error {
	if err := j.pass(); err != nil {
		return err
	}
	if j.packed != nil {
		return j.packed.Close()
	}
	return nil
}

// release gives the packer back, whichever way the answer ended.
func (j *longJSON) release() {
	if j.packed != nil {
		j.packed.Reset(io.Discard) // it holds on to nothing of this answer
		packers.Put(j.packed)
	}
}

// packers compress at the quickest level: a month of readings shrinks to a
// twentieth all the same.
var packers = sync.Pool{New: func() any {
	w, err := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed)
	if err != nil {
		panic(err) // the level is constant
	}
	return w
}}
