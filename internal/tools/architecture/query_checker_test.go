package architecture

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"slices"
	"strings"
)

// queryRoots are the query builder's calls that begin a statement with a condition. An insert has
// no condition: the row that it writes names its tenant.
var queryRoots = []string{"NewSelect", "NewUpdate", "NewDelete"}

// conditions are the query builder's calls that select rows.
var conditions = []string{
	"Where",
	"WhereOr",
	"WhereGroup",
	"Join",
	"JoinOn",
	"Having",
	"TableExpr",
	"ModelTableExpr",
	"With",
}

// queryChecker checks the queries of one package.
type queryChecker struct {
	writeFinder // finds the table of a model

	tenantTables map[string]bool
	pkg          string
	decls        map[types.Object]*ast.FuncDecl
	// delegating are functions that leave the tenant's condition to one of their parameters, a
	// function over a query; by the parameter's index.
	delegating map[types.Object]int

	unscoped map[string][]string // violations, by function
}

func newQueryChecker(x *sourceTree, dir string, sources []source, owned map[string]bool) *queryChecker {
	a := &queryChecker{
		tenantTables: owned,
		pkg:          sources[0].file.Name.Name,
		decls:        map[types.Object]*ast.FuncDecl{},
		delegating:   map[types.Object]int{},
	}
	a.fset, a.tables = x.fset, map[string]bool{}
	a.info = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{},
		Defs:  map[*ast.Ident]types.Object{},
		Uses:  map[*ast.Ident]types.Object{},
	}
	files := make([]*ast.File, len(sources))
	for i, s := range sources {
		files[i] = s.file
	}
	conf := types.Config{Importer: failingImporter{}, Error: func(error) {}}
	_, _ = conf.Check(dir, x.fset, files, a.info) // fails at each import, which does not matter here
	for _, f := range files {
		for _, d := range f.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
				a.decls[a.info.Defs[f.Name]] = f
			}
		}
	}
	return a
}

func (a *queryChecker) checkFile(f *ast.File) {
	for _, d := range f.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
			name := a.pkg + "." + f.Name.Name
			if f.Recv != nil {
				name = a.pkg + "." + receiver(f) + "." + f.Name.Name
			}
			q := &functionChecker{queryChecker: a, decl: f, name: name, values: a.assigned(f)}
			q.walk(f.Body)
			continue
		}
		q := &functionChecker{queryChecker: a, name: a.pkg + " (constants)"}
		q.walk(d)
	}
}

// assigned returns the expressions that a function assigns to its variables.
func (a *queryChecker) assigned(f *ast.FuncDecl) map[types.Object][]ast.Expr {
	values := map[types.Object][]ast.Expr{}
	ast.Inspect(f, func(n ast.Node) bool {
		s, ok := n.(*ast.AssignStmt)
		if !ok || len(s.Lhs) != len(s.Rhs) {
			return true
		}
		for i, l := range s.Lhs {
			if id, ok := l.(*ast.Ident); ok {
				values[a.object(id)] = append(values[a.object(id)], s.Rhs[i])
			}
		}
		return true
	})
	delete(values, nil)
	return values
}

func (a *queryChecker) object(id *ast.Ident) types.Object {
	if o := a.info.Defs[id]; o != nil {
		return o
	}
	return a.info.Uses[id]
}

// callee returns the function of this package that is called; nil for any other.
func (a *queryChecker) callee(call *ast.CallExpr) types.Object {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return a.object(f)
	case *ast.SelectorExpr:
		return a.object(f.Sel)
	}
	return nil
}

// text returns the value of a string constant; empty for any other expression.
func (a *queryChecker) text(e ast.Expr) string {
	if v := a.info.Types[e].Value; v != nil && v.Kind() == constant.String {
		return constant.StringVal(v)
	}
	return ""
}

// functionChecker checks the queries of one function.
type functionChecker struct {
	*queryChecker

	decl   *ast.FuncDecl // nil outside functions
	name   string
	values map[types.Object][]ast.Expr
}

func (q *functionChecker) addViolation(n ast.Node, what string) {
	q.unscoped[q.name] = append(
		q.unscoped[q.name],
		fmt.Sprintf("%s: %s queries %s without %s", q.fset.Position(n.Pos()), q.name, what, tenantColumn),
	)
}

