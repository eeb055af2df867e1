package identity

import (
	"errors"
	"fmt"

	"tilth/internal/platform/errs"
)

// storeError is a failure of the database, with the operation of the store that met it.
type storeError struct {
	operation string
	cause     error
}

func (e *storeError) Error() string { return fmt.Sprintf("identity: %s: %v", e.operation, e.cause) }

// Unwrap gives the cause.
func (e *storeError) Unwrap() error { return e.cause }

// wrap names the operation in an error that leaves a store: "identity: end session: …". It does not
// change nil, an errs.Error, or an error that already names an operation of this package.
func wrap(operation string, err error) error {
	var shown *errs.Error
	var wrapped *storeError
	if err == nil || errors.As(err, &shown) || errors.As(err, &wrapped) {
		return err
	}
	return &storeError{operation, err}
}
