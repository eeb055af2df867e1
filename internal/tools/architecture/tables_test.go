package architecture

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// unwritten are tables that no package writes yet, each with the package that will.
var unwritten = map[string]string{}

var (
	createTable = regexp.MustCompile(`(?i)CREATE TABLE (?:IF NOT EXISTS )?(\w+)`)
	// changeOfTables finds what adds or removes a table: its name, or a new one.
	changeOfTables = regexp.MustCompile(`(?i)(CREATE TABLE|DROP TABLE|RENAME TO) (?:IF (?:NOT )?EXISTS )?(\w+)`)
	anewSuffix     = regexp.MustCompile(`_anew$`) // a migration's new table that replaces an old one
)

// tablesOf returns the tables that there are after migrations.
func tablesOf(migrations ...string) (tables []string) {
	for _, text := range migrations {
		for _, m := range changeOfTables.FindAllStringSubmatch(text, -1) {
			name := anewSuffix.ReplaceAllString(m[2], "")
			at := slices.Index(tables, name)
			switch dropped := strings.EqualFold(m[1], "DROP TABLE"); {
			case dropped && at >= 0:
				tables = slices.Delete(tables, at, at+1)
			case !dropped && at < 0:
				tables = append(tables, name)
			}
		}
	}
	return tables
}

// writeFinder finds the tables that one package writes.
type writeFinder struct {
	info       *types.Info
	fset       *token.FileSet
	tables     map[string]bool // that the package writes
	violations []string
}

// writtenBy returns the tables that each package writes, and a violation for each statement whose
// table is unknown.
func writtenBy(x *sourceTree) (by map[string]map[string]bool, violations []string) {
	by = map[string]map[string]bool{}
	for dir, sources := range x.production() {
		w := &writeFinder{
			fset:   x.fset,
			tables: map[string]bool{},
			info:   &types.Info{Types: map[ast.Expr]types.TypeAndValue{}},
		}
		files := make([]*ast.File, len(sources))
		for i, s := range sources {
			files[i] = s.file
		}
		// The checker resolves no imports: only the package's own types are needed.
		conf := types.Config{Importer: failingImporter{}, Error: func(error) {}}
		_, _ = conf.Check(dir, x.fset, files, w.info) // fails at each import
		for _, f := range files {
			ast.Inspect(f, w.visit)
		}
		if len(w.tables) > 0 {
			by[dir] = w.tables
		}
		violations = append(violations, w.violations...)
	}
	return by, violations
}

type failingImporter struct{}

func (failingImporter) Import(string) (*types.Package, error) { return nil, os.ErrNotExist }

var (
	rawWrite = regexp.MustCompile(
		`(?i)\b(?:INSERT(?:\s+OR\s+\w+)?\s+INTO|REPLACE\s+INTO|DELETE\s+FROM)\s+["\x60]?(\w+)`,
	)
	rawUpdate  = regexp.MustCompile(`(?i)\bUPDATE\s+["\x60]?(\w+)["\x60]?\s+(?:AS\s+\w+\s+)?SET\b`)
	rawUnnamed = regexp.MustCompile(
		`(?i)\b(?:INSERT(?:\s+OR\s+\w+)?\s+INTO|REPLACE\s+INTO|DELETE\s+FROM)\s*[?"\x60]?\s*$|\b(?:INSERT\s+INTO|DELETE\s+FROM|UPDATE)\s+\?`,
	)
	writeRoots  = []string{"NewInsert", "NewUpdate", "NewDelete", "NewMerge"}
	tableNamers = []string{"Table", "TableExpr", "ModelTableExpr"}
)

func (w *writeFinder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BasicLit:
		if n.Kind == token.STRING {
			w.raw(n)
		}
	case *ast.CallExpr:
		// Inspect meets the outermost call of a chain first; this case handles the whole chain.
		if chain := chainOf(n); len(chain) > 0 && slices.Contains(writeRoots, chain[len(chain)-1].name) {
			w.chain(n, chain)
			for _, link := range chain {
				for _, arg := range link.args {
					ast.Inspect(arg, w.visit)
				}
			}
			return false
		}
	}
	return true
}

