package identity

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"tilth/internal/errs"
)

// One picture is decoded at a time and a bounded number waits; who finds the
// queue full is told to come back, and who leaves gives the place back.
func TestPictureQueue(t *testing.T) {
	s := NewAvatarStore(nil, nil)
	s.decoding <- struct{}{} // one is being decoded, for as long as the test likes
	ctx, leave := context.WithCancel(t.Context())
	outcomes := make(chan error)
	for range picturesQueue + 1 {
		go func() {
			_, err := s.square(ctx, nil, nil)
			outcomes <- err
		}()
	}
	for s.waiting.Load() < picturesQueue+1 {
		select {
		case err := <-outcomes:
			t.Fatal(err)
		default:
			runtime.Gosched()
		}
	}
	if _, err := s.square(t.Context(), nil, nil); !errs.Is(err, errs.Unavailable) || errs.As(err).Retry == 0 {
		t.Errorf("one more than may wait: %v", err)
	}
	leave()
	for range picturesQueue + 1 {
		if err := <-outcomes; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	<-s.decoding
	if _, err := s.square(t.Context(), nil, nil); !errs.Is(err, errs.Refused) || s.waiting.Load() != 0 || len(s.decoding) != 0 {
		t.Errorf("after all left: %v, %d wait", err, s.waiting.Load())
	}
}
