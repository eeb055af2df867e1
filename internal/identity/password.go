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

// The cost of a password hash: argon2id as RFC 9106's second choice.
const (
	argonTime    = 3
	argonMemory  = 64 * 1024 // KiB
	argonThreads = 2
	saltLen      = 16
	keyLen       = 32

	hashersAtOnce = 2  // each takes 64 MiB and a core or two
	hashersQueue  = 32 // sign-ins that may wait for one; beyond is an answer of overload
)

// Hasher computes password hashes, two at once and a bounded queue before
// them, so that a flood of sign-ins cannot take the machine.
type Hasher struct {
	slots   chan struct{}
	waiting atomic.Int64
	decoy   string
}

// NewHasher makes a hasher.
func NewHasher() *Hasher {
	h := &Hasher{slots: make(chan struct{}, hashersAtOnce)}
	h.decoy = encode(make([]byte, saltLen), make([]byte, keyLen))
	return h
}

// Hash makes the stored form of a password.
func (h *Hasher) Hash(ctx context.Context, password string) (string, error) {
	salt := make([]byte, saltLen)
	if _, err := rand.Read(salt); err != nil {
		return "", err
	}
	key, err := h.derive(ctx, password, salt, argonTime, argonMemory, argonThreads)
	if err != nil {
		return "", err
	}
	return encode(salt, key), nil
}

// Verify tells whether password is the one that stored was made from. An empty
// stored form costs the same time and is never right, so that an account that
// does not exist cannot be told from one that does.
func (h *Hasher) Verify(ctx context.Context, stored, password string) (bool, error) {
	exists := stored != ""
	if !exists {
		stored = h.decoy
	}
	var version, memory, passes int
	var threads uint8
	parts := strings.Split(stored, "$")
	if len(parts) != 6 || parts[1] != "argon2id" {
		return false, fmt.Errorf("stored password hash is not argon2id")
	}
	if _, err := fmt.Sscanf(parts[2], "v=%d", &version); err != nil || version != argon2.Version {
		return false, fmt.Errorf("stored password hash: version %q", parts[2])
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &memory, &passes, &threads); err != nil {
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
	got, err := h.derive(ctx, password, salt, uint32(passes), uint32(memory), threads)
	if err != nil {
		return false, err
	}
	return exists && subtle.ConstantTimeCompare(got, want) == 1, nil
}

func (h *Hasher) derive(ctx context.Context, password string, salt []byte, passes, memory uint32, threads uint8) ([]byte, error) {
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
	return argon2.IDKey([]byte(password), salt, passes, memory, threads, keyLen), nil
}

func encode(salt, key []byte) string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, argonMemory, argonTime, argonThreads,
		base64.RawStdEncoding.EncodeToString(salt), base64.RawStdEncoding.EncodeToString(key))
}
