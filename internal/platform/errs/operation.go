package errs

import (
	"errors"
	"fmt"
)

// operationError is a failure of the database, the disk or the network, with the operation of a
// store that met it.
type operationError struct {
	store     string // the package: device
	operation string // what failed: list page
	cause     error
}

func (e *operationError) Error() string {
	return fmt.Sprintf("%s: %s: %v", e.store, e.operation, e.cause)
}

// Unwrap gives the cause.
func (e *operationError) Unwrap() error { return e.cause }

// WrapOperation names the operation in an error that leaves a store: "device: list page: …". It
// does not change nil, an Error, or an error that already names an operation of the same store.
func WrapOperation(store, operation string, err error) error {
	var shown *Error
	if err == nil || errors.As(err, &shown) {
		return err
	}
	var wrapped *operationError
	if errors.As(err, &wrapped) && wrapped.store == store {
		return err
	}
	return &operationError{store, operation, err}
}
