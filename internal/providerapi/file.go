package providerapi

import (
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"tilth/internal/text"
)

// file is what a file says, with the place of everything. Nothing of it is
// checked beyond the type of each value.
type file struct {
	elements []fileElement
	products []fileProduct
	tenants  []fileTenant
}

type fileElement struct {
	at      place
	yeuSign field[string]
	unit    field[string]
	yeuURL  field[string]
	yeuName field[fileNames]
}

// fileNames are what people call a thing, by language.
type fileNames map[text.Language]field[string]

type fileProduct struct {
	at           place
	name         field[string]
	productName  field[fileNames]
	offlineAfter field[time.Duration]
	properties   field[[]fileProperty]
}

type fileProperty struct {
	at                                                             place
	identifier, functionName, elementUnit, elementData, accessMode field[string]
	dataType                                                       field[string]
	min, max                                                       field[float64]
	precision                                                      field[int]
	formula                                                        field[string]
	inputs                                                         field[[]field[string]]
	parameters                                                     field[map[string]field[float64]]
}

type fileTenant struct {
	at       place
	name     field[string]
	hosts    field[[]field[string]]
	timeZone field[string]
	language field[string]
	diy      fileBranding
	mails    field[int] // a day
	sms      field[int]
	users    []fileUser
	scenes   []field[string]
	devices  []fileDevice
}

type fileBranding struct{ title, content, logo, background, favicon field[string] }

type fileUser struct {
	at                                          place
	userName, password, nickname, email, mobile field[string]
	disabled                                    field[bool]
}

type fileDevice struct {
	at                                           place
	deviceName, serial, noteName, product, scene field[string]
	secret                                       field[string]
	secrets                                      field[[]field[string]]
	longitude, latitude, elevation               field[float64]
	gateway, disabled                            field[bool]
	elementData                                  field[map[string]field[string]]
}

// parse reads a file and adds what is wrong with it to f. What could be read
// is given all the same, so that everything wrong is found at once; nil where
// the text is no YAML at all.
func (f *faults) parse(raw []byte) *file {
	root := f.tree(raw)
	if len(f.found) > 0 {
		return nil
	}
	var out file
	if root == nil {
		return &out // an empty file: every list is optional
	}
	f.mapping(root, place{line: 1}, map[string]take{
		"elements": each(f, &out.elements, f.element),
		"products": each(f, &out.products, f.product),
		"tenants":  each(f, &out.tenants, f.tenant),
	})
	return &out
}

// tree makes the YAML tree of a file, nil for an empty one. The text has
// passed the guard before the parser sees it.
func (f *faults) tree(raw []byte) (root ast.Node) {
	switch {
	case len(raw) > MaxFile:
		f.add(place{}, "the file is larger than %d MiB: split it", MaxFile>>20)
		return nil
	case !utf8.Valid(raw):
		f.add(place{line: badLine(raw)}, "not UTF-8 text")
		return nil
	case tooManySigns(raw):
		f.add(place{}, "the file has too many parts: split it")
		return nil
	}
	// A fault of the YAML library must cost one answer, not the server.
	defer func() {
		if p := recover(); p != nil {
			f.add(place{}, "not readable as YAML (%v)", p)
			root = nil
		}
	}()
	source := strings.TrimPrefix(string(raw), "\ufeff") // the byte order mark that some editors write
	tokens := lexer.Tokenize(source)
	if f.guardTokens(tokens); len(f.found) > 0 {
		return nil
	}
	tree, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		f.syntax(err)
		return nil
	}
	for _, doc := range tree.Docs {
		n := value(doc.Body)
		if n != nil && root != nil {
			f.add(place{line: lineOf(n, 0)}, "one file is one document: it ends before this line")
			return nil
		}
		if n != nil {
			root = n
		}
	}
	return root
}

func (f *faults) syntax(err error) {
	var at interface {
		error
		GetToken() *token.Token
		GetMessage() string
	}
	if errors.As(err, &at) {
		f.add(line(at.GetToken()), "not readable as YAML: %s", at.GetMessage())
		return
	}
	f.add(place{}, "not readable as YAML")
}

// badLine is the line of the first bytes that are no UTF-8.
func badLine(raw []byte) int {
	n := 1
	for len(raw) > 0 {
		r, size := utf8.DecodeRune(raw)
		if r == utf8.RuneError && size == 1 {
			break
		}
		if r == '\n' {
			n++
		}
		raw = raw[size:]
	}
	return n
}

// each reads a list of items.
func each[T any](f *faults, into *[]T, read func(ast.Node, place) T) take {
	return func(n ast.Node, at place) {
		f.list(n, at, func(n ast.Node, at place) { *into = append(*into, read(n, at)) })
	}
}

// listed reads a list of items that tells "not given" from "empty".
func listed[T any](f *faults, into *field[[]T], read func(ast.Node, place) T) take {
	return func(n ast.Node, at place) {
		into.at = at
		_, into.set = n.(*ast.SequenceNode)
		each(f, &into.v, read)(n, at)
	}
}

