package identity

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"golang.org/x/crypto/argon2"

	"tilth/internal/platform/errs"
	"tilth/internal/platform/limit"
)

// Cost is what making a password hash by argon2id takes. It is kept with each
// hash, so hashes of different cost are checked alike.
type Cost struct {
	Passes  uint32
	Memory  uint32 // KiB
	Threads uint8
}

// currentCost is what new hashes take. older is what those take that were made before it, as
// long as their owners have not signed in since.
var (
	currentCost = Cost{Passes: 1, Memory: 64 * 1024, Threads: 1}
	legacyCost  = Cost{Passes: 3, Memory: 64 * 1024, Threads: 2}
)

const (
	saltLen = 16
	keyLen  = 32

	maxConcurrentHashes    = 3               // each takes 64 MiB and a core, one of the older cost two
	hashesReservedForKnown = 1               // of them, for whoever is known
	maxQueuedHashes        = 32              // of one network; of all that are not known together, half of it of one network
	hashRetryAfter         = 2 * time.Second // when to come again where as many wait
)

// Requester is whose password is looked at or made, and from where. The zero Asker is the
// server itself.
type Requester struct {
	Subnet  limit.Network // of the client, by Neighbourhood; the zero one of who has a session or runs the platform
	Known   bool          // the account signed in from there before, or has a session
	Account string        // any name of it that no other has
}

// PlatformRequester asks on behalf of whoever runs the platform.
var PlatformRequester = Requester{Known: true}

// Subnet is what addresses count as one where passwords are looked at: who has
// one of them has the others at hand.
var Subnet = limit.Grouping{IPv4: 24, IPv6: 48}

// Hasher computes password hashes, three at once. Networks come one after the other and,
// of a network, accounts; one of the three is kept for those who are known, and is enough
// for them where strangers wait for the others. So neither a flood of sign-ins, right or
// wrong, nor one from ever new networks keeps others waiting for more than each other.
type Hasher struct {
	queue *limit.Scheduler[requesterKey, string]
	cost  Cost
}

// requesterKey come one after the other.
type requesterKey struct {
	subnet limit.Network
	known  bool
}

// NewHasher makes a hasher of the cost that people's passwords are worth.
func NewHasher() *Hasher { return NewHasherAt(currentCost, nil) }

// NewHasherAt makes a hasher of another cost, as suits passwords that guard
// nothing; the zero cost is the usual one. meter counts who is refused (nil: nobody asks).
func NewHasherAt(cost Cost, meter *limit.Meter) *Hasher {
	if cost == (Cost{}) {
		cost = currentCost
	}
	queue := limit.NewScheduler[requesterKey, string](
		limit.Options{Name: "password_hashes", Meter: meter},
		limit.SchedulerOptions{
			MaxRunning:             maxConcurrentHashes,
			MaxRunningPerKey:       maxConcurrentHashes,
			MaxRunningPerSubmitter: 1,
			MaxWaitingPerKey:       maxQueuedHashes,
			MaxWaitingPerSubmitter: maxQueuedHashes,
		},
	)
	queue.Reserve(limit.Reservation[requesterKey]{
		Running:          hashesReservedForKnown,
		For:              func(a requesterKey) bool { return a.known },
		MaxOthersWaiting: maxQueuedHashes,
	})
	return &Hasher{queue: queue, cost: cost}
}

// Hash makes the stored form of a password.
func (h *Hasher) Hash(ctx context.Context, by Requester, password string) (string, error) {
	salt := make([]byte, saltLen)
	if _, err := rand.Read(salt); err != nil {
		return "", err
	}
	key, err := h.derive(ctx, by, password, salt, h.cost)
	if err != nil {
		return "", err
	}
	return h.cost.encode(salt, key), nil
}

// outdated tells whether a hash that is made now takes another effort than stored.
func (h *Hasher) outdated(stored string) bool { return !strings.HasPrefix(stored, h.cost.prefix()) }

// Verify tells whether password is the one that stored was made from.
func (h *Hasher) Verify(ctx context.Context, by Requester, stored, password string) (bool, error) {
	var version int
	var cost Cost
	parts := strings.Split(stored, "$")
	if len(parts) != 6 || parts[1] != "argon2id" {
		return false, fmt.Errorf("stored password hash is not argon2id")
	}
	if _, err := fmt.Sscanf(parts[2], "v=%d", &version); err != nil || version != argon2.Version {
		return false, fmt.Errorf("stored password hash: version %q", parts[2])
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &cost.Memory, &cost.Passes, &cost.Threads); err != nil {
		return false, fmt.Errorf("stored password hash: cost %q", parts[3])
	}
	salt, err := base64.RawStdEncoding.DecodeString(parts[4])
	if err != nil {
		return false, fmt.Errorf("stored password hash: salt: %w", err)
	}
	want, err := base64.RawStdEncoding.DecodeString(parts[5])
	if err != nil {
		return false, fmt.Errorf("stored password hash: key: %w", err)
	}
	got, err := h.derive(ctx, by, password, salt, cost)
	if err != nil {
		return false, err
	}
	return subtle.ConstantTimeCompare(got, want) == 1, nil
}

func (h *Hasher) derive(ctx context.Context, by Requester, password string, salt []byte, cost Cost) ([]byte, error) {
	turn, why := h.queue.Enter(ctx, requesterKey{by.Subnet, by.Known}, by.Account)
	switch {
	case why != limit.NotFull:
		return nil, errs.New(errs.Unavailable, "error.503").RetryAfter(hashRetryAfter)
	case turn == nil:
		return nil, ctx.Err()
	}
	defer turn.Leave()
	return argon2.IDKey([]byte(password), salt, cost.Passes, cost.Memory, cost.Threads, keyLen), nil
}

// prefix is what stored forms of the cost begin with, and no others.
func (c Cost) prefix() string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$", argon2.Version, c.Memory, c.Passes, c.Threads)
}

func (c Cost) encode(salt, key []byte) string {
	return c.prefix() + base64.RawStdEncoding.EncodeToString(salt) + "$" + base64.RawStdEncoding.EncodeToString(key)
}
