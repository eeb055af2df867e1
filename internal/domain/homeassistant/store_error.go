package homeassistant

import "tilth/internal/platform/errs"

// wrap names the operation of this package's store that failed.
func wrap(operation string, err error) error {
	return errs.WrapOperation("homeassistant", operation, err)
}