// walk checks the statements and the raw SQL within n.
func (q *functionChecker) walk(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		if !ok {
			return true
		}
		if text := q.text(e); text != "" {
			q.raw(e, text)
			return false // its parts are not checked separately
		}
		call, ok := e.(*ast.CallExpr)
		if !ok {
			return true
		}
		if index, ok := q.delegating[q.callee(call)]; ok && index < len(call.Args) &&
			!q.funcNamesTenant(call.Args[index]) {
			q.addViolation(call, "the tables of "+q.callee(call).Name())
		}
		if links, _ := q.links(call); q.isQuery(links) {
			if !q.isScoped(links) && !q.scopedLater(call) {
				q.addViolation(call, strings.Join(q.targetTables(links), " and "))
			}
			for _, l := range links {
				for _, arg := range l.args {
					if q.text(arg) == "" { // a text belongs to this statement, which is checked
						q.walk(arg)
					}
				}
			}
			return false
		}
		return true
	})
}

// raw checks a text that may be SQL.
func (q *functionChecker) raw(e ast.Expr, text string) {
	if tenantCondition.MatchString(text) {
		return
	}
	for _, m := range sqlTable.FindAllStringSubmatch(text, -1) {
		if q.tenantTables[m[1]] {
			q.addViolation(e, m[1])
			return
		}
	}
}

// links returns the calls of a chain, the last first, and the expression that the chain begins
// with.
func (q *functionChecker) links(call *ast.CallExpr) (links []link, base ast.Expr) {
	for {
		sel, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return links, call
		}
		links = append(links, link{sel.Sel.Name, call.Args})
		next, ok := sel.X.(*ast.CallExpr)
		if !ok || slices.Contains(queryRoots, sel.Sel.Name) {
			return links, sel.X
		}
		call = next
	}
}

func (q *functionChecker) isQuery(links []link) bool {
	return len(links) > 0 && slices.Contains(queryRoots, links[len(links)-1].name)
}

// targetTables returns the tables with tenants' rows that a statement reads or writes.
func (q *functionChecker) targetTables(links []link) (tables []string) {
	for _, l := range links {
		if len(l.args) == 0 {
			continue
		}
		table := ""
		switch {
		case l.name == "Model":
			if table = q.tableOf(l.args[0]); table == "" {
				table = "an unknown table"
			}
		case slices.Contains(tableNamers, l.name):
			if table, _, _ = strings.Cut(strings.TrimSpace(q.text(l.args[0])), " "); table == "" {
				table = "an unknown table"
			}
		default:
			for _, m := range sqlTable.FindAllStringSubmatch(q.text(l.args[0]), -1) {
				if q.tenantTables[m[1]] {
					tables = append(tables, m[1])
				}
			}
			continue
		}
		if q.tenantTables[table] || strings.Contains(table, " ") {
			tables = append(tables, table)
		}
	}
	return tables
}

// isScoped tells whether a statement names the tenant or needs none.
func (q *functionChecker) isScoped(links []link) bool {
	return len(q.targetTables(links)) == 0 || q.namesTenant(links)
}

// namesTenant tells whether the conditions of a chain name the tenant, or select rows from another
// statement, which is checked separately.
func (q *functionChecker) namesTenant(links []link) bool {
	for _, l := range links {
		if !slices.Contains(conditions, l.name) {
			continue
		}
		for _, arg := range l.args {
			if q.mentionsTenant(arg) || q.isStatement(arg) {
				return true
			}
		}
	}
	return false
}

// mentionsTenant tells whether n contains a text that names the tenant.
func (q *functionChecker) mentionsTenant(n ast.Node) (yes bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok && tenantCondition.MatchString(q.text(e)) {
			yes = true
		}
		return !yes
	})
	return yes
}

// isStatement tells whether an expression is a statement, or a variable that holds one.
func (q *functionChecker) isStatement(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.CallExpr:
		for call := e; call != nil; {
			sel, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return slices.ContainsFunc(call.Args, q.isStatement) // a function over a statement
			}
			if decl := q.decls[q.object(sel.Sel)]; slices.Contains(queryRoots, sel.Sel.Name) ||
				decl != nil && returnsStatement(decl) {
				return true
			}
			call, _ = sel.X.(*ast.CallExpr)
		}
	case *ast.Ident:
		// A variable may be assigned from itself: s = append(s, …).
		of := q.object(e)
		values := q.values[of]
		delete(q.values, of)
		yes := slices.ContainsFunc(values, q.isStatement)
		q.values[of] = values
		return yes
	}
	return false
}

