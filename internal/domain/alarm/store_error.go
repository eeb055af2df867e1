package alarm

import (
	"errors"
	"fmt"
	"strings"

	"tilth/internal/platform/errs"
)

// wrap adds to an error of the database what failed. It leaves errors that people see (errs.Error),
// and errors that already say what failed in this package, as they are.
func wrap(op string, err error) error {
	var seen *errs.Error
	if err == nil || errors.As(err, &seen) || strings.HasPrefix(err.Error(), "alarm: ") {
		return err
	}
	return fmt.Errorf("alarm: %s: %w", op, err)
}
