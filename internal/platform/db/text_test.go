package db_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/uptrace/bun"

	"tilth/internal/tools/testkit"
)

// Both kinds of database compare and sort texts byte by byte.
func TestTextsAreComparedByteByByte(t *testing.T) {
	d := testkit.DB(t)
	// A language's collation would sort differently and treat some of these as equal.
	texts := []string{
		"", " ", "'; DROP TABLE elements; --", `\`, `\x41`, "%", "_", "A", "Z", "a", "a\x01", "a\tb", "a b",
		"a-b", "aB", "ab", "z", "Ä", "ä", "a\u0308", "é", "ı", "İ", "ß", "ss", "я", "农", "🌱", "\u200b", "?",
		"??", "?0", "$1", "line\nbreak", "\r\n", strings.Repeat("long ", 200),
	}
	slices.Reverse(texts)
	const insert = `INSERT INTO elements (yeu_sign, unit) VALUES (?, ?)`
	if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error {
		for _, s := range texts {
			if _, err := tx.NewRaw(insert, s, s).Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	var sorted []string
	const query = `SELECT unit FROM elements ORDER BY unit`
	if err := d.Read(t.Context()).NewRaw(query).Scan(t.Context(), &sorted); err != nil {
		t.Fatal(err)
	}
	if want := slices.Sorted(slices.Values(texts)); !slices.Equal(sorted, want) {
		t.Errorf("%q, want %q", sorted, want)
	}
	for _, c := range []struct {
		where string
		arg   string
		want  int
	}{
		{"yeu_sign = ?", "Ä", 1}, {"yeu_sign = ?", "a\u0308", 1}, {"yeu_sign < ?", "a", 14}, {"yeu_sign >= ?", "é", 7},
		{`yeu_sign LIKE ? ESCAPE '\'`, `%\%%`, 1}, {`yeu_sign LIKE ? ESCAPE '\'`, `\_`, 1},
		{`yeu_sign LIKE ? ESCAPE '\'`, `%\\%`, 2}, {`yeu_sign LIKE ? ESCAPE '\'`, `_`, 19},
		{"yeu_sign = ?", "\xff", 0}, {"yeu_sign = ?", "a\xc3", 0}, // invalid text: the query finds nothing and succeeds
	} {
		var n int
		query := "SELECT COUNT(*) FROM elements WHERE " + c.where
		if err := d.Read(t.Context()).NewRaw(query, c.arg).Scan(t.Context(), &n); err != nil || n != c.want {
			t.Errorf("%s, %q: %d, want %d (%v)", c.where, c.arg, n, c.want, err)
		}
	}
	// The database refuses a text that it cannot store unchanged, and does not truncate it.
	err := d.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error { return add(ctx, tx, "nul\x00byte") })
	if err == nil {
		t.Error("the database stored a NUL")
	}
}

// Numbers and bytes are read back unchanged, including the extremes.
func TestNumbersAndBytes(t *testing.T) {
	d := testkit.DB(t)
	const big = 1<<63 - 1
	row := struct {
		bun.BaseModel `bun:"table:refresh_tokens"`
		Hash          []byte
		SessionID     int64
		ExpireTime    int64
		UseTime       int64
		Successor     []byte
	}{Hash: []byte{0, 0xff, '\'', '\\', 'x'}, ExpireTime: big, UseTime: -big - 1, Successor: []byte{}}
	var low, high float64
	if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error {
		for _, s := range []string{
			`INSERT INTO tenants (id, name, time_zone, language, create_time) VALUES (7, 't', '', '', 0)`,
			`INSERT INTO users (id, tenant_id, user_name, folded_name, password_hash, create_time)
				VALUES (7, 7, '', '', '', 0)`,
			`INSERT INTO sessions (id, tenant_id, user_id, remember, create_time) VALUES (7, 7, 7, TRUE, 0)`,
			`INSERT INTO products (id, name, offline_after) VALUES (7, '', 0)`,
			`INSERT INTO property_numbers (number, identifier) VALUES (7, '')`,
			`INSERT INTO product_properties (product_id, position, number, data_type, min_value, max_value)
				VALUES (7, 0, 7, 'number', -1.7976931348623157e308, 0.1)`,
		} {
			if _, err := tx.ExecContext(ctx, s); err != nil {
				return err
			}
		}
		row.SessionID = 7
		if _, err := tx.NewInsert().Model(&row).Exec(ctx); err != nil {
			return err
		}
		return tx.NewRaw(`SELECT min_value, max_value FROM product_properties`).Scan(ctx, &low, &high)
	}); err != nil {
		t.Fatal(err)
	}
	if low != -1.7976931348623157e308 || high != 0.1 {
		t.Errorf("%g %g", low, high)
	}
	want := row
	if err := d.Read(t.Context()).NewSelect().Model(&row).Where("hash = ?", want.Hash).Scan(t.Context()); err != nil {
		t.Fatal(err)
	}
	if string(row.Hash) != string(want.Hash) || row.ExpireTime != big || row.UseTime != -big-1 ||
		row.Successor == nil || len(row.Successor) != 0 {
		t.Errorf("%+v", row)
	}
}
