package identity

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1" //nolint:gosec // authenticator apps know no other hash; HMAC-SHA-1 is not broken
	"crypto/subtle"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// One-time codes of RFC 6238, with the parameters that every authenticator app knows. They are
// written here since a library would not tell which step a code belongs to (ADR 0041).
const (
	totpPeriod  = 30 * time.Second
	totpDigits  = 6
	totpKeySize = 20 // bytes, as long as the hash
	// totpSkew is how many steps a code may be before or after the server's.
	totpSkew = 1
)

var totpEncoding = base32.StdEncoding.WithPadding(base32.NoPadding)

func newTOTPKey() []byte {
	key := make([]byte, totpKeySize)
	_, _ = rand.Read(key) // never fails (crypto/rand)
	return key
}

// totpStep gives the number of the time step at a time.
func totpStep(at time.Time) int64 { return at.Unix() / int64(totpPeriod/time.Second) }

// totpCode gives the code of a time step.
func totpCode(key []byte, step int64) string {
	mac := hmac.New(sha1.New, key)
	mac.Write(binary.BigEndian.AppendUint64(nil, uint64(step)))
	sum := mac.Sum(nil)
	at := sum[len(sum)-1] & 0xf
	number := binary.BigEndian.Uint32(sum[at:]) & (1<<31 - 1)
	return fmt.Sprintf("%0*d", totpDigits, number%1_000_000)
}

// matchTOTP gives the time step to which a code belongs: the server's or one beside it, but none up
// to used, the newest step whose code was used.
func matchTOTP(key []byte, code string, now time.Time, used int64) (step int64, ok bool) {
	current := totpStep(now)
	if used > current+int64(maxClockAhead/totpPeriod) {
		used = -1 // it was used while the clock was far ahead
	}
	for step := current - totpSkew; step <= current+totpSkew; step++ {
		if step > used && subtle.ConstantTimeCompare([]byte(totpCode(key, step)), []byte(code)) == 1 {
			return step, true
		}
	}
	return 0, false
}

// isTOTP tells whether a code, as cleanCode gives it, has the form of an app's code.
func isTOTP(code string) bool {
	return len(code) == totpDigits && strings.Trim(code, "0123456789") == ""
}

// escape escapes a part of an address. Apps read + as it is, so a blank is %20 everywhere.
func escape(part string) string { return strings.ReplaceAll(url.QueryEscape(part), "+", "%20") }

// Enrolment is what an authenticator app needs of a new key.
type Enrolment struct {
	Secret string // in base32, to be typed
	URI    string // the same for a QR code, with whose and which account it is
}

func newEnrolment(issuer, account string, key []byte) *Enrolment {
	secret := totpEncoding.EncodeToString(key)
	return &Enrolment{Secret: secret, URI: fmt.Sprintf(
		"otpauth://totp/%s:%s?secret=%s&issuer=%s&algorithm=SHA1&digits=%d&period=%d", escape(issuer),
		escape(account), secret, escape(issuer), totpDigits, int(totpPeriod.Seconds()),
	)}
}
