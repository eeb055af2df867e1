package identity_test

import (
	"context"
	"testing"

	"github.com/uptrace/bun"

	"tilth/internal/domain/identity"
)

// withdrawn gives why the only invitation of ada's tenant is withdrawn.
func (k *credentialFixture) withdrawn(t *testing.T) identity.Withdrawal {
	t.Helper()
	list, total, err := k.People.PageInvitations(t.Context(), k.field.ID, 0, 10)
	if err != nil || total != 1 {
		t.Fatalf("%d invitations, %v", total, err)
	}
	return list[0].Withdrawn
}

// However somebody stops being an owner who can sign in, nobody can accept what they invited, and the
// list says why. As an owner again they vouch for it again; sent again, it is the sender's.
func TestInvitationOfFormerOwnerIsWithdrawn(t *testing.T) {
	for name, c := range map[string]struct {
		take, giveBack func(u *identity.User)
		why            identity.Withdrawal
	}{
		"disabled by an owner": {
			func(u *identity.User) { u.DisabledByOwner = true },
			func(u *identity.User) { u.DisabledByOwner = false }, identity.InviterDisabled,
		},
		"shut out by the provider": {
			func(u *identity.User) { u.Disabled = true },
			func(u *identity.User) { u.Disabled = false }, identity.InviterDisabled,
		},
		"an operator": {
			func(u *identity.User) { u.Role = identity.Operator },
			func(u *identity.User) { u.Role = identity.Owner }, identity.InviterDemoted,
		},
		"a viewer": {
			func(u *identity.User) { u.Role = identity.Viewer },
			func(u *identity.User) { u.Role = identity.Owner }, identity.InviterDemoted,
		},
		"deleted": {nil, nil, identity.InviterGone},
	} {
		t.Run(name, func(t *testing.T) {
			k := newCredentialFixture(t)
			i, link := k.invite(t, identity.InvitationForm{Email: "cem@example.com", Role: "owner"})
			update := func(change func(u *identity.User)) {
				t.Helper()
				u := k.person(t, k.field.Ada)
				change(u)
				if err := k.Users.Update(t.Context(), k.field.ID, u); err != nil {
					t.Fatal(err)
				}
			}
			if c.take != nil {
				update(c.take)
			} else if err := k.Users.Delete(t.Context(), k.field.ID, k.field.Ada.ID); err != nil {
				t.Fatal(err)
			}
			_, _, err := k.People.Offer(t.Context(), tokenOf(link))
			wantRefused(t, "looking at it", err, "invitation.withdrawn")
			_, err = k.accept(t, tokenOf(link), "cem")
			wantRefused(t, "accepting it", err, "invitation.withdrawn")
			if got := k.withdrawn(t); got != c.why {
				t.Errorf("withdrawn %q, want %q", got, c.why)
			}
			if c.giveBack != nil {
				update(c.giveBack)
				if _, _, err := k.People.Offer(t.Context(), tokenOf(link)); err != nil || k.withdrawn(t) != "" {
					t.Errorf("as an owner again: %v, %q", err, k.withdrawn(t))
				}
				update(c.take)
			}
			bora := identity.Caller{Tenant: k.field.ID, User: k.field.Bora.ID, Role: identity.Owner}
			sent, again, err := k.People.Resend(t.Context(), bora, i.ID)
			if err != nil || sent.InvitedBy != k.field.Bora.Name() || sent.Withdrawn != "" || k.withdrawn(t) != "" {
				t.Fatalf("sent again: %+v %v", sent, err)
			}
			_, err = k.accept(t, tokenOf(link), "cem")
			wantRefused(t, "the link before", err, "invitation.dead")
			if _, err := k.accept(t, tokenOf(again), "cem"); err != nil {
				t.Errorf("the new link: %v", err)
			}
		})
	}
}

// A withdrawn invitation is not open: it takes no place among the hundred, and its address can be
// invited anew. Nobody else's invitations are touched, nor another tenant's.
func TestWithdrawnInvitationIsNotOpen(t *testing.T) {
	k := newCredentialFixture(t)
	_, link := k.invite(t, identity.InvitationForm{Email: "cem@example.com", Role: "viewer"})
	rival := identity.Caller{Tenant: k.rival.ID, User: k.rival.Ada.ID, Role: identity.Owner}
	_, theirs, err := k.People.Invite(t.Context(), rival, identity.InvitationForm{Role: "viewer"})
	if err != nil {
		t.Fatal(err)
	}
	bora := identity.Caller{Tenant: k.field.ID, User: k.field.Bora.ID, Role: identity.Owner}
	form := identity.InvitationForm{Email: "cem@example.com", Role: "viewer"}
	_, _, err = k.People.Invite(t.Context(), bora, form)
	wantRefused(t, "while it is open", err, "invitation.again")
	k.setRole(t, k.field.Ada, identity.Viewer)
	_, own, err := k.People.Invite(t.Context(), bora, form)
	if err != nil {
		t.Fatalf("once it is withdrawn: %v", err)
	}
	for name, token := range map[string]string{"bora's": tokenOf(own), "the rival's": tokenOf(theirs)} {
		if _, _, err := k.People.Offer(t.Context(), token); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, _, err = k.People.Offer(t.Context(), tokenOf(link))
	wantRefused(t, "ada's", err, "invitation.withdrawn")
	// An owner of another tenant vouches for nothing here.
	if err := k.DB.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewRaw("UPDATE invitations SET inviter_id = ? WHERE tenant_id = ?", k.rival.Ada.ID, k.field.ID).
			Exec(ctx)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	_, _, err = k.People.Offer(t.Context(), tokenOf(own))
	wantRefused(t, "of a stranger", err, "invitation.withdrawn")
}

// Of two calls at once, the acceptance makes a user before the inviter is disabled, or none.
func TestAcceptWhileInviterIsDisabled(t *testing.T) {
	k := newCredentialFixture(t)
	_, link := k.invite(t, identity.InvitationForm{Role: "owner"})
	done := make(chan error)
	go func() {
		_, err := k.accept(t, tokenOf(link), "cem")
		done <- err
	}()
	disabled := k.change(t, k.field.Ada, identity.PersonChange{Enabled: new(false)})
	if err := <-done; disabled != nil {
		t.Fatal(disabled)
	} else if err != nil {
		wantRefused(t, "accepted afterwards", err, "invitation.withdrawn")
	}
	_, err := k.accept(t, tokenOf(link), "deniz")
	if err == nil {
		t.Error("accepted after the inviter was disabled")
	}
}
