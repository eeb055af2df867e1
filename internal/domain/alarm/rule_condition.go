package alarm

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/platform/comparator"
	"tilth/internal/platform/errs"
)

// textLimit is how many characters a text may have that readings are compared with: as many as a
// reading's.
const textLimit = 1024

// FormCondition is a condition as people fill it in. A nil field was not filled in.
type FormCondition struct {
	Join      *string
	Attribute *string
	Operator  *string
	Value     *reading.Value // also a number or a boolean written as a text
	Recovery  *float64
}

// conditions checks those of a rule on a device of the given product. A rule on being offline has
// none: a form may only contain the fixed one.
func conditions(trigger Trigger, said []FormCondition, p *device.Product) ([]Condition, error) {
	if trigger == DeviceOffline {
		if len(said) > 1 || len(said) == 1 && !isOffline(said[0]) {
			return nil, errs.New(errs.Refused, "rule.offlineOnly").WithField("conditions")
		}
		return nil, nil
	}
	switch {
	case len(said) == 0:
		return nil, errs.New(errs.Refused, "rule.conditionsRequired")
	case len(said) > maxConditions:
		return nil, errs.New(errs.Refused, "invalid.many", "limit", strconv.Itoa(maxConditions)).WithField("conditions")
	}
	list := make([]Condition, len(said))
	for i := range said {
		one, err := said[i].condition(i == 0, p)
		if err != nil {
			if err.Args == nil {
				err.Args = map[string]string{}
			}
			err.Args["n"] = strconv.Itoa(i + 1)
			return nil, err
		}
		list[i] = one
	}
	return list, nil
}

// OfflineCondition is the fixed condition that represents a rule on being offline where conditions
// are listed.
func OfflineCondition() Condition {
	return Condition{Join: joinedByAnd, Attribute: onlineState, Operator: comparator.Equal, Value: reading.Number(0)}
}

func isOffline(c FormCondition) bool {
	said := func(s *string) string {
		if s == nil {
			return ""
		}
		return strings.TrimSpace(*s)
	}
	return said(c.Attribute) == onlineState && said(c.Operator) == string(comparator.Equal) && c.Value != nil &&
		c.Value.String() == "0" && c.Recovery == nil
}

// condition checks one condition. The first one's join is always and. The caller adds the
// condition's number, n, to an error's arguments.
func (c FormCondition) condition(first bool, p *device.Product) (Condition, *errs.Error) {
	refuse := func(key string, args ...string) (Condition, *errs.Error) {
		return Condition{}, errs.New(errs.Refused, key, args...)
	}
	one := Condition{Join: joinedByAnd}
	switch {
	case first:
	case c.Join == nil || *c.Join != joinedByAnd && *c.Join != joinedByOr:
		return refuse("rule.join")
	default:
		one.Join = *c.Join
	}
	if c.Attribute == nil || strings.TrimSpace(*c.Attribute) == "" {
		return refuse("rule.attributeRequired")
	}
	one.Attribute = strings.TrimSpace(*c.Attribute)
	property := p.Property(one.Attribute)
	if property == nil {
		return refuse("rule.attributeUnknown", "value", one.Attribute)
	}
	if c.Operator != nil {
		one.Operator = comparator.Operator(*c.Operator)
	}
	switch by := comparator.Of(one.Operator); {
	case !by.Known():
		return refuse("rule.operator")
	case by.NumbersOnly() && property.DataType != device.Number:
		return refuse("rule.operatorType")
	}
	var err *errs.Error
	if one.Value, err = threshold(c.Value, property); err != nil {
		return one, err
	}
	if c.Recovery != nil {
		if err := recovery(*c.Recovery, one, property); err != nil {
			return one, err
		}
		one.Recovery = c.Recovery
	}
	return one, nil
}

