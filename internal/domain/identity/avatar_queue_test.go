package identity

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
)

// One picture is decoded at a time and a bounded number of a tenant's waits; who
// finds the queue full is told to come back, and who leaves gives the place back.
func TestPictureQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewAvatarStore(nil, nil)
		decoding, _ := s.queue.Enter(t.Context(), 1, 1) // for as long as the test likes
		ctx, leave := context.WithCancel(t.Context())
		outcomes := make(chan error, maxQueuedPictures)
		for user := range maxQueuedPictures {
			go func() {
				_, err := s.makeSquare(ctx, 1, int64(user), nil, nil)
				outcomes <- err
			}()
		}
		synctest.Wait()
		if _, err := s.makeSquare(t.Context(), 1, 99, nil,
			nil); !errs.Is(err, errs.Unavailable) || errs.As(err).Retry == 0 {
			t.Errorf("one more than may wait: %v", err)
		}
		leave()
		for range maxQueuedPictures {
			if err := <-outcomes; !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		}
		decoding.Leave()
		if _, err := s.makeSquare(t.Context(), 1, 1, nil, nil); !errs.Is(err, errs.Refused) {
			t.Errorf("after all left: %v", err)
		}
	})
}

// Tenants' pictures are decoded in turn: one that has many waiting keeps another's
// waiting for the one that is being decoded, and for one more.
func TestPictureQueueIsFairBetweenTenants(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewAvatarStore(nil, nil)
		decoding, _ := s.queue.Enter(t.Context(), 1, 1)
		done := make(chan tenant.ID, maxQueuedPictures+1)
		put := func(of tenant.ID, user int64) {
			go func() {
				if _, err := s.makeSquare(
					t.Context(),
					of,
					user,
					nil,
					nil,
				); !errs.Is(err,
					errs.Refused,
				) { // it is no picture, as is found when it is its turn
					t.Error(err)
				}
				done <- of
			}()
			synctest.Wait()
		}
		for user := range int64(maxQueuedPictures) {
			put(1, user)
		}
		put(2, 1)
		decoding.Leave()
		for place := range maxQueuedPictures + 1 {
			// Who has had the turn may tell of it a moment later than the next.
			if of := <-done; of == 2 && place > 3 {
				t.Errorf("decoded as number %d", place+1)
			}
		}
	})
}
