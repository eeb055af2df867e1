package identity

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/identity/picture"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/db"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/limit"
)

// The path of a user's picture: AvatarPrefix, 32 hex digits, AvatarSuffix.
const (
	AvatarPrefix = "/avatar/"
	AvatarSuffix = ".jpg"

	// maxQueuedPictures is how many pictures of a tenant wait while one is decoded, which takes up
	// to seconds and 320 MiB; a client whose picture finds no place may retry after
	// pictureRetryAfter.
	maxQueuedPictures = 16
	pictureRetryAfter = 5 * time.Second
)

type avatarRow struct {
	bun.BaseModel `bun:"table:avatars,alias:v"`
	UserID        int64 `bun:",pk"`
	TenantID      tenant.ID
	Address       string
	Picture       []byte
	CreateTime    int64
}

// AvatarStore keeps users' pictures, one per user.
type AvatarStore struct {
	db    *db.DB
	now   func() time.Time
	queue *limit.Scheduler[tenant.ID, int64] // pictures to decode
}

// NewAvatarStore makes a store; now is the server's clock.
func NewAvatarStore(d *db.DB, now func() time.Time) *AvatarStore {
	return &AvatarStore{
		db:  d,
		now: now,
		queue: limit.NewScheduler[tenant.ID, int64](limit.Options{Name: "pictures"}, limit.SchedulerOptions{
			MaxRunning:             1,
			MaxRunningPerKey:       1,
			MaxRunningPerSubmitter: 1,
			MaxWaitingPerKey:       maxQueuedPictures,
			MaxWaitingPerSubmitter: maxQueuedPictures,
		}),
	}
}

// Put makes a file the picture of a tenant's user and returns its path; it replaces the earlier
// picture. It refuses, with the reason, a file that is no picture or too large; the error is
// Unavailable if too many pictures of the tenant wait.
func (s *AvatarStore) Put(
	ctx context.Context,
	t tenant.ID,
	user int64,
	file []byte,
	crop *picture.Crop,
) (string, error) {
	square, err := s.makeSquare(ctx, t, user, file, crop)
	if err != nil {
		return "", err
	}
	address, err := newAvatarPath(square)
	if err != nil {
		return "", err
	}
	err = s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		if err := requireRowAffected(tx.NewUpdate().Model((*userRow)(nil)).Set("avatar = ?", address).
			Where("u.tenant_id = ? AND u.id = ?", t, user).Exec(ctx)); err != nil {
			return err
		}
		r := avatarRow{UserID: user, TenantID: t, Address: address, Picture: square, CreateTime: s.now().UnixMilli()}
		_, err := tx.NewInsert().Model(&r).On("CONFLICT (user_id) DO UPDATE").
			Set("address = EXCLUDED.address, picture = EXCLUDED.picture, create_time = EXCLUDED.create_time").Exec(ctx)
		if err != nil {
			return err
		}
		var owner userRow
		if err := tx.NewSelect().Model(&owner).Where("u.tenant_id = ? AND u.id = ?", t, user).Scan(ctx); err != nil {
			return err
		}
		return auditUser(ctx, owner.user(), "user.update", audit.Change{Field: "avatar", Hidden: true})
	})
	return address, wrap("put avatar", err)
}

// makeSquare decodes one picture at a time, since each may take much memory. Those that wait go
// round robin by tenant and, within a tenant, by user.
func (s *AvatarStore) makeSquare(
	ctx context.Context,
	t tenant.ID,
	user int64,
	file []byte,
	crop *picture.Crop,
) ([]byte, error) {
	turn, why := s.queue.Enter(ctx, t, user)
	switch {
	case why != limit.NotFull:
		return nil, errs.New(errs.Unavailable, "error.503").RetryAfter(pictureRetryAfter)
	case turn == nil:
		return nil, ctx.Err()
	}
	defer turn.Leave()
	return picture.Square(file, crop)
}

// newAvatarPath makes a path for a picture: the hash of its content and 128 random bits. Each
// picture has its own path, so caches may keep it for ever. A person who has only the picture
// cannot compute its path, so the path does not reveal whose picture it is.
func newAvatarPath(square []byte) (string, error) {
	salt := make([]byte, 16)
	if _, err := rand.Read(salt); err != nil {
		return "", err
	}
	sum := sha256.Sum256(append(salt, square...))
	return AvatarPrefix + hex.EncodeToString(sum[:16]) + AvatarSuffix, nil
}

func isAvatarPath(address string) bool {
	digits, ok := strings.CutPrefix(address, AvatarPrefix)
	digits, also := strings.CutSuffix(digits, AvatarSuffix)
	return ok && also && len(digits) == 32 && strings.Trim(digits, "0123456789abcdef") == ""
}

// Picture gives the picture at a path, of type picture.ContentType; a NotFound error if there is
// none any more. Anyone who knows the path may see it: a page's request for an image carries no
// token.
func (s *AvatarStore) Picture(ctx context.Context, address string) ([]byte, error) {
	if !isAvatarPath(address) {
		return nil, errs.Missing() // without asking the database
	}
	var r avatarRow
	err := s.db.Read(ctx).NewSelect().Model(&r).Column("picture").Where("v.address = ?", address).Scan(ctx)
	if db.IsMissing(err) {
		return nil, errs.Missing()
	}
	return r.Picture, wrap("read avatar", err)
}
