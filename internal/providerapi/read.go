package providerapi

import (
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// field is a value of a file together with where it stands.
type field[T any] struct {
	v   T
	set bool  // given, and of the right type
	at  place // the zero place where it was not given
}

// given tells whether the file has the key, even with a wrong value.
func (f *field[T]) given() bool { return f.at.line != 0 }

// or is the value, or another where the file gives none.
func (f *field[T]) or(other T) T {
	if f.set {
		return f.v
	}
	return other
}

// take reads a node into something; at is where the node stands.
type take func(n ast.Node, at place)

// value skips what wraps a node; nil for an empty value, which counts as not
// given.
func value(n ast.Node) ast.Node {
	for {
		switch v := n.(type) {
		case nil, *ast.NullNode:
			return nil
		case *ast.CommentGroupNode:
			return nil
		case *ast.DocumentNode:
			n = v.Body
		default:
			return n
		}
	}
}

func lineOf(n ast.Node, otherwise int) int {
	switch v := n.(type) {
	case *ast.MappingNode:
		if !v.IsFlowStyle && len(v.Values) > 0 {
			n = v.Values[0].Key
		}
	case *ast.MappingValueNode:
		n = v.Key
	}
	if at := line(n.GetToken()); at.line > 0 {
		return at.line
	}
	return otherwise
}

// mapping reads a mapping whose keys are known.
func (f *faults) mapping(n ast.Node, at place, known map[string]take) {
	f.entries(n, at, func(key string, n ast.Node, at place) {
		read := known[key]
		if read == nil {
			f.add(at, "unknown key %q; known here: %s", key, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
			return
		}
		if n = value(n); n != nil {
			at.line = lineOf(n, at.line)
			read(n, at)
		}
	})
}

// entries hands over the entries of a mapping, each key once.
func (f *faults) entries(n ast.Node, at place, each func(key string, n ast.Node, at place)) {
	var values []*ast.MappingValueNode
	switch m := n.(type) {
	case *ast.MappingNode:
		values = m.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{m}
	default:
		f.add(at, "%smust be a mapping (key: value)", naming(at))
		return
	}
	seen := make(map[string]int, len(values))
	for _, v := range values {
		tk := v.Key.GetToken()
		key := strings.TrimSpace(tk.Value)
		here := at.key(key)
		here.line = line(tk).line
		if before, ok := seen[key]; ok {
			f.add(here, "%s is given twice; the first time on line %d", key, before)
			continue
		}
		seen[key] = here.line
		each(key, v.Value, here)
	}
}

// list hands over the entries of a list.
func (f *faults) list(n ast.Node, at place, each take) {
	s, ok := n.(*ast.SequenceNode)
	if !ok {
		f.add(at, "%smust be a list", naming(at))
		return
	}
	for i, v := range s.Values {
		here := at.index(i)
		if v = value(v); v == nil {
			if i < len(s.Entries) && s.Entries[i] != nil {
				here.line = line(s.Entries[i].Start).line
			}
			f.add(here, "an empty entry of %s", last(at))
			continue
		}
		here.line = lineOf(v, at.line)
		each(v, here)
	}
}

// last is the last key of a path, as messages name it.
func last(at place) string {
	path := at.path
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		path = path[i+1:]
	}
	return path
}

func naming(at place) string {
	if name := last(at); name != "" {
		return name + " "
	}
	return "the file "
}

// text reads a text as it stands.
func (f *faults) text(into *field[string]) take {
	return func(n ast.Node, at place) {
		into.at = at
		switch v := n.(type) {
		case *ast.StringNode:
			into.v, into.set = v.Value, true
		case *ast.LiteralNode:
			into.v, into.set = v.Value.Value, true
		case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
			f.add(at, "%s must be text: put the value in quotes", last(at))
		default:
			f.add(at, "%s must be text", last(at))
		}
		if strings.ContainsRune(into.v, 0) { // which no database takes
			f.add(at, "%s must not hold a NUL character", last(at))
			into.v, into.set = "", false
		}
	}
}

// trimmed reads a text without the space around it.
func (f *faults) trimmed(into *field[string]) take {
	read := f.text(into)
	return func(n ast.Node, at place) {
		read(n, at)
		into.v = strings.TrimSpace(into.v)
	}
}

var exponent = regexp.MustCompile(`^[-+]?[0-9]+[eE][-+]?[0-9]+$`)

// number reads a finite number.
func (f *faults) number(into *field[float64]) take {
	return func(n ast.Node, at place) {
		into.at = at
		switch v := n.(type) {
		case *ast.IntegerNode:
			switch i := v.Value.(type) {
			case int64:
				into.v, into.set = float64(i), true
			case uint64:
				into.v, into.set = float64(i), true
			}
		case *ast.FloatNode:
			into.v, into.set = v.Value, !math.IsInf(v.Value, 0) && !math.IsNaN(v.Value)
		case *ast.StringNode:
			// The YAML library takes a number with an exponent and no point for text.
			if v.Token.Type == token.StringType && exponent.MatchString(v.Value) {
				f, err := strconv.ParseFloat(v.Value, 64)
				into.v, into.set = f, err == nil
			}
		}
		if !into.set {
			f.add(at, "%s must be a number", last(at))
		}
	}
}

// whole reads a whole number.
func (f *faults) whole(into *field[int]) take {
	return func(n ast.Node, at place) {
		into.at = at
		if v, ok := n.(*ast.IntegerNode); ok {
			switch i := v.Value.(type) {
			case int64:
				into.v, into.set = int(i), true
			case uint64:
				into.v, into.set = int(min(i, math.MaxInt)), true
			}
		}
		if !into.set {
			f.add(at, "%s must be a whole number", last(at))
		}
	}
}

// yesNo reads a boolean.
func (f *faults) yesNo(into *field[bool]) take {
	return func(n ast.Node, at place) {
		into.at = at
		v, ok := n.(*ast.BoolNode)
		if !ok {
			f.add(at, "%s must be true or false", last(at))
			return
		}
		into.v, into.set = v.Value, true
	}
}

// duration reads a duration with its unit, as 10m or 1h30m.
func (f *faults) duration(into *field[time.Duration]) take {
	return func(n ast.Node, at place) {
		into.at = at
		if v, ok := n.(*ast.StringNode); ok {
			if d, err := time.ParseDuration(strings.TrimSpace(v.Value)); err == nil {
				into.v, into.set = d, true
				return
			}
		}
		f.add(at, "%s must be a time with its unit, for example 10m, 90s or 1h30m", last(at))
	}
}
