package architecture

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// storeIndex knows the types that hold tenants' data and the types that name a tenant, by package
// and name: device.Ref.
type storeIndex struct {
	structs     map[string]*ast.StructType
	stores      map[string]bool // named Store, or with a database, a lock or such a type in a field
	tenantTypes map[string]bool // that name a tenant
}

// findStores indexes the types of the domains and of the live stream.
func findStores(x *sourceTree) *storeIndex {
	k := &storeIndex{
		structs:     map[string]*ast.StructType{},
		stores:      map[string]bool{},
		tenantTypes: map[string]bool{"tenant.ID": true},
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
	for _, receivers := range x.production() { // a store need not be a struct; it may be a map
		for _, s := range receivers {
			for _, d := range s.file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && holdsTenantData(s.dir) &&
					strings.HasSuffix(receiver(f), "Store") {
					k.stores[s.file.Name.Name+"."+receiver(f)] = true
				}
			}
		}
	}
	// A type with a store in a field is a store. A type with a tenant type in a field is a tenant
	// type, unless it is a store, which holds data of many tenants.
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
		if k.tenantTypes[name] || k.stores[name] || !k.tenantTypes[is.name] {
			return false
		}
		k.tenantTypes[name] = true
		return true
	})
	return k
}

// propagate calls found with each field of each type, until no call finds anything new.
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

// holdsTenantData tells whether types of a folder may hold tenants' data.
func holdsTenantData(dir string) bool {
	return slices.Contains(domains, packageOf(dir)) || packageOf(dir) == "live"
}

// typeRef is a type as the source writes it.
type typeRef struct {
	name     string // device.Ref; empty for a type without a name
	function bool
}

// typeRefOf returns the type that an expression of a package names; for a pointer or a list, that
// of its elements.
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

// typeRefs returns the types of a field list, one for each name.
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

// methodsWithoutTenant finds exported methods of exported stores that do not say whose data they
// concern. The first parameter after the context must be the tenant or a tenant type. A method
// needs none only if it has no context, takes nothing but functions, and returns no tenant's data.
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
			violations = append(violations, name+" is excused, but takes the tenant, needs none, or does not exist")
		}
	}
	slices.Sort(violations)
	return violations
}

// excusedBy returns the name by which a method is excused: its own, or that of its type; empty if
// it is not excused.
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
	case len(rest) > 0 && k.tenantTypes[rest[0].name]:
		return true
	case at == 0:
		return false
	}
	return !slices.ContainsFunc(rest, func(w typeRef) bool { return !w.function }) &&
		!slices.ContainsFunc(results, func(w typeRef) bool { return k.tenantTypes[w.name] })
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
