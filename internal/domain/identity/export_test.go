package identity

import (
	"context"
	"net/netip"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/limit"
)

// LegacyCost exports legacyCost.
var LegacyCost = legacyCost

// Decoy exports decoy.
func (s *SignIn) Decoy(ctx context.Context, a Attempt) (string, error) { return s.decoy(ctx, a) }

// Prefix exports prefix.
func (c Cost) Prefix() string { return c.prefix() }

// FillQueue fills the queue of a subnet with hashes of one known account, until leave is called.
func (h *Hasher) FillQueue(ctx context.Context, network limit.Network) (leave func()) {
	ctx, cancel := context.WithCancel(ctx)
	of := requesterKey{network, true}
	running, _ := h.queue.Enter(ctx, of, "queued")
	var wait sync.WaitGroup
	for range maxQueuedHashes {
		wait.Go(func() {
			for why := limit.FullForKey; why != limit.NotFull; runtime.Gosched() {
				// The check below takes a place for a moment: a hash that is refused then tries
				// again.
				var turn limit.Task
				if turn, why = h.queue.Enter(ctx, of, "queued"); turn != nil {
					turn.Leave()
				}
			}
		})
	}
	gone, stop := context.WithCancel(ctx)
	stop()
	for {
		if _, why := h.queue.Enter(gone, of, "queued"); why != limit.NotFull {
			break
		}
		runtime.Gosched()
	}
	return func() {
		cancel()
		wait.Wait()
		running.Leave()
	}
}

// FillUnknown lets unknown requesters run and wait until the next is refused, until leave is called.
func (h *Hasher) FillUnknown(ctx context.Context) (leave func()) {
	ctx, cancel := context.WithCancel(ctx)
	var wait sync.WaitGroup
	for i := range maxConcurrentHashes - hashesReservedForKnown + maxQueuedHashes {
		wait.Go(func() {
			of := requesterKey{Subnet.Of(netip.AddrFrom4([4]byte{10, 99, byte(i), 1})), false}
			if turn, _ := h.queue.Enter(ctx, of, "queued"); turn != nil {
				<-ctx.Done()
				turn.Leave()
			}
		})
	}
	for h.queue.OthersWaiting() < maxQueuedHashes {
		runtime.Gosched()
	}
	return func() {
		cancel()
		wait.Wait()
	}
}

// Hashes gives how many hashes were computed, up to keptHashTimes of each cost.
func (h *Hasher) Hashes() (n int) {
	h.took.mu.Lock()
	defer h.took.mu.Unlock()
	for _, times := range h.took.byCost {
		n += len(times)
	}
	return n
}

// SetHashTime has hashes of a cost taken for as long as d.
func (h *Hasher) SetHashTime(c Cost, d time.Duration) {
	for range keptHashTimes {
		h.took.add(c, d)
	}
}

// SetKey gives a tenant's user a second factor with a key of which no code was used.
func (s *SecondFactorStore) SetKey(ctx context.Context, t tenant.ID, user int64, key []byte) error {
	row := secondFactorRow{
		UserID: user, TenantID: t, Secret: s.vault.Seal(factorOwner(t, user), key), LastStep: -1,
	}
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewInsert().Model(&row).Exec(ctx)
		return err
	})
}

// HashAsTyped makes the stored form of a password that is not normalised.
func (h *Hasher) HashAsTyped(password string) (string, error) {
	salt := make([]byte, saltLen)
	return h.cost.encode(salt, h.derive(password, salt, h.cost)), nil
}

// CountHashes counts the hashes that are computed from now on.
func (h *Hasher) CountHashes() (computed func() int) {
	var n atomic.Int64
	compute := h.compute
	h.compute = func(password, salt []byte, cost Cost) []byte {
		n.Add(1)
		return compute(password, salt, cost)
	}
	return func() int { return int(n.Load()) }
}
