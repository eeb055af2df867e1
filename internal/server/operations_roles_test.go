package server

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"tilth/internal/domain/identity"
	"tilth/internal/domain/tenant"
)

// setRole gives a user of a tenant a role.
func (w *isolationEnv) setRole(s *tenantFixture, user int64, role identity.Role) {
	w.t.Helper()
	u, err := w.server.Stores.Users.Get(w.t.Context(), tenant.ID(s.tenant), user)
	if err != nil {
		w.t.Fatal(err)
	}
	u.Role = role
	if err := w.server.Stores.Users.Update(w.t.Context(), u.Tenant, u); err != nil {
		w.t.Fatal(err)
	}
}

// isForbidden tells whether a call was refused because of the caller's role or scopes.
func isForbidden(t *testing.T, res *httptest.ResponseRecorder) bool {
	t.Helper()
	if res.Code == http.StatusForbidden {
		return true
	}
	var answer struct{ Code int }
	return res.Code == http.StatusOK && strings.HasPrefix(res.Header().Get("Content-Type"), "application/json") &&
		json.Unmarshal(res.Body.Bytes(), &answer) == nil && answer.Code == http.StatusForbidden
}

// Every operation says who may call it. A user with a lesser role gets 403, whatever the call asks
// for, and changes nothing; a user with the role does not.
func TestRoleMatrix(t *testing.T) {
	t.Parallel()
	w := newIsolationEnv(t)
	who := w.foreign // whose data a dump holds
	users := []identity.Role{identity.Viewer, identity.Operator, identity.Owner}
	everybody := []string{"public", "device", "provider"}
	for _, role := range users {
		var allowed, refused []operation
		calls := map[string]request{} // made by the owner
		for _, o := range operations(t) {
			name, r := o.String(), operationRows[o.String()]
			switch {
			case slices.Contains(everybody, o.role):
				continue
			case !slices.Contains(users, identity.Role(o.role)):
				t.Errorf("%s says nobody who may call it: x-role is %q", name, o.role)
				continue
			case r.skipReason != "" && o.role == string(identity.Viewer), o.api == "devices":
				continue // TestUplinkNeedsRoleAndScope of ingest
			case role.Allows(identity.Role(o.role)):
				allowed = append(allowed, o)
			default:
				refused = append(refused, o)
			}
			q := r.base(who)
			if q.as != nil {
				w.setRole(who, q.as.id, role)
			}
			calls[name] = q
		}
		w.setRole(who, who.user, role)
		w.awaitDeliveries() // of the notices that calls need
		before := w.dump()
		for _, o := range refused {
			call := calls[o.String()]
			for _, q := range []request{call, {as: call.as}} {
				if o.api == "open" {
					q.path = call.path // no such path comes before
				}
				if res := w.serve(w.console, w.request(o, operationRow{}, q, who)); !isForbidden(t, res) {
					t.Errorf(
						"%s %s, which needs the %s, answers the %s: %s",
						o.api,
						o.id,
						o.role,
						role,
						responseText(t, res),
					)
				}
			}
		}
		w.checkUnchanged(before, "credentials") // which hold when each was last used
		for _, o := range allowed {
			name := o.String()
			r := operationRows[name]
			res := w.serve(w.console, w.request(o, r, calls[name], who))
			if isForbidden(t, res) {
				t.Errorf("%s %s refuses the %s: %s", o.api, o.id, role, responseText(t, res))
			}
			if r.undo != nil && succeeded(res) {
				r.undo(w, who, res)
			}
		}
		w.setRole(who, who.user, identity.Owner)
	}
}

// A credential makes the calls of its scopes only. Its role is at most its user's.
func TestScopeMatrix(t *testing.T) {
	t.Parallel()
	w := newIsolationEnv(t)
	who := w.own
	for _, scopes := range [][]string{{"read"}, {"telemetry"}, {"webhooks"}, {"read", "webhooks"}} {
		var made struct{ AppKey, AppSecret string }
		w.mustCall(who, http.MethodPost, pc+"apicredentials/create", fields{"name": "program", "scopes": scopes}, &made)
		who.key, who.secret = made.AppKey, made.AppSecret
		for _, o := range operations(t) {
			if o.api != "open" {
				continue
			}
			r := operationRows["open "+o.id]
			res := w.serve(w.console, w.request(o, r, r.base(who), who))
			if want := !slices.Contains(scopes, o.scope); isForbidden(t, res) != want {
				t.Errorf("%s with %v: refused %v: %s", o.id, scopes, !want, responseText(t, res))
			}
			if r.undo != nil && succeeded(res) {
				r.undo(w, who, res)
			}
		}
	}
}
