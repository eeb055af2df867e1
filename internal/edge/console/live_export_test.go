package console

import (
	"context"
	"net/http"
	"time"

	"tilth/internal/domain/identity"
)

// Heartbeat is the interval at which a quiet stream sends a comment.
const Heartbeat = heartbeat

// StreamWithHeartbeat serves a user's stream with another heartbeat, so that a test with a real
// proxy does not take minutes.
func StreamWithHeartbeat(o Options, c identity.Caller, beat time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := context.WithValue(r.Context(), requestKey{}, &request{caller: c})
		st := &liveStream{
			ctx:         ctx,
			server:      &server{Options: o},
			lastEventID: r.Header.Get("Last-Event-ID"),
			heartbeat:   beat,
		}
		if err := st.VisitGetLiveResponse(w); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
}
