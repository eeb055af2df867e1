package identity_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"testing"
	"time"

	"tilth/internal/domain/identity"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
	"tilth/internal/tools/testkit"
)

// phone is the caller's number; mobileNumber gives others.
const phone = "+905550000001"

func mobileNumber(i int) string { return fmt.Sprintf("+9055500%05d", i) }

func newOutgoingCode(user int64, mobile string) identity.OutgoingCode {
	return identity.OutgoingCode{
		User: user, Mobile: mobile, Purpose: identity.PurposeAccount, Address: netip.MustParseAddr(homeAddr),
		RenderText: func(code string) string { return "code " + code },
	}
}

// wantRetryAfter fails the test unless err has that retry time; 0: no error.
func wantRetryAfter(t *testing.T, what string, err error, wait time.Duration) {
	t.Helper()
	if wait == 0 {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
		return
	}
	if e := errs.As(err); err == nil || e.Kind != errs.TooMany || e.Key != "error.429" || e.Retry != wait {
		t.Errorf("%s: %v, wait %s, want %s", what, err, e.Retry, wait)
	}
}

func TestCodeIsSentAndStoredHashed(t *testing.T) {
	f := newSessionFixture(t, false)
	if err := f.Codes.Send(t.Context(), f.field.ID, newOutgoingCode(f.field.Ada.ID, phone)); err != nil {
		t.Fatal(err)
	}
	code := f.Phones.Code(t, phone)
	var dump bytes.Buffer
	var rows []map[string]any
	if err := f.DB.Read(t.Context()).NewRaw("SELECT * FROM sms_codes").Scan(t.Context(), &rows); err != nil ||
		len(rows) != 1 {
		t.Fatal(rows, err)
	}
	for name, value := range rows[0] {
		if b, ok := value.([]byte); ok && name == "hash" {
			if len(b) != 32 {
				t.Errorf("a hash of %d bytes", len(b))
			}
		}
		fmt.Fprintf(&dump, "%s=%s\n", name, value)
	}
	if bytes.Contains(dump.Bytes(), []byte(code)) {
		t.Errorf("the database contains the code %s: %s", code, dump.String())
	}
	// With another key, the code of the same database is wrong.
	other := identity.NewCodeStore(f.DB, []byte("another platform's key"), f.Phones, f.Clock.Now)
	parts := f.Account.AccountDeps
	parts.Codes = other
	c := f.caller(t, f.pair)
	if err := identity.NewAccount(parts).UpdateMobile(t.Context(), c, identity.MobileChange{Mobile: phone, Purpose: 2,
		Code: code}); errs.As(err).Key != "phone.codeWrong" {
		t.Errorf("%v", err)
	}
}

func TestCodesAreRandom(t *testing.T) {
	f := newSessionFixture(t, false)
	seen := map[string]bool{}
	for i := range 8 {
		if err := f.Codes.Send(t.Context(), f.field.ID, newOutgoingCode(f.field.Ada.ID, mobileNumber(i))); err != nil {
			t.Fatal(err)
		}
		seen[f.Phones.Code(t, mobileNumber(i))] = true
		f.Clock.Advance(time.Minute)
	}
	if len(seen) < 7 {
		t.Errorf("%d codes of 8: %v", len(seen), seen)
	}
}

// A number and a user each get one code a minute and ten a day.
func TestCodeLimits(t *testing.T) {
	f := newSessionFixture(t, false)
	send := func(user int64, mobile string) error {
		t.Helper()
		return f.Codes.Send(t.Context(), f.field.ID, newOutgoingCode(user, mobile))
	}
	ada, bora := f.field.Ada.ID, f.field.Bora.ID
	wantRetryAfter(t, "the first", send(ada, phone), 0)
	f.Clock.Advance(20 * time.Second)
	wantRetryAfter(t, "the user, another number", send(ada, mobileNumber(2)), 40*time.Second)
	wantRetryAfter(t, "another user, the number", send(bora, phone), 40*time.Second)
	wantRetryAfter(t, "others", send(bora, mobileNumber(3)), 0)
	f.Clock.Advance(40*time.Second - time.Millisecond)
	wantRetryAfter(t, "almost a minute", send(ada, phone), time.Millisecond)
	f.Clock.Advance(time.Millisecond)
	for i := range 9 {
		wantRetryAfter(t, fmt.Sprint("number ", i+2), send(ada, phone), 0)
		f.Clock.Advance(time.Minute)
	}
	// Ten were sent; the first stops counting 24 hours after it was sent.
	wantRetryAfter(t, "the user's eleventh", send(ada, mobileNumber(4)), 24*time.Hour-10*time.Minute)
	wantRetryAfter(t, "the number's eleventh", send(bora, phone), 24*time.Hour-10*time.Minute)
	wantRetryAfter(t, "neither", send(bora, mobileNumber(5)), 0)
	f.Clock.Advance(24*time.Hour - 10*time.Minute)
	wantRetryAfter(t, "a day after the first", send(ada, phone), 0)
	wantRetryAfter(t, "a second one at once", send(ada, mobileNumber(6)), time.Minute)
}

