package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
)

var errMoreThanOne = errors.New("more than one JSON text")

// oneText reads a body that must be one JSON text, or empty: of what follows a
// first one the library knows nothing. Numbers such as 1.0 are integers to the
// contract, and not to those who bind them, so they come out as integers.
func oneText(body io.Reader) (io.ReadCloser, error) {
	raw, err := io.ReadAll(body)
	if err != nil || len(raw) == 0 {
		return io.NopCloser(bytes.NewReader(raw)), err
	}
	read := json.NewDecoder(bytes.NewReader(raw))
	read.UseNumber()
	var value any
	if err := read.Decode(&value); err != nil {
		return nil, err
	}
	switch _, err := read.Token(); {
	case err == nil:
		return nil, errMoreThanOne
	case !errors.Is(err, io.EOF):
		return nil, err
	}
	var w wholes
	if value = w.in(value); w.changed {
		if raw, err = json.Marshal(value); err != nil {
			return nil, err
		}
	}
	return io.NopCloser(bytes.NewReader(raw)), nil
}

// wholes writes the whole numbers of a JSON text as integers.
type wholes struct{ changed bool }

func (w *wholes) in(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name := range v {
			v[name] = w.in(v[name])
		}
	case []any:
		for i := range v {
			v[i] = w.in(v[i])
		}
	case json.Number:
		// Beyond 2^53 a float is no longer the number that was written.
		if f, err := v.Float64(); err == nil && strings.ContainsAny(v.String(), ".eE") && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
			w.changed = true
			return json.Number(strconv.FormatFloat(f, 'f', -1, 64))
		}
	}
	return value
}
