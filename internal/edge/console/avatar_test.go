package console_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"strconv"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/identity"
	"tilth/internal/edge/console"
	"tilth/internal/edge/console/wire"
	"tilth/internal/platform/text"
	"tilth/internal/tools/testkit"
	"tilth/internal/tools/testkit/pseudo"
)

const avatarPath = "/admin-api/client/pc/user/update-avatar"

// testPNG returns a PNG file, red on the left and blue on the right.
func testPNG(t testing.TB) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 60, 40))
	for i := range 60 * 40 {
		c := color.RGBA{R: 0xC0, A: 0xFF}
		if i%60 >= 30 {
			c = color.RGBA{B: 0xC0, A: 0xFF}
		}
		img.Set(i%60, i/60, c)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// formPart is a part of a form.
type formPart struct {
	name, file string // file: the file name; empty for a value
	kind       string
	body       []byte
}

func multipartCall(t testing.TB, token string, parts ...formPart) testkit.Call {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, p := range parts {
		h := textproto.MIMEHeader{"Content-Disposition": {`form-data; name="` + p.name + `"`}}
		if p.file != "" {
			h.Set("Content-Disposition", h.Get("Content-Disposition")+`; filename="`+p.file+`"`)
		}
		if p.kind != "" {
			h.Set("Content-Type", p.kind)
		}
		pw, err := w.CreatePart(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := pw.Write(p.body); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return testkit.Call{
		Method: http.MethodPost,
		Path:   avatarPath,
		Token:  token,
		Body:   b.String(),
		Header: map[string]string{"Content-Type": w.FormDataContentType()},
	}
}

// mustUpload uploads a picture, which must be accepted, and returns its address.
func mustUpload(t testing.TB, w *fixture, token, name, file string, body []byte) string {
	t.Helper()
	return testkit.Ask[string](t, w.Contract, multipartCall(t, token, formPart{name: name, file: file, body: body}))
}

func (w *fixture) fetchPicture(t *testing.T, address string) (*testkit.Answer, image.Image) {
	t.Helper()
	a := w.Do(t, testkit.Call{Path: address}) // no token: an image on a page sends none
	if a.Status != 200 {
		t.Fatalf("%s: %d", address, a.Status)
	}
	img, err := jpeg.Decode(bytes.NewReader(a.Body))
	if err != nil {
		t.Fatal(err)
	}
	return a, img
}

func isRed(c color.Color) bool {
	r, _, b, _ := c.RGBA()
	return r>>8 > 0x90 && b>>8 < 0x40
}

func TestUpdateAvatar(t *testing.T) {
	w := newServer(t)
	address := mustUpload(t, w, w.ada, "avatarFile", "me.png", testPNG(t))
	if u := testkit.Ask[wire.User](t, w.Contract, w.get(userPath)); u.Avatar != address {
		t.Errorf("%q, answered %q", u.Avatar, address)
	}
	a, img := w.fetchPicture(t, address)
	if img.Bounds().Dx() != 256 || img.Bounds().Dy() != 256 || !isRed(img.At(60, 128)) || isRed(img.At(200, 128)) {
		t.Errorf("%v", img.Bounds())
	}
	for name, want := range map[string]string{
		"Content-Type": "image/jpeg", "Cache-Control": "private, max-age=31536000, immutable", "X-Content-Type-Options": "nosniff",
		"Content-Security-Policy": "default-src 'none'; sandbox", "Cross-Origin-Resource-Policy": "same-origin", "Content-Length": fmt.Sprint(len(a.Body)),
	} {
		if got := a.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if head := w.Do(t, testkit.Call{Method: http.MethodHead, Path: address}); head.Status != 200 ||
		len(head.Body) != 0 || head.Header.Get("Content-Length") != a.Header.Get("Content-Length") {
		t.Errorf("HEAD: %d %v", head.Status, head.Header)
	}
	// The crop selects the left part; parts that are not needed are ignored.
	cropped := testkit.Ask[string](t, w.Contract, multipartCall(
		t,
		w.ada,
		formPart{
			name: "id",
			body: []byte("7"),
		},
		formPart{name: "crop", body: []byte("0, 5 ,30")},
		formPart{name: "avatarFile", file: "x", body: testPNG(t)},
	))
	if _, img := w.fetchPicture(t, cropped); !isRed(img.At(250, 250)) {
		t.Error("the picture shows another part than the crop")
	}
	// The replaced picture is gone at once.
	if a := w.Do(t, testkit.Call{Path: address}); a.Status != 404 || a.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%d %v", a.Status, a.Header)
	}
	// The crop may come last, and may be empty.
	mustUpload(t, w, w.ada, "avatarFile", "me.png", testPNG(t))
	testkit.Ask[string](
		t,
		w.Contract,
		multipartCall(
			t,
			w.ada,
			formPart{name: "avatarFile", file: "x", body: testPNG(t)},
			formPart{name: "crop", body: []byte("0,0,40")},
		),
	)
	last := testkit.Ask[string](
		t,
		w.Contract,
		multipartCall(t, w.ada, formPart{name: "avatarFile", file: "x", body: testPNG(t)}, formPart{name: "crop"}),
	)
	// Deleting the user deletes the picture.
	if err := w.Users.Delete(t.Context(), w.field.ID, w.field.Ada.ID); err != nil {
		t.Fatal(err)
	}
	if a := w.Do(t, testkit.Call{Path: last}); a.Status != 404 {
		t.Errorf("%d", a.Status)
	}
}

// Forms that no browser sends are handled, too.
func TestAvatarUploadForms(t *testing.T) {
	w := newServer(t)
	good := testPNG(t)
	file := formPart{name: "avatarFile", file: "a.png", kind: "image/png", body: good}
	many := make([]formPart, 20)
	for i := range many {
		many[i] = formPart{name: "x", body: []byte("y")}
	}
	withBody := func(call testkit.Call, kind, body string) testkit.Call {
		call.Header, call.Body = map[string]string{"Content-Type": kind}, body
		return call
	}
	whole := multipartCall(t, w.ada, file)
	boundary := strings.TrimPrefix(whole.Header["Content-Type"], "multipart/form-data; boundary=")
	w.Run(t, []testkit.Scenario{
		{Name: "no part", Call: multipartCall(t, w.ada), Code: 601, Contains: []string{"Picture: required"}},
		{
			Name:     "another name",
			Call:     multipartCall(t, w.ada, formPart{name: "file", file: "a.png", body: good}),
			Code:     601,
			Contains: []string{"Picture: required"},
		},
		{
			Name:     "field name in capitals",
			Call:     multipartCall(t, w.ada, formPart{name: "AVATARFILE", file: "a.png", body: good}),
			Code:     601,
			Contains: []string{"Picture: required"},
		},
		{Name: "no name", Call: multipartCall(t, w.ada, formPart{file: "a.png", body: good}), Code: 601},
		{
			Name:     "empty file",
			Call:     multipartCall(t, w.ada, formPart{name: "avatarFile", file: "a.png"}),
			Code:     601,
			Contains: []string{"Picture: required"},
		},
		{Name: "two files", Call: multipartCall(t, w.ada, file, file), Code: 400},
		{
			Name: "two crops",
			Call: multipartCall(
				t,
				w.ada,
				formPart{name: "crop", body: []byte("0,0,9")},
				formPart{name: "crop", body: []byte("0,0,9")},
				file,
			),
			Code: 400,
		},
		{Name: "many parts", Call: multipartCall(t, w.ada, append(many, file)...), Code: 400},
		{
			Name:     "crop outside",
			Call:     multipartCall(t, w.ada, file, formPart{name: "crop", body: []byte("30,10,40")}),
			Code:     601,
			Contains: []string{"The chosen part is outside the picture"},
		},
		{
			Name:     "crop of words",
			Call:     multipartCall(t, w.ada, file, formPart{name: "crop", body: []byte("a,b,c")}),
			Code:     601,
			Contains: []string{"Crop: not in the right form"},
		},
		{
			Name: "crop of two",
			Call: multipartCall(t, w.ada, file, formPart{name: "crop", body: []byte("1,2")}),
			Code: 601,
		},
		{
			Name: "crop of many",
			Call: multipartCall(t, w.ada, file, formPart{name: "crop", body: []byte(strings.Repeat("1,", 40_000))}),
			Code: 601,
		},
		{
			Name: "crop beyond numbers",
			Call: multipartCall(t, w.ada, file, formPart{name: "crop", body: []byte("0,0,99999999999999999999")}),
			Code: 601,
		},
		{Name: "not a form", Call: withBody(whole, "application/json", `{"avatarFile":"x"}`), Code: 400},
		{Name: "another form", Call: withBody(whole, "application/x-www-form-urlencoded", "avatarFile=x"), Code: 400},
		{Name: "no kind", Call: withBody(whole, "", whole.Body), Code: 400},
		{Name: "no boundary", Call: withBody(whole, "multipart/form-data", whole.Body), Code: 400},
		{Name: "another boundary", Call: withBody(whole, "multipart/form-data; boundary=other", whole.Body), Code: 601},
		{Name: "cut", Call: withBody(whole, whole.Header["Content-Type"], whole.Body[:len(whole.Body)-40]), Code: 400},
		{Name: "no body", Call: withBody(whole, whole.Header["Content-Type"], ""), Code: 601},
		{
			Name: "broken header",
			Call: withBody(
				whole,
				whole.Header["Content-Type"],
				"--"+boundary+"\r\nno header\r\n\r\nx\r\n--"+boundary+"--\r\n",
			),
			Code: 400,
		},
		{
			Name: "name not closed",
			Call: withBody(
				whole,
				whole.Header["Content-Type"],
				"--"+boundary+"\r\nContent-Disposition: form-data; name=\"avatarFile\r\n\r\nx\r\n--"+boundary+"--\r\n",
			),
			Code: 601,
		},
		// The declared content type and file name do not matter.
		{
			Name: "another content type",
			Call: multipartCall(t, w.ada, formPart{name: "avatarFile", file: "a.html", kind: "text/html", body: good}),
		},
		{Name: "no file name", Call: multipartCall(t, w.ada, formPart{name: "avatarFile", body: good})},
		{
			Name:  "file name of a path",
			Call:  multipartCall(t, w.ada, formPart{name: "avatarFile", file: "../../../etc/passwd", body: good}),
			Lacks: []string{"passwd"},
		},
		{
			Name:  "huge file name",
			Call:  multipartCall(t, w.ada, formPart{name: "avatarFile", file: strings.Repeat("x", 60_000), body: good}),
			Lacks: []string{"xxx"},
		},
		{
			Name:   "file name beyond the limit",
			Call:   multipartCall(t, w.ada, formPart{name: "avatarFile", file: strings.Repeat("x", 9<<20), body: good}),
			Status: 413,
			Code:   413,
		},
	})
	// A header that is smuggled into a file name becomes a header of the part, never of an answer.
	for _, name := range []string{"a\r\nX-Evil: 1\r\nY: \"", `a"; x="` + "\r\nSet-Cookie: evil=1", "a\r\n\r\n<script>alert(1)</script>"} {
		a := w.Do(t, multipartCall(t, w.ada, formPart{name: "avatarFile", file: name, body: good}))
		if a.Header.Get("X-Evil") != "" || a.Header.Get("Set-Cookie") != "" ||
			strings.Contains(string(a.Body), "script") {
			t.Errorf("%q: %v %s", name, a.Header, a.Body)
		}
	}
}

// A file that is no picture is refused with its reason, in the user's language.
func TestInvalidAvatarFiles(t *testing.T) {
	w := newServer(t)
	before := mustUpload(t, w, w.ada, "avatarFile", "me.png", testPNG(t))
	good := testPNG(t)
	bomb := bytes.Clone(good)
	copy(bomb[16:24], "\x00\x00\xFF\xFF\x00\x00\xFF\xFF")
	for name, c := range map[string]struct {
		file []byte
		key  string
		args map[string]string
	}{
		"svg":         {[]byte(`<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`), "avatar.format", nil},
		"html as png": {[]byte("<html><script>alert(1)</script></html>"), "avatar.format", nil},
		"gif":         {[]byte("GIF89a\x01\x00\x01\x00\x80\x00\x00<script>"), "avatar.format", nil},
		"text":        {[]byte("hello"), "avatar.format", nil},
		"cut":         {good[:len(good)-20], "avatar.broken", nil},
		"and html":    {append(bytes.Clone(good), "<html>"...), "avatar.broken", nil},
		"bomb":        {bomb, "avatar.tooManyPixels", map[string]string{"limit": "40"}},
		// not too large
		"5 MiB":        {append(bytes.Clone(good), make([]byte, 5<<20-len(good))...), "avatar.broken", nil},
		"5 MiB and 1":  {append(bytes.Clone(good), make([]byte, 5<<20-len(good)+1)...), "avatar.tooLarge", map[string]string{"limit": "5"}},
		"8 MiB":        {make([]byte, 8<<20), "avatar.tooLarge", map[string]string{"limit": "5"}},
		"zeros":        {make([]byte, 1<<20), "avatar.format", nil},
		"a start only": {[]byte("\xFF\xD8\xFF"), "avatar.broken", nil},
	} {
		for _, l := range pseudo.Languages() {
			call := multipartCall(
				t,
				w.ada,
				formPart{name: "avatarFile", file: "me.png", kind: "image/png", body: c.file},
			)
			call.Header["Accept-Language"] = string(l)
			if a := w.Do(t, call); a.Status != 200 || a.Code != 601 || a.Msg != text.Translate(l, c.key, c.args) {
				t.Errorf("%s in %s: %d %s", name, l, a.Status, a.Body)
			}
		}
	}
	for name, size := range map[string]int{"8 MiB and 1": 8<<20 + 1, "9 MiB": 9 << 20, "20 MiB": 20 << 20} {
		a := w.Do(
			t,
			multipartCall(
				t,
				w.ada,
				formPart{
					name: "avatarFile",
					file: "me.png",
					body: append(bytes.Clone(good), make([]byte, size-len(good))...),
				},
			),
		)
		if a.Status != 413 || a.Code != 413 {
			t.Errorf("%s: %d %s", name, a.Status, a.Body)
		}
	}
	// A refused upload leaves the picture as it was.
	if u := testkit.Ask[wire.User](t, w.Contract, w.get(userPath)); u.Avatar != before {
		t.Errorf("%q", u.Avatar)
	}
	w.fetchPicture(t, before)
}

// A picture belongs to its user: another user's upload does not change it, and only its address
// leads to it.
func TestAvatarsAreUserScoped(t *testing.T) {
	w := newServer(t)
	ada := mustUpload(t, w, w.ada, "avatarFile", "a", testPNG(t))
	for name, token := range map[string]string{"a colleague": w.bora, "another tenant": w.rivalToken} {
		call := multipartCall(
			t,
			token,
			formPart{
				name: "id",
				body: []byte(fmt.Sprint(w.field.Ada.ID)),
			},
			formPart{name: "userId", body: []byte(fmt.Sprint(w.field.Ada.ID))},
			formPart{name: "avatarFile", file: "a", body: testPNG(t)},
		)
		call.Path += fmt.Sprint("?id=", w.field.Ada.ID, "&userId=", w.field.Ada.ID)
		call.Header["tenant-id"] = fmt.Sprint(w.field.ID)
		if theirs := testkit.Ask[string](t, w.Contract, call); theirs == ada {
			t.Errorf("%s shares %s", name, ada)
		}
		u := testkit.Ask[wire.User](t, w.Contract, testkit.Call{Path: userPath, Token: token})
		if u.Id == w.field.Ada.ID || u.Avatar == ada {
			t.Errorf("%s: %+v", name, u)
		}
	}
	if u := testkit.Ask[wire.User](t, w.Contract, w.get(userPath)); u.Avatar != ada {
		t.Errorf("%q, was %q", u.Avatar, ada)
	}
	w.fetchPicture(t, ada)
	for _, none := range []string{
		"/avatar/", "/avatar/" + fmt.Sprint(w.field.Ada.ID), "/avatar/" + fmt.Sprint(w.field.Ada.ID) + ".jpg", strings.TrimSuffix(ada, ".jpg"), ada + "/", ada + "%00",
		strings.Replace(ada, ".jpg", ".png", 1), "/avatar/" + strings.Repeat("0", 32) + ".jpg", "/avatar/%25.jpg", "/avatar/" + strings.Repeat("%00", 32) + ".jpg", "/avatar/" + strings.Repeat("'", 32) + ".jpg", "/avatar/../tilth.db", "/avatar/..%2ftilth.db",
	} {
		if a := w.Do(t, testkit.Call{Path: none, Token: w.ada}); a.Status != 404 && a.Status != 307 {
			t.Errorf("%s: %d", none, a.Status)
		}
	}
	if a := w.Do(t, testkit.Call{Method: http.MethodPost, Path: ada}); a.Status == 200 {
		t.Errorf("POST: %d", a.Status)
	}
	// Whoever knows the address sees the picture, so no log holds the address.
	if strings.Contains(w.Log.Text(), strings.TrimPrefix(ada, identity.AvatarPrefix)) {
		t.Error("the address is in the log")
	}
}

// A client that guesses addresses is soon limited.
func TestAvatarAddressGuessesAreLimited(t *testing.T) {
	w := newServer(t)
	found := map[int]int{}
	for i := range 70 {
		a := w.Do(t, testkit.Call{Path: fmt.Sprintf("/avatar/%032x.jpg", i), From: "198.51.100.7"})
		found[a.Status]++
		if a.Status == 429 {
			if n, err := strconv.Atoi(a.Header.Get("Retry-After")); err != nil || n < 1 {
				t.Errorf("Retry-After %q", a.Header.Get("Retry-After"))
			}
		}
	}
	if found[404] != 60 || found[429] != 10 {
		t.Errorf("%v", found)
	}
	// The limit does not keep anybody at that address from signing in.
	if a := w.Do(t, testkit.Call{Path: byNamePath + "?name=field", From: "198.51.100.7"}); a.Code != 200 {
		t.Errorf("%s", a.Body)
	}
}

// startHangingUpload sends a form whose file does not end until the test lets it. It sends the
// first byte when the server asks for it, so the upload has a slot then.
func (w *fixture) startHangingUpload(t *testing.T, base, token string) (release func()) {
	t.Helper()
	r, pipe := io.Pipe()
	q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+avatarPath, r)
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set("Content-Type", "multipart/form-data; boundary=b")
	q.Header.Set("Authorization", "Bearer "+token)
	q.Header.Set("Expect", "100-continue")
	sender := &http.Transport{ExpectContinueTimeout: testkit.WaitTimeout}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if res, err := sender.RoundTrip(q); err == nil {
			_ = res.Body.Close()
		}
	}()
	head := "--b\r\nContent-Disposition: form-data; name=\"avatarFile\"; filename=\"a\"\r\n\r\n"
	if _, err := io.WriteString(pipe, head); err != nil {
		t.Fatal(err)
	}
	return func() { _ = pipe.Close(); <-done; sender.CloseIdleConnections() }
}

// The number of pictures received at once is limited: one user's further ones are refused at once,
// one tenant's further ones wait. Other tenants are not affected.
func TestConcurrentUploadLimits(t *testing.T) {
	w := newServer(t, func(o *console.Options) { o.UploadTimeout = 50 * time.Millisecond })
	base := w.Serve(t)
	code := func(token string) int {
		return w.Do(t, multipartCall(t, token, formPart{name: "avatarFile", file: "a", body: testPNG(t)})).Code
	}
	var releases []func()
	hang := func(token string) {
		for range 2 {
			releases = append(releases, w.startHangingUpload(t, base, token))
		}
	}
	hang(w.ada)
	if got := code(w.ada); got != 429 {
		t.Errorf("ada's third: %d", got)
	}
	if got := code(w.bora); got != 200 {
		t.Errorf("another user of the tenant:  %d", got)
	}
	hang(w.Session(t, w.User(t, w.field.ID, "slow")).Access)
	if got := code(w.bora); got != 503 {
		t.Errorf("one more upload of the tenant: %d", got)
	}
	if got := code(w.rivalToken); got != 200 {
		t.Errorf("another tenant: %d", got)
	}
	// Five tenants hang and take all slots; the next upload in the queue gets the next free slot.
	for i := range 3 {
		busy := w.Tenant(t, fmt.Sprint("busy", i))
		hang(w.Session(t, busy.Ada).Access)
		hang(w.Session(t, busy.Bora).Access)
	}
	if got := code(w.rivalToken); got != 503 {
		t.Errorf("when all slots are taken: %d", got)
	}
	for _, let := range releases {
		let()
	}
	if ada, bora, rival := code(w.ada), code(w.bora), code(w.rivalToken); ada != 200 || bora != 200 || rival != 200 {
		t.Errorf("afterwards: %d %d %d", ada, bora, rival)
	}
}

// An upload that waits among slow ones gets a slot as soon as one of them ends. A tenant that has
// its share gets none, even for an upload that came earlier.
func TestWaitingUploadsAreScheduledByTenant(t *testing.T) {
	w := newServer(t, func(o *console.Options) { o.UploadTimeout = testkit.WaitTimeout })
	base := w.Serve(t)
	var releases []func()
	var sessions []string // one session of each
	for i := range 4 {
		busy := w.Tenant(t, fmt.Sprint("busy", i))
		sessions = append(sessions, w.Session(t, w.User(t, busy.ID, "late")).Access)
		for _, who := range []*identity.User{busy.Ada, busy.Bora} {
			for range 2 {
				releases = append(releases, w.startHangingUpload(t, base, w.Session(t, who).Access))
			}
		}
	}
	put := func(token string) <-chan int {
		done := make(chan int, 1)
		call := multipartCall(t, token, formPart{name: "avatarFile", file: "a", body: testPNG(t)})
		go func() { done <- w.Do(t, call).Code }()
		return done
	}
	fifth, rival := put(sessions[0]), put(w.rivalToken)
	releases[len(releases)-1]()
	if code := testkit.Receive(t, "the answer to the upload that waited", rival); code != 200 {
		t.Errorf("%d", code)
	}
	select {
	case code := <-fifth:
		t.Errorf("a fifth upload of a tenant did not wait: %d", code)
	default:
	}
	releases[0]()
	if code := testkit.Receive(t, "the answer to the fifth upload", fifth); code != 200 {
		t.Errorf("%d", code)
	}
	for _, let := range releases[1 : len(releases)-1] {
		let()
	}
}

// The body limit of all other calls is unchanged.
func TestUploadBodyLimitIsForUploadsOnly(t *testing.T) {
	w := newServer(t)
	large := multipartCall(t, w.ada, formPart{name: "name", body: make([]byte, 2<<20)})
	for _, path := range []string{createPath, logoutPath} {
		large.Path = path
		if a := w.Do(t, large); a.Status == 200 && a.Code == 200 {
			t.Errorf("%s: %s", path, a.Body)
		}
	}
	large.Header, large.Path = nil, createPath
	large.Body = `{"name":"` + strings.Repeat("x", 2<<20) + `"}`
	if a := w.Do(t, large); a.Status != 413 {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	if a := w.Do(t, w.get(userPath)); a.Code != 200 {
		t.Errorf("%s", a.Body)
	}
}
