// Package text is the server's part of the console's languages: which one a caller reads, the
// sentences, how numbers and times are written, and the folding for searches. languages.go describes
// the languages; nothing else here knows which there are.
package text

import (
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"sync/atomic"
)

// Language is one of the languages of the console, by its tag.
type Language string

// Languages lists the languages of the console, the default first.
var Languages = shippedTags()

func shippedTags() []Language {
	tags := make([]Language, len(shipped))
	for i, d := range shipped {
		tags[i] = d.tag
	}
	return tags
}

// Valid reports whether l is one of the languages.
func (l Language) Valid() bool {
	_, ok := known()[l]
	return ok
}

// NamesOptional reports whether a provider's file may leave out the names of things in l.
func (l Language) NamesOptional() bool { return descriptorOf(l).namesOptional }

// MailFonts returns the fonts of mails in l as a CSS value; empty if any font will do.
func (l Language) MailFonts() string { return descriptorOf(l).mailFonts }

// InLanguage picks a thing's name in l; in English if there is none, else empty.
func InLanguage(names map[Language]string, l Language) string {
	if name := names[l]; name != "" {
		return name
	}
	return names[English]
}

// Negotiate picks the language of an Accept-Language header: the first of its languages that is one
// of the console's, by its primary tag; English if none is.
func Negotiate(header string) Language {
	for part := range strings.SplitSeq(header, ",") {
		tag, _, _ := strings.Cut(strings.TrimSpace(part), ";")
		primary := primaryTag(strings.ToLower(tag))
		for _, l := range Languages {
			if primary == primaryTag(string(l)) {
				return l
			}
		}
		if l := Language(strings.ToLower(tag)); l.Valid() {
			return l // registered by a test
		}
	}
	return English
}

func primaryTag(tag string) string {
	primary, _, _ := strings.Cut(tag, "-")
	return primary
}

//go:embed locales/*.json
var locales embed.FS

var descriptors = loadShipped()

// known returns the descriptors by language.
func known() map[Language]*descriptor { return *descriptors.Load() }

// descriptorOf returns a language's descriptor; that of English for an unknown one.
func descriptorOf(l Language) *descriptor {
	all := known()
	if d, ok := all[l]; ok {
		return d
	}
	return all[English]
}

func loadShipped() *atomic.Pointer[map[Language]*descriptor] {
	all := make(map[Language]*descriptor, len(shipped))
	for _, d := range shipped {
		raw, err := locales.ReadFile("locales/" + string(d.tag) + ".json")
		if err == nil {
			err = json.Unmarshal(raw, &d.sentences)
		}
		if err != nil {
			// The files are part of the program; every test fails with a broken one.
			panic(fmt.Sprintf("sentences of %s: %v", d.tag, err))
		}
		all[d.tag] = d
	}
	var p atomic.Pointer[map[Language]*descriptor]
	p.Store(&all)
	return &p
}

// RegisterForTest adds a language that writes days in digits and otherwise has the formats of
// English, and its sentences as rewrite returns them. The language is valid but not one of
// Languages. No server calls this: the architecture test lets only testkit do so.
func RegisterForTest(l Language, rewrite func(sentence string) string) {
	d := *known()[English]
	d.tag, d.smsPlain, d.namesOptional, d.sentences = l, false, true, make(map[string]string, len(d.sentences))
	d.dateTime, d.shortDateTime = "2006-01-02 15:04", "01-02 15:04"
	d.date, d.shortDate, d.axisDate = "2006-01-02", "01-02", "01-02"
	for key, sentence := range known()[English].sentences {
		d.sentences[key] = rewrite(sentence)
	}
	all := maps.Clone(known())
	all[l] = &d
	descriptors.Store(&all)
}

// Translate returns the sentence of key in l with its {variables} filled in. A value that ends with
// a full stop, such as an abbreviation, replaces the sentence's own full stop. For a missing key it
// returns the key; the tests check that none is missing.
func Translate(l Language, key string, args map[string]string) string {
	s, ok := descriptorOf(l).sentences[key]
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
	_, ok := descriptorOf(English).sentences[key]
	return ok
}
