package device

import (
	"context"
	"database/sql"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/db"
)

type statusPageRow struct {
	bun.BaseModel `bun:"table:device_status_pages,alias:p"`
	TenantID      tenant.ID `bun:",pk"`
	Page          int64     `bun:",pk"`
	Written       int64
	Content       []byte
}

func (r *statusPageRow) key() pageKey { return pageKey{r.TenantID, r.Page} }

type dayPageRow struct {
	bun.BaseModel `bun:"table:device_day_pages,alias:p"`
	TenantID      tenant.ID `bun:",pk"`
	Page          int64     `bun:",pk"`
	Day           Day       `bun:",pk"`
	Written       int64
	Content       []byte
}

func (r *dayPageRow) key() pageKey { return pageKey{r.TenantID, r.Page} }

// readStatusPages calls fn for each page of status that was written after a number.
func readStatusPages(ctx context.Context, d *db.DB, after int64, fn func(*statusPageRow) error) error {
	q := d.Read(ctx).NewSelect().Model((*statusPageRow)(nil)).
		Column("tenant_id", "page", "written", "content").Where("p.written > ?", after)
	return eachRow(ctx, q, func(rows *sql.Rows) error {
		var r statusPageRow
		if err := rows.Scan(&r.TenantID, &r.Page, &r.Written, &r.Content); err != nil {
			return err
		}
		return fn(&r)
	})
}

// readDayPages calls fn for each page of the days from first on that was written after a number.
func readDayPages(ctx context.Context, d *db.DB, first Day, after int64, fn func(*dayPageRow) error) error {
	q := d.Read(ctx).NewSelect().Model((*dayPageRow)(nil)).
		Column("tenant_id", "page", "day", "written", "content").
		Where("p.day >= ? AND p.written > ?", first, after).OrderExpr("p.day")
	return eachRow(ctx, q, func(rows *sql.Rows) error {
		var r dayPageRow
		if err := rows.Scan(&r.TenantID, &r.Page, &r.Day, &r.Written, &r.Content); err != nil {
			return err
		}
		return fn(&r)
	})
}

// daysOfPage reads the days from first to last that a page has on disk.
func (s *StatusStore) daysOfPage(ctx context.Context, k pageKey, first, last Day) (rows []dayPageRow, err error) {
	err = s.db.Read(ctx).NewSelect().Model(&rows).
		Where("p.tenant_id = ? AND p.page = ? AND p.day BETWEEN ? AND ?", k.tenant, k.page, first, last).Scan(ctx)
	return rows, err
}

func writeStatusPages(ctx context.Context, tx bun.IDB, rows []statusPageRow) error {
	for start := 0; start < len(rows); start += pagesPerStatement {
		batch := rows[start:min(start+pagesPerStatement, len(rows))]
		if _, err := tx.NewInsert().Model(&batch).On("CONFLICT (tenant_id, page) DO UPDATE").
			Set("written = EXCLUDED.written, content = EXCLUDED.content").Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

func writeDayPages(ctx context.Context, tx bun.IDB, rows []dayPageRow) error {
	for start := 0; start < len(rows); start += pagesPerStatement {
		batch := rows[start:min(start+pagesPerStatement, len(rows))]
		if _, err := tx.NewInsert().Model(&batch).On("CONFLICT (tenant_id, page, day) DO UPDATE").
			Set("written = EXCLUDED.written, content = EXCLUDED.content").Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// emptiedTenant is a tenant that has no device any more.
type emptiedTenant tenant.ID

func (t emptiedTenant) id() tenant.ID { return tenant.ID(t) }

func (t emptiedTenant) deletePages(ctx context.Context, tx bun.IDB) error {
	if _, err := tx.NewDelete().Model((*statusPageRow)(nil)).Where("p.tenant_id = ?", t.id()).Exec(ctx); err != nil {
		return err
	}
	_, err := tx.NewDelete().Model((*dayPageRow)(nil)).Where("p.tenant_id = ?", t.id()).Exec(ctx)
	return err
}

// sweepDays removes the days past their retention.
func sweepDays(ctx context.Context, tx bun.IDB, today Day) error {
	_, err := tx.NewDelete().Model((*dayPageRow)(nil)).Where("p.day <= ?", today-intakeRetentionDays).Exec(ctx)
	return err
}
