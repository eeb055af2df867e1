// Package oidc speaks OpenID Connect with the servers at which people of tenants sign in. It knows
// the protocol, and neither users nor sessions.
package oidc

import (
	"crypto/x509"
	"errors"
	"net/url"
	"sync"
	"syscall"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"tilth/internal/platform/limit"
)

// The kinds of errors. Their texts, and those of what they wrap, hold no token and nothing of an
// answer but its status and its error code.
var (
	// ErrUnreachable says that the issuer did not answer, or not as a working server does.
	ErrUnreachable = errors.New("the issuer cannot be reached or does not work")
	// ErrRefused says that the issuer refused what it was asked for.
	ErrRefused = errors.New("the issuer refused")
	// ErrClock says that the issuer's clock and ours differ by more than MaxClockSkew.
	ErrClock = errors.New("the clocks differ")
	// ErrInvalid says that what the issuer answered is not valid.
	ErrInvalid = errors.New("the issuer's answer is not valid")
)

// MaxClockSkew is how far the issuer's clock may be from ours.
const MaxClockSkew = 60 * time.Second

// maxClaimLength limits the subject and the session id of an issuer, in bytes. OpenID Connect
// limits a subject to 255.
const maxClaimLength = 255

// asymmetric are the algorithms of signatures that are accepted: those whose keys only the issuer
// has. With HS256 everybody who knows the client's secret could sign.
var asymmetric = []string{
	oidc.RS256, oidc.RS384, oidc.RS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.PS256, oidc.PS384, oidc.PS512,
	oidc.EdDSA,
}

// Connection is a client of an issuer, as which the server signs people in.
type Connection struct {
	Issuer       string
	ClientID     string
	ClientSecret string
}

// Name is what people see of the issuer: its host.
func (c Connection) Name() string {
	if u, err := url.Parse(c.Issuer); err == nil && u.Host != "" {
		return u.Host
	}
	return c.Issuer
}

// IsIssuer tells whether an address can be an issuer: https, or http on this machine, without
// query and fragment.
func IsIssuer(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Host != "" && u.User == nil && u.RawQuery == "" && !u.ForceQuery && u.Fragment == "" &&
		u.Opaque == "" && (u.Scheme == "https" || u.Scheme == "http" && isLoopback(u.Hostname()))
}

// Options is what a Client needs.
type Options struct {
	// Control checks the address of a connection just before it is made, as that of a net.Dialer
	// does; plain tells that the connection has no TLS. It is not asked about loopback addresses of
	// an issuer that is itself on this machine.
	Control func(plain bool) func(network, address string, c syscall.RawConn) error
	Roots   *x509.CertPool // nil: those of the machine
	Now     func() time.Time
	Meter   *limit.Meter // counts refusals; nil: they are not counted
}

// Client calls issuers. What it learns of an issuer serves many sign-ins.
type Client struct {
	Options
	keyFetches *limit.Buckets[string] // of the keys of each issuer

	mu      sync.Mutex
	issuers map[string]*issuer
}

// NewClient makes a client.
func NewClient(o Options) *Client {
	return &Client{
		Options: o, issuers: map[string]*issuer{},
		keyFetches: limit.NewBuckets[string](
			limit.Options{Name: "oidc_key_fetches", MaxKeys: maxIssuers, Now: o.Now, Meter: o.Meter},
			1/keyFetchEvery.Seconds(), keyFetchBurst,
		),
	}
}