func (w *writeFinder) raw(lit *ast.BasicLit) {
	text, err := strconv.Unquote(lit.Value)
	if err != nil {
		return
	}
	for _, re := range []*regexp.Regexp{rawWrite, rawUpdate} {
		for _, m := range re.FindAllStringSubmatch(text, -1) {
			w.tables[m[1]] = true
		}
	}
	if rawUnnamed.MatchString(text) {
		w.addViolation(lit, "raw SQL does not name the table that it writes")
	}
}

// link is one call of a chain a.B(x).C(y).
type link struct {
	name string
	args []ast.Expr
}

// chainOf returns the calls of a chain, the last first.
func chainOf(call *ast.CallExpr) (chain []link) {
	for call != nil {
		sel, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			break
		}
		chain = append(chain, link{sel.Sel.Name, call.Args})
		if slices.Contains(writeRoots, sel.Sel.Name) {
			break
		}
		call, _ = sel.X.(*ast.CallExpr)
	}
	return chain
}

func (w *writeFinder) chain(n ast.Node, chain []link) {
	named := false
	for _, l := range chain {
		switch {
		case l.name == "Model" && len(l.args) == 1:
			if table := w.tableOf(l.args[0]); table != "" {
				w.tables[table], named = true, true
			}
		case slices.Contains(tableNamers, l.name) && len(l.args) > 0:
			if lit, ok := l.args[0].(*ast.BasicLit); ok {
				if text, err := strconv.Unquote(lit.Value); err == nil {
					table, _, _ := strings.Cut(strings.TrimSpace(text), " ")
					w.tables[table], named = true, true
				}
			}
		}
	}
	if !named {
		w.addViolation(
			n,
			chain[len(chain)-1].name+" of an unknown table: write it in one chain with its Model",
		)
	}
}

func (w *writeFinder) addViolation(n ast.Node, what string) {
	w.violations = append(w.violations, fmt.Sprintf("%s: %s", w.fset.Position(n.Pos()), what))
}

// tableOf returns the table of a bun model: of a struct, a pointer to one or a list of them.
func (w *writeFinder) tableOf(arg ast.Expr) string {
	t := w.info.Types[arg].Type
	for t != nil {
		switch u := t.Underlying().(type) {
		case *types.Pointer:
			t = u.Elem()
		case *types.Slice:
			t = u.Elem()
		case *types.Struct:
			for i := range u.NumFields() {
				for part := range strings.SplitSeq(reflect.StructTag(u.Tag(i)).Get("bun"), ",") {
					if table, ok := strings.CutPrefix(part, "table:"); ok {
						return table
					}
				}
			}
			return ""
		default:
			return ""
		}
	}
	return ""
}

// toolWrites are tables that tools write as well, to servers of their own: a bench fills a folder with
// old rows, which no store writes (workshop/command/neighbours_fill.go), and the torture of a
// cluster drops a log as if it were old, and damages the archive.
var toolWrites = map[string][]string{
	"workshop/command": {"users", "notices", "messages"},
	"workshop/torture": {"log_tables", "reading_parts"},
}

// tablesWithoutOneWriter finds tables that no package or more than one package writes. later are tables
// that no package writes yet.
func tablesWithoutOneWriter(x *sourceTree, tables []string, later map[string]string) []string {
	by, violations := writtenBy(x)
	writers := map[string][]string{}
	for dir, written := range by {
		for table := range written {
			if slices.Contains(toolWrites[dir], table) {
				continue
			}
			writers[table] = append(writers[table], dir)
		}
	}
	for _, table := range tables {
		dirs := writers[table]
		slices.Sort(dirs)
		switch _, excused := later[table]; {
		case len(dirs) > 1:
			violations = append(violations, fmt.Sprintf("%s is written by %s", table, strings.Join(dirs, " and ")))
		case len(dirs) == 0 && !excused:
			violations = append(violations, fmt.Sprintf("no package writes %s", table))
		case len(dirs) == 1 && excused:
			violations = append(
				violations,
				fmt.Sprintf("%s is written by %s now: remove it from unwritten", table, dirs[0]),
			)
		}
	}
	for table := range writers {
		if !slices.Contains(tables, table) {
			violations = append(
				violations,
				fmt.Sprintf("%s writes %s, which no migration creates", writers[table][0], table),
			)
		}
	}
	for table := range later {
		if !slices.Contains(tables, table) {
			violations = append(violations, table+" is excused, but no migration creates it")
		}
	}
	return violations
}

