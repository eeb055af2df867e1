package selfservice

import (
	"context"
	"crypto/hmac"

	"github.com/uptrace/bun"

	"tilth/internal/domain/device"
	"tilth/internal/domain/identity"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
)

// HashCode gives the stored form of a claim code.
func HashCode(key []byte, c Code) device.SecretHash {
	return device.HashSecret(key, "claim:"+string(c))
}

// HashToken gives the stored form of the owner token of a LoRaWAN label, in upper case.
func HashToken(key []byte, devEUI, token string) device.SecretHash {
	return device.HashSecret(key, "owner:"+devEUI+":"+token)
}

// Claim makes the device of a label the caller's tenant's. f's product is that of the shelf, and so is an
// empty serial.
func (s *Service) Claim(ctx context.Context, c *identity.Caller, label string, f Form) (*Made, error) {
	t := c.Tenant
	if err := s.requireUnlocked(c); err != nil {
		return nil, err
	}
	if err := f.check(); err != nil {
		return nil, err
	}
	text, err := readClaim(label)
	if err != nil {
		return nil, err
	}
	if err := s.countChange(t); err != nil {
		return nil, err
	}
	var a *addition
	err = s.DB.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		// Once more: one transaction runs at a time, so that many guesses at once are no more than the limit.
		if err := s.requireUnlocked(c); err != nil {
			return err
		}
		offer, err := s.Offer(ctx, t)
		if err != nil {
			return err
		}
		if !offer.Claims {
			return errs.New(errs.Refused, "claim.notOffered")
		}
		item, err := s.find(ctx, t, text)
		if err != nil {
			return err
		}
		p := s.Catalog.Product(productOf(item))
		if p == nil {
			if text.LoRaWAN == nil || text.LoRaWAN.OwnerToken != "" { // without a token it is no guess
				s.wrongCodesOfUser.Add(c.User)
				s.wrongCodesOfTenant.Add(t)
			}
			return unclaimable(text)
		}
		if f.Serial == "" {
			f.Serial = item.Serial
		}
		if err := s.requireUnused(ctx, t, &f); err != nil {
			return err
		}
		scene, err := s.sceneName(ctx, t, &f)
		if err != nil {
			return err
		}
		a = s.addition(&f, p, device.OriginShelf, scene, item.DeviceName)
		if item.SecretHash != nil {
			a.secret, a.hash = "", device.SecretHash(item.SecretHash)
		}
		if err := s.store(ctx, t, []*addition{a}); err != nil {
			return err
		}
		return s.Shelf.markClaimed(ctx, t, item, a.ID)
	})
	if err != nil {
		return nil, err
	}
	return &Made{a.Name, a.secret}, s.load(ctx, t, []*addition{a})
}

// requireUnlocked refuses a caller who, or whose tenant, had too many wrong codes.
func (s *Service) requireUnlocked(c *identity.Caller) error {
	if wait := max(s.wrongCodesOfUser.LockedFor(c.User), s.wrongCodesOfTenant.LockedFor(c.Tenant)); wait > 0 {
		return errs.New(errs.TooMany, "error.429").RetryAfter(wait)
	}
	return nil
}

// readClaim reads a label, or says what is wrong with it.
func readClaim(label string) (Text, error) {
	text, mistyped := ReadText(label)
	switch {
	case mistyped:
		return text, errs.New(errs.Refused, "claim.mistyped")
	case text == Text{}:
		return text, errs.New(errs.Refused, "claim.unreadable")
	}
	return text, nil
}

// find finds the waiting device of a label; nil: there is none for this tenant.
func (s *Service) find(ctx context.Context, t tenant.ID, text Text) (*ShelfItem, error) {
	l := text.LoRaWAN
	if l == nil {
		hash := HashCode(s.Key, text.Code)
		return s.Shelf.waiting(ctx, t, "code_hash = ?", hash[:])
	}
	item, err := s.Shelf.waiting(ctx, t, "dev_eui = ?", l.DevEUI)
	if err != nil || item == nil || l.OwnerToken == "" {
		return nil, err
	}
	hash := HashToken(s.Key, l.DevEUI, l.OwnerToken)
	if !hmac.Equal(hash[:], item.TokenHash) {
		return nil, nil
	}
	return item, nil
}

func productOf(item *ShelfItem) int64 {
	if item == nil {
		return 0
	}
	return item.ProductID
}

// unclaimable is the one answer for an unknown code, a spent one and one for another tenant. That of a
// LoRaWAN label asks for the code, whatever the shelf has.
func unclaimable(text Text) error {
	if text.LoRaWAN != nil {
		return errs.New(errs.Refused, "claim.codeNeeded")
	}
	return errs.New(errs.Refused, "claim.unknown")
}