// The counts are in the database: a new store continues them.
func TestCodeLimitsSurviveARestart(t *testing.T) {
	f := newSessionFixture(t, false)
	if err := f.Codes.Send(t.Context(), f.field.ID, newOutgoingCode(f.field.Ada.ID, phone)); err != nil {
		t.Fatal(err)
	}
	again := identity.NewCodeStore(f.DB, testkit.SecretKey, f.Phones, f.Clock.Now)
	wantRetryAfter(t, "after a restart", again.Send(t.Context(), f.field.ID, newOutgoingCode(f.field.Ada.ID, phone)),
		time.Minute)
}

// A number counts across tenants; users of other tenants count separately.
func TestCodeLimitsAcrossTenants(t *testing.T) {
	f := newSessionFixture(t, false)
	rival := f.Tenant(t, "rival")
	wantRetryAfter(t, "field", f.Codes.Send(t.Context(), f.field.ID, newOutgoingCode(f.field.Ada.ID, phone)), 0)
	wantRetryAfter(t, "rival, the number", f.Codes.Send(t.Context(), rival.ID, newOutgoingCode(rival.Ada.ID, phone)),
		time.Minute)
	wantRetryAfter(t, "rival, another", f.Codes.Send(t.Context(), rival.ID, newOutgoingCode(rival.Ada.ID,
		mobileNumber(2))), 0)
}

// An address sends fifty codes a day, for all users together; an IPv6 network counts as one
// address.
func TestCodeLimitPerAddress(t *testing.T) {
	for name, address := range map[string]func(i int) string{
		"IPv4":   func(int) string { return homeAddr },
		"mapped": func(i int) string { return map[bool]string{true: "::ffff:" + homeAddr, false: homeAddr}[i%2 == 0] },
		"IPv6":   func(i int) string { return fmt.Sprintf("2001:db8:0:1::%x", i+1) },
	} {
		f := newSessionFixture(t, false)
		send := func(i int, from string) error {
			o := newOutgoingCode(f.User(t, f.field.ID, fmt.Sprint("user", i)).ID, mobileNumber(i))
			o.Address = netip.MustParseAddr(from)
			return f.Codes.Send(t.Context(), f.field.ID, o)
		}
		for i := range 50 {
			wantRetryAfter(t, fmt.Sprint(name, " ", i), send(i, address(i)), 0)
		}
		wantRetryAfter(t, name+", the next", send(50, address(50)), 24*time.Hour)
		wantRetryAfter(t, name+", elsewhere", send(51, otherAddr), 0)
	}
}

// A tenant sends five hundred codes a day, from all addresses together.
func TestCodeLimitPerTenant(t *testing.T) {
	f := newSessionFixture(t, false)
	rival := f.Tenant(t, "rival")
	send := func(owner tenant.ID, user int64, i int) error {
		o := newOutgoingCode(user, mobileNumber(i))
		o.Address = netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)})
		return f.Codes.Send(t.Context(), owner, o)
	}
	for i := range 50 {
		user := f.User(t, f.field.ID, fmt.Sprint("user", i)).ID
		for j := range 10 {
			wantRetryAfter(t, fmt.Sprint(i, j), send(f.field.ID, user, i*10+j), 0)
			f.Clock.Advance(time.Minute)
		}
	}
	wantRetryAfter(t, "the next", send(f.field.ID, f.field.Ada.ID, 501), 24*time.Hour-500*time.Minute)
	wantRetryAfter(t, "another tenant", send(rival.ID, rival.Ada.ID, 502), 0)
}

// A failed send does not count for the minute, but for the day. Its code is not valid, and the
// earlier code stays valid.
func TestFailedSendCountsTowardsDayOnly(t *testing.T) {
	f := newSessionFixture(t, false)
	ada := f.field.Ada.ID
	if err := f.Codes.Send(t.Context(), f.field.ID, newOutgoingCode(ada, phone)); err != nil {
		t.Fatal(err)
	}
	good := f.Phones.Code(t, phone)
	f.Clock.Advance(time.Minute)
	down := errs.New(errs.Upstream, "channel.smsFail")
	f.Phones.Break(down)
	lost := ""
	for i := range 9 {
		o := newOutgoingCode(ada, phone)
		o.RenderText = func(code string) string { lost = code; return code }
		if err := f.Codes.Send(t.Context(), f.field.ID, o); !errors.Is(err, down) {
			t.Fatalf("%d: %v", i, err)
		}
	}
	f.Phones.Break(nil)
	wantRetryAfter(t, "after nine failures and one success", f.Codes.Send(t.Context(), f.field.ID,
		newOutgoingCode(ada, phone)), 24*time.Hour-time.Minute)
	c := f.caller(t, f.pair)
	if lost != good {
		if err := f.Account.UpdateMobile(t.Context(), c, identity.MobileChange{Mobile: phone, Purpose: 2,
			Code: lost}); errs.As(err).Key != "phone.codeWrong" {
			t.Errorf("a code that was never sent: %v", err)
		}
	}
	if err := f.Account.UpdateMobile(t.Context(), c, identity.MobileChange{Mobile: phone, Purpose: 2,
		Code: good}); err != nil {
		t.Errorf("the earlier code: %v", err)
	}
}

