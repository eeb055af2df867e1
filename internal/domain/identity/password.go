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

// Cost holds the argon2id parameters of a password hash. Each stored hash carries its cost, so
// hashes of different costs can be verified.
type Cost struct {
	Passes  uint32
	Memory  uint32 // KiB
	Threads uint8
}

// currentCost is the cost of new hashes. legacyCost is the cost of older hashes, until their owners
// sign in again.
var (
	currentCost = Cost{Passes: 1, Memory: 64 * 1024, Threads: 1}
	legacyCost  = Cost{Passes: 3, Memory: 64 * 1024, Threads: 2}
)

const (
	saltLen = 16
	keyLen  = 32

	maxConcurrentHashes    = 3 // each takes 64 MiB and a core; one of the legacy cost takes two cores
	hashesReservedForKnown = 1 // of them, for known requesters
	// hashesOfUnknownBetween is how many hashes of unknown requesters that wait begin between two of
	// one known subnet: somebody who signs in over and over slows them little.
	hashesOfUnknownBetween = 4
	// maxQueuedHashes bounds the hashes that wait per subnet. It also bounds those of all unknown
	// requesters together; then one subnet may take half of it.
	maxQueuedHashes = 32
	hashRetryAfter  = 2 * time.Second // when to retry after a full queue
)

// Requester says for which account, and from where, a password is verified or hashed. The zero
// Requester is the server itself.
type Requester struct {
	Subnet  limit.Network // the client's, by Subnet; zero for a request with a session and for the provider
	Known   bool          // the account signed in from there before, or the request has a session
	Account string        // any text that no other account has
}

// PlatformRequester is the requester for the provider.
var PlatformRequester = Requester{Known: true}

// Subnet groups the addresses that count as one for password checks: a client that has one of them
// can use the others too.
var Subnet = limit.Grouping{IPv4: 24, IPv6: 48}

// Hasher computes up to three password hashes at once. Subnets take slots round robin and, within a
// subnet, accounts do. One of the three slots is reserved for known requesters, and they get no
// more while unknown requesters wait for the others. So a flood of sign-ins, with right or wrong
// passwords, even from ever new subnets, delays other requesters by no more than one another's
// hashes. A known subnet that never pauses has one hash in five while unknown requesters wait.
type Hasher struct {
	queue *limit.Scheduler[requesterKey, string]
	cost  Cost
}

// requesterKey is the key of a requester in the queue.
type requesterKey struct {
	subnet limit.Network
	known  bool
}

// NewHasher makes a hasher of the current cost, for people's passwords.
func NewHasher() *Hasher { return NewHasherAt(currentCost, nil) }

// NewHasherAt makes a hasher of another cost, for passwords that protect nothing; the zero cost is
// the current one. meter counts the refused requests; nil: they are not counted.
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
		OthersBetween:    hashesOfUnknownBetween,
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

// outdated tells whether a new hash would have another cost than stored.
func (h *Hasher) outdated(stored string) bool { return !strings.HasPrefix(stored, h.cost.prefix()) }

// Verify tells whether stored was made from password.
func (h *Hasher) Verify(ctx context.Context, by Requester, stored, password string) (bool, error) {
	var version int
	var cost Cost
	parts := strings.Split(stored, "$")
	if len(parts) != 6 || parts[1] != "argon2id" {
		return false, fmt.Errorf("the stored password hash is not argon2id")
	}
	if _, err := fmt.Sscanf(parts[2], "v=%d", &version); err != nil || version != argon2.Version {
		return false, fmt.Errorf("the stored password hash has the unknown version %q", parts[2])
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &cost.Memory, &cost.Passes, &cost.Threads); err != nil {
		return false, fmt.Errorf("the stored password hash has the unreadable cost %q", parts[3])
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

// prefix gives the text that stored forms of this cost, and no others, begin with.
func (c Cost) prefix() string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$", argon2.Version, c.Memory, c.Passes, c.Threads)
}

func (c Cost) encode(salt, key []byte) string {
	return c.prefix() + base64.RawStdEncoding.EncodeToString(salt) + "$" + base64.RawStdEncoding.EncodeToString(key)
}
