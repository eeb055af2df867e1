package console_test

import (
	"fmt"
	"net/http"
	"testing"

	"tilth/internal/tools/testkit"
)

const rivalDeviceName = marker + "-1"

// A user can sign in only to the user's own tenant, with the user's own password.
func TestSignInIsTenantScoped(t *testing.T) {
	w := newServer(t)
	only := w.User(t, w.field.ID, "only-here")
	err := w.Users.PutPassword(t.Context(), w.rival.ID, w.rival.Ada.ID, testkit.PasswordHash("another password"))
	if err != nil {
		t.Fatal(err)
	}
	w.Run(t, distinctClients([]testkit.Scenario{
		{Name: "at home", Call: loginCall("field", only.UserName, testkit.Password)},
		{Name: "in the other tenant", Call: loginCall(marker, only.UserName, testkit.Password), Code: 601},
		{Name: "with the other ada's password", Call: loginCall("field", "ada", "another password"), Code: 601},
		{Name: "with this ada's password there", Call: loginCall(marker, "ada", testkit.Password), Code: 601},
		{Name: "the other ada", Call: loginCall(marker, "ada", "another password")},
	}))
	// Logging out ends only the caller's own session.
	logout := w.Do(t, testkit.Call{
		Method: http.MethodPost,
		Path:   logoutPath,
		Token:  w.rivalToken,
		Header: map[string]string{"tenant-id": fmt.Sprint(w.field.ID)},
	})
	if logout.Code != 200 {
		t.Fatalf("%s", logout.Body)
	}
	if a := w.Do(t, w.get(userPath)); a.Code != 200 {
		t.Errorf("%s", a.Body)
	}
}
