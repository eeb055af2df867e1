package identity_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tilth/internal/domain/identity"
	"tilth/internal/platform/errs"
	"tilth/internal/tools/testkit"
)

type viewFixture struct {
	*testkit.Stores
	field, rival *testkit.Tenant
}

func newViewFixture(t *testing.T) *viewFixture {
	k := &viewFixture{Stores: testkit.NewStores(t)}
	k.field, k.rival = k.Tenant(t, "field"), k.Tenant(t, "rival")
	return k
}

func (k *viewFixture) create(t *testing.T, u *identity.User, name, query string) int64 {
	t.Helper()
	id, err := k.AnalysisViews.Create(t.Context(), u.Tenant, u.ID, name, query)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func (k *viewFixture) list(t *testing.T, u *identity.User) []identity.AnalysisView {
	t.Helper()
	list, err := k.AnalysisViews.List(t.Context(), u.Tenant, u.ID)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// refusal is the key of an error's text, and the field that it names.
func refusal(err error) string {
	var e *errs.Error
	if !errors.As(err, &e) {
		return fmt.Sprint(err)
	}
	return strings.TrimSpace(e.Key + " " + e.Field)
}

func TestAnalysisViews(t *testing.T) {
	k := newViewFixture(t)
	ada := k.field.Ada
	if list := k.list(t, ada); len(list) != 0 {
		t.Errorf("%+v", list)
	}
	soil := k.create(t, ada, " soil ", "q=a%20b&range=7d")
	air := k.create(t, ada, "Air", "q=c")
	want := []identity.AnalysisView{
		{ID: air, Name: "Air", Query: "q=c"},
		{ID: soil, Name: "soil", Query: "q=a%20b&range=7d"},
	}
	if got := k.list(t, ada); !cmp.Equal(got, want) {
		t.Error(cmp.Diff(want, got))
	}
	// A view may get its own name in another case.
	changed := identity.AnalysisView{ID: soil, Name: "SOIL", Query: "q=d"}
	if err := k.AnalysisViews.Update(t.Context(), ada.Tenant, ada.ID, changed); err != nil {
		t.Fatal(err)
	}
	if err := k.AnalysisViews.Delete(t.Context(), ada.Tenant, ada.ID, air); err != nil {
		t.Fatal(err)
	}
	if got := k.list(t, ada); !cmp.Equal(got, []identity.AnalysisView{changed}) {
		t.Errorf("%+v", got)
	}
	if again := k.create(t, ada, "Air", "q"); again == air {
		t.Error("a deleted view's id was given again")
	}
}

func TestAnalysisViewRefusals(t *testing.T) {
	k := newViewFixture(t)
	ada := k.field.Ada
	k.create(t, ada, "İrrigation", "q")
	other := k.create(t, ada, "Other", "q")
	before := k.list(t, ada)
	for _, c := range []struct{ name, query, want string }{
		{"", "q", "common.nameRequired"},
		{" \t", "q", "common.nameRequired"},
		{strings.Repeat("ş", 65), "q", "invalid.long name"},
		{"a\nb", "q", "invalid.format name"},
		{" i̇RRIGATION ", "q", "analysisView.nameTaken name"},
		{"x", "", "invalid.required query"},
		{"x", strings.Repeat("q", 4001), "invalid.long query"},
		{"x", "a b", "invalid.format query"},
		{"x", "q=ş", "invalid.format query"},
		{"x", "q\n", "invalid.format query"},
		{"x", "q\x7f", "invalid.format query"},
		{"x", "q\xff", "invalid.format query"},
	} {
		if _, err := k.AnalysisViews.Create(t.Context(), ada.Tenant, ada.ID, c.name, c.query); refusal(err) != c.want {
			t.Errorf("create %q, %.9q: %v, want %s", c.name, c.query, err, c.want)
		}
		v := identity.AnalysisView{ID: other, Name: c.name, Query: c.query}
		if err := k.AnalysisViews.Update(t.Context(), ada.Tenant, ada.ID, v); refusal(err) != c.want {
			t.Errorf("update to %q, %.9q: %v, want %s", c.name, c.query, err, c.want)
		}
	}
	if got := k.list(t, ada); !cmp.Equal(got, before) {
		t.Errorf("a refusal changed the views to %+v", got)
	}
	k.create(t, ada, strings.Repeat("ş", 64), strings.Repeat("~", 4000))
	for i := len(k.list(t, ada)); i < identity.MaxAnalysisViewsPerUser; i++ {
		k.create(t, ada, fmt.Sprint("view ", i), "q")
	}
	_, err := k.AnalysisViews.Create(t.Context(), ada.Tenant, ada.ID, "x", "q")
	if refusal(err) != "analysisView.tooMany" {
		t.Error(err)
	}
	k.create(t, k.field.Bora, "x", "q") // the limit is by user
}

// Of calls that give the same name at once, one succeeds; the limit holds, too.
func TestAnalysisViewRace(t *testing.T) {
	k := newViewFixture(t)
	ada := k.field.Ada
	for i := range identity.MaxAnalysisViewsPerUser - 2 {
		k.create(t, ada, fmt.Sprint("view ", i), "q")
	}
	race := func(names ...string) (refused []string) {
		var wg sync.WaitGroup
		got := make([]error, len(names))
		for i, name := range names {
			wg.Go(func() { _, got[i] = k.AnalysisViews.Create(t.Context(), ada.Tenant, ada.ID, name, "q") })
		}
		wg.Wait()
		for _, err := range got {
			if err != nil {
				refused = append(refused, refusal(err))
			}
		}
		return refused
	}
	taken := "analysisView.nameTaken name"
	if got := race("Same", "SAME", "same", "sAme"); !cmp.Equal(got, []string{taken, taken, taken}) {
		t.Errorf("%q", got)
	}
	if got := race("a", "b", "c"); !cmp.Equal(got, []string{"analysisView.tooMany", "analysisView.tooMany"}) {
		t.Errorf("%q", got)
	}
	if n := len(k.list(t, ada)); n != identity.MaxAnalysisViewsPerUser {
		t.Errorf("%d views", n)
	}
}

// For everybody but its user a view does not exist.
func TestAnalysisViewsAreUserScoped(t *testing.T) {
	k := newViewFixture(t)
	ada := k.field.Ada
	id := k.create(t, ada, "mine", "q")
	before := k.list(t, ada)
	for name, u := range map[string]*identity.User{
		"a colleague":                  k.field.Bora,
		"another tenant's user":        k.rival.Ada,
		"the user of another tenant":   {Tenant: k.rival.ID, ID: ada.ID},
		"another tenant's user's here": {Tenant: k.field.ID, ID: k.rival.Ada.ID},
	} {
		v := identity.AnalysisView{ID: id, Name: "theirs", Query: "q"}
		if err := k.AnalysisViews.Update(t.Context(), u.Tenant, u.ID, v); !errs.Is(err, errs.NotFound) {
			t.Errorf("%s updates: %v", name, err)
		}
		if err := k.AnalysisViews.Delete(t.Context(), u.Tenant, u.ID, id); !errs.Is(err, errs.NotFound) {
			t.Errorf("%s deletes: %v", name, err)
		}
		if list := k.list(t, u); len(list) != 0 {
			t.Errorf("%s sees %+v", name, list)
		}
	}
	if got := k.list(t, ada); !cmp.Equal(got, before) {
		t.Errorf("%+v", got)
	}
	for _, u := range []*identity.User{{Tenant: k.rival.ID, ID: ada.ID}, {Tenant: k.field.ID, ID: 999_999}} {
		if _, err := k.AnalysisViews.Create(t.Context(), u.Tenant, u.ID, "x", "q"); !errs.Is(err, errs.NotFound) {
			t.Errorf("created for user %d of tenant %d: %v", u.ID, u.Tenant, err)
		}
	}
	k.create(t, k.field.Bora, "mine", "q") // others may use the name
	if err := k.Users.Delete(t.Context(), ada.Tenant, ada.ID); err != nil {
		t.Fatal(err)
	}
	var left int
	err := k.DB.Read(
		t.Context(),
	).NewRaw(
		"SELECT COUNT(*) FROM analysis_views WHERE user_id = ?",
		ada.ID,
	).Scan(
		t.Context(),
		&left,
	)
	if err != nil || left != 0 || len(k.list(t, k.field.Bora)) != 1 {
		t.Errorf("%d views of the deleted user, %v", left, err)
	}
}
