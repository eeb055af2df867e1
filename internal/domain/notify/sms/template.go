package sms

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// template is a text with placeholders, and the function that escapes their values.
type template struct {
	text   string
	escape func(string) string
}

var (
	placeholders = []string{"{to}", "{digits}", "{text}", "{token}"}
	placeholder  = regexp.MustCompile(`\{\w+\}`)
)

func parseTemplate(text string, escape func(string) string) (template, error) {
	for _, name := range placeholder.FindAllString(text, -1) {
		if !slices.Contains(placeholders, name) {
			return template{}, fmt.Errorf("%s is not one of %s", name, strings.Join(placeholders, ", "))
		}
	}
	return template{text, escape}, nil
}

// fill replaces the placeholders in one pass, so that a placeholder within a value is not replaced.
func (t template) fill(values map[string]string) string {
	if t.escape == nil {
		return t.text
	}
	pairs := make([]string, 0, 2*len(values))
	for name, value := range values {
		pairs = append(pairs, name, t.escape(value))
	}
	return strings.NewReplacer(pairs...).Replace(t.text)
}

// checkJSON checks that the text is JSON for all values, which requires quotation marks around each
// placeholder.
func (t template) checkJSON() error {
	hostile := "\"\\\n},{\u2028"
	values := map[string]string{}
	for _, name := range placeholders {
		values[name] = hostile
	}
	if !json.Valid([]byte(t.fill(values))) {
		return errors.New("it is not JSON with each placeholder between quotation marks")
	}
	return nil
}

// escapeFor gives the function that escapes values in a body of a media type; the empty type means
// no body.
func escapeFor(kind string) (func(string) string, error) {
	switch {
	case kind == "application/json", strings.HasSuffix(kind, "+json"):
		return inJSON, nil
	case kind == "application/x-www-form-urlencoded":
		return url.QueryEscape, nil
	case kind == "application/xml", kind == "text/xml", strings.HasSuffix(kind, "+xml"):
		return inXML, nil
	case kind == "text/plain", kind == "":
		return func(s string) string { return s }, nil
	}
	return nil, fmt.Errorf("%s is not supported; JSON, forms, XML and plain text are", kind)
}

func inJSON(s string) string {
	quoted, err := json.Marshal(s)
	if err != nil {
		return "" // a string always marshals
	}
	return string(quoted[1 : len(quoted)-1])
}

func inXML(s string) string {
	var b strings.Builder
	if err := xml.EscapeText(&b, []byte(s)); err != nil {
		return "" // a strings.Builder takes everything
	}
	return b.String()
}

// oneLine replaces control characters, so that a value cannot begin another header.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
}
