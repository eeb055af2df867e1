package httpbase

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"tilth/internal/platform/limit"
)

// packed is what gzip makes of a text.
func packed(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(text)) // a buffer takes everything
	_ = z.Close()
	return b.String()
}

// encoded is a request with a body and its encodings, a header line each.
func encoded(body string, codings ...string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	r.Header["Content-Encoding"] = codings
	return r
}

func TestBodyIsUnpacked(t *testing.T) {
	const most = 10_000
	long, longer := strings.Repeat("x", most), strings.Repeat("x", most+1)
	damaged := []byte(packed("abc"))
	damaged[len(damaged)-6] ^= 1 // of the checksum
	for name, c := range map[string]struct {
		r    *http.Request
		want string
		err  error
	}{
		"plain":                    {encoded("abc"), "abc", nil},
		"named as plain":           {encoded("abc", "identity"), "abc", nil},
		"gzip":                     {encoded(packed("abc"), "gzip"), "abc", nil},
		"its older name":           {encoded(packed("abc"), "X-GZip"), "abc", nil},
		"identity beside it":       {encoded(packed("abc"), " Identity , gzip,"), "abc", nil},
		"nothing, packed":          {encoded(packed(""), "gzip"), "", nil},
		"nothing at all":           {encoded("", "gzip"), "", nil},
		"several members":          {encoded(packed("ab")+packed("")+packed("c"), "gzip"), "abc", nil},
		"as large as may be":       {encoded(packed(long), "gzip"), long, nil},
		"a byte too large":         {encoded(packed(longer), "gzip"), "", &http.MaxBytesError{}},
		"members too large":        {encoded(packed(long)+packed("x"), "gzip"), "", &http.MaxBytesError{}},
		"sent too large":           {encoded(longer, "gzip"), "", &http.MaxBytesError{}},
		"a bomb":                   {encoded(packed(strings.Repeat("x", 8<<20)), "gzip"), "", &http.MaxBytesError{}},
		"cut short":                {encoded(packed("abc")[:20], "gzip"), "", ErrDamaged},
		"cut in its head":          {encoded(packed("abc")[:5], "gzip"), "", ErrDamaged},
		"a wrong checksum":         {encoded(string(damaged), "gzip"), "", ErrDamaged},
		"followed by other bytes":  {encoded(packed("abc")+"abc", "gzip"), "", ErrDamaged},
		"large, followed by other": {encoded(packed(long)+"abc", "gzip"), "", ErrDamaged},
		"not packed":               {encoded(`{"a":1}`, "gzip"), "", ErrDamaged},
		"packed twice":             {encoded(packed(packed("abc")), "gzip, gzip"), "", ErrEncoded},
		"packed twice, two lines":  {encoded(packed(packed("abc")), "gzip", "gzip"), "", ErrEncoded},
		"another":                  {encoded("abc", "br"), "", ErrEncoded},
		"another beside it":        {encoded("abc", "gzip, deflate"), "", ErrEncoded},
		"parameters":               {encoded(packed("abc"), "gzip;q=1"), "", ErrEncoded},
	} {
		meter := new(limit.Meter)
		b := NewBodies("test", 0, meter)
		body, release, err := b.ReceiveUnpacked(minimalWriter{}, c.r, Sender{Tenant: 1}, most)
		if c.err == nil && string(body) != c.want {
			t.Errorf("%s: %.20q", name, body)
		}
		_, tooLarge := errors.AsType[*http.MaxBytesError](err)
		_, wanted := errors.AsType[*http.MaxBytesError](c.err)
		if tooLarge != wanted || !tooLarge && !errors.Is(err, c.err) {
			t.Errorf("%s: %v, want %v", name, err, c.err)
		}
		release()
		if s := meter.Stats()["test_bodies"]; s.Keys != 0 {
			t.Errorf("%s: bytes are held after the release: %+v", name, s)
		}
	}
}

// What is unpacked stays taken until the request is answered, and unpacking needs room for all that
// it may become.
func TestUnpackedBytesAreTaken(t *testing.T) {
	b := NewBodies("test", 256*mib, nil)
	body := packed(strings.Repeat("x", 100_000))
	from := Sender{Tenant: 1, Member: 1}
	held := int64(0)
	for {
		_, release, err := b.ReceiveUnpacked(minimalWriter{}, encoded(body, "gzip"), from, 256<<10)
		if errors.Is(err, ErrBodiesFull) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		defer release()
		held += 100_000
	}
	if inAll := int64(minBodyBytes); held == 0 || held > inAll/8 {
		t.Errorf("a user holds %d of %d", held, inAll)
	}
	_, release, err := b.ReceiveUnpacked(minimalWriter{}, encoded(body, "gzip"), Sender{Tenant: 2}, 256<<10)
	if release(); err != nil {
		t.Errorf("another tenant: %v", err)
	}
}

// A body that unpacks to a large one waits for its tenant's turn; a small one does not.
func TestLargeBodiesAreUnpackedInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBodies("test", 0, nil)
		from := Sender{Tenant: 1, Member: 1}
		stop := make(chan struct{})
		for range b.decoding.MaxRunning {
			go func() {
				if err := b.inTurn(context.Background(), from, func() error { <-stop; return nil }); err != nil {
					t.Error(err)
				}
			}()
		}
		synctest.Wait()
		for size, waits := range map[int]bool{largeBody: false, largeBody + 1: true} {
			done := make(chan struct{})
			go func() {
				defer close(done)
				r := encoded(packed(strings.Repeat("x", size)), "gzip")
				body, release, err := b.ReceiveUnpacked(minimalWriter{}, r, from, 1<<20)
				if release(); len(body) != size || err != nil {
					t.Errorf("%d bytes of %d: %v", len(body), size, err)
				}
			}()
			synctest.Wait()
			select {
			case <-done:
				if waits {
					t.Errorf("%d bytes did not wait", size)
				}
			default:
				if !waits {
					t.Errorf("%d bytes wait", size)
				}
			}
		}
		close(stop)
		synctest.Wait()
	})
}
