package deflate

import (
	"bytes"
	"compress/flate"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
)

// Writes of any size are read back completely by an independent reader.
func TestWritesOfAnySizeAreReadBack(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2))
	var out, want bytes.Buffer
	w := NewWriter(&out)
	for _, size := range []int{1, 0, 100, 32 << 10, 70_000, 300_000} {
		piece := make([]byte, size)
		for i := range piece {
			piece[i] = "0123456789,.\n"[dice.IntN(13)]
		}
		want.Write(piece)
		if n, err := w.Write(piece); n != size || err != nil {
			t.Fatalf("%d of %d bytes, %v", n, size, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(flate.NewReader(&out))
	if err != nil || !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%d bytes, want %d, %v", len(got), want.Len(), err)
	}
	out.Reset()
	if err := NewWriter(&out).Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(flate.NewReader(&out)); err != nil || len(got) != 0 {
		t.Errorf("an empty stream gave %q, %v", got, err)
	}
}

type failingWriter struct{ error }

func (c failingWriter) Write([]byte) (int, error) { return 0, c.error }

func TestWriteErrorsAreReturned(t *testing.T) {
	gone := errors.New("gone")
	w := NewWriter(failingWriter{gone})
	if _, err := w.Write([]byte("a")); !errors.Is(err, gone) {
		t.Error(err)
	}
	if err := w.Close(); !errors.Is(err, gone) {
		t.Error(err)
	}
}
