package identity

import (
	"context"
	"slices"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// normalized gives the form in which a password is stored (NFC). The keys of a Mac make an "é" of two
// characters, those of Windows one: to a person it is the same password.
func normalized(password string) string { return norm.NFC.String(password) }

// PasswordLength is how many characters a password has, however it was typed.
func PasswordLength(password string) int { return utf8.RuneCountInString(normalized(password)) }

// passwordForms gives the forms in which the hash of a password may have been made. Hashes are made of
// the first one; older ones of what was typed then, with each letter and its mark as one character, as
// two (NFD), or mixed, as Vietnamese keyboards do. A password of ASCII, or without such letters, has
// one form. The number follows from what was typed alone, so it tells nothing of an account.
func passwordForms(password string) []string {
	forms := []string{normalized(password)}
	for _, form := range []string{norm.NFD.String(password), password} {
		if !slices.Contains(forms, form) {
			forms = append(forms, form)
		}
	}
	return forms
}

// Verify tells whether stored was made from password, in any of its forms. Each form is a hash with a
// turn of its own, and all are computed, also after a right one: whether a disabled account's password
// is right must not show.
func (h *Hasher) Verify(ctx context.Context, by Requester, stored, password string) (right bool, err error) {
	for _, form := range passwordForms(password) {
		ok, err := h.verifyForm(ctx, by, stored, form)
		if err != nil {
			return false, err
		}
		right = right || ok
	}
	return right, nil
}