// returnsStatement tells whether a function returns a statement.
func returnsStatement(decl *ast.FuncDecl) bool {
	return decl.Type.Results != nil && slices.ContainsFunc(decl.Type.Results.List, func(f *ast.Field) bool {
		return strings.HasPrefix(types.ExprString(f.Type), "*bun.")
	})
}

// scopedLater tells whether the function adds a condition with the tenant to a statement after it
// made it: by calls on the variable that holds the statement, or by a function over it.
func (q *functionChecker) scopedLater(statement *ast.CallExpr) (yes bool) {
	if q.decl == nil {
		return false
	}
	ast.Inspect(q.decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, value := range n.Rhs {
				id, ok := n.Lhs[min(i, len(n.Lhs)-1)].(*ast.Ident)
				if ok && contains(value, statement) && q.variableNamesTenant(q.object(id)) {
					yes = true
				}
			}
		case *ast.CallExpr:
			if slices.Contains(n.Args, ast.Expr(statement)) && q.funcNamesTenant(n.Fun) {
				yes = true
			}
		}
		return !yes
	})
	return yes
}

func contains(outer, inner ast.Node) bool {
	return outer.Pos() <= inner.Pos() && inner.End() <= outer.End()
}

// variableNamesTenant tells whether the function adds a condition with the tenant to the statement
// in a variable.
func (q *functionChecker) variableNamesTenant(variable types.Object) (yes bool) {
	if variable == nil {
		return false
	}
	ast.Inspect(q.decl.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			links, base := q.links(call)
			if id, ok := base.(*ast.Ident); ok && q.object(id) == variable && q.namesTenant(links) {
				yes = true
			}
			for _, arg := range call.Args {
				if id, ok := arg.(*ast.Ident); ok && q.object(id) == variable && q.funcNamesTenant(call.Fun) {
					yes = true
				}
			}
		}
		return !yes
	})
	return yes
}

// funcNamesTenant tells whether a function over queries names the tenant. A parameter of this
// function counts as one that does: the checker then checks this function's callers.
func (q *functionChecker) funcNamesTenant(f ast.Expr) bool {
	switch f := f.(type) {
	case *ast.FuncLit:
		return q.bodyNamesTenant(f.Body)
	case *ast.CallExpr: // returns a function over queries
		decl := q.decls[q.callee(f)]
		return decl != nil && q.bodyNamesTenant(decl.Body)
	case *ast.SelectorExpr:
		decl := q.decls[q.object(f.Sel)]
		return decl != nil && q.bodyNamesTenant(decl.Body)
	case *ast.Ident:
		o := q.object(f)
		if decl := q.decls[o]; decl != nil {
			return q.bodyNamesTenant(decl.Body)
		}
		if values := q.values[o]; len(values) > 0 {
			return !slices.ContainsFunc(values, func(e ast.Expr) bool { return !q.funcNamesTenant(e) })
		}
		if index := q.parameter(o); index >= 0 {
			q.delegating[q.info.Defs[q.decl.Name]] = index
			return true
		}
	}
	return false
}

// bodyNamesTenant tells whether a body adds a condition that names the tenant.
func (q *functionChecker) bodyNamesTenant(body ast.Node) (yes bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			links, _ := q.links(call)
			// The body may also call another function that adds the condition.
			switch f := call.Fun.(type) {
			case *ast.Ident:
				yes = yes || len(q.values[q.object(f)]) > 0 && q.funcNamesTenant(f)
			case *ast.CallExpr:
				yes = yes || q.funcNamesTenant(f)
			}
			yes = yes || q.namesTenant(links)
		}
		return !yes
	})
	return yes
}

// parameter returns the index of a function parameter of this function; -1 for anything else.
func (q *functionChecker) parameter(o types.Object) int {
	index := 0
	for _, field := range q.decl.Type.Params.List {
		for _, name := range field.Names {
			if _, ok := field.Type.(*ast.FuncType); ok && q.info.Defs[name] == o {
				return index
			}
			index++
		}
	}
	return -1
}
