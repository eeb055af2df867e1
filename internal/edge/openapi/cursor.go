package openapi

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"hash/fnv"
	"io"
	"strconv"

	"tilth/internal/domain/reading"
)

// cursor is the position at which a list goes on. It holds a position in an order and no
// credential: a call sees only its own tenant, whatever the cursor says.
type cursor struct {
	QueryHash  string             `json:"b"`           // of the query that the list answers
	Name       string             `json:"n,omitempty"` // devices: of the last one sent
	Time       int64              `json:"t,omitempty"` // epoch ms; notices: of the last one sent; history: where to go on
	ID         int64              `json:"i,omitempty"` // notices: of the last one sent
	Resolution reading.Resolution `json:"r,omitempty"` // aggregates: of the first page, and so of all
}

var cursorEncoding = base64.RawURLEncoding.Strict()

// String returns the cursor in the form that programs get. JSON's HTML escapes are switched off:
// with them, the longest name would make a cursor longer than the contract accepts.
func (c cursor) String() string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(c) // texts and numbers always marshal
	return cursorEncoding.EncodeToString(bytes.TrimSpace(b.Bytes()))
}

// readCursor reads a cursor that must belong to the query of queryHash; nil if none was given. It
// refuses a cursor of another call, of other parameters or of another tenant.
func readCursor(given *string, queryHash string) (*cursor, error) {
	if given == nil {
		return nil, nil
	}
	refused := refusedCursor()
	b, err := cursorEncoding.DecodeString(*given)
	if err != nil {
		return nil, refused
	}
	var c cursor
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if d.Decode(&c) != nil || c.QueryHash != queryHash {
		return nil, refused
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, refused
	}
	return &c, nil
}

func refusedCursor() error { return invalid("open.cursor", "cursor") }

// hashQuery returns a short hash of a query: of the call, the tenant and the parameters that select
// the elements of the list.
func hashQuery(r *request, asked ...string) string {
	h := fnv.New64a()
	for _, part := range append([]string{r.Operation, strconv.FormatInt(int64(r.program.Tenant), 10)}, asked...) {
		_, _ = h.Write([]byte(strconv.Itoa(len(part)) + ":" + part)) // never fails
	}
	return strconv.FormatUint(h.Sum64(), 36)
}

// optional returns a parameter as hashQuery takes it. No parameter may be empty, so an absent one
// differs from every value.
func optional[T ~string](p *T) string {
	if p == nil {
		return ""
	}
	return string(*p)
}
