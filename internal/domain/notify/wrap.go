package notify

import (
	"errors"
	"fmt"

	"tilth/internal/platform/errs"
)

// wrap says which operation failed. It leaves an errs.Error, which users see, as it is.
func wrap(op string, err error) error {
	if _, shown := errors.AsType[*errs.Error](err); err == nil || shown {
		return err
	}
	return fmt.Errorf("notify: %s: %w", op, err)
}
