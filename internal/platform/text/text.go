// Package text is the server's side of the four languages: which one a caller
// reads, the sentences, and the folding that searches use.
package text

import (
	"embed"
	"encoding/json"
	"fmt"
	"strings"
)

// Language is one of the four languages of the console.
type Language string

// The languages. English is the default.
const (
	English Language = "en-us"
	Chinese Language = "zh-cn"
	Turkish Language = "tr-tr"
	Russian Language = "ru-ru"
)

// Languages lists all four, the default first.
var Languages = []Language{English, Chinese, Turkish, Russian}

// Valid tells whether l is one of the four.
func (l Language) Valid() bool {
	_, ok := sentences[l]
	return ok
}

// Negotiate picks the language of an Accept-Language header: the first of its
// languages that is spoken here, by its primary tag; English where none is.
func Negotiate(header string) Language {
	for part := range strings.SplitSeq(header, ",") {
		tag, _, _ := strings.Cut(strings.TrimSpace(part), ";")
		primary, _, _ := strings.Cut(strings.ToLower(tag), "-")
		for _, l := range Languages {
			if primary == string(l[:2]) {
				return l
			}
		}
	}
	return English
}

//go:embed locales/*.json
var locales embed.FS

var sentences = load()

func load() map[Language]map[string]string {
	all := map[Language]map[string]string{}
	for _, l := range Languages {
		raw, err := locales.ReadFile("locales/" + string(l) + ".json")
		if err == nil {
			m := map[string]string{}
			err = json.Unmarshal(raw, &m)
			all[l] = m
		}
		if err != nil {
			// The files are part of the program; a broken one is caught by every test.
			panic(fmt.Sprintf("sentences of %s: %v", l, err))
		}
	}
	return all
}

// Translate is the sentence of key in l with its {variables} filled in. A value that
// ends with a stop, like an abbreviation, takes the place of the sentence's own.
// A key that does not exist is answered as it stands; the tests see to it that
// none is missing.
func Translate(l Language, key string, args map[string]string) string {
	m, ok := sentences[l]
	if !ok {
		m = sentences[English]
	}
	s, ok := m[key]
	if !ok {
		return key
	}
	// In one pass: a value is never looked through for other variables.
	pairs := make([]string, 0, 2*len(args))
	for name, value := range args {
		variable := "{" + name + "}"
		for _, stop := range []string{".", "。"} {
			if strings.HasSuffix(value, stop) {
				pairs = append(pairs, variable+stop, value)
			}
		}
		pairs = append(pairs, variable, value)
	}
	return strings.NewReplacer(pairs...).Replace(s)
}

// HasKey tells whether there is a sentence for key.
func HasKey(key string) bool {
	_, ok := sentences[English][key]
	return ok
}
