package identity

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
)

// One picture is decoded at a time, and a bounded number of a tenant's pictures waits. A request
// that finds the queue full gets a retry time; a cancelled request frees its place.
func TestPictureQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewAvatarStore(nil, nil)
		decoding, _ := s.queue.Enter(t.Context(), 1, 1) // until the test calls Leave
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
			t.Errorf("one picture beyond the queue: %v", err)
		}
		leave()
		for range maxQueuedPictures {
			if err := <-outcomes; !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		}
		decoding.Leave()
		if _, err := s.makeSquare(t.Context(), 1, 1, nil, nil); !errs.Is(err, errs.Refused) {
			t.Errorf("after all were cancelled: %v", err)
		}
	})
}

// Tenants take turns: if one tenant has many pictures waiting, another's picture waits for the one
// that is being decoded, and for one more.
func TestPictureQueueIsFairBetweenTenants(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewAvatarStore(nil, nil)
		decoding, _ := s.queue.Enter(t.Context(), 1, 1)
		done := make(chan tenant.ID, maxQueuedPictures+1)
		put := func(of tenant.ID, user int64) {
			go func() {
				// The file is empty, so decoding it gives a refusal.
				if _, err := s.makeSquare(t.Context(), of, user, nil, nil); !errs.Is(err, errs.Refused) {
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
			// A goroutine may report its end a moment later than the next one.
			if of := <-done; of == 2 && place > 3 {
				t.Errorf("the other tenant's picture was decoded as number %d", place+1)
			}
		}
	})
}
