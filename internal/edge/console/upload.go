package console

import (
	"context"
	"time"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/limit"
)

// How many pictures are received at once, each of which is held in memory until it
// is decoded. Whose tenant has as many as it may waits, and so does everybody when
// all are taken: tenants in turn, so that one whose people upload slowly, or much,
// keeps others waiting for no more than a picture of theirs.
const (
	uploadsPerUser    = 2 // one may hang for a while when a telephone loses its network
	uploadsPerTenant  = 4
	maxUploads        = 16
	maxWaitingUploads = 16               // of a tenant; more are refused at once
	uploadTimeout     = 20 * time.Second // and whoever has waited for so long
	uploadRetryAfter  = 10 * time.Second // when to try again
)

// uploads are the pictures that are received.
type uploads struct {
	users     *limit.Slots[int64] // those that wait count, too
	scheduler *limit.Scheduler[tenant.ID, int64]
	timeout   time.Duration
}

func newUploads(o *Options) uploads {
	u := uploads{
		users: limit.NewSlots[int64](limit.Options{Name: "console_uploads", Meter: o.Limits}, uploadsPerUser, 0),
		scheduler: limit.NewScheduler[tenant.ID, int64](
			limit.Options{Name: "console_uploads_tenants", Meter: o.Limits},
			limit.SchedulerOptions{
				MaxRunning:             maxUploads,
				MaxRunningPerKey:       uploadsPerTenant,
				MaxRunningPerSubmitter: uploadsPerUser,
				MaxWaitingPerKey:       maxWaitingUploads,
				MaxWaitingPerSubmitter: uploadsPerUser,
			},
		),
		timeout: o.UploadTimeout,
	}
	if u.timeout == 0 {
		u.timeout = uploadTimeout
	}
	return u
}

// enter waits until a picture of a user of a tenant may be received; leave is to be
// called after it was.
func (u *uploads) enter(ctx context.Context, t tenant.ID, user int64) (leave func(), err error) {
	if u.users.Enter(user) != limit.NotFull {
		return nil, errs.New(errs.TooMany, "avatar.waiting").RetryAfter(uploadRetryAfter)
	}
	waitCtx, cancel := context.WithTimeout(ctx, u.timeout)
	defer cancel()
	task, _ := u.scheduler.Enter(waitCtx, t, user)
	if task == nil {
		u.users.Leave(user)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return nil, errs.New(errs.Unavailable, "error.503").RetryAfter(uploadRetryAfter)
	}
	return func() {
		task.Leave()
		u.users.Leave(user)
	}, nil
}
