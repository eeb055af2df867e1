package openapi

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the page's frame and its style
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"tilth/internal/platform/text"
)

var (
	//go:embed reference.html
	referenceHTML string
	//go:embed reference.css
	referenceCSS string
)

// reference is the page that explains the API: one file without scripts, made once at the start.
type reference struct {
	html   []byte
	policy string // the content security policy: it allows nothing but the page's own style
}

func newReference(doc *openapi3.T) (*reference, error) {
	frame, err := template.New("reference").Parse(referenceHTML)
	if err != nil {
		return nil, err
	}
	data, err := buildContents(doc)
	if err != nil {
		return nil, err
	}
	var page bytes.Buffer
	if err := frame.Execute(&page, data); err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(referenceCSS))
	return &reference{
		html: page.Bytes(),
		policy: "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
			"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	}, nil
}

// The parts of the page, as its template takes them.
type (
	chapter struct {
		ID, Title string
		Calls     []call
	}
	call struct {
		ID, Method, Path, Summary string
		Text                      template.HTML
		Parameters                []parameter
		Body                      string // the object in the request's body; empty: none
		Command                   string // the call as a curl command
		Answers                   []example
	}
	parameter struct {
		Name, In, Type, Limits, Example string
		Required                        bool
		Text                            template.HTML
	}
	example struct{ Type, Body string }
	object  struct {
		ID, Name string
		Fields   []parameter
	}
	contents struct {
		Title    string
		CSS      template.CSS
		Base     string
		Text     template.HTML
		Chapters []chapter
		Objects  []object
		Problem  string
	}
)

func buildContents(doc *openapi3.T) (*contents, error) {
	c := &contents{
		Title: doc.Info.Title,
		CSS:   template.CSS(referenceCSS),
		Base:  basePath,
		Text:  prose(doc.Info.Description),
	} //nolint:gosec // our own file
	for _, tag := range doc.Tags {
		group := chapter{ID: "tag-" + tag.Name, Title: tag.Description}
		for _, path := range slices.Sorted(keys(doc.Paths.Map())) {
			operations := doc.Paths.Value(path).Operations()
			for _, method := range slices.Sorted(keys(operations)) {
				op := operations[method]
				if !slices.Contains(op.Tags, tag.Name) {
					continue
				}
				made, err := newCall(method, path, op)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", op.OperationID, err)
				}
				group.Calls = append(group.Calls, made)
			}
		}
		c.Chapters = append(c.Chapters, group)
	}
	for _, name := range slices.Sorted(keys(doc.Components.Schemas)) {
		if fields := fields(doc.Components.Schemas[name].Value); len(fields) > 0 {
			c.Objects = append(c.Objects, object{ID: "schema-" + name, Name: name, Fields: fields})
		}
	}
	problem, err := formatExample(doc.Components.Responses["Problem"].Value.Content["application/problem+json"].Example)
	c.Problem = problem
	return c, err
}

func newCall(method, path string, op *openapi3.Operation) (call, error) {
	c := call{ID: op.OperationID, Method: method, Path: path, Summary: op.Summary, Text: prose(op.Description)}
	address, query := path, []string{}
	for _, p := range op.Parameters {
		c.Parameters = append(c.Parameters, newParameter(p.Value))
		switch shown := exampleOf(p.Value); {
		case p.Value.In == openapi3.ParameterInPath:
			address = strings.ReplaceAll(address, "{"+p.Value.Name+"}", url.PathEscape(shown))
		case p.Value.Required, shown != "" && p.Value.Name != "search" && len(query) < 2:
			query = append(query, "--data-urlencode '"+p.Value.Name+"="+shown+"'")
		}
	}
	c.Command = "curl --fail --user \"$APP_KEY:$APP_SECRET\" \"$TILTH" + basePath + address + `"`
	if method != http.MethodGet {
		c.Command += " \\\n  --request " + method
	}
	if op.RequestBody != nil {
		content := op.RequestBody.Value.Content["application/json"]
		body, err := json.Marshal(content.Example)
		if err != nil {
			return c, err
		}
		c.Command += " \\\n  --json '" + string(body) + "'"
		c.Body = content.Schema.Ref[strings.LastIndexByte(content.Schema.Ref, '/')+1:]
	}
	if len(query) > 0 {
		c.Command += " \\\n  --get " + strings.Join(query, " \\\n  ")
	}
	content := op.Responses.Status(200).Value.Content
	for _, mime := range slices.Sorted(keys(content)) {
		body, err := formatExample(content[mime].Example)
		if err != nil {
			return c, err
		}
		c.Answers = append(c.Answers, example{Type: mime, Body: body})
	}
	return c, nil
}