func (f *faults) word(n ast.Node, at place) (w field[string]) {
	f.trimmed(&w)(n, at)
	return w
}

func (f *faults) element(n ast.Node, at place) fileElement {
	e := fileElement{at: at}
	f.mapping(n, at, map[string]take{
		"yeuSign": f.trimmed(&e.yeuSign), "unit": f.trimmed(&e.unit), "yeuUrl": f.trimmed(&e.yeuURL),
		"yeuName": f.names(&e.yeuName),
	})
	return e
}

// names reads what people call a thing in each language.
func (f *faults) names(into *field[fileNames]) take {
	return func(n ast.Node, at place) {
		*into = field[fileNames]{v: fileNames{}, set: true, at: at}
		known := map[string]take{}
		for _, l := range text.Languages {
			known[string(l)] = func(n ast.Node, at place) { into.v[l] = f.word(n, at) }
		}
		f.mapping(n, at, known)
	}
}

func (f *faults) product(n ast.Node, at place) fileProduct {
	p := fileProduct{at: at}
	f.mapping(n, at, map[string]take{
		"name": f.trimmed(&p.name), "productName": f.names(&p.productName), "offlineAfter": f.duration(&p.offlineAfter),
		"properties": listed(f, &p.properties, f.property),
	})
	return p
}

func (f *faults) property(n ast.Node, at place) fileProperty {
	p := fileProperty{at: at}
	f.mapping(n, at, map[string]take{
		"identifier": f.trimmed(&p.identifier), "functionName": f.trimmed(&p.functionName),
		"elementUnit": f.trimmed(&p.elementUnit), "elementData": f.trimmed(&p.elementData),
		"dataType": f.trimmed(&p.dataType), "accessMode": f.trimmed(&p.accessMode),
		"min": f.number(&p.min), "max": f.number(&p.max), "precision": f.whole(&p.precision),
		"formula": f.trimmed(&p.formula), "inputs": listed(f, &p.inputs, f.word),
		"parameters": func(n ast.Node, at place) {
			p.parameters = field[map[string]field[float64]]{v: map[string]field[float64]{}, set: true, at: at}
			f.entries(n, at, func(key string, n ast.Node, at place) {
				if n = value(n); n != nil {
					at.line = lineOf(n, at.line)
					var v field[float64]
					f.number(&v)(n, at)
					p.parameters.v[key] = v
				}
			})
		},
	})
	return p
}

func (f *faults) tenant(n ast.Node, at place) fileTenant {
	t := fileTenant{at: at}
	f.mapping(n, at, map[string]take{
		"name": f.trimmed(&t.name), "hosts": listed(f, &t.hosts, f.word),
		"timeZone": f.trimmed(&t.timeZone), "language": f.trimmed(&t.language),
		"diy": func(n ast.Node, at place) {
			f.mapping(n, at, map[string]take{
				"title": f.trimmed(&t.diy.title), "content": f.trimmed(&t.diy.content), "logo": f.trimmed(&t.diy.logo),
				"background": f.trimmed(&t.diy.background), "favicon": f.trimmed(&t.diy.favicon),
			})
		},
		"mailsADay": f.whole(&t.mails), "smsADay": f.whole(&t.sms),
		"users": each(f, &t.users, f.user), "scenes": each(f, &t.scenes, f.word), "devices": each(f, &t.devices, f.device),
	})
	return t
}

func (f *faults) user(n ast.Node, at place) fileUser {
	u := fileUser{at: at}
	f.mapping(n, at, map[string]take{
		"userName": f.trimmed(&u.userName), "password": f.text(&u.password), "nickname": f.trimmed(&u.nickname),
		"email": f.trimmed(&u.email), "mobile": f.trimmed(&u.mobile), "disabled": f.yesNo(&u.disabled),
	})
	return u
}

func (f *faults) device(n ast.Node, at place) fileDevice {
	d := fileDevice{at: at}
	f.mapping(n, at, map[string]take{
		"deviceName": f.trimmed(&d.deviceName), "serial": f.trimmed(&d.serial), "noteName": f.trimmed(&d.noteName),
		"product": f.trimmed(&d.product), "scene": f.trimmed(&d.scene), "secret": f.text(&d.secret),
		"secrets":   listed(f, &d.secrets, func(n ast.Node, at place) (s field[string]) { f.text(&s)(n, at); return s }),
		"longitude": f.number(&d.longitude), "latitude": f.number(&d.latitude), "elevation": f.number(&d.elevation),
		"gateway": f.yesNo(&d.gateway), "disabled": f.yesNo(&d.disabled),
		"elementData": func(n ast.Node, at place) {
			d.elementData = field[map[string]field[string]]{v: map[string]field[string]{}, set: true, at: at}
			f.entries(n, at, func(key string, n ast.Node, at place) {
				if n = value(n); n != nil {
					at.line = lineOf(n, at.line)
					d.elementData.v[key] = f.word(n, at)
				}
			})
		},
	})
	return d
}
