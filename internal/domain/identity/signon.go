package identity

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"log/slog"
	"net/netip"
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/sync/singleflight"

	"tilth/internal/domain/identity/oidc"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/db"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/limit"
)

// The addresses at which a sign-in at an issuer begins, and to which the issuer sends the person
// back. SignInPath is the console's page.
const (
	SignOnStartPath    = "/auth/oidc/start"
	SignOnCallbackPath = "/auth/oidc/callback"
	SignInPath         = "/signin"
)

// How often sign-ins at issuers may begin: the rate and the burst of an address, and of all
// addresses at a tenant.
const (
	signOnStartsPerMinute       = 30
	tenantSignOnStartsPerMinute = 300
	maxReturnPath               = 2000
)

// SignOn signs people in who have signed in at their tenant's issuer of OpenID Connect.
type SignOn struct {
	SignOnDeps
	store        *signOnStore
	starts       *limit.Buckets[limit.Network]
	tenantStarts *limit.Buckets[tenant.ID]
	renewals     singleflight.Group // by session
	lines        *signOnLines
}

// SignOnDeps holds the dependencies of a SignOn.
type SignOnDeps struct {
	DB          *db.DB
	Tenants     *tenant.Store
	Users       *UserStore
	Sessions    *SessionStore
	Invitations *InvitationStore
	Connections *ConnectionStore
	Issuers     *oidc.Client
	Mailer      Mailer // nil: no mail is sent
	PublicURL   string // the server's address for people; may be empty
	Now         func() time.Time
	Logger      *slog.Logger
	Meter       *limit.Meter // counts refusals; nil: they are not counted
}

// NewSignOn makes a SignOn.
func NewSignOn(p SignOnDeps) *SignOn {
	return &SignOn{
		SignOnDeps: p,
		store:      &signOnStore{db: p.DB, now: p.Now},
		lines:      newSignOnLines(&p),
		starts: limit.NewBuckets[limit.Network](
			limit.Options{Name: "sign_on_starts", MaxKeys: 50_000, Now: p.Now, Meter: p.Meter},
			signOnStartsPerMinute/60.0, signOnStartsPerMinute,
		),
		tenantStarts: limit.NewBuckets[tenant.ID](
			limit.Options{Name: "sign_on_starts_of_tenant", MaxKeys: 10_000, Now: p.Now, Meter: p.Meter},
			tenantSignOnStartsPerMinute/60.0, tenantSignOnStartsPerMinute,
		),
	}
}

var (
	errNoIssuer = errors.New("the tenant has no issuer")
	errStarts   = errors.New("too many sign-ins begin from one address")
)

// SignOnWay is how the people of a tenant sign in at an issuer.
type SignOnWay struct {
	Name     string // of the issuer
	StartURL string // where it begins; relative if the person is at the right host
}

