// Package captcha implements the slider captcha in AJ-Captcha's protocol: a picture with a place
// for a piece, one attempt to put the piece there, and a receipt for success. It keeps challenges
// and receipts, but does not know who signs in with them. Everything is in memory: after a restart,
// people have to solve a captcha again.
package captcha

import (
	"context"
	crand "crypto/rand"
	"encoding/hex"
	"errors"
	"math"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"tilth/internal/platform/limit"
)

// Kind is the only captchaType.
const Kind = "blockPuzzle"

// Code is AJ-Captcha's repCode. Every Code but OK also serves as an error.
type Code string

// The codes. Package text has a text for each, with the key captcha.CODE.
const (
	OK            Code = "0000"
	Empty         Code = "0011" // a parameter is missing or unreadable
	Expired       Code = "6110" // the challenge is unknown, expired or used up
	Failed        Code = "6111" // the piece is in the wrong place
	Unavailable   Code = "6112" // unknown captchaType, or too many requests wait for a picture
	TooManyGets   Code = "6201"
	Locked        Code = "6202" // too many failures
	TooManyChecks Code = "6204"
	Fault         Code = "9999" // of the server
)

// Codes lists all codes.
var Codes = []Code{OK, Empty, Expired, Failed, Unavailable, TooManyGets, Locked, TooManyChecks, Fault}

func (c Code) Error() string { return "captcha: " + string(c) }

const (
	challengeLife  = 130 * time.Second // the console fetches another challenge after 120 seconds
	receiptLife    = 180 * time.Second
	tolerance      = 5   // in the 310-pixel basis of the coordinates
	pointY         = 5.0 // the y that every client sends
	maxPointLength = 512 // characters of an encrypted point
	maxEntries     = 32 << 10

	// drawQueue bounds the requests that wait for a picture, or are served one. Drawing is the
	// costly part: the service draws one picture at a time, so a flood of gets takes at most one
	// core, and no request waits for long.
	drawQueue = 64
)

// Challenge is a puzzle for a client to solve.
type Challenge struct {
	Picture
	Token     string // 32 hex digits
	SecretKey string // 16 characters, for AES-128
}

// Service gives challenges to clients and checks their solutions.
type Service struct {
	now      func() time.Time
	draw     func() (Picture, error)
	drawSlot chan struct{}
	queued   atomic.Int64

	limits     *limits
	mu         sync.Mutex
	challenges *expiringMap[string, challenge]
	receipts   *expiringMap[string, struct{}]
}

type challenge struct {
	target int
	secret string
}

// New makes a Service. now is the server's clock. draw makes its pictures: Draw, except in tests
// that need to know where the piece belongs. meter counts refused requests; nil: they are not
// counted.
func New(now func() time.Time, draw func() (Picture, error), meter *limit.Meter) *Service {
	return &Service{
		now:        now,
		draw:       draw,
		drawSlot:   make(chan struct{}, 1),
		limits:     newLimits(now, meter),
		challenges: newExpiringMap[string, challenge](challengeLife, maxEntries),
		receipts:   newExpiringMap[string, struct{}](receiptLife, maxEntries),
	}
}

// Get makes a challenge for a client at an address. The error is a Code, or an error of ctx or of
// drawing.
func (s *Service) Get(ctx context.Context, from netip.Addr) (*Challenge, error) {
	if code := s.limits.admitGet(limit.Client.Of(from)); code != OK {
		return nil, code
	}
	picture, err := s.picture(ctx)
	if err != nil {
		return nil, err
	}
	c := &Challenge{Picture: picture, Token: newToken(), SecretKey: crand.Text()[:16]}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.challenges.put(c.Token, challenge{target: picture.Target, secret: c.SecretKey}, s.now())
	return c, nil
}

func (s *Service) picture(ctx context.Context) (Picture, error) {
	defer s.queued.Add(-1)
	if s.queued.Add(1) > drawQueue {
		return Picture{}, Unavailable
	}
	select {
	case s.drawSlot <- struct{}{}:
	case <-ctx.Done():
		return Picture{}, ctx.Err()
	}
	defer func() { <-s.drawSlot }()
	return s.draw()
}

// Check checks a solution of a challenge; pointJSON is the encrypted point. It uses up the
// challenge even if the solution is wrong. The error is a Code.
func (s *Service) Check(from netip.Addr, token, pointJSON string) error {
	if token == "" || pointJSON == "" {
		return Empty
	}
	address := limit.Client.Of(from)
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	if code := s.limits.admitCheck(address); code != OK {
		return code
	}
	c, ok := s.challenges.take(token, now)
	if !ok {
		return Expired
	}
	plain, x, err := decryptPoint(pointJSON, c.secret)
	if err != nil || math.Abs(math.Trunc(x)-float64(c.target)) > tolerance {
		s.limits.addFailure(address)
		return Failed
	}
	s.receipts.put(Encrypt(token+"---"+plain, c.secret), struct{}{}, now)
	return nil
}

// Verify tells whether verification is the receipt of a challenge that was
// solved within the last 180 seconds, and uses it up.
func (s *Service) Verify(verification string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.receipts.take(verification, s.now())
	return ok
}

// CodeOf gives the code to respond with to err.
func CodeOf(err error) Code {
	var c Code
	switch {
	case err == nil:
		return OK
	case errors.As(err, &c):
		return c
	}
	return Fault
}

func newToken() string {
	var b [16]byte
	_, _ = crand.Read(b[:]) // never fails (crypto/rand)
	return hex.EncodeToString(b[:])
}