func newParameter(p *openapi3.Parameter) parameter {
	return parameter{
		Name: p.Name, In: p.In, Type: typeName(p.Schema), Limits: limitsText(p.Schema.Value), Required: p.Required,
		Example: exampleOf(p), Text: prose(p.Description),
	}
}

// exampleOf returns a parameter's example as it stands in a URL.
func exampleOf(p *openapi3.Parameter) string {
	switch v := p.Example.(type) {
	case nil:
		return ""
	case []any:
		return strings.ReplaceAll(joinValues(v), ", ", ",")
	default:
		return fmt.Sprint(v)
	}
}

// fields returns an object's fields, those of its allOf parts included.
func fields(s *openapi3.Schema) (list []parameter) {
	for _, part := range s.AllOf {
		list = append(list, fields(part.Value)...)
	}
	for _, name := range slices.Sorted(keys(s.Properties)) {
		p := s.Properties[name]
		list = append(list, parameter{
			Name:     name,
			Type:     typeName(p),
			Limits:   limitsText(p.Value),
			Required: slices.Contains(s.Required, name),
			Text:     prose(p.Value.Description),
		})
	}
	return list
}

// typeName returns the type of a value: the name of its schema, or its JSON type.
func typeName(s *openapi3.SchemaRef) string {
	if name := s.Ref[strings.LastIndexByte(s.Ref, '/')+1:]; name != "" {
		return name
	}
	switch {
	case s.Value.Type.Is("array"):
		return "list of " + typeName(s.Value.Items)
	case s.Value.AdditionalProperties.Schema != nil:
		return "map of " + typeName(s.Value.AdditionalProperties.Schema)
	case s.Value.Format == "date-time":
		return "time"
	case s.Value.Type == nil:
		return "any"
	}
	return strings.Join(s.Value.Type.Slice(), ", ")
}

// limitsText says within which bounds a value must be.
func limitsText(s *openapi3.Schema) string {
	var all []string
	add := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	if len(s.Enum) > 0 {
		add("one of %s", joinValues(s.Enum))
	}
	switch {
	case s.Min != nil && s.Max != nil:
		add("%s to %s", formatNumber(*s.Min), formatNumber(*s.Max))
	case s.Min != nil:
		add("%s or more", formatNumber(*s.Min))
	}
	if s.MaxLength != nil {
		add("up to %s characters", formatNumber(float64(*s.MaxLength)))
	}
	if s.MaxItems != nil {
		add("up to %s", formatNumber(float64(*s.MaxItems)))
	}
	switch usual := s.Default.(type) {
	case nil:
	case float64:
		add("default %s", formatNumber(usual))
	default:
		add("default %v", usual)
	}
	return strings.Join(all, "; ")
}

// formatNumber formats a number for the page, which is in English.
func formatNumber(f float64) string { return text.Number(text.English, f, nil) }

// formatExample formats an example: text as it stands, everything else as JSON.
func formatExample(example any) (string, error) {
	if text, ok := example.(string); ok {
		return strings.TrimSpace(text), nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(example)
	return strings.TrimSpace(b.String()), err
}

var (
	codeSpan = regexp.MustCompile("`([^`]+)`")
	boldSpan = regexp.MustCompile(`\*\*([^*]+)\*\*`)
)

// prose turns a description into HTML paragraphs. Of Markdown it supports what the contract uses:
// `code` and **bold**.
func prose(description string) template.HTML {
	var b strings.Builder
	for paragraph := range strings.SplitSeq(strings.TrimSpace(description), "\n\n") {
		shown := template.HTMLEscapeString(strings.TrimSpace(paragraph))
		if shown == "" {
			continue
		}
		shown = codeSpan.ReplaceAllString(shown, "<code>$1</code>")
		shown = boldSpan.ReplaceAllString(shown, "<strong>$1</strong>")
		b.WriteString("<p>" + shown + "</p>")
	}
	return template.HTML(b.String()) //nolint:gosec // escaped above
}

// joinValues joins the values of an enumeration, or of a list, into one line.
func joinValues(enum []any) string {
	words := make([]string, len(enum))
	for i, word := range enum {
		words[i] = fmt.Sprint(word)
	}
	return strings.Join(words, ", ")
}
