package reading

import (
	"context"
	"runtime"
	"time"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/limit"
)

// How many responses with every reading of a range may be sent at a time: each holds a reader of
// the store until its client has read it.
const (
	HistoryStreamsPerUser   = 6
	HistoryStreamsPerTenant = 24
	HistoryRetry            = 2 * time.Second // after which a client may retry
)

// HistoryStreams limits the responses with every reading of a range that are being sent at a time,
// of all edges together. It is safe for concurrent use.
type HistoryStreams struct {
	users   *limit.Slots[int64]
	tenants *limit.Slots[tenant.ID]
}

// NewHistoryStreams creates the limits; meter counts what they refuse, nil: nothing is counted.
func NewHistoryStreams(meter *limit.Meter) *HistoryStreams {
	return &HistoryStreams{
		users: limit.NewSlots[int64](limit.Options{Name: "history_users", Meter: meter}, HistoryStreamsPerUser, 0),
		tenants: limit.NewSlots[tenant.ID](limit.Options{Name: "history_tenants", Meter: meter},
			HistoryStreamsPerTenant, 0),
	}
}

// Acquire takes a slot for a response to a user of a tenant; release frees it. It returns nil if
// there is no slot.
func (l *HistoryStreams) Acquire(_ context.Context, t tenant.ID, user int64) (release func()) {
	if l.users.Enter(user) != limit.NotFull {
		return nil
	}
	if l.tenants.Enter(t) != limit.NotFull {
		l.users.Leave(user)
		return nil
	}
	return func() {
		l.users.Leave(user)
		l.tenants.Leave(t)
	}
}

// How many pieces of work over readings may wait, of a tenant and of one of its users. Each waiting
// piece holds its request, at most a mebibyte.
const (
	maxWaitingPerTenant = 200
	maxWaitingPerUser   = 60
	// workSlice is after how long such work yields to other work.
	workSlice = 20 * time.Millisecond
)

// WorkScheduler schedules work over readings, of tenants and their users, of all edges together.
type WorkScheduler = limit.Scheduler[tenant.ID, int64]

// NewWorkScheduler creates the scheduler: the work of one tenant takes at most half the processors,
// two pieces of a user run at once, and one processor in four stays free for everything else. meter
// counts what is refused, nil: nothing is counted.
func NewWorkScheduler(meter *limit.Meter) *WorkScheduler {
	processors := runtime.GOMAXPROCS(0)
	perTenant := max(1, processors/2)
	return limit.NewScheduler[tenant.ID, int64](
		limit.Options{Name: "history_work", Meter: meter},
		limit.SchedulerOptions{
			MaxRunning: max(perTenant+1, processors*3/4), MaxRunningPerKey: perTenant, MaxRunningPerSubmitter: 2,
			MaxWaitingPerKey: maxWaitingPerTenant, MaxWaitingPerSubmitter: maxWaitingPerUser, TimeSlice: workSlice,
		},
	)
}
