package errs

import (
	"errors"
	"io"
	"testing"
)

func TestWrapOperation(t *testing.T) {
	if err := WrapOperation("device", "list page", nil); err != nil {
		t.Errorf("nil became %v", err)
	}
	shown := New(NotFound, "error.404")
	if err := WrapOperation("device", "list page", shown); !errors.Is(err, shown) || err.Error() != shown.Error() {
		t.Errorf("an error for people became %v", err)
	}
	once := WrapOperation("device", "find", io.ErrUnexpectedEOF)
	if once.Error() != "device: find: unexpected EOF" || !errors.Is(once, io.ErrUnexpectedEOF) {
		t.Errorf("%v", once)
	}
	if twice := WrapOperation("device", "list page", once); twice.Error() != once.Error() {
		t.Errorf("wrapped twice: %v", twice)
	}
	if other := WrapOperation("alarm", "start", once); other.Error() != "alarm: start: device: find: unexpected EOF" {
		t.Errorf("%v", other)
	}
}
