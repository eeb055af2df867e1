package identity

import (
	"context"
	"errors"
	"regexp"

	"tilth/internal/domain/identity/oidc"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/limit"
)

// Strangers cause refusals, so a reason has refusalLines log lines at once and then one in
// refusalLogEvery, for each tenant.
const (
	refusalLines    = 5
	refusalLogEvery = 600 // seconds
)

// SignOnFailure says why somebody is not signed in by an issuer; the console has a sentence for
// each. Empty: nothing failed.
type SignOnFailure string

// The reasons.
const (
	SignOnDenied     SignOnFailure = "denied"     // the issuer did not let the person through
	SignOnExpired    SignOnFailure = "expired"    // it took too long, or the response came before
	SignOnUnverified SignOnFailure = "unverified" // the issuer does not vouch for the person's address
	SignOnUnknown    SignOnFailure = "unknown"    // nobody has that address
	SignOnAmbiguous  SignOnFailure = "ambiguous"  // it cannot be told who the person is
	SignOnDisabled   SignOnFailure = "disabled"   // the user is shut out
	SignOnNoRole     SignOnFailure = "norole"     // the issuer gives the person no role
	SignOnClock      SignOnFailure = "clock"      // the clocks differ
	SignOnFailed     SignOnFailure = "failed"     // anything else; the log says what
)

// signOnRefusal is the error of a person whom a rule does not let in. Its reason is for the log, and
// says nothing of who the person is.
type signOnRefusal struct {
	why    SignOnFailure
	reason string
}

// Error implements error.
func (r *signOnRefusal) Error() string { return r.reason }

func refused(why SignOnFailure, reason string) error { return &signOnRefusal{why, reason} }

// signOnLines limits the log lines about the same reason.
type signOnLines = limit.Buckets[signOnLine]

// signOnLine is what lines are counted by.
type signOnLine struct {
	tenant tenant.ID
	text   string
}

func newSignOnLines(p *SignOnDeps) *signOnLines {
	return limit.NewBuckets[signOnLine](
		limit.Options{Name: "sign_on_refusals", MaxKeys: 10_000, Now: p.Now, Meter: p.Meter},
		1.0/refusalLogEvery, refusalLines,
	)
}

// details is what differs between errors of the same reason: what strangers and issuers sent, which
// is quoted, and times, ports and counts.
var details = regexp.MustCompile(`"(\\.|[^"\\])*"|[0-9]+`)

// failed logs why somebody is not signed in, and gives the reason that the person is told. No error
// of a sign-in holds a token. tenant 0: it is not known.
func (s *SignOn) failed(ctx context.Context, step string, t tenant.ID, err error) SignOnFailure {
	why := SignOnFailed
	if refusal, is := errors.AsType[*signOnRefusal](err); is {
		why = refusal.why
	} else if errors.Is(err, oidc.ErrClock) {
		why = SignOnClock
	}
	if ctx.Err() == nil { // else nobody is there who could be refused
		s.logRefusal(step, t, why, err.Error())
	}
	return why
}

// RefuseCall logs that an address makes too many calls of a step, and gives the reason that the person
// is told.
func (s *SignOn) RefuseCall(step string) SignOnFailure {
	s.logRefusal(step, 0, SignOnFailed, "too many calls from one address")
	return SignOnFailed
}

func (s *SignOn) logRefusal(step string, t tenant.ID, why SignOnFailure, reason string) {
	s.warn("a sign-in at an issuer failed", t, reason, "step", step, "answer", string(why))
}

// warn logs a line with its reason, unless there were enough of them.
func (s *SignOn) warn(message string, t tenant.ID, reason string, more ...any) {
	line := signOnLine{t, message + details.ReplaceAllString(reason, "")}
	if s.lines.Allow(line, limit.One).Allowed() {
		s.Logger.Warn(message, append(more, "tenant", int64(t), "error", reason)...)
	}
}
