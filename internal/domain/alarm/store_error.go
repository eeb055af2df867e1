package alarm

import "tilth/internal/platform/errs"

// wrap names the operation of this package's stores that failed.
func wrap(operation string, err error) error { return errs.WrapOperation("alarm", operation, err) }
