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
	// The hash of a name without an account is skipped while known requesters wait, or more unknown ones
	// than compute at once. It takes none of their places, but has some of its own.
	maxQueuedBeforeSkip = maxConcurrentHashes - hashesReservedForKnown
	maxQueuedWithDecoys = 1024
	// While maxQueuedForGuessed wait, a guessed account is refused: the places left are for accounts that
	// nobody guesses at.
	maxQueuedForGuessed = maxQueuedHashes / 2
	hashRetryAfter      = 2 * time.Second // when to retry after a full queue
)

// Requester says for which account, and from where, a password is verified or hashed. The zero
// Requester is the server itself.
type Requester struct {
	Subnet  limit.Network // the client's, by Subnet; zero for a request with a session and for the provider
	Known   bool          // the account signed in from there before, or the request has a session
	Account string        // any text that no other account has
	Guessed bool          // the account has many failures from where it never signed in
	// Recheck, if it is set, refuses in the requester's turn, before the hash is computed.
	Recheck func() error
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
//
// A flood of names without an account fills no queue: while others wait, such a name waits for its turn
// like any other, and then for as long as one of the latest hashes took, without one of the slots. These
// stay busy with what does compute, so that neither its own time nor that of others tells whether a name
// has an account.
type Hasher struct {
	queue *limit.Scheduler[requesterKey, string]
	cost  Cost
	took  hashTimes
	// compute is argon2.IDKey, unless a test replaces it.
	compute func(password, salt []byte, cost Cost) []byte
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

		OthersBeforeSkip:   maxQueuedBeforeSkip,
		MaxOptionalWaiting: maxQueuedWithDecoys,
	})
	return &Hasher{queue: queue, cost: cost, compute: func(password, salt []byte, c Cost) []byte {
		return argon2.IDKey(password, salt, c.Passes, c.Memory, c.Threads, keyLen)
	}}
}

// Hash makes the stored form of a password, however it was typed.
func (h *Hasher) Hash(ctx context.Context, by Requester, password string) (string, error) {
	salt := make([]byte, saltLen)
	if _, err := rand.Read(salt); err != nil {
		return "", err
	}
	turn, _, err := h.enter(ctx, by, false)
	if err != nil {
		return "", err
	}
	defer turn.Leave()
	return h.cost.encode(salt, h.derive(normalized(password), salt, h.cost)), nil
}

// outdated tells whether a new hash would have another cost than stored.
func (h *Hasher) outdated(stored string) bool { return !strings.HasPrefix(stored, h.cost.prefix()) }

// verifyForm tells whether stored was made from password in this form.
func (h *Hasher) verifyForm(ctx context.Context, by Requester, stored, password string) (bool, error) {
	cost, salt, want, err := parseHash(stored)
	if err != nil {
		return false, err
	}
	isDecoy := len(want) == 0
	turn, skip, err := h.enter(ctx, by, isDecoy)
	if err != nil {
		return false, err
	}
	defer turn.Leave()
	if by.Recheck != nil {
		if err := by.Recheck(); err != nil {
			return false, err
		}
	}
	if skip {
		time.Sleep(h.took.sample(cost)) // also if the client has left: a hash would be computed to its end
		return false, nil
	}
	return subtle.ConstantTimeCompare(h.derive(password, salt, cost), want) == 1, nil
}

// parseHash reads a stored form. The key of a decoy is empty.
func parseHash(stored string) (cost Cost, salt, key []byte, err error) {
	var version int
	parts := strings.Split(stored, "$")
	if len(parts) != 6 || parts[1] != "argon2id" {
		return cost, nil, nil, fmt.Errorf("the stored password hash is not argon2id")
	}
	if _, err := fmt.Sscanf(parts[2], "v=%d", &version); err != nil || version != argon2.Version {
		return cost, nil, nil, fmt.Errorf("the stored password hash has the unknown version %q", parts[2])
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &cost.Memory, &cost.Passes, &cost.Threads); err != nil {
		return cost, nil, nil, fmt.Errorf("the stored password hash has the unreadable cost %q", parts[3])
	}
	if salt, err = base64.RawStdEncoding.DecodeString(parts[4]); err != nil {
		return cost, nil, nil, fmt.Errorf("stored password hash: salt: %w", err)
	}
	if key, err = base64.RawStdEncoding.DecodeString(parts[5]); err != nil {
		return cost, nil, nil, fmt.Errorf("stored password hash: key: %w", err)
	}
	return cost, salt, key, nil
}

// enter waits for a requester's turn. skip tells that others wait, so that the hash of a decoy is not
// computed.
func (h *Hasher) enter(ctx context.Context, by Requester, decoy bool) (turn limit.Task, skip bool, err error) {
	busy := errs.New(errs.Unavailable, "error.503").RetryAfter(hashRetryAfter)
	if by.Guessed && !by.Known && h.queue.OthersWaiting() >= maxQueuedForGuessed {
		return nil, false, busy
	}
	var why limit.Full
	key := requesterKey{by.Subnet, by.Known}
	if decoy {
		turn, skip, why = h.queue.EnterOptional(ctx, key, by.Account)
	} else {
		turn, why = h.queue.Enter(ctx, key, by.Account)
	}
	switch {
	case why != limit.NotFull:
		return nil, false, busy
	case turn == nil:
		return nil, false, ctx.Err()
	}
	return turn, skip, nil
}

// waitAsUnknown waits as a requester would who is not known, and fails as that one would: so whoever
// gives a known requester's wrong password does not learn that it is known.
func (h *Hasher) waitAsUnknown(ctx context.Context, by Requester, password string) error {
	by.Known = false
	for range passwordForms(password) {
		turn, _, err := h.enter(ctx, by, true)
		if err != nil {
			return err
		}
		turn.Leave()
	}
	return nil
}

// imitate takes as long as verifying password, with the cost of stored, and computes no hash.
func (h *Hasher) imitate(stored, password string) {
	cost, _, _, err := parseHash(stored)
	if err != nil {
		return
	}
	for range passwordForms(password) {
		time.Sleep(h.took.sample(cost))
	}
}

func (h *Hasher) derive(password string, salt []byte, cost Cost) []byte {
	began := time.Now()
	key := h.compute([]byte(password), salt, cost)
	h.took.add(cost, time.Since(began))
	return key
}

// prefix gives the text that stored forms of this cost, and no others, begin with.
func (c Cost) prefix() string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$", argon2.Version, c.Memory, c.Passes, c.Threads)
}

func (c Cost) encode(salt, key []byte) string {
	return c.prefix() + base64.RawStdEncoding.EncodeToString(salt) + "$" + base64.RawStdEncoding.EncodeToString(key)
}
