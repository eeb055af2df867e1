package console

import (
	"context"
	"time"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/limit"
)

// How many pictures the server receives at once. Each is held in memory until it is decoded. An
// upload waits if its tenant has as many as it may have, or if all slots are taken. The tenants get
// free slots in turn, so that a tenant whose users upload slowly, or much, delays others by no more
// than one of its pictures.
const (
	uploadsPerUser    = 2 // one may hang for a while when a phone loses its network
	uploadsPerTenant  = 4
	maxUploads        = 16
	maxWaitingUploads = 16               // of one tenant; the server refuses more at once
	uploadTimeout     = 20 * time.Second // how long an upload waits before it is refused
	uploadRetryAfter  = 10 * time.Second // when a client may try again
)

// uploads limits the pictures that are being received.
type uploads struct {
	users     *limit.Slots[int64] // waiting ones count, too
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

// enter waits until the server may receive a picture of a user of a tenant; the caller calls leave
// afterwards.
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
