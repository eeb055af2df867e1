package httpbase

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
)

// Rule is what a request can break.
type Rule string

// The rules. What the contract can say beyond them counts as RuleType.
const (
	RuleUnreadable Rule = "unreadable" // cannot be read, as a whole or in one parameter
	RuleEncoding   Rule = "encoding"   // is no UTF-8
	RuleTooLarge   Rule = "too large"  // the body is over its limit
	RuleRequired   Rule = "required"   // is missing
	RuleUnknown    Rule = "unknown"    // is nothing that the contract names
	RuleType       Rule = "type"       // a text for a number, and the like
	RuleMinimum    Rule = "minimum"    // has a limit, as the next five
	RuleMaximum    Rule = "maximum"
	RuleMinLength  Rule = "minLength" // in characters
	RuleMaxLength  Rule = "maxLength"
	RuleMinItems   Rule = "minItems"
	RuleMaxItems   Rule = "maxItems"
	RuleChoice     Rule = "enum"   // has choices
	RuleFormat     Rule = "format" // a text that does not look as it should
)

var errUnknownProperty = errors.New("a property that the contract does not name")

// Violation says which rule a request breaks, and where.
type Violation struct {
	Rule    Rule
	Field   string   // the parameter, or the field at the top of the body; empty: the request or its body as a whole
	Limit   string   // a decimal number; empty for rules that have none
	Choices []string // nil for rules that have none
	Cause   error    // for the log: without what the client wrote, which may be a secret; may be nil
}

// ViolationOf tells what an error of reading, checking or binding a request means.
func ViolationOf(err error) Violation {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return Violation{Rule: RuleTooLarge}
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
	// The contract lets pass what does not fit where it goes: a number that is too
	// large, for one.
	if te, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && te.Field != "" {
		field, _, _ = strings.Cut(te.Field, ".")
		return Violation{Rule: RuleType, Field: field, Cause: redact(err)}
	}
	return Violation{Rule: RuleUnreadable, Field: field, Cause: redact(err)}
}

// rootCause is the rule that was broken: where a schema is made of several, the
// library says only that not all of them hold, and keeps the reason below.
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
	if pointer := se.JSONPointer(); field == "" && len(pointer) > 0 { // within a parameter it is the place in its list
		field = pointer[0]
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
	case "properties": // one that is not among them; the library's words quote it
		b.Rule, b.Cause = RuleUnknown, errUnknownProperty
	}
	return b
}

func decimal(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// redact says what was wrong with a request without the value that was: the
// library's own words quote it.
func redact(err error) error {
	if errors.Is(err, ErrNotJSON) {
		return ErrNotJSON
	}
	if pe, ok := errors.AsType[*openapi3filter.ParseError](err); ok && pe.Reason != "" {
		return errors.New(pe.Reason)
	}
	return fmt.Errorf("%T", err)
}
