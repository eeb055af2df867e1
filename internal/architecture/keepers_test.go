package architecture

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// keepers are the types that keep tenants' data, and those that say whose
// something is; by package and name: device.Ref.
type keepers struct {
	structs map[string]*ast.StructType
	kept    map[string]bool // stores, what has a database or a lock, and what holds such a one
	owners  map[string]bool // carry the tenant
}

// keepersOf looks at the domains, and at the live stream.
func keepersOf(x *tree) *keepers {
	k := &keepers{structs: map[string]*ast.StructType{}, kept: map[string]bool{}, owners: map[string]bool{"tenant.ID": true}}
	for dir, sources := range x.production() {
		if !keeps(dir) {
			continue
		}
		for _, s := range sources {
			for _, d := range s.file.Decls {
				g, ok := d.(*ast.GenDecl)
				if !ok {
					continue
				}
				for _, spec := range g.Specs {
					if t, ok := spec.(*ast.TypeSpec); ok {
						if st, ok := t.Type.(*ast.StructType); ok {
							k.structs[s.file.Name.Name+"."+t.Name.Name] = st
						}
					}
				}
			}
		}
	}
	for _, receivers := range x.production() { // a type may have another form, as a map
		for _, s := range receivers {
			for _, d := range s.file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && keeps(s.dir) && strings.HasSuffix(receiver(f), "Store") {
					k.kept[s.file.Name.Name+"."+receiver(f)] = true
				}
			}
		}
	}
	// A type that holds a keeper is one. One that holds what carries the tenant
	// carries it, but a keeper, which holds many's.
	k.spread(func(name string, is written) bool {
		if k.kept[name] || is.name != "db.DB" && (!strings.HasPrefix(is.name, "sync.") || is.name == "sync.Pool") && !k.kept[is.name] {
			return false
		}
		k.kept[name] = true
		return true
	})
	k.spread(func(name string, is written) bool {
		if k.owners[name] || k.kept[name] || !k.owners[is.name] {
			return false
		}
		k.owners[name] = true
		return true
	})
	return k
}

// spread asks of each type's fields until nothing new is found.
func (k *keepers) spread(found func(name string, field written) bool) {
	for more := true; more; {
		more = false
		for name, st := range k.structs {
			pkg, _, _ := strings.Cut(name, ".")
			for _, f := range st.Fields.List {
				more = found(name, typeIn(pkg, f.Type)) || more
			}
		}
	}
}

// keeps tells whether types of a folder may keep tenants' data.
func keeps(dir string) bool {
	return slices.Contains(domains, group(dir)) || group(dir) == "live"
}

// written is a type as it is written: what of it has a name.
type written struct {
	name     string // device.Ref; empty: it has none
	function bool
}

// typeIn tells of a type that is written in a package; of a list, of its
// elements.
func typeIn(pkg string, e ast.Expr) (is written) {
	for {
		switch t := e.(type) {
		case *ast.StarExpr:
			e = t.X
		case *ast.ArrayType:
			e = t.Elt
		case *ast.Ellipsis:
			e = t.Elt
		case *ast.Ident:
			if is.name = t.Name; types.Universe.Lookup(t.Name) == nil {
				is.name = pkg + "." + t.Name
			}
			return is
		case *ast.SelectorExpr:
			if x, ok := t.X.(*ast.Ident); ok {
				is.name = x.Name + "." + t.Sel.Name
			}
			return is
		case *ast.FuncType:
			is.function = true
			return is
		default:
			return is
		}
	}
}

// all are a field list's types, one for each name.
func all(pkg string, list *ast.FieldList) (types []written) {
	if list == nil {
		return nil
	}
	for _, f := range list.List {
		for range max(1, len(f.Names)) {
			types = append(types, typeIn(pkg, f.Type))
		}
	}
	return types
}

// strangers are exported methods of exported keepers that do not say whose data
// they are about: the first parameter after the context is the tenant, or
// carries it. Only a method without a context that is asked for nothing in
// particular, and answers nothing of a tenant's, needs none.
func strangers(x *tree, excused map[string]string) (breaches []string) {
	k := keepersOf(x)
	needed := map[string]bool{}
	for dir, sources := range x.production() {
		if !keeps(dir) {
			continue
		}
		for _, s := range sources {
			pkg := s.file.Name.Name
			for _, d := range s.file.Decls {
				f, ok := d.(*ast.FuncDecl)
				if !ok || f.Recv == nil || !f.Name.IsExported() || !ast.IsExported(receiver(f)) || !k.kept[pkg+"."+receiver(f)] {
					continue
				}
				name := pkg + "." + receiver(f) + "." + f.Name.Name
				if k.owned(all(pkg, f.Type.Params), all(pkg, f.Type.Results)) {
					continue
				}
				if by := excuse(excused, name); by != "" {
					needed[by] = true
					continue
				}
				breaches = append(breaches, fmt.Sprintf("%s: %s does not take the tenant right after the context", s.path, name))
			}
		}
	}
	for name := range excused {
		if !needed[name] {
			breaches = append(breaches, name+" is excused, but takes the tenant, or needs none, or does not exist")
		}
	}
	slices.Sort(breaches)
	return breaches
}

// excuse is what a method is excused by: its own name, or its type's.
func excuse(excused map[string]string, method string) string {
	for _, name := range []string{method, method[:strings.LastIndexByte(method, '.')]} {
		if excused[name] != "" {
			return name
		}
	}
	return ""
}

func (k *keepers) owned(params, results []written) bool {
	at := slices.IndexFunc(params, func(w written) bool { return w.name == "context.Context" })
	rest := params[at+1:]
	switch {
	case at > 0:
		return false // the context comes first
	case len(rest) > 0 && k.owners[rest[0].name]:
		return true
	case at == 0:
		return false
	}
	return !slices.ContainsFunc(rest, func(w written) bool { return !w.function }) &&
		!slices.ContainsFunc(results, func(w written) bool { return k.owners[w.name] })
}

func receiver(f *ast.FuncDecl) string {
	t := f.Recv.List[0].Type
	if p, ok := t.(*ast.StarExpr); ok {
		t = p.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}
