package architecture

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// storeIndex are the types that keep tenants' data, and those that say whose
// something is; by package and name: device.Ref.
type storeIndex struct {
	structs     map[string]*ast.StructType
	stores      map[string]bool // stores, what has a database or a lock, and what holds such a one
	carryTenant map[string]bool // carry the tenant
}

// findStores looks at the domains, and at the live stream.
func findStores(x *sourceTree) *storeIndex {
	k := &storeIndex{
		structs:     map[string]*ast.StructType{},
		stores:      map[string]bool{},
		carryTenant: map[string]bool{"tenant.ID": true},
	}
	for dir, sources := range x.production() {
		if !holdsTenantData(dir) {
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
				if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && holdsTenantData(s.dir) &&
					strings.HasSuffix(receiver(f), "Store") {
					k.stores[s.file.Name.Name+"."+receiver(f)] = true
				}
			}
		}
	}
	// A type that holds a keeper is one. One that holds what carries the tenant
	// carries it, but a keeper, which holds many's.
	k.propagate(func(name string, is typeRef) bool {
		if k.stores[name] ||
			is.name != "db.DB" && (!strings.HasPrefix(is.name, "sync.") || is.name == "sync.Pool") &&
				!k.stores[is.name] {
			return false
		}
		k.stores[name] = true
		return true
	})
	k.propagate(func(name string, is typeRef) bool {
		if k.carryTenant[name] || k.stores[name] || !k.carryTenant[is.name] {
			return false
		}
		k.carryTenant[name] = true
		return true
	})
	return k
}

// propagate asks of each type's fields until nothing new is found.
func (k *storeIndex) propagate(found func(name string, field typeRef) bool) {
	for more := true; more; {
		more = false
		for name, st := range k.structs {
			pkg, _, _ := strings.Cut(name, ".")
			for _, f := range st.Fields.List {
				more = found(name, typeRefOf(pkg, f.Type)) || more
			}
		}
	}
}

// holdsTenantData tells whether types of a folder may keep tenants' data.
func holdsTenantData(dir string) bool {
	return slices.Contains(domains, packageOf(dir)) || packageOf(dir) == "live"
}

// typeRef is a type as it is written: what of it has a name.
type typeRef struct {
	name     string // device.Ref; empty: it has none
	function bool
}

// typeRefOf tells of a type that is written in a package; of a list, of its
// elements.
func typeRefOf(pkg string, e ast.Expr) (is typeRef) {
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

// typeRefs are a field list's types, one for each name.
func typeRefs(pkg string, list *ast.FieldList) (types []typeRef) {
	if list == nil {
		return nil
	}
	for _, f := range list.List {
		for range max(1, len(f.Names)) {
			types = append(types, typeRefOf(pkg, f.Type))
		}
	}
	return types
}

// methodsWithoutTenant are exported methods of exported keepers that do not say whose data
// they are about: the first parameter after the context is the tenant, or
// carries it. Only a method without a context that is asked for nothing in
// particular, and answers nothing of a tenant's, needs none.
func methodsWithoutTenant(x *sourceTree, excused map[string]string) (violations []string) {
	k := findStores(x)
	needed := map[string]bool{}
	for dir, sources := range x.production() {
		if !holdsTenantData(dir) {
			continue
		}
		for _, s := range sources {
			pkg := s.file.Name.Name
			for _, d := range s.file.Decls {
				f, ok := d.(*ast.FuncDecl)
				if !ok || f.Recv == nil || !f.Name.IsExported() || !ast.IsExported(receiver(f)) ||
					!k.stores[pkg+"."+receiver(f)] {
					continue
				}
				name := pkg + "." + receiver(f) + "." + f.Name.Name
				if k.namesTenant(typeRefs(pkg, f.Type.Params), typeRefs(pkg, f.Type.Results)) {
					continue
				}
				if by := excusedBy(excused, name); by != "" {
					needed[by] = true
					continue
				}
				violations = append(
					violations,
					fmt.Sprintf("%s: %s does not take the tenant right after the context", s.path, name),
				)
			}
		}
	}
	for name := range excused {
		if !needed[name] {
			violations = append(violations, name+" is excused, but takes the tenant, or needs none, or does not exist")
		}
	}
	slices.Sort(violations)
	return violations
}

// excusedBy is what a method is excused by: its own name, or its type's.
func excusedBy(excused map[string]string, method string) string {
	for _, name := range []string{method, method[:strings.LastIndexByte(method, '.')]} {
		if excused[name] != "" {
			return name
		}
	}
	return ""
}

func (k *storeIndex) namesTenant(params, results []typeRef) bool {
	at := slices.IndexFunc(params, func(w typeRef) bool { return w.name == "context.Context" })
	rest := params[at+1:]
	switch {
	case at > 0:
		return false // the context comes first
	case len(rest) > 0 && k.carryTenant[rest[0].name]:
		return true
	case at == 0:
		return false
	}
	return !slices.ContainsFunc(rest, func(w typeRef) bool { return !w.function }) &&
		!slices.ContainsFunc(results, func(w typeRef) bool { return k.carryTenant[w.name] })
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
