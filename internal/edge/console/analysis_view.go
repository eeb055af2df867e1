package console

import (
	"context"

	"tilth/internal/domain/identity"
	"tilth/internal/edge/console/wire"
)

// GetAnalysisViews answers the signed-in user's views of the analysis page, by name.
func (s *server) GetAnalysisViews(
	ctx context.Context,
	_ wire.GetAnalysisViewsRequestObject,
) (wire.GetAnalysisViewsResponseObject, error) {
	c := caller(ctx)
	views, err := s.AnalysisViews.List(ctx, c.Tenant, c.User)
	if err != nil {
		return nil, err
	}
	list := make([]wire.AnalysisView, 0, len(views))
	for _, v := range views {
		list = append(list, wire.AnalysisView{Id: v.ID, Name: v.Name, Query: v.Query})
	}
	return wire.GetAnalysisViews200JSONResponse{Code: success, Data: &list}, nil
}

// CreateAnalysisView saves a view and answers its id.
func (s *server) CreateAnalysisView(
	ctx context.Context,
	r wire.CreateAnalysisViewRequestObject,
) (wire.CreateAnalysisViewResponseObject, error) {
	c := caller(ctx)
	id, err := s.AnalysisViews.Create(ctx, c.Tenant, c.User, r.Body.Name, r.Body.Query)
	if err != nil {
		return nil, err
	}
	return wire.CreateAnalysisView200JSONResponse{Code: success, Data: &id}, nil
}

// UpdateAnalysisView changes the name and the query of a view.
func (s *server) UpdateAnalysisView(
	ctx context.Context,
	r wire.UpdateAnalysisViewRequestObject,
) (wire.UpdateAnalysisViewResponseObject, error) {
	c := caller(ctx)
	v := identity.AnalysisView{ID: r.Body.Id, Name: r.Body.Name, Query: r.Body.Query}
	if err := s.AnalysisViews.Update(ctx, c.Tenant, c.User, v); err != nil {
		return nil, err
	}
	return wire.UpdateAnalysisView200JSONResponse{Code: success, Data: new(true)}, nil
}

// DeleteAnalysisView removes a view.
func (s *server) DeleteAnalysisView(
	ctx context.Context,
	r wire.DeleteAnalysisViewRequestObject,
) (wire.DeleteAnalysisViewResponseObject, error) {
	c := caller(ctx)
	if err := s.AnalysisViews.Delete(ctx, c.Tenant, c.User, r.Params.Id); err != nil {
		return nil, err
	}
	return wire.DeleteAnalysisView200JSONResponse{Code: success, Data: new(true)}, nil
}
