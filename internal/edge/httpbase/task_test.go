package httpbase

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"tilth/internal/platform/limit"
)

// slowClient receives data only after other tasks have run.
type slowClient struct {
	*httptest.ResponseRecorder
	others func()
}

func (s *slowClient) Write(b []byte) (int, error) {
	s.others()
	return s.ResponseRecorder.Write(b)
}

func (s *slowClient) FlushError() error {
	s.others()
	return nil
}

// Other tasks run while a client is written to; afterwards the answer's task runs again.
func always(context.Context) error { return nil }

// An answer ends with the part during which its caller loses the right to it.
func TestTaskEndsWithItsRights(t *testing.T) {
	scheduler := limit.NewScheduler[int, int](limit.Options{}, limit.SchedulerOptions{
		MaxRunning: 1, MaxRunningPerKey: 1, MaxRunningPerSubmitter: 1, MaxWaitingPerKey: 1, MaxWaitingPerSubmitter: 1,
	})
	mine, _ := scheduler.Enter(t.Context(), 1, 1)
	defer mine.Leave()
	asked, gone := 0, errors.New("no longer allowed")
	client := httptest.NewRecorder()
	w, r := WithTask(client, httptest.NewRequest(http.MethodGet, "/", nil), mine, func(context.Context) error {
		if asked++; asked > 2 {
			return gone
		}
		return nil
	})
	e, _ := newEdge()
	defer func() {
		cut, _ := recover().(error)
		if sent := client.Body.String(); !errors.Is(cut, http.ErrAbortHandler) || sent != "a line\na line\n" {
			t.Errorf("%q, cut off by %v", sent, cut)
		}
	}()
	err := e.Stream(r.Context(), w, StreamOptions{}, func(out *StreamWriter) error {
		for range 5 {
			out.Buf = append(out.Buf, "a line\n"...)
			if err := out.FlushNow(); err != nil {
				return err
			}
		}
		return nil
	})
	t.Errorf("the whole answer was sent: %v", err)
}

func TestTaskPausedWhileWriting(t *testing.T) {
	scheduler := limit.NewScheduler[int, int](
		limit.Options{Name: "work", Meter: new(limit.Meter)},
		limit.SchedulerOptions{
			MaxRunning:             1,
			MaxRunningPerKey:       1,
			MaxRunningPerSubmitter: 1,
			MaxWaitingPerKey:       1,
			MaxWaitingPerSubmitter: 1,
			TimeSlice:              time.Minute,
		},
	)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	mine, _ := scheduler.Enter(ctx, 1, 1)
	defer mine.Leave()
	had := 0
	client := &slowClient{ResponseRecorder: httptest.NewRecorder(), others: func() {
		if other, _ := scheduler.Enter(ctx, 2, 2); other != nil {
			had++
			other.Leave()
		}
	}}
	w, r := WithTask(client, httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil), mine, always)
	e, _ := newEdge()
	err := e.Stream(r.Context(), w, StreamOptions{}, func(out *StreamWriter) error {
		out.Buf = append(out.Buf, "a line"...)
		return out.FlushNow()
	})
	if err != nil || had < 2 || client.Body.String() != "a line" {
		t.Errorf("other tasks ran %d times; %q, %v", had, client.Body, err)
	}
	gone, leave := context.WithCancel(ctx)
	leave()
	if other, why := scheduler.Enter(gone, 2, 2); other != nil || why != limit.NotFull {
		t.Error("the answer's task does not run again")
	}
}
