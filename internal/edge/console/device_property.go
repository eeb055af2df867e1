package console

import (
	"context"

	"tilth/internal/edge/console/wire"
)

// GetDeviceProperties answers a device's properties with their latest values.
func (s *server) GetDeviceProperties(
	ctx context.Context,
	r wire.GetDevicePropertiesRequestObject,
) (wire.GetDevicePropertiesResponseObject, error) {
	d, p, err := s.deviceByName(ctx, r.Params.DeviceName)
	if err != nil {
		return nil, err
	}
	latest := s.latest(ctx, d.Tenant, d.ID, p)
	list := make([]wire.DeviceProperty, 0, len(p.Properties))
	for _, prop := range s.properties(ctx, d, p) {
		w := wire.DeviceProperty{
			Identifier:   prop.Identifier,
			FunctionName: prop.FunctionName,
			YeuName:      prop.YeuName,
			YeuUrl:       prop.YeuUrl,
			ElementUnit:  prop.ElementUnit,
			ElementData:  prop.ElementData,
			DataType:     wire.DevicePropertyDataType(prop.DataType),
			AccessMode:   wire.DevicePropertyAccessMode(prop.AccessMode),
			Min:          prop.Min,
			Max:          prop.Max,
			Precision:    prop.Precision,
			LeastSpan:    prop.LeastSpan,
			Formula:      prop.Formula,
			Inputs:       prop.Inputs,
			Parameters:   prop.Parameters,
		}
		if last, ok := latest[prop.Identifier]; ok {
			w.Value, w.Time, w.Arrival = &last.Value, &last.Time, last.Arrival
		}
		list = append(list, w)
	}
	return wire.GetDeviceProperties200JSONResponse{Code: success, Data: &list}, nil
}

// GetSignData answers a device's readings over a range, by time.
func (s *server) GetSignData(
	ctx context.Context,
	r wire.GetSignDataRequestObject,
) (wire.GetSignDataResponseObject, error) {
	p := r.Params
	h, err := s.cachedHistoryWithFormer(ctx, p.DeviceName, p.StartTime, p.EndTime, p.YeuSignList)
	if err != nil {
		return nil, err
	}
	return s.rows(ctx, &h), nil
}
