package selfservice_test

import (
	"sync"
	"testing"

	"tilth/internal/domain/device"
	"tilth/internal/domain/selfservice"
	"tilth/internal/platform/errs"
	"tilth/internal/tools/testkit"
)

const (
	code  = selfservice.Code("7K3Q9DMX2B4F7")
	label = "LW:D0:42FFFFFFFFFFFFFF:4242FFFFFFFFFFFF:42FFFF42:O0102"
)

func (w *fixture) claim(t *testing.T, of *testkit.Tenant, text string) (*selfservice.Made, error) {
	t.Helper()
	return w.service.Claim(t.Context(), caller(of), text, selfservice.Form{NoteName: "Claimed " + text[:4]})
}

func TestClaim(t *testing.T) {
	w := newFixture(t)
	w.shelve(t, "SP-1", code, nil)
	_, err := w.claim(t, w.field, "7K3Q-9DMX-2B4F-8")
	refused(t, err, "claim.mistyped")
	made, err := w.claim(t, w.field, "7k3q 9dmx 2b4f 7")
	if err != nil || made.DeviceName != "SP-1" || len(made.Secret) != 43 || !w.signsIn("SP-1", made.Secret) {
		t.Fatalf("%+v (%v)", made, err)
	}
	d, err := w.Devices.Get(t.Context(), w.field.ID, "SP-1")
	if err != nil || d.Serial != "S-SP-1" || d.NoteName != "Claimed 7k3q" || d.Origin != device.OriginShelf {
		t.Errorf("%+v (%v)", d, err)
	}
	for _, of := range []*testkit.Tenant{w.field, w.rival} {
		_, err = w.claim(t, of, code.String())
		refused(t, err, "claim.unknown")
	}
	// Claimed devices do not count as added ones.
	if offer, err := w.service.Offer(t.Context(), w.field.ID); err != nil || offer.Used != 0 {
		t.Errorf("%+v (%v)", offer, err)
	}
	// Its owner may delete it; the code stays spent.
	if err := w.service.Delete(t.Context(), w.field.ID, "SP-1"); err != nil {
		t.Fatal(err)
	}
	_, err = w.claim(t, w.field, code.String())
	refused(t, err, "claim.unknown")
}

// Whoever tries codes learns nothing of those that are spent or another tenant's.
func TestClaimOfAnotherTenant(t *testing.T) {
	w := newFixture(t)
	w.shelve(t, "SP-1", code, func(i *selfservice.ShelfItem) { i.TenantID = &w.rival.ID })
	_, foreign := w.claim(t, w.field, code.String())
	_, unknown := w.claim(t, w.field, selfservice.NewCode().String())
	if refused(t, foreign, "claim.unknown").Data != nil || refused(t, unknown, "claim.unknown").Data != nil {
		t.Error("the refusals differ")
	}
	if made, err := w.claim(t, w.rival, code.String()); err != nil || made.DeviceName != "SP-1" {
		t.Errorf("the owner: %+v (%v)", made, err)
	}
}

func TestClaimWithSecretOfTheBox(t *testing.T) {
	w := newFixture(t)
	hash := device.HashSecret(testkit.SecretKey, "the secret of the box")
	w.shelve(t, "SP-1", code, func(i *selfservice.ShelfItem) { i.SecretHash = hash[:] })
	if w.signsIn("SP-1", "the secret of the box") {
		t.Error("a device on the shelf signs in")
	}
	made, err := w.claim(t, w.field, "https://farm.example/claim#"+code.String())
	if err != nil || made.Secret != "" || !w.signsIn("SP-1", "the secret of the box") {
		t.Errorf("%+v (%v)", made, err)
	}
}

func TestClaimLoRaWAN(t *testing.T) {
	w := newFixture(t)
	token := selfservice.HashToken(testkit.SecretKey, "4242FFFFFFFFFFFF", "0102")
	w.shelve(t, "SP-1", code, func(i *selfservice.ShelfItem) { i.DevEUI, i.TokenHash = "4242FFFFFFFFFFFF", token[:] })
	for _, text := range []string{
		label[:len(label)-6], // without a token: anybody can read a DevEUI off the air
		label[:len(label)-1] + "3",
		"LW:D0:42FFFFFFFFFFFFFF:AAAAFFFFFFFFFFFF:42FFFF42:O0102",
	} {
		_, err := w.claim(t, w.field, text)
		refused(t, err, "claim.codeNeeded")
	}
	if made, err := w.claim(t, w.field, label); err != nil || made.DeviceName != "SP-1" {
		t.Errorf("%+v (%v)", made, err)
	}
}

