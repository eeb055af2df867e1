package provider

import (
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"tilth/internal/domain/device"
	"tilth/internal/platform/text"
)

// file holds the contents of a file with their positions. Only the type of each value has been
// checked.
type file struct {
	elements []fileElement
	products []fileProduct
	tenants  []fileTenant
	shelf    []fileShelfItem
}

type fileElement struct {
	at        filePos
	yeuSign   field[string]
	unit      field[string]
	yeuURL    field[string]
	yeuName   field[fileNames]
	leastSpan field[float64]
}

// fileNames holds the display names of a thing, by language.
type fileNames map[text.Language]field[string]

type fileProduct struct {
	at           filePos
	name         field[string]
	productName  field[fileNames]
	offlineAfter field[time.Duration]
	mainSign     field[string]
	batteryLimit field[float64]
	properties   field[[]fileProperty]
}

type fileProperty struct {
	at                                                             filePos
	identifier, functionName, elementUnit, elementData, accessMode field[string]
	dataType                                                       field[string]
	min, max, clamp, maxRise                                       field[float64]
	precision                                                      field[int]
	formula, upload                                                field[string]
	inputs                                                         field[[]field[string]]
	parameters                                                     field[map[string]field[float64]]
}

type fileTenant struct {
	at       filePos
	name     field[string]
	hosts    field[[]field[string]]
	timeZone field[string]
	language field[string]
	people   field[string] // who changes its users: peopleByTenant or peopleByProvider
	self     fileSelfService
	diy      fileBranding
	mails    field[int] // sent in a day
	sms      field[int]
	oidc     fileOIDC
	users    []fileUser
	scenes   []field[string]
	devices  []fileDevice
}

type fileBranding struct{ title, content, logo, background, favicon field[string] }

type fileUser struct {
	at                                          filePos
	userName, password, nickname, email, mobile field[string]
	role                                        field[string]
	disabled                                    field[bool]
}

type fileDevice struct {
	at                         filePos
	deviceName, product, scene field[string]
	secret                     field[string]
	secrets                    field[[]field[string]]
	elementData                field[map[string]field[string]]
	plain                      map[string]*field[any] // its plain fields, by name; all of device.Fields
}

// parse reads a file and adds its errors to f. It returns everything that it could read, so that
// the caller finds all errors at once; nil if the text is not YAML.
func (f *fileErrors) parse(raw []byte) *file {
	root := f.parseTree(raw)
	if len(f.lines) > 0 {
		return nil
	}
	var out file
	if root == nil {
		return &out // an empty file: every list is optional
	}
	f.mapping(root, filePos{line: 1}, map[string]nodeReader{
		"elements": listReader(f, &out.elements, f.element),
		"products": listReader(f, &out.products, f.product),
		"tenants":  listReader(f, &out.tenants, f.tenant),
		"shelf":    listReader(f, &out.shelf, f.shelfItem),
	})
	return &out
}

// parseTree returns the YAML tree of a file, nil for an empty one. The guard checks the text before
// the parser sees it.
func (f *fileErrors) parseTree(raw []byte) (root ast.Node) {
	switch {
	case len(raw) > MaxFile:
		f.add(filePos{}, "the file is larger than %d MiB: split it", MaxFile>>20)
		return nil
	case !utf8.Valid(raw):
		f.add(filePos{line: invalidUTF8Line(raw)}, "not UTF-8 text")
		return nil
	case tooManyIndicators(raw):
		f.add(filePos{}, "the file has too many parts: split it")
		return nil
	}
	// A bug of the YAML library may fail one call, but not the server.
	defer func() {
		if p := recover(); p != nil {
			f.add(filePos{}, "not readable as YAML (%v)", p)
			root = nil
		}
	}()
	source := strings.TrimPrefix(string(raw), "\ufeff") // the byte order mark that some editors write
	tokens := lexer.Tokenize(source)
	if f.checkTokens(tokens); len(f.lines) > 0 {
		return nil
	}
	tree, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		f.syntax(err)
		return nil
	}
	for _, doc := range tree.Docs {
		n := unwrap(doc.Body)
		if n != nil && root != nil {
			f.add(filePos{line: lineOf(n, 0)}, "one file is one document: it ends before this line")
			return nil
		}
		if n != nil {
			root = n
		}
	}
	return root
}

