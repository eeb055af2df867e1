package provider

import (
	"strings"

	"github.com/goccy/go-yaml/token"
)

// The bounds of a file. The format needs six levels of nesting and a bit over a hundred keys in one
// mapping. The YAML parser behind the guard is recursive and in places takes quadratic time, so the
// guard refuses files far beyond what the format needs.
const (
	// MaxFile is the largest file, in bytes.
	MaxFile = 16 << 20

	maxIndicators = 4_000_000 // commas, colons, brackets, dashes and line ends: each may become a token
	maxDepth      = 24
	maxKeys       = 1_000 // in one mapping
	maxEmpty      = 20_000
)

// tooManyIndicators tells whether text has so much structure that its tokens may not fit in memory.
func tooManyIndicators(text []byte) bool {
	n := 0
	for _, b := range text {
		switch b {
		case ',', ':', '[', ']', '{', '}', '-', '?', '\n':
			n++
		}
	}
	return n > maxIndicators
}

// nestingLevel is one level of nesting at the current token.
type nestingLevel struct {
	open   token.Type // SequenceStart or MappingStart; SequenceEntry or MappingValue in block style
	column int        // of the entries of a block
	keys   int
	colon  bool // the entry of a flow mapping has its colon
	filled bool // the entry of a flow mapping has a key or a value
}

// guard refuses what the parser must not get: unbounded nesting and mappings, and the parts of YAML
// that this format does not use.
type guard struct {
	*fileErrors
	levels  []nestingLevel
	empty   int
	started bool
}

func (f *fileErrors) checkTokens(tokens token.Tokens) {
	g := guard{fileErrors: f}
	for i, tk := range tokens {
		if tk.Type == token.CommentType {
			continue
		}
		if !g.checkToken(tokens, i, tk) {
			return
		}
		if len(g.levels) > maxDepth {
			g.add(tokenPos(tk), "nested more than %d deep", maxDepth)
			return
		}
	}
}

func tokenPos(tk *token.Token) filePos {
	if tk == nil || tk.Position == nil {
		return filePos{}
	}
	return filePos{line: tk.Position.Line}
}

// checkToken checks one token; it returns false if there is no point in going on.
func (g *guard) checkToken(tokens token.Tokens, i int, tk *token.Token) bool {
	if top := g.top(); top != nil && tk.Type != token.CollectEntryType && tk.Type != token.MappingEndType {
		top.filled = true
	}
	switch tk.Type {
	case token.AnchorType, token.AliasType, token.MergeKeyType:
		g.add(tokenPos(tk), "anchors (&), aliases (*) and merge keys (<<) are not used here: write the values out")
		return false
	case token.TagType, token.DirectiveType:
		g.add(tokenPos(tk), "tags (!) and directives (%%) are not used here")
		return false
	case token.MappingKeyType:
		g.add(tokenPos(tk), "keys that begin with a question mark are not used here")
		return false
	case token.DocumentHeaderType:
		if g.started {
			g.add(tokenPos(tk), "one file is one document: it ends before this line")
			return false
		}
	case token.SequenceStartType, token.MappingStartType:
		g.levels = append(g.levels, nestingLevel{open: tk.Type})
	case token.SequenceEndType, token.MappingEndType:
		return g.close(tk)
	case token.CollectEntryType:
		return g.comma(tk)
	case token.SequenceEntryType:
		g.blockLevel(token.SequenceEntryType, tk.Position.Column)
		return g.countEmpty(tokens, i, tk.Position.Column)
	case token.MappingValueType:
		return g.colon(tokens, i, tk)
	case token.StringType:
		// If a comma is missing, the parser reads on to the next one.
		if g.flowLevel() != nil && strings.Contains(tk.Value, ": ") {
			g.add(tokenPos(tk), "a second colon before the next comma: put a comma between, or quotes around the text")
			return false
		}
	}
	g.started = true
	return true
}

func (g *guard) top() *nestingLevel {
	if len(g.levels) == 0 {
		return nil
	}
	return &g.levels[len(g.levels)-1]
}

func (g *guard) flowLevel() *nestingLevel {
	if t := g.top(); t != nil && (t.open == token.SequenceStartType || t.open == token.MappingStartType) {
		return t
	}
	return nil
}

// close ends a flow list or mapping.
func (g *guard) close(tk *token.Token) bool {
	t := g.flowLevel()
	if t == nil {
		return true // the parser reports the error
	}
	if t.open == token.MappingStartType && t.filled && !t.colon {
		g.add(tokenPos(tk), "a key without a value")
		return false
	}
	g.levels = g.levels[:len(g.levels)-1]
	return true
}

// comma begins the next entry of a flow list or mapping.
func (g *guard) comma(tk *token.Token) bool {
	t := g.flowLevel()
	if t == nil {
		return true
	}
	if t.open == token.MappingStartType && !t.colon {
		g.add(tokenPos(tk), "a key without a value")
		return false
	}
	t.colon, t.filled = false, false
	return true
}

// colon counts a key.
func (g *guard) colon(tokens token.Tokens, i int, tk *token.Token) bool {
	column := tk.Position.Column
	t := g.flowLevel()
	if t == nil {
		if i > 0 {
			column = tokens[i-1].Position.Column
		}
		t = g.blockLevel(token.MappingValueType, column)
	} else if t.colon {
		g.add(tokenPos(tk), "a second colon before the next comma: put a comma between, or quotes around the text")
		return false
	}
	t.colon = true
	if t.keys++; t.keys > maxKeys {
		g.add(tokenPos(tk), "more than %d keys in one mapping", maxKeys)
		return false
	}
	return g.countEmpty(tokens, i, column)
}

// blockLevel finds or opens the block list or mapping whose entries stand in column.
func (g *guard) blockLevel(open token.Type, column int) *nestingLevel {
	for t := g.top(); t != nil && g.flowLevel() == nil; t = g.top() {
		if t.open == open && t.column == column {
			return t
		}
		// A list may stand in the same column as its key.
		if t.column < column || t.column == column && open == token.SequenceEntryType {
			break
		}
		g.levels = g.levels[:len(g.levels)-1]
	}
	g.levels = append(g.levels, nestingLevel{open: open, column: column})
	return g.top()
}

// countEmpty counts entries and keys that have no value.
func (g *guard) countEmpty(tokens token.Tokens, i, column int) bool {
	g.started = true
	at := tokens[i]
	for i++; i < len(tokens) && tokens[i].Type == token.CommentType; i++ {
	}
	if i < len(tokens) {
		switch next := tokens[i]; {
		case next.Type == token.CollectEntryType, next.Type == token.MappingEndType, next.Type == token.SequenceEndType:
		case next.Position.Line > at.Position.Line && next.Position.Column <= column:
		default:
			return true
		}
	}
	if g.empty++; g.empty > maxEmpty {
		g.add(tokenPos(at), "more than %d keys or entries without a value: leave them out", maxEmpty)
		return false
	}
	return true
}