func TestClaimRefuses(t *testing.T) {
	w := newFixture(t)
	w.shelve(t, "SP-1", code, nil)
	_, err := w.claim(t, w.field, "hello")
	refused(t, err, "claim.unreadable")
	_, err = w.service.Claim(t.Context(), caller(w.field), code.String(), selfservice.Form{})
	refused(t, err, "device.noteRequired")
	f := w.form("Lower field")
	f.Serial = "S-SP-1"
	made := w.create(t, f)
	_, err = w.claim(t, w.field, code.String()) // the shelf's serial is that of the device
	if by := refused(t, err, "device.serialTaken").Data; by != (selfservice.TakenBy{DeviceName: made.DeviceName}) {
		t.Errorf("taken by %+v", by)
	}
	self := w.field.ID
	owner, err := w.Tenants.Get(t.Context(), self)
	if err != nil {
		t.Fatal(err)
	}
	owner.SelfService.Claims = false
	if err := w.Tenants.Put(t.Context(), owner); err != nil {
		t.Fatal(err)
	}
	_, err = w.claim(t, w.field, code.String())
	refused(t, err, "claim.notOffered")
}

// Of two who claim one device at once, one has it.
func TestClaimAtOnce(t *testing.T) {
	w := newFixture(t)
	w.shelve(t, "SP-1", code, nil)
	var wait sync.WaitGroup
	var mu sync.Mutex
	made := 0
	for _, of := range []*testkit.Tenant{w.field, w.rival, w.field, w.rival} {
		wait.Go(func() {
			_, err := w.service.Claim(t.Context(), caller(of), code.String(), selfservice.Form{NoteName: "Claimed"})
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				made++
			} else if key := errs.As(err).Key; key != "claim.unknown" {
				t.Errorf("%v", err)
			}
		})
	}
	wait.Wait()
	if made != 1 {
		t.Errorf("%d have it", made)
	}
}

func TestWrongCodesAreLimited(t *testing.T) {
	w := newFixture(t)
	w.shelve(t, "SP-1", code, nil)
	wrong := func(of *testkit.Tenant) error {
		_, err := w.claim(t, of, selfservice.NewCode().String())
		return err
	}
	for range 10 {
		refused(t, wrong(w.field), "claim.unknown")
	}
	if err := wrong(w.field); !errs.Is(err, errs.TooMany) || errs.As(err).Retry <= 0 {
		t.Errorf("the 11th of a user: %v", err)
	}
	if _, err := w.claim(t, w.field, code.String()); !errs.Is(err, errs.TooMany) {
		t.Errorf("the right one after them: %v", err)
	}
	bora := caller(w.field)
	bora.User = w.field.Bora.ID
	for range 10 {
		_, err := w.service.Claim(t.Context(), bora, selfservice.NewCode().String(), selfservice.Form{NoteName: "x"})
		refused(t, err, "claim.unknown")
	}
	w.Clock.Advance(2 * hour)
	if err := wrong(w.field); !errs.Is(err, errs.TooMany) {
		t.Errorf("the 21st of a tenant: %v", err)
	}
	if _, err := w.claim(t, w.rival, code.String()); err != nil {
		t.Errorf("the rival: %v", err)
	}
}

// Guesses at once are no more than guesses one by one.
func TestWrongCodesAtOnceAreLimited(t *testing.T) {
	w := newFixture(t)
	var wait sync.WaitGroup
	var mu sync.Mutex
	answers := map[errs.Kind]int{}
	for range 40 {
		wait.Go(func() {
			_, err := w.service.Claim(
				t.Context(), caller(w.field), selfservice.NewCode().String(), selfservice.Form{NoteName: "x"},
			)
			mu.Lock()
			defer mu.Unlock()
			answers[errs.As(err).Kind]++
		})
	}
	wait.Wait()
	if answers[errs.Refused] != 10 || answers[errs.TooMany] != 30 {
		t.Errorf("%v", answers)
	}
}
