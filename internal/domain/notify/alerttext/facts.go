package alerttext

import (
	"encoding/json"
	"math"
	"slices"

	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/comparator"
	"tilth/internal/platform/text"
)

// measurement is one property of the conditions, with the value that the rule evaluated.
type measurement struct {
	identifier    string
	name, value   string
	valueWithUnit string   // the value with its unit, for texts that leave out the name: 7.67 pH
	limits        []string // what it was compared with: < −2 °C
}

// measurements gives the properties of an alarm's conditions, in their order, each once. At an end
// it leaves out properties that the sample does not have; a manual end has none at all.
func (v *Renderer) measurements(a *alertmsg.Alarm) (list []measurement) {
	for _, c := range a.Conditions {
		if over := a.Event == alertmsg.Resolved; over && (a.Manual || a.Values[c.Property] == nil) {
			continue
		}
		i := slices.IndexFunc(list, func(m measurement) bool { return m.identifier == c.Property })
		if i < 0 {
			i = len(list)
			list = append(list, v.measurement(a, c.Property))
		}
		list[i].limits = append(list[i].limits, v.limit(a, c))
	}
	return list
}

// property gives the name of a property, its unit and its decimals. If the alarm stores the
// property, the unit and the decimals are those of then.
func (v *Renderer) property(a *alertmsg.Alarm, identifier string) (called, unit string, precision *int) {
	called, unit, precision = v.Names(a.Product, identifier, v.Language)
	if was, kept := a.Properties[identifier]; kept {
		unit, precision = was.Unit, was.Decimals
		if called == identifier && was.Name != "" {
			called = was.Name
		}
	}
	if v.unitMost > 0 {
		unit = text.Shorten(text.SingleLine(unit), v.unitMost)
	}
	return called, unit, precision
}

func (v *Renderer) measurement(a *alertmsg.Alarm, identifier string) measurement {
	called, unit, precision := v.property(a, identifier)
	m := measurement{identifier: identifier, name: shortName(called), value: v.say("letter.none")}
	m.valueWithUnit = m.value
	if value, ok := a.Values[identifier]; ok && value != nil {
		m.value = v.value(value, text.UnitUnlessInName(v.Language, called, unit), precision)
		m.valueWithUnit = v.value(value, unit, precision)
	}
	return m
}

// limit gives a condition's operator and value, without the name: < −2 °C. The value has as many
// decimals as the rule gives.
func (v *Renderer) limit(a *alertmsg.Alarm, c alertmsg.Condition) string {
	called, unit, _ := v.property(a, c.Property)
	return comparator.Of(
		c.Operator,
	).Symbol + " " + v.value(
		c.Value,
		text.UnitUnlessInName(v.Language, called, unit),
		nil,
	)
}

func (v *Renderer) value(value any, unit string, precision *int) string {
	switch x := value.(type) {
	case float64:
		return v.number(x, unit, precision)
	case int:
		return v.number(float64(x), unit, precision)
	case int64:
		return v.number(float64(x), unit, precision)
	case json.Number:
		if f, err := x.Float64(); err == nil {
			return v.number(f, unit, precision)
		}
		return text.Shorten(x.String(), valueMost)
	case bool:
		if x {
			return v.say("letter.on")
		}
		return v.say("letter.off")
	case string:
		return text.Shorten(text.SingleLine(x), valueMost)
	}
	return v.say("letter.none")
}

func (v *Renderer) number(f float64, unit string, precision *int) string {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return v.say("letter.none")
	}
	return text.NumberWithUnit(v.Language, f, precision, unit)
}

// conditionSymbols writes an alarm's conditions with symbols: a single one without its name,
// several with their names, in brackets where reading from left to right would mislead.
func (v *Renderer) conditionSymbols(a *alertmsg.Alarm) string {
	if len(a.Conditions) == 1 {
		return v.limit(a, a.Conditions[0])
	}
	return v.joinConditions(a, func(c alertmsg.Condition) string {
		called, _, _ := v.property(a, c.Property)
		return shortName(called) + " " + v.limit(a, c)
	})
}

// joinConditions joins an alarm's conditions, each written by term.
func (v *Renderer) joinConditions(a *alertmsg.Alarm, term func(c alertmsg.Condition) string) (folded string) {
	for i, c := range a.Conditions {
		said := term(c)
		if i == 0 {
			folded = said
			continue
		}
		if i > 1 && c.Join != a.Conditions[i-1].Join {
			folded = v.say("letter.bracket", "text", folded)
		}
		key := "letter.and"
		if c.Join == "or" {
			key = "letter.or"
		}
		folded = v.say(key, "left", folded, "right", said)
	}
	return folded
}

// evaluationText gives what the rule evaluated, as a sentence without a full stop: values and
// conditions, or that the device was offline. It leaves out the conditions, or that the device was
// offline, if since says so. Empty: nothing is known.
func (v *Renderer) evaluationText(a *alertmsg.Alarm) string {
	switch {
	case a.Event == alertmsg.Resolved && a.Manual:
		return ""
	case a.Offline && a.Event == alertmsg.Resolved:
		return v.say("letter.online")
	case a.Offline && hasEarlierOnset(a):
		return ""
	case a.Offline:
		return v.say("letter.offline", "window", v.duration(a.Window))
	}
	readings := v.readings(a)
	switch {
	case a.Event == alertmsg.Resolved, hasEarlierOnset(a):
		return readings
	case readings == "":
		return ""
	}
	return v.say("letter.judged", "readings", readings, "condition", v.conditionSymbols(a))
}

// readings joins the values. Those of a reminder are of the start of the notice, and the text says
// so.
func (v *Renderer) readings(a *alertmsg.Alarm) string {
	var parts []string
	for _, m := range v.measurements(a) {
		parts = append(parts, v.say("letter.fact", "label", v.propertyLabel(a, m), "value", m.value))
	}
	return v.joinChain("letter.readings", parts)
}

// propertyLabel gives a property's name; in a reminder it adds that the value is of the start.
func (v *Renderer) propertyLabel(a *alertmsg.Alarm, m measurement) string {
	if a.Event == alertmsg.Reminder {
		return v.say("letter.atStart", "name", m.name)
	}
	return m.name
}
