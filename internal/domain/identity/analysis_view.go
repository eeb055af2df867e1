package identity

import (
	"context"
	"strconv"
	"strings"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/db"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/text"
)

const (
	// MaxAnalysisViewsPerUser is how many views of the analysis page a user may save.
	MaxAnalysisViewsPerUser = 50

	maxAnalysisQuery = 4000 // characters of a view's query
)

// AnalysisView is what a user saved of the console's analysis page. Nobody else sees it.
type AnalysisView struct {
	ID    int64
	Name  string // unique among the user's, in any case
	Query string // the page's query string without "?"; only the page knows what it means
}

type analysisViewRow struct {
	bun.BaseModel `bun:"table:analysis_views,alias:v"`
	ID            int64 `bun:",pk,autoincrement"`
	TenantID      tenant.ID
	UserID        int64
	Name          string
	FoldedName    string
	Query         string
}

// AnalysisViewStore keeps the views that users saved of the analysis page.
type AnalysisViewStore struct{ db *db.DB }

// NewAnalysisViewStore makes a store.
func NewAnalysisViewStore(d *db.DB) *AnalysisViewStore { return &AnalysisViewStore{db: d} }

// List gives all of a user's views, ordered by name.
func (s *AnalysisViewStore) List(ctx context.Context, t tenant.ID, user int64) ([]AnalysisView, error) {
	var rows []analysisViewRow
	err := s.db.Read(ctx).NewSelect().Model(&rows).Where("v.tenant_id = ? AND v.user_id = ?", t, user).
		OrderExpr("v.folded_name").Scan(ctx)
	list := make([]AnalysisView, 0, len(rows))
	for i := range rows {
		list = append(list, AnalysisView{ID: rows[i].ID, Name: rows[i].Name, Query: rows[i].Query})
	}
	return list, wrap("list analysis views", err)
}

// Create saves a view of a tenant's user and returns its id. It refuses (601) an invalid or taken
// name, an invalid query, and a view beyond MaxAnalysisViewsPerUser.
func (s *AnalysisViewStore) Create(
	ctx context.Context,
	t tenant.ID,
	user int64,
	name, query string,
) (id int64, err error) {
	if name, err = parseAnalysisView(name, query); err != nil {
		return 0, err
	}
	r := analysisViewRow{TenantID: t, UserID: user, Name: name, FoldedName: text.Fold(name), Query: query}
	err = s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		// Check the user: the table alone would allow a view of a tenant that is not its user's.
		exists, err := tx.NewSelect().Model((*userRow)(nil)).Where("u.tenant_id = ? AND u.id = ?", t, user).Exists(ctx)
		if err != nil {
			return err
		}
		if !exists {
			return errs.Missing()
		}
		n, err := tx.NewSelect().Model((*analysisViewRow)(nil)).
			Where("v.tenant_id = ? AND v.user_id = ?", t, user).Count(ctx)
		if err != nil {
			return err
		}
		if n >= MaxAnalysisViewsPerUser {
			return errs.New(errs.Refused, "analysisView.tooMany", "limit", strconv.Itoa(MaxAnalysisViewsPerUser))
		}
		_, err = tx.NewInsert().Model(&r).Exec(ctx)
		return asViewNameTaken(err)
	})
	return r.ID, wrap("create analysis view", err)
}

// Update changes the name and the query of a user's view. It refuses the same names and queries as
// Create.
func (s *AnalysisViewStore) Update(ctx context.Context, t tenant.ID, user int64, v AnalysisView) error {
	name, err := parseAnalysisView(v.Name, v.Query)
	if err != nil {
		return err
	}
	err = s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		res, err := tx.NewUpdate().Model((*analysisViewRow)(nil)).
			Set("name = ?", name).Set("folded_name = ?", text.Fold(name)).Set("query = ?", v.Query).
			Where("v.tenant_id = ? AND v.user_id = ? AND v.id = ?", t, user, v.ID).Exec(ctx)
		return requireRowAffected(res, asViewNameTaken(err))
	})
	return wrap("update analysis view", err)
}

// Delete removes a user's view.
func (s *AnalysisViewStore) Delete(ctx context.Context, t tenant.ID, user, id int64) error {
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		return requireRowAffected(tx.NewDelete().Model((*analysisViewRow)(nil)).
			Where("v.tenant_id = ? AND v.user_id = ? AND v.id = ?", t, user, id).Exec(ctx))
	})
	return wrap("delete analysis view", err)
}

// parseAnalysisView gives the name as it is stored.
func parseAnalysisView(name, query string) (string, error) {
	name, err := tenant.ParseName(name, "name", "common.nameRequired")
	switch {
	case err != nil:
		return "", err
	case query == "":
		return "", errs.New(errs.Refused, "invalid.required").WithField("query")
	case len(query) > maxAnalysisQuery:
		return "", errs.New(errs.Refused, "invalid.long", "limit", strconv.Itoa(maxAnalysisQuery)).WithField("query")
	case strings.ContainsFunc(query, func(r rune) bool { return r < '!' || r > '~' }):
		return "", errs.New(errs.Refused, "invalid.format").WithField("query") // an address has it percent-encoded
	}
	return name, nil
}

func asViewNameTaken(err error) error {
	if db.IsDuplicate(err) {
		return errs.New(errs.Refused, "analysisView.nameTaken").WithField("name").WithCause(err)
	}
	return err
}
