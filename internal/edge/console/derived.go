package console

import (
	"context"
	"math"

	"tilth/internal/domain/derivation"
	"tilth/internal/domain/device"
	"tilth/internal/edge/console/wire"
	"tilth/internal/platform/agronomy"
	"tilth/internal/platform/errs"
)

// GetDerivedAccount answers how the newest value of a derived property was computed, or why there
// is none.
func (s *server) GetDerivedAccount(
	ctx context.Context,
	r wire.GetDerivedAccountRequestObject,
) (wire.GetDerivedAccountResponseObject, error) {
	e := s.Registry.Find(caller(ctx).Tenant, trimmed(r.Params.DeviceName))
	if e == nil || e.Product == nil {
		return nil, errs.Missing()
	}
	prop := e.Product.Property(trimmed(r.Params.YeuSign))
	if prop == nil {
		return nil, errs.New(errs.Refused, "invalid.unknown", "value", r.Params.YeuSign).WithField("yeuSign")
	}
	if !prop.Derived() {
		return nil, errs.New(errs.Refused, "derived.notComputed", "value", prop.Identifier).WithField("yeuSign")
	}
	a, err := s.Derivation.Explain(ctx, e, prop.ID)
	if err != nil {
		return nil, err
	}
	answer := wireDerivedAccount(&a, e.Product)
	answer.Identifier = prop.Identifier
	return wire.GetDerivedAccount200JSONResponse{Code: success, Data: answer}, nil
}

var derivedKinds = map[agronomy.Kind]wire.DerivedAccountKind{
	agronomy.Instant: wire.Instant, agronomy.Daily: wire.Day, agronomy.Season: wire.Season,
}

func wireDerivedAccount(a *derivation.Explanation, p *device.Product) *wire.DerivedAccount {
	names := make(map[device.PropertyID]string, len(p.Properties))
	for i := range p.Properties {
		names[p.Properties[i].ID] = p.Properties[i].Identifier
	}
	answer := &wire.DerivedAccount{
		Kind:      derivedKinds[a.Kind],
		Estimated: a.Estimated,
		Came:      a.Measured,
		Of:        a.Expected,
		Filled:    a.Filled,
		Age:       a.MaxAge,
		Inputs:    make([]wire.DerivedInput, len(a.Inputs)),
	}
	if a.Time != math.MinInt64 {
		answer.Time = &a.Time
	}
	if a.SeasonStart != 0 {
		answer.Since = &a.SeasonStart
	}
	if a.Reason == "" {
		answer.Value = &a.Value
	} else {
		answer.Reason = new(wire.DerivedAccountReason(a.Reason))
	}
	if a.Input != 0 {
		answer.Input = new(names[a.Input])
	}
	for i, l := range a.Inputs {
		answer.Inputs[i] = wire.DerivedInput{Identifier: names[l.Property], Time: l.Time, Value: l.Value.Float()}
	}
	return answer
}
