package console_test

import (
	"fmt"
	"net/http"
	"testing"

	"tilth/internal/domain/identity"
	"tilth/internal/edge/console/wire"
	"tilth/internal/tools/testkit"
)

func (w *fixture) deleteKeyCall(person, key int64) testkit.Call {
	return testkit.Call{
		Method: http.MethodDelete,
		Path:   fmt.Sprintf("%skeys/delete?id=%d&key=%d", peoplePath, person, key),
		Token:  w.ada,
	}
}

func (w *fixture) keysCall(person int64) testkit.Call {
	return w.get(fmt.Sprintf("%skeys/page?pageNo=1&pageSize=100&id=%d", peoplePath, person))
}

// An owner sees what the keys of somebody who is no longer one may do, and deletes them; operators and
// viewers do neither, and nobody reaches another tenant's.
func TestKeysOfPeople(t *testing.T) {
	w := newServer(t)
	made := testkit.Ask[wire.NewCredential](t, w.Contract, createCredentialCall(w.bora, "Pump house"))
	works := func() bool {
		_, err := w.Credentials.Authenticate(t.Context(), made.AppKey, made.AppSecret)
		return err == nil
	}
	if !works() {
		t.Fatal("the key opens nothing")
	}
	theirs := w.createRivalCredential()
	bora := w.field.Bora.ID
	testkit.Ask[bool](t, w.Contract, w.adaCall(http.MethodPut, peoplePath+"update", body{"id": bora, "role": "viewer"}))
	page := testkit.Ask[wire.PeoplePage](t, w.Contract, w.get(peoplePath+"page?pageNo=1&pageSize=10"))
	if page.List[0].Keys != 0 || page.List[1].Id != bora || page.List[1].Keys != 1 {
		t.Errorf("%s", asJSON(t, page))
	}
	keys := testkit.Ask[wire.PersonKeyPage](t, w.Contract, w.keysCall(bora))
	if keys.Total != 1 || keys.List[0].AppKey != made.AppKey || keys.List[0].Role != "owner" ||
		keys.List[0].MayRole != "viewer" || keys.List[0].LastUseTime == nil {
		t.Errorf("%s", asJSON(t, keys))
	}
	for _, role := range []identity.Role{identity.Viewer, identity.Operator} {
		w.field.Bora.Role = role
		if err := w.Users.Update(t.Context(), w.field.ID, w.field.Bora); err != nil {
			t.Fatal(err)
		}
		for _, call := range []testkit.Call{w.keysCall(bora), w.deleteKeyCall(bora, made.Id)} {
			call.Token = w.bora // not even their own
			if a := w.Do(t, call); a.Code != 403 {
				t.Errorf("the %s: %s", role, a.Body)
			}
		}
	}
	w.Run(t, []testkit.Scenario{
		{Name: "the rival's person", Call: w.keysCall(w.rival.Ada.ID), Code: 404},
		{Name: "the rival's key", Call: w.deleteKeyCall(w.rival.Ada.ID, theirs), Code: 404},
		{Name: "the rival's key as one's own", Call: w.deleteKeyCall(bora, theirs), Code: 404},
		{Name: "of somebody else", Call: w.deleteKeyCall(w.field.Ada.ID, made.Id), Code: 404},
	})
	if !works() {
		t.Error("the key is gone")
	}
	w.mustSucceed(t, w.deleteKeyCall(bora, made.Id))
	if works() {
		t.Error("the deleted key still opens the data")
	}
	if keys := testkit.Ask[wire.PersonKeyPage](t, w.Contract, w.keysCall(bora)); keys.Total != 0 {
		t.Errorf("%s", asJSON(t, keys))
	}
}
