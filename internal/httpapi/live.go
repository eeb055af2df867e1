package httpapi

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"tilth/internal/errs"
	"tilth/internal/httpapi/wire"
	"tilth/internal/live"
)

const (
	// heartbeat keeps proxies from taking a quiet stream for a dead one, and
	// tells the screen that it is not.
	heartbeat = 15 * time.Second
	// writeLimit is how long one write to a screen may take.
	writeLimit = 10 * time.Second
)

// GetLive opens a stream of the caller's tenant.
func (s *server) GetLive(ctx context.Context, r wire.GetLiveRequestObject) (wire.GetLiveResponseObject, error) {
	last := ""
	if r.Params.LastEventID != nil {
		last = *r.Params.LastEventID
	}
	return &stream{ctx: ctx, s: s, last: last}, nil
}

// SessionKey is the key under which a session's streams are ended.
func SessionKey(session int64) string { return strconv.FormatInt(session, 10) }

// stream writes events as they come until the client leaves, the session ends
// or the server stops.
type stream struct {
	ctx  context.Context // the generated visitor is handed none
	s    *server
	last string
}

// VisitGetLiveResponse writes the stream.
func (st *stream) VisitGetLiveResponse(w http.ResponseWriter) error {
	c := caller(st.ctx)
	screen, missed, position, reset := st.s.Live.Subscribe(c.Tenant, SessionKey(c.Session), st.last)
	defer screen.Close()
	// A session that ended while the stream was being opened ended none of its
	// streams; from here on its end ends this one.
	if lives, err := st.s.Sessions.Lives(st.ctx, c.Tenant, c.Session); err != nil {
		return err
	} else if !lives {
		return errs.New(errs.Unknown, "error.401")
	}
	select {
	case <-screen.Ended:
		return errs.New(errs.Unavailable, "error.503").After(time.Second)
	default:
	}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("X-Accel-Buffering", "no") // a proxy that buffers would make live late
	w.WriteHeader(http.StatusOK)
	out := &eventWriter{ctl: http.NewResponseController(w), w: w}
	if reset {
		out.event(position, "reset", []byte("{}"))
	} else if len(missed) == 0 {
		out.id(position)
	}
	for _, e := range missed {
		out.event(st.s.Live.Position(e.Seq), e.Name, e.Data)
	}
	if err := out.flush(); err != nil {
		return nil // the client is gone; there is nobody to tell
	}
	st.pump(screen, out, time.UnixMilli(c.Expires))
	return nil
}

func (st *stream) pump(screen *live.Screen, out *eventWriter, expires time.Time) {
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	end := time.NewTimer(expires.Sub(st.s.Now()))
	defer end.Stop()
	for {
		select {
		case <-st.ctx.Done():
			return
		case e := <-screen.Events:
			out.event(st.s.Live.Position(e.Seq), e.Name, e.Data)
			// What waits already goes out in the same write.
			for n := len(screen.Events); n > 0; n-- {
				e := <-screen.Events
				out.event(st.s.Live.Position(e.Seq), e.Name, e.Data)
			}
		case <-beat.C:
			out.comment()
		case <-end.C:
			out.event("", "expired", []byte("{}"))
			_ = out.flush() // the stream ends either way
			return
		case <-screen.Ended:
			if screen.Why() == live.EndExpired {
				out.event("", "expired", []byte("{}"))
				_ = out.flush() // the stream ends either way
			}
			return
		}
		if out.flush() != nil {
			return
		}
	}
}

// eventWriter gathers server-sent events and writes them at once.
type eventWriter struct {
	ctl *http.ResponseController
	w   http.ResponseWriter
	buf bytes.Buffer
}

func (o *eventWriter) id(id string) { fmt.Fprintf(&o.buf, "id: %s\n\n", id) }

func (o *eventWriter) comment() { o.buf.WriteString(":\n\n") }

// event writes one event; data is JSON and so holds no line break.
func (o *eventWriter) event(id, name string, data []byte) {
	if id != "" {
		fmt.Fprintf(&o.buf, "id: %s\n", id)
	}
	fmt.Fprintf(&o.buf, "event: %s\ndata: %s\n\n", name, data)
}

func (o *eventWriter) flush() error {
	if o.buf.Len() == 0 {
		return nil
	}
	// A writer without deadlines (a test's recorder) is written without one.
	_ = o.ctl.SetWriteDeadline(time.Now().Add(writeLimit))
	if _, err := o.w.Write(o.buf.Bytes()); err != nil {
		return err
	}
	o.buf.Reset()
	return o.ctl.Flush()
}
