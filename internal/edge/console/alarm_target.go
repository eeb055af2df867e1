package console

import (
	"context"
	"slices"

	"tilth/internal/domain/device"
	"tilth/internal/edge/console/wire"
)

// GetAlarmTargetAttributes answers which attributes the rules for some devices, scenes and products
// can use, and how many devices these are.
func (s *server) GetAlarmTargetAttributes(
	ctx context.Context,
	r wire.GetAlarmTargetAttributesRequestObject,
) (wire.GetAlarmTargetAttributesResponseObject, error) {
	products := deref(r.Params.Products)
	fleets, err := s.Devices.CountByProduct(
		ctx,
		caller(ctx).Tenant,
		deref(r.Params.Devices),
		deref(r.Params.Groups),
		products,
	)
	if err != nil {
		return nil, err
	}
	all := &wire.AlarmTargetAttributes{}
	for _, f := range fleets {
		all.DeviceCount += f.Devices
		all.Named += f.Named
	}
	// A rule can be for a product that has no device yet.
	for _, id := range products {
		if !slices.ContainsFunc(fleets, func(f device.ProductCount) bool { return f.ProductID == id }) {
			fleets = append(fleets, device.ProductCount{ProductID: id})
		}
	}
	all.Attributes = s.targetAttributes(ctx, fleets, all.Named)
	return wire.GetAlarmTargetAttributes200JSONResponse{Code: success, Data: all}, nil
}

// targetAttributes returns the properties of the products of some devices; named is the number of
// devices that the rule names one by one.
func (s *server) targetAttributes(
	ctx context.Context,
	fleets []device.ProductCount,
	named int,
) []wire.AlarmTargetAttribute {
	attributes := []wire.AlarmTargetAttribute{}
	// both by identifier; namedCount: how many of the named devices have it
	indexes, namedCount := map[string]int{}, map[string]int{}
	for _, f := range fleets {
		p := s.Catalog.Product(f.ProductID)
		if p == nil {
			continue
		}
		for i := range p.Properties {
			property := s.wireProperty(ctx, &p.Properties[i])
			at, known := indexes[property.Identifier]
			if !known {
				at = len(attributes)
				indexes[property.Identifier] = at
				attributes = append(attributes, wire.AlarmTargetAttribute{Property: property})
			}
			one := &attributes[at]
			if one.Property.DataType != property.DataType {
				continue
			}
			one.DeviceCount += f.Devices
			namedCount[property.Identifier] += f.Named
			if least := property.Precision; least != nil &&
				(one.Property.Precision == nil || *least < *one.Property.Precision) {
				one.Property.Precision = least
			}
		}
	}
	for i := range attributes {
		attributes[i].Refused = namedCount[attributes[i].Property.Identifier] < named
	}
	return attributes
}