// threshold converts the value that readings of a property are compared with to the property's
// type.
func threshold(said *reading.Value, p *device.Property) (reading.Value, *errs.Error) {
	if said == nil || said.Kind() == reading.KindNone ||
		said.Kind() == reading.KindText && strings.TrimSpace(said.String()) == "" {
		return reading.Value{}, errs.New(errs.Refused, "rule.valueRequired")
	}
	v := *said
	switch p.DataType {
	case device.Number:
		if v.Kind() == reading.KindText {
			v = number(v.String())
		}
		if v.Kind() != reading.KindNumber || math.IsInf(v.Float(), 0) {
			return v, errs.New(errs.Refused, "rule.valueNumber")
		}
		return reading.Number(v.Float() + 0), decimals(v.Float(), p) // -0 becomes 0
	case device.Boolean:
		switch strings.TrimSpace(v.String()) {
		case "true", "1":
			return reading.Boolean(true), nil
		case "false", "0":
			return reading.Boolean(false), nil
		}
		return v, errs.New(errs.Refused, "rule.valueBoolean")
	default:
		if v.Kind() != reading.KindText || strings.ContainsRune(v.String(), 0) ||
			utf8.RuneCountInString(v.String()) > textLimit {
			return v, errs.New(errs.Refused, "rule.valueText", "limit", strconv.Itoa(textLimit))
		}
		return v, nil
	}
}

// number parses a decimal number written as a text. It returns no value for anything else,
// including hexadecimal numbers and infinities.
func number(said string) reading.Value {
	said = strings.TrimSpace(said)
	f, err := strconv.ParseFloat(said, 64)
	if err != nil || strings.Trim(said, "+-.eE0123456789") != "" {
		return reading.Value{}
	}
	return reading.Number(f)
}

// decimals refuses a number with more decimals than readings of the property are rounded to.
func decimals(f float64, p *device.Property) *errs.Error {
	if p.Precision == nil {
		return nil
	}
	_, fraction, _ := strings.Cut(strconv.FormatFloat(f, 'f', -1, 64), ".")
	if len(fraction) > *p.Precision {
		return errs.New(errs.Refused, "rule.decimals", "limit", strconv.Itoa(*p.Precision))
	}
	return nil
}

// recovery refuses a recovery value on the wrong side of the threshold, and one of a condition that
// cannot have any.
func recovery(f float64, c Condition, p *device.Property) *errs.Error {
	by := comparator.Of(c.Operator)
	if c.Value.Kind() != reading.KindNumber || by.Side == comparator.NoSide {
		return errs.New(errs.Refused, "rule.recoveryNone")
	}
	if err := decimals(f, p); err != nil {
		return err
	}
	switch {
	case by.TakesRecovery(f, c.Value.Float()):
		return nil
	case by.Side == comparator.Over:
		return errs.New(errs.Refused, "rule.recoveryAbove")
	default:
		return errs.New(errs.Refused, "rule.recoveryBelow")
	}
}

// AttributesGone are those attributes of a rule's conditions that devices of a product lack, or
// have in another type, each once: the rule cannot be evaluated on their readings.
func AttributesGone(r *Rule, p *device.Product) (gone []string) {
	for _, c := range r.Conditions {
		property := p.Property(c.Attribute)
		if (property == nil || kindOf(property.DataType) != c.Value.Kind()) && !slices.Contains(gone, c.Attribute) {
			gone = append(gone, c.Attribute)
		}
	}
	return gone
}

// misfitAttribute is the first attribute of a rule's conditions that does not fit the devices of a
// product: they lack it, have it in another type or with fewer decimals. It is empty when the rule
// fits.
func misfitAttribute(r *Rule, p *device.Product) string {
	if gone := AttributesGone(r, p); len(gone) > 0 {
		return gone[0]
	}
	for _, c := range r.Conditions {
		if c.Value.Kind() != reading.KindNumber {
			continue
		}
		property := p.Property(c.Attribute)
		if decimals(c.Value.Float(), property) != nil || c.Recovery != nil && decimals(*c.Recovery, property) != nil {
			return c.Attribute
		}
	}
	return ""
}
