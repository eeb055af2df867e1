package httpapi

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"
)

const (
	// piece is how much of a long answer is sent at once, in bytes.
	piece = 32 << 10
	// whole is up to how many bytes of JSON are put together before any is sent: so
	// a chart goes out at once, and with its length.
	whole = 4 * piece
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
	return s.sent(ctx, to, err)
}

// sent ends an answer.
func (s *server) sent(ctx context.Context, to *outlet, err error) error {
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
	_ = o.ctl.SetWriteDeadline(time.Now().Add(pieceLimit * time.Duration(1+(len(p)-1)/piece)))
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
	to     outlet
	packs  bool          // the client takes gzip, and is far enough away
	packed *gzip.Writer  // once the answer is worth it
	out    *bufio.Writer // what packed writes to
}

// spareJSON are some whose buffers can be used again.
var spareJSON = sync.Pool{New: func() any { return new(longJSON) }}

// sendJSON sends the envelope of a success, with the data that write writes.
// It is compressed for clients that take that, but not for those on this very
// machine, to which sending is cheaper than packing.
func (s *server) sendJSON(ctx context.Context, w http.ResponseWriter, write func(j *longJSON) error) error {
	info := of(ctx)
	j := spareJSON.Get().(*longJSON)
	defer j.release()
	j.to = outlet{w: w, ctl: http.NewResponseController(w), header: http.Header{"Content-Type": {"application/json"}, "Vary": {"Accept-Encoding"}}}
	j.packs = info.asked != nil && accepts(info.asked, "gzip") && !info.address.IsLoopback()
	j.buf = append(j.buf, `{"code":200,"data":`...)
	err := write(j)
	if err == nil {
		j.buf = append(j.buf, `,"msg":""}`...)
		err = j.end()
	}
	return s.sent(ctx, &j.to, err)
}

// next passes on what has been gathered, once it is a piece, or too long to be
// sent as a whole.
func (j *longJSON) next() error {
	if len(j.buf) < piece || len(j.buf) < whole && !j.to.begun {
		return nil
	}
	return j.pass()
}

func (j *longJSON) pass() (err error) {
	if j.packs && j.packed == nil && len(j.buf) >= packFrom {
		j.to.header.Set("Content-Encoding", "gzip")
		j.out = bufio.NewWriterSize(&j.to, piece)
		j.packed = packers.Get().(*gzip.Writer)
		j.packed.Reset(j.out)
	}
	if j.packed != nil {
		_, err = j.packed.Write(j.buf)
	} else {
		_, err = j.to.Write(j.buf)
	}
	j.buf = j.buf[:0]
	return err
}

func (j *longJSON) end() error {
	if !j.packs && !j.to.begun {
		j.to.header.Set("Content-Length", strconv.Itoa(len(j.buf)))
	}
	if err := j.pass(); err != nil || j.packed == nil {
		return err
	}
	if err := j.packed.Close(); err != nil {
		return err
	}
	return j.out.Flush()
}

// release gives back what can be used again, whichever way the answer ended.
func (j *longJSON) release() {
	if j.packed != nil {
		j.packed.Reset(io.Discard) // it holds on to nothing of this answer
		packers.Put(j.packed)
	}
	*j = longJSON{buf: j.buf[:0]}
	if cap(j.buf) <= 2*whole {
		spareJSON.Put(j)
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
