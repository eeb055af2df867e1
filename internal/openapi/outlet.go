package openapi

import (
	"context"
	"log/slog"
	"maps"
	"net/http"
	"time"
)

const (
	// piece is how much of a long answer is sent at once, in bytes.
	piece = 32 << 10
	// pieceLimit is how long a client may take to receive a piece. A reader of the
	// store stays open meanwhile.
	pieceLimit = 30 * time.Second
)

// outlet hands a long answer to the connection, piece by piece. Who writes it
// appends to buf and calls next after each row.
type outlet struct {
	buf    []byte
	w      http.ResponseWriter
	ctl    *http.ResponseController
	header http.Header // of the answer, once it begins
	begun  bool
	gone   error // why the client cannot be written to
}

// send sends what write writes. What fails before the first piece is full is
// returned, to be told as any refusal is. What fails later cuts the connection
// off, lest half look like the whole.
func (s *server) send(ctx context.Context, w http.ResponseWriter, header http.Header, write func(out *outlet) error) error {
	out := &outlet{buf: make([]byte, 0, piece+piece/4), w: w, ctl: http.NewResponseController(w), header: header}
	err := write(out)
	if err == nil {
		err = out.pass()
	}
	if err == nil || !out.begun {
		return err
	}
	info, level := of(ctx), slog.LevelDebug
	if out.gone == nil && ctx.Err() == nil { // else it is the client who left
		level = slog.LevelError
	}
	s.Log.LogAttrs(ctx, level, "answer cut off", slog.String("request", info.id), slog.String("call", info.operation),
		slog.Int64("tenant", int64(info.program.Tenant)), slog.Any("error", err))
	panic(http.ErrAbortHandler)
}

// next passes on what has been gathered, once it is a piece.
func (o *outlet) next() error {
	if len(o.buf) < piece {
		return nil
	}
	return o.pass()
}

func (o *outlet) pass() error {
	if !o.begun {
		o.begun = true
		maps.Copy(o.w.Header(), o.header)
		o.w.WriteHeader(http.StatusOK)
	}
	// A writer without deadlines (a test's recorder) is written without one.
	_ = o.ctl.SetWriteDeadline(time.Now().Add(pieceLimit))
	_, o.gone = o.w.Write(o.buf)
	o.buf = o.buf[:0]
	return o.gone
}
