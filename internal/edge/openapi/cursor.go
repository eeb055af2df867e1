package openapi

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"hash/fnv"
	"io"
	"strconv"
)

// cursor is where a list goes on. It holds a place in an order and nothing
// that opens anything: whatever it says, a call sees its own tenant only.
type cursor struct {
	QueryHash string `json:"b"`           // to what was asked for
	Name      string `json:"n,omitempty"` // of a device
	Time      int64  `json:"t,omitempty"` // epoch milliseconds
	ID        int64  `json:"i,omitempty"` // of a notice
}

var cursorEncoding = base64.RawURLEncoding.Strict()

// String is the cursor as programs are given it. As JSON escapes names for pages
// of HTML, the longest would make a cursor longer than the contract takes back.
func (c cursor) String() string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(c) // texts and numbers always marshal
	return cursorEncoding.EncodeToString(bytes.TrimSpace(b.Bytes()))
}

// readCursor reads a cursor that was given with what is bound; nil where none
// was. One of another call, other parameters or another tenant is refused.
func readCursor(given *string, queryHash string) (*cursor, error) {
	if given == nil {
		return nil, nil
	}
	refused := invalid("open.cursor", "cursor")
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

// hashQuery is a short name for what a call was asked for: the call, the tenant and
// the parameters that choose what is in the list.
func hashQuery(r *request, asked ...string) string {
	h := fnv.New64a()
	for _, part := range append([]string{r.Operation, strconv.FormatInt(int64(r.program.Tenant), 10)}, asked...) {
		_, _ = h.Write([]byte(strconv.Itoa(len(part)) + ":" + part)) // never fails
	}
	return strconv.FormatUint(h.Sum64(), 36)
}

// optional is a parameter as bound takes it: what is absent differs from
// everything that can be given, since no parameter may be empty.
func optional[T ~string](p *T) string {
	if p == nil {
		return ""
	}
	return string(*p)
}
