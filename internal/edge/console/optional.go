package console

// deref returns an optional value of a request, or the zero value if it is absent.
func deref[T any](v *T) (value T) {
	if v != nil {
		value = *v
	}
	return value
}

// omitZero returns nil for zero and false, which the wire leaves out.
func omitZero[N int | int64 | bool](n N) *N {
	if n == *new(N) {
		return nil
	}
	return &n
}

// omitEmpty returns nil for an empty text, which the wire leaves out.
func omitEmpty(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// boolInt writes a boolean as 0 or 1, as the wire has it.
func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
