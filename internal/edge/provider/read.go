package provider

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

// field is a value of a file with its position.
type field[T any] struct {
	value T
	valid bool    // given, and of the right type
	at    filePos // the zero position if the value was not given
}

// present tells whether the file has the key, even with a wrong value.
func (f *field[T]) present() bool { return f.at.line != 0 }

// orDefault returns the value, or other if the file gives none.
func (f *field[T]) orDefault(other T) T {
	if f.valid {
		return f.value
	}
	return other
}

// nodeReader reads a node into a variable; at is the node's position.
type nodeReader func(n ast.Node, at filePos)

// unwrap returns the node inside of wrapping nodes; nil for an empty value, which counts as not
// given.
func unwrap(n ast.Node) ast.Node {
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
	if at := tokenPos(n.GetToken()); at.line > 0 {
		return at.line
	}
	return otherwise
}

// mapping reads a mapping whose keys are known.
func (f *fileErrors) mapping(n ast.Node, at filePos, known map[string]nodeReader) {
	f.entries(n, at, func(key string, n ast.Node, at filePos) {
		read := known[key]
		if read == nil {
			f.add(at, "unknown key %q; known here: %s", key, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
			return
		}
		if n = unwrap(n); n != nil {
			at.line = lineOf(n, at.line)
			read(n, at)
		}
	})
}

// entries calls each for every entry of a mapping, each key once.
func (f *fileErrors) entries(n ast.Node, at filePos, each func(key string, n ast.Node, at filePos)) {
	var values []*ast.MappingValueNode
	switch m := n.(type) {
	case *ast.MappingNode:
		values = m.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{m}
	default:
		f.add(at, "%smust be a mapping (key: value)", messagePrefix(at))
		return
	}
	seen := make(map[string]int, len(values))
	for _, v := range values {
		tk := v.Key.GetToken()
		key := strings.TrimSpace(tk.Value)
		here := at.child(key)
		here.line = tokenPos(tk).line
		if before, ok := seen[key]; ok {
			f.add(here, "%s is given twice; the first time on line %d", key, before)
			continue
		}
		seen[key] = here.line
		each(key, v.Value, here)
	}
}

// list calls each for every entry of a list.
func (f *fileErrors) list(n ast.Node, at filePos, each nodeReader) {
	s, ok := n.(*ast.SequenceNode)
	if !ok {
		f.add(at, "%smust be a list", messagePrefix(at))
		return
	}
	for i, v := range s.Values {
		here := at.index(i)
		if v = unwrap(v); v == nil {
			if i < len(s.Entries) && s.Entries[i] != nil {
				here.line = tokenPos(s.Entries[i].Start).line
			}
			f.add(here, "an empty entry of %s", lastKey(at))
			continue
		}
		here.line = lineOf(v, at.line)
		each(v, here)
	}
}

// lastKey returns the last key of a path, as messages name it.
func lastKey(at filePos) string {
	path := at.path
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		path = path[i+1:]
	}
	return path
}

func messagePrefix(at filePos) string {
	if name := lastKey(at); name != "" {
		return name + " "
	}
	return "the file "
}

// text reads a text unchanged.
func (f *fileErrors) text(into *field[string]) nodeReader {
	return func(n ast.Node, at filePos) {
		into.at = at
		switch v := n.(type) {
		case *ast.StringNode:
			into.value, into.valid = v.Value, true
		case *ast.LiteralNode:
			into.value, into.valid = v.Value.Value, true
		case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
			f.add(at, "%s must be text: put the value in quotes", lastKey(at))
		default:
			f.add(at, "%s must be text", lastKey(at))
		}
		if strings.ContainsRune(into.value, 0) { // no database stores it
			f.add(at, "%s must not hold a NUL character", lastKey(at))
			into.value, into.valid = "", false
		}
	}
}

// trimmed reads a text without the space around it.
func (f *fileErrors) trimmed(into *field[string]) nodeReader {
	read := f.text(into)
	return func(n ast.Node, at filePos) {
		read(n, at)
		into.value = strings.TrimSpace(into.value)
	}
}

var exponentNumber = regexp.MustCompile(`^[-+]?[0-9]+[eE][-+]?[0-9]+$`)

// number reads a finite number.
func (f *fileErrors) number(into *field[float64]) nodeReader {
	return func(n ast.Node, at filePos) {
		into.at = at
		switch v := n.(type) {
		case *ast.IntegerNode:
			switch i := v.Value.(type) {
			case int64:
				into.value, into.valid = float64(i), true
			case uint64:
				into.value, into.valid = float64(i), true
			}
		case *ast.FloatNode:
			into.value, into.valid = v.Value, !math.IsInf(v.Value, 0) && !math.IsNaN(v.Value)
		case *ast.StringNode:
			// The YAML library reads a number with an exponent and no point as text.
			if v.Token.Type == token.StringType && exponentNumber.MatchString(v.Value) {
				f, err := strconv.ParseFloat(v.Value, 64)
				into.value, into.valid = f, err == nil
			}
		}
		if !into.valid {
			f.add(at, "%s must be a number", lastKey(at))
		}
	}
}

// integer reads a whole number.
func (f *fileErrors) integer(into *field[int]) nodeReader {
	return func(n ast.Node, at filePos) {
		into.at = at
		if v, ok := n.(*ast.IntegerNode); ok {
			switch i := v.Value.(type) {
			case int64:
				into.value, into.valid = int(i), true
			case uint64:
				into.value, into.valid = int(min(i, math.MaxInt)), true
			}
		}
		if !into.valid {
			f.add(at, "%s must be a whole number", lastKey(at))
		}
	}
}

// boolean reads a boolean.
func (f *fileErrors) boolean(into *field[bool]) nodeReader {
	return func(n ast.Node, at filePos) {
		into.at = at
		v, ok := n.(*ast.BoolNode)
		if !ok {
			f.add(at, "%s must be true or false", lastKey(at))
			return
		}
		into.value, into.valid = v.Value, true
	}
}

// duration reads a duration with its unit, for example 10m or 1h30m.
func (f *fileErrors) duration(into *field[time.Duration]) nodeReader {
	return func(n ast.Node, at filePos) {
		into.at = at
		if v, ok := n.(*ast.StringNode); ok {
			if d, err := time.ParseDuration(strings.TrimSpace(v.Value)); err == nil {
				into.value, into.valid = d, true
				return
			}
		}
		f.add(at, "%s must be a time with its unit, for example 10m, 90s or 1h30m", lastKey(at))
	}
}
