package identity

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/argon2"

	"tilth/internal/errs"
)

// Cost is what making a password hash by argon2id takes. It is kept with each
// hash, so hashes of different cost are checked alike.
type Cost struct {
	Passes  uint32
	Memory  uint32 // KiB
	Threads uint8
}

// usual is RFC 9106's second choice.
var usual = Cost{Passes: 3, Memory: 64 * 1024, Threads: 2}

const (
	saltLen = 16
	keyLen  = 32

	hashersAtOnce = 2  // each takes 64 MiB and a core or two
	hashersQueue  = 32 // sign-ins that may wait for one; beyond is an answer of overload
)

// Hasher computes password hashes, two at once and a bounded queue before
// them, so that a flood of sign-ins cannot take the machine.
type Hasher struct {
	slots   chan struct{}
	waiting atomic.Int64
	cost    Cost
	decoy   string
}

// NewHasher makes a hasher of the cost that people's passwords are worth.
func NewHasher() *Hasher { return NewHasherAt(usual) }

// NewHasherAt makes a hasher of another cost, as suits passwords that guard
// nothing; the zero cost is the usual one.
func NewHasherAt(cost Cost) *Hasher {
	if cost == (Cost{}) {
		cost = usual
	}
	h := &Hasher{slots: make(chan struct{}, hashersAtOnce), cost: cost}
	h.decoy = cost.encode(make([]byte, saltLen), make([]byte, keyLen))
	return h
}

// Hash makes the stored form of a password.
func (h *Hasher) Hash(ctx context.Context, password string) (string, error) {
	salt := make([]byte, saltLen)
	if _, err := rand.Read(salt); err != nil {
		return "", err
	}
	key, err := h.derive(ctx, password, salt, h.cost)
	if err != nil {
		return "", err
	}
	return h.cost.encode(salt, key), nil
}

// Verify tells whether password is the one that stored was made from. An empty
// stored form costs the same time and is never right, so that an account that
// does not exist cannot be told from one that does.
func (h *Hasher) Verify(ctx context.Context, stored, password string) (bool, error) {
	exists := stored != ""
	if !exists {
		stored = h.decoy
	}
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
	got, err := h.derive(ctx, password, salt, cost)
	if err != nil {
		return false, err
	}
	return exists && subtle.ConstantTimeCompare(got, want) == 1, nil
}

func (h *Hasher) derive(ctx context.Context, password string, salt []byte, cost Cost) ([]byte, error) {
	if h.waiting.Add(1) > hashersQueue+hashersAtOnce {
		h.waiting.Add(-1)
		return nil, errs.New(errs.Unavailable, "error.503").After(2 * time.Second)
	}
	defer h.waiting.Add(-1)
	select {
	case h.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-h.slots }()
	return argon2.IDKey([]byte(password), salt, cost.Passes, cost.Memory, cost.Threads, keyLen), nil
}

func (c Cost) encode(salt, key []byte) string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, c.Memory, c.Passes, c.Threads,
		base64.RawStdEncoding.EncodeToString(salt), base64.RawStdEncoding.EncodeToString(key))
}
