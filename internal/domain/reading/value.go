// Package reading stores the readings of devices: append, latest values, history, retention, and
// the journal from which alarm rules are evaluated.
package reading

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
)

// Kind tells what a Value holds.
type Kind uint8

// The kinds of value. The zero Kind is no value: appended, it removes the stored value of its
// device, time and property.
const (
	KindNone Kind = iota
	KindNumber
	KindBoolean
	KindText
)

// Value is one measured value: a number, a boolean or a text.
type Value struct {
	kind Kind
	num  float64
	text string
}

// Number makes a numeric value.
func Number(f float64) Value { return Value{kind: KindNumber, num: f} }

// Boolean makes a boolean value.
func Boolean(b bool) Value {
	v := Value{kind: KindBoolean}
	if b {
		v.num = 1
	}
	return v
}

// Text makes a text value.
func Text(s string) Value { return Value{kind: KindText, text: s} }

// Kind tells what v holds.
func (v Value) Kind() Kind { return v.kind }

// Float returns the number v holds; a boolean counts as 0 or 1, a text as NaN.
func (v Value) Float() float64 {
	if v.kind == KindText || v.kind == KindNone {
		return math.NaN()
	}
	return v.num
}

// Bool returns the boolean v holds.
func (v Value) Bool() bool { return v.num != 0 }

// String formats v for a log or a text column.
func (v Value) String() string {
	switch v.kind {
	case KindNumber:
		return strconv.FormatFloat(v.num, 'f', -1, 64)
	case KindBoolean:
		return strconv.FormatBool(v.Bool())
	case KindText:
		return v.text
	default:
		return ""
	}
}

// MarshalJSON writes v as a JSON number, boolean or string.
func (v Value) MarshalJSON() ([]byte, error) {
	switch v.kind {
	case KindNumber:
		return json.Marshal(v.num)
	case KindBoolean:
		return strconv.AppendBool(nil, v.Bool()), nil
	case KindText:
		return json.Marshal(strings.ToValidUTF8(v.text, string(utf8.RuneError)))
	default:
		return []byte("null"), nil
	}
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (v *Value) UnmarshalJSON(b []byte) error {
	var raw any
	if err := json.Unmarshal(b, &raw); err != nil {
		return err
	}
	switch x := raw.(type) {
	case float64:
		*v = Number(x)
	case bool:
		*v = Boolean(x)
	case string:
		*v = Text(x)
	default:
		*v = Value{}
	}
	return nil
}

// Field is the value of one property in a frame.
type Field struct {
	Property device.PropertyID
	Value    Value
}

// Frame is what one device measured at one instant. Fields are sorted by
// property and hold each property once.
type Frame struct {
	Tenant tenant.ID
	Device device.ID
	Time   int64 // epoch milliseconds
	Fields []Field
}

// Ref names the frame's device.
func (f *Frame) Ref() device.Ref { return device.Ref{Tenant: f.Tenant, ID: f.Device} }

// Arrival is a frame with the moment the server received it; the journal keeps
// arrivals in order.
type Arrival struct {
	Frame
	At int64 // epoch milliseconds
}

// Last is the newest value of one property of a device.
type Last struct {
	Property device.PropertyID
	Time     int64 // epoch milliseconds
	Value    Value
}

// Newest is a Last with its Order, the lesser of its time and its arrival (epoch milliseconds), by
// which it is the newest. A value that arrived before its time was stamped by a clock that is
// ahead.
type Newest struct {
	Last
	Order int64
}
