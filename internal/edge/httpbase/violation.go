package httpbase

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
)

// Rule is a rule of the contract that a request can violate.
type Rule string

// The rules. Everything else that the contract can demand counts as RuleType.
const (
	RuleUnreadable Rule = "unreadable" // the request or one parameter cannot be read
	RuleEncoding   Rule = "encoding"   // not UTF-8
	RuleTooLarge   Rule = "too large"  // the body exceeds its limit
	RuleTooSlow    Rule = "too slow"   // the body did not arrive in time
	RuleNoRoom     Rule = "no room"    // there is no room for the body at the moment
	RuleRequired   Rule = "required"   // missing
	RuleUnknown    Rule = "unknown"    // not named in the contract
	RuleType       Rule = "type"       // a text for a number, and the like
	RuleNull       Rule = "null"       // null in a list of the body
	RuleMinimum    Rule = "minimum"    // has a limit, as do the next five
	RuleMaximum    Rule = "maximum"
	RuleMinLength  Rule = "minLength" // in characters
	RuleMaxLength  Rule = "maxLength"
	RuleMinItems   Rule = "minItems"
	RuleMaxItems   Rule = "maxItems"
	RuleChoice     Rule = "enum"   // has choices
	RuleFormat     Rule = "format" // a text that does not have the required form
)

var errUnknownProperty = errors.New("a property that the contract does not name")

// Violation says which rule a request violates, and where.
type Violation struct {
	Rule    Rule
	Field   string   // the parameter, or the top-level field of the body; empty: the request or its body as a whole
	Limit   string   // a decimal number; empty for rules without one
	Choices []string // nil for rules without choices
	Cause   error    // for the log: without what the client wrote, which may be a secret; may be nil
}

// ViolationOf returns the violation behind an error of reading, validating or binding a request.
func ViolationOf(err error) Violation {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return Violation{Rule: RuleTooLarge}
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return Violation{Rule: RuleTooSlow, Cause: os.ErrDeadlineExceeded}
	}
	if errors.Is(err, ErrBodiesFull) {
		return Violation{Rule: RuleNoRoom, Cause: ErrBodiesFull}
	}
	if errors.Is(err, ErrNotUTF8) {
		return Violation{Rule: RuleEncoding, Cause: ErrNotUTF8}
	}
	field := ""
	if re, ok := errors.AsType[*openapi3filter.RequestError](err); ok && re.Parameter != nil {
		field = re.Parameter.Name
		if errors.Is(re.Err, openapi3filter.ErrInvalidRequired) {
			return Violation{Rule: RuleRequired, Field: field}
		}
	}
	if se, ok := errors.AsType[*openapi3.SchemaError](err); ok {
		return schemaViolation(rootCause(se), field)
	}
	// The contract accepts some values that the Go types cannot hold: a number that is too large,
	// for one.
	if te, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && te.Field != "" {
		field, _, _ = strings.Cut(te.Field, ".")
		return Violation{Rule: RuleType, Field: field, Cause: redact(err)}
	}
	return Violation{Rule: RuleUnreadable, Field: field, Cause: redact(err)}
}

// rootCause returns the error of the rule that was violated. If a schema consists of several, the
// library says only that not all of them hold, and keeps the reason in a nested error.
func rootCause(se *openapi3.SchemaError) *openapi3.SchemaError {
	for se.SchemaField == "allOf" {
		part, ok := errors.AsType[*openapi3.SchemaError](se.Origin)
		if !ok {
			break
		}
		se = part
	}
	return se
}

func schemaViolation(se *openapi3.SchemaError, field string) Violation {
	// within a parameter the pointer is a place in its list
	if pointer := se.JSONPointer(); field == "" && len(pointer) > 0 {
		field = pointer[0]
		// Whatever else the element's schema demands of it. DropNulls has removed members that are null.
		if se.Value == nil {
			return Violation{Rule: RuleNull, Field: field, Cause: errors.New(se.Reason)}
		}
	}
	b := Violation{Rule: RuleType, Field: field, Cause: errors.New(se.Reason)}
	switch rule := Rule(se.SchemaField); rule {
	case RuleRequired:
		b.Rule = rule
	case RuleMinimum:
		b.Rule, b.Limit = rule, decimal(*se.Schema.Min)
	case RuleMaximum:
		b.Rule, b.Limit = rule, decimal(*se.Schema.Max)
	case RuleMinLength:
		b.Rule, b.Limit = rule, strconv.FormatUint(se.Schema.MinLength, 10)
	case RuleMaxLength:
		b.Rule, b.Limit = rule, strconv.FormatUint(*se.Schema.MaxLength, 10)
	case RuleMinItems:
		b.Rule, b.Limit = rule, strconv.FormatUint(se.Schema.MinItems, 10)
	case RuleMaxItems:
		b.Rule, b.Limit = rule, strconv.FormatUint(*se.Schema.MaxItems, 10)
	case RuleChoice:
		b.Rule, b.Choices = rule, make([]string, len(se.Schema.Enum))
		for i, choice := range se.Schema.Enum {
			b.Choices[i] = fmt.Sprint(choice)
		}
	case "pattern", RuleFormat:
		b.Rule = RuleFormat
	case "properties": // a member that the schema does not name; the library's text quotes it
		b.Rule, b.Cause = RuleUnknown, errUnknownProperty
	}
	return b
}

func decimal(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// redact describes what was wrong with a request without the value in question, which the library's
// own text quotes.
func redact(err error) error {
	if errors.Is(err, ErrNotJSON) {
		return ErrNotJSON
	}
	if pe, ok := errors.AsType[*openapi3filter.ParseError](err); ok && pe.Reason != "" {
		return errors.New(pe.Reason)
	}
	return fmt.Errorf("%T", err)
}
