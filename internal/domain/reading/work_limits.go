package reading

import (
	"context"
	"runtime"
	"time"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/limit"
)

// How many answers with every reading of a range may be on their way at a time:
// each holds a reader of the store for as long as somebody reads it.
const (
	HistoryStreamsPerUser   = 6
	HistoryStreamsPerTenant = 24
	HistoryRetry            = 2 * time.Second // when to try again
)

// HistoryStreams are the answers with every reading of a range that are on their way,
// of whichever edge. It is safe for concurrent use.
type HistoryStreams struct {
	users   *limit.Slots[int64]
	tenants *limit.Slots[tenant.ID]
}

// NewHistoryStreams makes their limits; meter counts what they refuse, nil: nobody
// asks.
func NewHistoryStreams(meter *limit.Meter) *HistoryStreams {
	return &HistoryStreams{
		users: limit.NewSlots[int64](limit.Options{Name: "history_users", Meter: meter}, HistoryStreamsPerUser, 0),
		tenants: limit.NewSlots[tenant.ID](
			limit.Options{Name: "history_tenants", Meter: meter},
			HistoryStreamsPerTenant,
			0,
		),
	}
}

// Acquire takes a slot for an answer to a user of a tenant; leave gives it back. nil:
// there is none.
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

// How much work that passes over readings a tenant, and a user of it, may let wait.
// Each waits with what was asked, a mebibyte at most.
const (
	maxWaitingPerTenant = 200
	maxWaitingPerUser   = 60
	// workSlice is after how long such work lets others go on.
	workSlice = 20 * time.Millisecond
)

// WorkScheduler are those of work that passes over readings, of whichever edge: of tenants
// and their users.
type WorkScheduler = limit.Scheduler[tenant.ID, int64]

// NewWorkScheduler makes them: the work of one tenant takes half the processors at most, two
// pieces of a user are worked on at once, and a processor in four is for everything
// else. meter counts what is refused, nil: nobody asks.
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
