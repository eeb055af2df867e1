package console

import (
	"context"
	"net/http"
	"time"

	"tilth/internal/app"
	"tilth/internal/domain/identity"
	"tilth/internal/edge/console/wire"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/live"
)

// heartbeat is how often a quiet stream sends something, so that neither proxies nor the screen
// take the stream for dead.
const heartbeat = 15 * time.Second

// streamRetryAfter is when a client may open a stream again that was refused because there are too
// many.
const streamRetryAfter = 30 * time.Second

// livePositionHeader is the header with the position of the tenant's stream before the call read
// anything; each answer to a signed-in caller has it. A stream that is opened from that position
// brings everything that the answer may lack.
const livePositionHeader = "Live-Position"

// GetLive opens a stream of the caller's tenant.
func (s *server) GetLive(ctx context.Context, r wire.GetLiveRequestObject) (wire.GetLiveResponseObject, error) {
	last := ""
	if r.Params.LastEventID != nil {
		last = *r.Params.LastEventID
	}
	return &liveStream{ctx: ctx, server: s, lastEventID: last, heartbeat: heartbeat}, nil
}

// liveStream writes events as they are published until the client leaves, the session ends or the
// server stops.
type liveStream struct {
	ctx         context.Context // the generated visitor gets no context
	server      *server
	lastEventID string
	heartbeat   time.Duration // the interval between comments
}

// VisitGetLiveResponse writes the stream.
func (st *liveStream) VisitGetLiveResponse(w http.ResponseWriter) error {
	c := caller(st.ctx)
	screen, missed, position, reset := st.server.Live.SubscribeAs(
		c.Tenant,
		c.User,
		app.LiveKey(c.Session),
		st.lastEventID,
	)
	defer screen.Close()
	// If the session ended while this stream was being opened, its end did not end this stream.
	// From here on, the end of the session ends this stream.
	if lives, err := st.server.Sessions.IsActive(st.ctx, c.Tenant, c.Session); err != nil {
		return err
	} else if !lives {
		return errs.New(errs.Unauthenticated, "error.401")
	}
	select {
	case <-screen.Ended:
		if why := screen.Reason(); why == live.EndFull || why == live.EndReplaced {
			return errs.New(errs.TooMany, "live.many").RetryAfter(streamRetryAfter)
		}
		return errs.New(errs.Unavailable, "error.503").RetryAfter(time.Second)
	default:
	}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("X-Accel-Buffering", "no") // a buffering proxy would delay events
	w.WriteHeader(http.StatusOK)
	out := &eventWriter{ctl: http.NewResponseController(w), w: w, changes: st.mayChange}
	var err error
	switch {
	case reset:
		err = out.writeText("id: " + position + "\nevent: reset\ndata: {}\n\n")
	case len(missed) == 0:
		err = out.writeText("id: " + position + "\n\n")
	default:
		err = out.writeAll(missed)
	}
	stopped, changed := st.server.StorageStopped()
	if err == nil && !stopped.IsZero() {
		err = out.writeStorage(stopped)
	}
	if err != nil {
		return nil // the client has gone; nobody receives an answer
	}
	st.pump(screen, out, changed, time.UnixMilli(c.Expires))
	return nil
}

// mayChange tells whether the person may change devices now.
func (st *liveStream) mayChange() bool {
	now, err := st.server.Sessions.Caller(st.ctx, requestFrom(st.ctx).token)
	return err == nil && now.Role.Allows(identity.Operator)
}

// pump writes until the stream ends. storage is closed when readings are not stored any more, or are again.
func (st *liveStream) pump(screen *live.Screen, out *eventWriter, storage <-chan struct{}, expires time.Time) {
	beat := time.NewTicker(st.heartbeat)
	defer beat.Stop()
	end := time.NewTimer(expires.Sub(st.server.Now()))
	defer end.Stop()
	for {
		var err error
		select {
		case <-st.ctx.Done():
			return
		case e := <-screen.Events:
			err = out.writeQueued(e, screen.Events)
		case <-storage:
			var stopped time.Time
			stopped, storage = st.server.StorageStopped()
			err = out.writeStorage(stopped)
		case <-beat.C:
			err = out.writeText(":\n\n")
		case <-end.C:
			out.writeExpired()
			return
		case <-screen.Ended:
			switch screen.Reason() {
			case live.EndExpired:
				out.writeExpired()
			case live.EndReplaced:
				out.writeReplaced()
			}
			return
		}
		if err != nil {
			return
		}
	}
}