func (f *fileErrors) syntax(err error) {
	var at interface {
		error
		GetToken() *token.Token
		GetMessage() string
	}
	if errors.As(err, &at) {
		f.add(tokenPos(at.GetToken()), "not readable as YAML: %s", at.GetMessage())
		return
	}
	f.add(filePos{}, "not readable as YAML")
}

// invalidUTF8Line returns the line of the first invalid UTF-8.
func invalidUTF8Line(raw []byte) int {
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

// listReader reads a list of items.
func listReader[T any](f *fileErrors, into *[]T, read func(ast.Node, filePos) T) nodeReader {
	return func(n ast.Node, at filePos) {
		f.list(n, at, func(n ast.Node, at filePos) { *into = append(*into, read(n, at)) })
	}
}

// optionalListReader reads a list of items; it distinguishes a missing list from an empty one.
func optionalListReader[T any](f *fileErrors, into *field[[]T], read func(ast.Node, filePos) T) nodeReader {
	return func(n ast.Node, at filePos) {
		into.at = at
		_, into.valid = n.(*ast.SequenceNode)
		listReader(f, &into.value, read)(n, at)
	}
}

func (f *fileErrors) readText(n ast.Node, at filePos) (w field[string]) {
	f.trimmed(&w)(n, at)
	return w
}

func (f *fileErrors) element(n ast.Node, at filePos) fileElement {
	e := fileElement{at: at}
	f.mapping(n, at, map[string]nodeReader{
		"yeuSign": f.trimmed(&e.yeuSign), "unit": f.trimmed(&e.unit), "yeuUrl": f.trimmed(&e.yeuURL),
		"yeuName": f.names(&e.yeuName), "leastSpan": f.number(&e.leastSpan),
	})
	return e
}

// names reads the display names of a thing in each language.
func (f *fileErrors) names(into *field[fileNames]) nodeReader {
	return func(n ast.Node, at filePos) {
		*into = field[fileNames]{value: fileNames{}, valid: true, at: at}
		known := map[string]nodeReader{}
		for _, l := range text.Languages {
			known[string(l)] = func(n ast.Node, at filePos) { into.value[l] = f.readText(n, at) }
		}
		f.mapping(n, at, known)
	}
}

func (f *fileErrors) product(n ast.Node, at filePos) fileProduct {
	p := fileProduct{at: at}
	f.mapping(n, at, map[string]nodeReader{
		"name": f.trimmed(&p.name), "productName": f.names(&p.productName), "offlineAfter": f.duration(&p.offlineAfter),
		"mainSign": f.trimmed(&p.mainSign), "batteryLimit": f.number(&p.batteryLimit),
		"properties": optionalListReader(f, &p.properties, f.property),
	})
	return p
}

func (f *fileErrors) property(n ast.Node, at filePos) fileProperty {
	p := fileProperty{at: at}
	f.mapping(n, at, map[string]nodeReader{
		"identifier": f.trimmed(&p.identifier), "functionName": f.trimmed(&p.functionName),
		"elementUnit": f.trimmed(&p.elementUnit), "elementData": f.trimmed(&p.elementData),
		"dataType": f.trimmed(&p.dataType), "accessMode": f.trimmed(&p.accessMode),
		"min": f.number(&p.min), "max": f.number(&p.max), "precision": f.integer(&p.precision),
		"clamp": f.number(&p.clamp), "upload": f.trimmed(&p.upload),
		"maxRise": f.number(&p.maxRise),
		"formula": f.trimmed(&p.formula), "inputs": optionalListReader(f, &p.inputs, f.readText),
		"parameters": func(n ast.Node, at filePos) {
			p.parameters = field[map[string]field[float64]]{value: map[string]field[float64]{}, valid: true, at: at}
			f.entries(n, at, func(key string, n ast.Node, at filePos) {
				if n = unwrap(n); n != nil {
					at.line = lineOf(n, at.line)
					var v field[float64]
					f.number(&v)(n, at)
					p.parameters.value[key] = v
				}
			})
		},
	})
	return p
}

func (f *fileErrors) tenant(n ast.Node, at filePos) fileTenant {
	t := fileTenant{at: at}
	f.mapping(n, at, map[string]nodeReader{
		"name":     f.trimmed(&t.name),
		"hosts":    optionalListReader(f, &t.hosts, f.readText),
		"timeZone": f.trimmed(&t.timeZone),
		"language": f.trimmed(&t.language),
		"people":   f.text(&t.people),
		"selfService": func(n ast.Node, at filePos) {
			t.self = fileSelfService{given: true, at: at}
			f.mapping(n, at, map[string]nodeReader{
				"devices": f.integer(&t.self.devices), "claims": f.boolean(&t.self.claims),
				"products": optionalListReader(f, &t.self.products, f.readText),
			})
		},
		"diy": func(n ast.Node, at filePos) {
			f.mapping(n, at, map[string]nodeReader{
				"title": f.trimmed(&t.diy.title), "content": f.trimmed(&t.diy.content), "logo": f.trimmed(&t.diy.logo),
				"background": f.trimmed(&t.diy.background), "favicon": f.trimmed(&t.diy.favicon),
			})
		},
		"mailsADay": f.integer(&t.mails),
		"smsADay":   f.integer(&t.sms),
		"oidc":      f.oidc(&t.oidc),
		"users":     listReader(f, &t.users, f.user),
		"scenes":    listReader(f, &t.scenes, f.readText),
		"devices":   listReader(f, &t.devices, f.device),
	})
	return t
}

func (f *fileErrors) user(n ast.Node, at filePos) fileUser {
	u := fileUser{at: at}
	f.mapping(n, at, map[string]nodeReader{
		"userName": f.trimmed(&u.userName), "password": f.text(&u.password), "nickname": f.trimmed(&u.nickname),
		"email": f.trimmed(&u.email), "mobile": f.trimmed(&u.mobile), "role": f.text(&u.role),
		"disabled": f.boolean(&u.disabled),
	})
	return u
}

func (f *fileErrors) device(n ast.Node, at filePos) fileDevice {
	d := fileDevice{at: at, plain: map[string]*field[any]{}}
	readers := map[string]nodeReader{
		"deviceName": f.trimmed(&d.deviceName),
		"product":    f.trimmed(&d.product),
		"scene":      f.trimmed(&d.scene),
		"secret":     f.text(&d.secret),
		"secrets": optionalListReader(
			f,
			&d.secrets,
			func(n ast.Node, at filePos) (s field[string]) { f.text(&s)(n, at); return s },
		),
		"elementData": func(n ast.Node, at filePos) {
			d.elementData = field[map[string]field[string]]{value: map[string]field[string]{}, valid: true, at: at}
			f.entries(n, at, func(key string, n ast.Node, at filePos) {
				if n = unwrap(n); n != nil {
					at.line = lineOf(n, at.line)
					d.elementData.value[key] = f.readText(n, at)
				}
			})
		},
	}
	for _, plain := range device.Fields {
		into := &field[any]{}
		d.plain[plain.Name] = into
		switch plain.ValueIn(&device.Device{}).(type) {
		case string:
			readers[plain.Name] = reader(f.trimmed, into)
		case bool:
			readers[plain.Name] = reader(f.boolean, into)
		default:
			readers[plain.Name] = reader(f.number, into)
		}
	}
	f.mapping(n, at, readers)
	return d
}

// reader reads a value whose type only read knows.
func reader[T any](read func(into *field[T]) nodeReader, into *field[any]) nodeReader {
	return func(n ast.Node, at filePos) {
		var typed field[T]
		read(&typed)(n, at)
		*into = field[any]{value: typed.value, valid: typed.valid, at: typed.at}
	}
}