// Way gives how people of a tenant whose browser is at an origin sign in at an issuer; nil: they do
// not, or there is no such tenant.
func (s *SignOn) Way(ctx context.Context, tenantName, origin string) (*SignOnWay, error) {
	t, err := s.Tenants.ByName(ctx, tenantName)
	if errs.Is(err, errs.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	conn, err := s.Connections.Of(ctx, t.ID)
	base := t.BaseURLAt(origin, s.PublicURL)
	if err != nil || conn == nil || base == "" {
		return nil, err
	}
	start := url.URL{Path: SignOnStartPath, RawQuery: url.Values{"tenant": {t.Name}}.Encode()}
	way := &SignOnWay{Name: conn.Name(), StartURL: start.String()}
	if !isSameHost(base, origin) {
		way.StartURL = base + way.StartURL
	}
	return way, nil
}

func isSameHost(a, b string) bool {
	u, err := url.Parse(a)
	v, otherErr := url.Parse(b)
	return err == nil && otherErr == nil && tenant.NormalizeHost(u.Host) == tenant.NormalizeHost(v.Host)
}

// SignOnStart is a browser's wish to begin a sign-in at an issuer.
type SignOnStart struct {
	TenantName string
	Binding    string // base64url of the SHA-256 of a secret that only the browser has
	ReturnPath string // where the person goes afterwards, a path of the console; may be empty
	Origin     string // of the browser: scheme, host and port that the request asks for
	Address    netip.Addr
}

// Start begins a sign-in and gives the address at the issuer to which the browser goes.
func (s *SignOn) Start(ctx context.Context, r SignOnStart) (string, SignOnFailure) {
	t, err := s.Tenants.ByName(ctx, r.TenantName)
	if errs.Is(err, errs.NotFound) {
		err = errors.New("there is no such tenant")
	}
	if err != nil {
		return "", s.failed(ctx, "begin", 0, err)
	}
	if wait := s.starts.Allow(limit.Client.Of(r.Address), limit.One).Retry; wait > 0 {
		return "", s.failed(ctx, "begin", t.ID, errStarts)
	}
	if wait := s.tenantStarts.Allow(t.ID, limit.One).Retry; wait > 0 {
		return "", s.failed(ctx, "begin", t.ID, errors.New("too many sign-ins of the tenant begin"))
	}
	conn, err := s.Connections.Of(ctx, t.ID)
	if err == nil && conn == nil {
		err = errNoIssuer
	}
	if err != nil {
		return "", s.failed(ctx, "begin", t.ID, err)
	}
	address, err := s.begin(ctx, t, conn, r, Caller{})
	if err != nil {
		return "", s.failed(ctx, "begin", t.ID, err)
	}
	return address, ""
}

// Link begins to link a signed-in user's account at the issuer: afterwards the user signs in there.
// It gives the address at the issuer to which the browser goes.
func (s *SignOn) Link(ctx context.Context, c Caller, r SignOnStart) (string, error) {
	address, err := s.beginLink(ctx, c, r)
	if err != nil {
		s.failed(ctx, "link", c.Tenant, err)
	}
	return address, err
}

func (s *SignOn) beginLink(ctx context.Context, c Caller, r SignOnStart) (string, error) {
	t, err := s.Tenants.Get(ctx, c.Tenant)
	if err != nil {
		return "", err
	}
	conn, err := s.Connections.Of(ctx, c.Tenant)
	if err != nil {
		return "", err
	}
	if conn == nil {
		return "", errs.New(errs.Refused, "signOn.off").WithCause(errNoIssuer)
	}
	if wait := s.starts.Allow(limit.Client.Of(r.Address), limit.One).Retry; wait > 0 {
		return "", errs.New(errs.TooMany, "error.429").RetryAfter(wait).WithCause(errStarts)
	}
	if _, err := parseBinding(r.Binding); err != nil {
		return "", errs.New(errs.Refused, "invalid.format").WithField("binding").WithCause(err)
	}
	address, err := s.begin(ctx, t, conn, r, c)
	if err != nil {
		return "", errs.New(errs.Upstream, "signOn.unreachable").WithCause(err)
	}
	return address, nil
}

// begin records an attempt; c is the user who links an account, the zero Caller if nobody does.
func (s *SignOn) begin(
	ctx context.Context,
	t *tenant.Tenant,
	conn *Connection,
	r SignOnStart,
	c Caller,
) (string, error) {
	binding, err := parseBinding(r.Binding)
	if err != nil {
		return "", err
	}
	base := t.BaseURLAt(r.Origin, s.PublicURL)
	if base == "" {
		return "", errors.New("the issuer cannot send people back: the tenant has no host, and --public-url is not set")
	}
	state, err := newToken()
	if err != nil {
		return "", err
	}
	nonce, err := newToken()
	if err != nil {
		return "", err
	}
	q := oidc.Request{
		RedirectURL: base + SignOnCallbackPath, State: state, Nonce: nonce, Verifier: oidc.NewVerifier(),
	}
	address, err := s.Issuers.AuthURL(ctx, conn.Connection, q)
	if err != nil {
		return "", err
	}
	return address, s.store.putAttempt(ctx, &attemptRow{
		StateHash: hashToken(state), TenantID: t.ID, Issuer: conn.Issuer, ClientID: conn.ClientID, Nonce: nonce,
		Verifier: s.Connections.vault.seal(t.ID, []byte(q.Verifier)), Binding: binding, RedirectURL: q.RedirectURL,
		ReturnPath: localPath(r.ReturnPath), UserID: c.User, SessionID: c.Session,
		ExpireTime: s.Now().Add(attemptLife).UnixMilli(),
	})
}

// parseBinding reads the SHA-256 that binds a sign-in to a browser.
func parseBinding(text string) ([]byte, error) {
	sum, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(sum) != sha256.Size {
		return nil, errors.New("the binding is no SHA-256")
	}
	return sum, nil
}

// localPath gives a path of this site as it is, and an empty text for everything else: an address
// that somebody was sent must not lead to another site.
func localPath(path string) string {
	u, err := url.Parse(path)
	foreign := func(r rune) bool { return r == '\\' || unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }
	if err != nil || len(path) > maxReturnPath || !utf8.ValidString(path) || !strings.HasPrefix(path, "/") ||
		strings.HasPrefix(path, "//") || u.Scheme != "" || u.Host != "" ||
		strings.ContainsFunc(
			path,
			foreign,
		) || strings.ContainsFunc(u.Path, foreign) || strings.HasPrefix(u.Path, "//") {
		return ""
	}
	return path
}

// Sweep removes sign-ins that nobody finished by until.
func (s *SignOn) Sweep(ctx context.Context, until time.Time) error { return s.store.sweep(ctx, until) }
