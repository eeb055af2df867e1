package reading

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/limit"
)

// Two pieces of a user's work run at once, and a tenant's work takes at most half the processors.
// Another tenant's work starts at once, however much of the first one's waits; the waiting work is
// limited.
func TestWorkSchedulerLimits(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	synctest.Test(t, func(t *testing.T) {
		scheduler := NewWorkScheduler(nil)
		var mu sync.Mutex
		busy, most := map[string]int{}, map[string]int{}
		count := func(n int, keys ...string) {
			mu.Lock()
			defer mu.Unlock()
			for _, key := range keys {
				busy[key] += n
				most[key] = max(most[key], busy[key])
			}
		}
		refused := 0
		work := func(tenantID tenant.ID, user int64) {
			go func() {
				task, why := scheduler.Enter(t.Context(), tenantID, user)
				if why != limit.NotFull {
					mu.Lock()
					defer mu.Unlock()
					refused++
					return
				}
				defer task.Leave()
				keys := []string{fmt.Sprint("tenant ", tenantID), fmt.Sprint("user ", user)}
				count(1, keys...)
				time.Sleep(time.Second)
				count(-1, keys...)
			}()
			synctest.Wait()
		}
		for range 2 + maxWaitingPerUser + 5 { // two run, the rest waits
			work(1, 1)
		}
		if refused != 5 {
			t.Errorf("%d pieces of one user were refused, want 5", refused)
		}
		for user := range int64(4) {
			for range 10 {
				work(1, 10+user)
			}
		}
		began := time.Now()
		other, _ := scheduler.Enter(t.Context(), 2, 2)
		if took := time.Since(began); other == nil || took != 0 {
			t.Errorf("another tenant's work waited %s", took)
		}
		other.Leave()
		time.Sleep(time.Hour)
		synctest.Wait()
		for key, want := range map[string]int{"user 1": 2, "user 10": 2, "tenant 1": 4} {
			if most[key] != want {
				t.Errorf("%s: %d at once, want %d", key, most[key], want)
			}
		}
	})
}

// On two processors, a tenant's work uses one of them and leaves the other to other tenants.
func TestWorkSchedulerOnTwoProcessors(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	scheduler := NewWorkScheduler(nil)
	if scheduler.MaxRunningPerKey != 1 || scheduler.MaxRunning != 2 || scheduler.MaxRunningPerSubmitter != 2 ||
		scheduler.TimeSlice != 20*time.Millisecond {
		t.Errorf("%+v", scheduler.SchedulerOptions)
	}
}
