// Package text is the server's part of the four languages: which one a caller reads, the sentences,
// and the folding for searches.
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

// Valid reports whether l is one of the four.
func (l Language) Valid() bool {
	_, ok := sentences[l]
	return ok
}

// Negotiate picks the language of an Accept-Language header: the first of its languages that is one
// of the four, by its primary tag; English if none is.
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
			// The files are part of the program; every test fails with a broken one.
			panic(fmt.Sprintf("sentences of %s: %v", l, err))
		}
	}
	return all
}

// Translate returns the sentence of key in l with its {variables} filled in. A value that ends with
// a full stop, such as an abbreviation, replaces the sentence's own full stop. For a missing key it
// returns the key; the tests check that none is missing.
func Translate(l Language, key string, args map[string]string) string {
	m, ok := sentences[l]
	if !ok {
		m = sentences[English]
	}
	s, ok := m[key]
	if !ok {
		return key
	}
	// In one pass, so that variables in a value are not replaced.
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

// HasKey reports whether there is a sentence for key.
func HasKey(key string) bool {
	_, ok := sentences[English][key]
	return ok
}
