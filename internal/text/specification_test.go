package text

import (
	"encoding/json"
	"os"
	"slices"
	"testing"
)

// notYet are the texts of domains that are not built yet. A key is taken out
// here when its sentence comes; the test tells.
var notYet = []string{
	"channel.modeRequired", "channel.emailEmpty", "channel.emailFormat", "channel.phoneEmpty", "channel.phoneFormat",
}

// What the specification words, the server words alike. The table is the
// console's, which checks its own texts against it; where a row names no key
// of the server, the server has nothing to say of it, or under the same name
// says something else, as of a refused sign-in.
func TestTextsOfTheSpecification(t *testing.T) {
	raw, err := os.ReadFile("../../web/src/locales/specification.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]any
	if err := json.Unmarshal(raw, &rows); err != nil {
		t.Fatal(err)
	}
	listed := 0
	for _, row := range rows {
		key, said := row["server"].(string)
		if !said {
			continue
		}
		absent := slices.Contains(notYet, key)
		if absent {
			listed++
		}
		for _, l := range Languages {
			got, there := sentences[l][key]
			switch {
			case absent && there:
				t.Errorf("%s: %s is there: take it out of notYet", l, key)
			case !absent && !there:
				t.Errorf("%s: %s is missing", l, key)
			}
			if want := row[string(l)]; there && got != want {
				t.Errorf("%s: %s is %q, want %q", l, key, got, want)
			}
		}
	}
	if listed != len(notYet) {
		t.Errorf("notYet lists %d keys, of which the specification has %d", len(notYet), listed)
	}
	if len(rows) < 80 {
		t.Errorf("only %d rows", len(rows))
	}
}
