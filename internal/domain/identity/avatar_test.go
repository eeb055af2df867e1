package identity_test

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"regexp"
	"strings"
	"sync"
	"testing"

	"tilth/internal/domain/identity"
	"tilth/internal/domain/identity/picture"
	"tilth/internal/platform/errs"
	"tilth/internal/tools/testkit"
)

// plainPNG makes a PNG file of one colour.
func plainPNG(t testing.TB, c color.Color) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 20, 10))
	for i := range 200 {
		img.Set(i%20, i/20, c)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func putAvatar(t *testing.T, s *testkit.Stores, u *identity.User, file []byte) string {
	t.Helper()
	address, err := s.Avatars.Put(t.Context(), u.Tenant, u.ID, file, nil)
	if err != nil {
		t.Fatal(err)
	}
	return address
}

func TestAvatar(t *testing.T) {
	s := testkit.NewStores(t)
	field := s.Tenant(t, "field")
	file := plainPNG(t, color.White)
	address := putAvatar(t, s, field.Ada, file)
	if !regexp.MustCompile(`^/avatar/[0-9a-f]{32}\.jpg$`).MatchString(address) {
		t.Errorf("address %q", address)
	}
	got, err := s.Avatars.Picture(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	if img, err := jpeg.Decode(bytes.NewReader(got)); err != nil || img.Bounds().Dx() != picture.Side {
		t.Errorf("%v", err)
	}
	if u, err := s.Users.Get(t.Context(), field.ID, field.Ada.ID); err != nil || u.Avatar != address {
		t.Errorf("%+v %v", u, err)
	}
	// The same picture has another path for another user, and when it is uploaded again: the path
	// does not reveal whose picture it is.
	if other := putAvatar(t, s, field.Bora, file); other == address {
		t.Error("two users have the same path")
	}
	again := putAvatar(t, s, field.Ada, file)
	if again == address {
		t.Error("another picture has a path that caches keep for ever")
	}
	if _, err := s.Avatars.Picture(t.Context(), address); !errs.Is(err, errs.NotFound) {
		t.Errorf("the earlier picture is still there: %v", err)
	}
	for _, none := range []string{
		"", "/avatar/", strings.Replace(again, ".jpg", ".JPG", 1), again + "x", strings.ToUpper(again),
		"/avatar/" + strings.Repeat("%", 32) + ".jpg",
	} {
		if _, err := s.Avatars.Picture(t.Context(), none); !errs.Is(err, errs.NotFound) {
			t.Errorf("%q: %v", none, err)
		}
	}
}

// A refused file keeps the earlier picture, and a picture is deleted with its user.
func TestRefusedAvatarKeepsPrevious(t *testing.T) {
	s := testkit.NewStores(t)
	field, rival := s.Tenant(t, "field"), s.Tenant(t, "rival")
	address, theirs := putAvatar(t, s, field.Ada, plainPNG(t, color.White)), putAvatar(t, s, rival.Ada,
		plainPNG(t, color.White))
	if _, err := s.Avatars.Put(t.Context(), field.ID, field.Ada.ID, []byte("<svg/>"),
		nil); !errs.Is(err, errs.Refused) {
		t.Errorf("%v", err)
	}
	if _, err := s.Avatars.Put(t.Context(), field.ID, field.Ada.ID, plainPNG(t, color.White),
		&picture.Crop{X: 15, Side: 10}); !errs.Is(err, errs.Refused) {
		t.Errorf("%v", err)
	}
	if _, err := s.Avatars.Put(t.Context(), field.ID, field.Ada.ID, make([]byte, picture.MaxBytes+1),
		nil); !errs.Is(err, errs.Refused) || errs.As(err).Key != "avatar.tooLarge" {
		t.Errorf("%v", err)
	}
	// An upload through another tenant is refused, too.
	for _, pair := range []*identity.User{
		{Tenant: rival.ID, ID: field.Ada.ID}, {Tenant: field.ID, ID: rival.Ada.ID}, {Tenant: field.ID, ID: 999},
	} {
		if _, err := s.Avatars.Put(t.Context(), pair.Tenant, pair.ID, plainPNG(t, color.Black),
			nil); !errs.Is(err, errs.NotFound) {
			t.Errorf("%+v: %v", pair, err)
		}
	}
	for _, a := range []string{address, theirs} {
		if _, err := s.Avatars.Picture(t.Context(), a); err != nil {
			t.Errorf("%v", err)
		}
	}
	if err := s.Users.Delete(t.Context(), field.ID, field.Ada.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Avatars.Picture(t.Context(), address); !errs.Is(err, errs.NotFound) {
		t.Errorf("the picture of the deleted user is still there: %v", err)
	}
	if _, err := s.Avatars.Picture(t.Context(), theirs); err != nil {
		t.Errorf("another user's picture is gone: %v", err)
	}
}

// After concurrent uploads there is one picture.
func TestConcurrentAvatarUploads(t *testing.T) {
	s := testkit.NewStores(t)
	field := s.Tenant(t, "field")
	file := plainPNG(t, color.White)
	outcomes := make(chan error, 16)
	var all sync.WaitGroup
	for range cap(outcomes) {
		all.Go(func() {
			_, err := s.Avatars.Put(t.Context(), field.ID, field.Ada.ID, file, nil)
			outcomes <- err
		})
	}
	all.Wait()
	close(outcomes)
	for err := range outcomes {
		if err != nil {
			t.Error(err)
		}
	}
	var rows int
	if err := s.DB.Read(t.Context()).NewSelect().Table("avatars").ColumnExpr("COUNT(*)").Scan(t.Context(),
		&rows); err != nil || rows != 1 {
		t.Errorf("%d pictures of one user (%v)", rows, err)
	}
}