func migrations(t *testing.T) (texts []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(repoRoot(t), "internal/platform/db/migrations/*/*.sql"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no migrations: %v", err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	return texts
}

func TestEachTableHasOneWriter(t *testing.T) {
	tables := tablesOf(migrations(t)...)
	if len(tables) < 15 {
		t.Fatalf("only these tables were found: %v", tables)
	}
	// The leader of a cluster makes the tables of the log, each with a position at the end of its name.
	tables = append(tables, "log_0_")
	expectNone(t, tablesWithoutOneWriter(parseRepository(t), tables, unwritten))
}

func TestTableRuleFindsViolations(t *testing.T) {
	const head = "package p\nimport \"github.com/uptrace/bun\"\n" +
		"type row struct { bun.BaseModel `bun:\"table:devices,alias:d\"`; ID int }\n" +
		"type other struct { bun.BaseModel `bun:\"table:scenes\"` }\n"
	x := parseExample(t, map[string]string{
		"internal/domain/device/store.go": head + `
func a(tx bun.IDB) {
	r := row{ID: 1}
	tx.NewInsert().Model(&r).Exec(ctx)
	rows := make([]other, 0)
	part := rows[1:min(2, len(rows))]
	_, err := tx.NewUpdate().Model(&part).Set("x = 1").Exec(ctx)
	if _, err := tx.NewDelete().Model((*row)(nil)).Where("id IN (?)", tx.NewSelect().Model((*other)(nil))).Exec(ctx); err != nil { }
	tx.NewRaw("SELECT * FROM users; -- UPDATE nobody")
}`,
		"internal/domain/alarm/store.go": head + `
func b(tx bun.IDB) { tx.NewDelete().Model(&row{}).Exec(ctx) }
func c(tx bun.IDB) { tx.NewRaw("DELETE FROM lost WHERE id = ?", 1); tx.NewRaw("insert into users values (1)") }`,
		"internal/domain/notify/store.go": head + `
func d(tx bun.IDB, model any) { tx.NewInsert().Model(model).Exec(ctx) }
func e(tx bun.IDB) { q := tx.NewUpdate(); q.Model(&row{}) }
func f(tx bun.IDB) { tx.NewUpdate().Table("users").Exec(ctx); tx.NewRaw("INSERT INTO ? VALUES (1)", bun.Ident("devices")) }`,
		"internal/domain/identity/store.go":      head + `func g(tx bun.IDB) { tx.NewSelect().Model(&row{}).Scan(ctx); tx.NewRaw("UPDATE tokens AS t SET x = 1 ON CONFLICT DO UPDATE SET y = 2") }`,
		"internal/domain/identity/store_test.go": head + `func h(tx bun.IDB) { tx.NewInsert().Model(&other{}).Exec(ctx) }`,
		"internal/tools/testkit/things.go":       head + `func i(tx bun.IDB) { tx.NewInsert().Model(&other{}).Exec(ctx) }`,
	})
	by, _ := writtenBy(x)
	for dir, want := range map[string]string{
		"internal/domain/device":   "[devices scenes]",
		"internal/domain/alarm":    "[devices lost users]",
		"internal/domain/notify":   "[users]",
		"internal/domain/identity": "[tokens]",
	} {
		if got := fmt.Sprint(slices.Sorted(maps.Keys(by[dir]))); got != want {
			t.Errorf("%s writes %s, want %s", dir, got, want)
		}
	}
	expectViolations(
		t,
		tablesWithoutOneWriter(
			x,
			tablesOf(
				"CREATE TABLE devices (id INTEGER);\nCREATE TABLE scenes ();create table if not exists users ()",
				"CREATE TABLE tokens ()",
				"CREATE TABLE empty (); CREATE TABLE former ()",
				"DROP TABLE former; DROP TABLE empty; ALTER TABLE empty_anew RENAME TO empty",
			),
			map[string]string{"tokens": "later", "gone": "later"},
		),
		"devices is written by internal/domain/alarm and internal/domain/device",
		"users is written by internal/domain/alarm and internal/domain/notify",
		"no package writes empty",
		"tokens is written by internal/domain/identity now",
		"writes lost, which no migration creates",
		"gone is excused",
		"NewInsert of an unknown table",
		"NewUpdate of an unknown table",
		"raw SQL does not name",
	)
}