// A request that is cancelled during the send counts for the minute all the same: the message may
// be on its way.
func TestSendCodeSurvivesCancelledRequest(t *testing.T) {
	f := newSessionFixture(t, false)
	ctx, hangUp := context.WithCancel(t.Context())
	asked := smsSenderFunc(func(ctx context.Context, mobile, text string) error {
		hangUp()
		if err := ctx.Err(); err != nil {
			return err
		}
		return f.Phones.SendSMS(ctx, mobile, text)
	})
	codes := identity.NewCodeStore(f.DB, testkit.SecretKey, asked, f.Clock.Now)
	if err := codes.Send(ctx, f.field.ID, newOutgoingCode(f.field.Ada.ID, phone)); err != nil {
		t.Fatal(err)
	}
	err := codes.Send(t.Context(), f.field.ID, newOutgoingCode(f.field.Ada.ID, phone))
	wantRetryAfter(t, "a second code at once", err, time.Minute)
}

type smsSenderFunc func(ctx context.Context, mobile, text string) error

func (s smsSenderFunc) SendSMS(ctx context.Context, mobile, text string) error {
	return s(ctx, mobile, text)
}

// Of many concurrent requests, one sends a code.
func TestConcurrentSendsYieldOneCode(t *testing.T) {
	f := newSessionFixture(t, false)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := f.Codes.Send(t.Context(), f.field.ID, newOutgoingCode(f.field.Ada.ID, phone)); err != nil &&
				!errs.Is(err, errs.TooMany) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := len(f.Phones.Sent()); n != 1 {
		t.Errorf("%d codes were sent", n)
	}
}

// Without a gateway no code is counted, since none is sent.
func TestCodesWithoutSMSGateway(t *testing.T) {
	f := newSessionFixture(t, false)
	codes := identity.NewCodeStore(f.DB, testkit.SecretKey, nil, f.Clock.Now)
	for range 12 {
		if e := errs.As(codes.Send(t.Context(), f.field.ID, newOutgoingCode(f.field.Ada.ID,
			phone))); e.Kind != errs.NotConfigured || e.Key != "channel.smsOff" {
			t.Fatal(e)
		}
	}
	if n := f.countRows(t, "sms_codes"); n != 0 || codes.Available() || !f.Codes.Available() {
		t.Errorf("%d rows", n)
	}
}

func TestCodeSweep(t *testing.T) {
	f := newSessionFixture(t, false)
	for _, step := range []struct {
		wait time.Duration
		left int
	}{{0, 1}, {24*time.Hour - time.Millisecond, 1}, {time.Millisecond, 0}} {
		if step.wait == 0 {
			if err := f.Codes.Send(t.Context(), f.field.ID, newOutgoingCode(f.field.Ada.ID, phone)); err != nil {
				t.Fatal(err)
			}
		}
		f.Clock.Advance(step.wait)
		if err := f.Codes.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := f.countRows(t, "sms_codes"); n != step.left {
			t.Errorf("%d codes are left after %s", n, step.wait)
		}
	}
	// Codes are deleted with their user.
	if err := f.Codes.Send(t.Context(), f.field.ID, newOutgoingCode(f.field.Ada.ID, phone)); err != nil {
		t.Fatal(err)
	}
	if err := f.Users.Delete(t.Context(), f.field.ID, f.field.Ada.ID); err != nil {
		t.Fatal(err)
	}
	if n := f.countRows(t, "sms_codes"); n != 0 {
		t.Errorf("%d codes of a deleted user are left", n)
	}
}

// If the database cannot be written, no code is sent.
func TestSendCodeDatabaseFailure(t *testing.T) {
	f := newSessionFixture(t, false)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := f.Codes.Send(gone, f.field.ID, newOutgoingCode(f.field.Ada.ID, phone)); err == nil ||
		len(f.Phones.Sent()) != 0 {
		t.Errorf("%v, sent %v", err, f.Phones.Sent())
	}
}
