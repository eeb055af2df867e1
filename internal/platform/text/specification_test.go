package text

import (
	"encoding/json"
	"os"
	"testing"
)

// What the specification words, the server words alike. The table is the
// console's, which checks its own texts against it; where a row names no key
// of the server, the server has nothing to say of it, or under the same name
// says something else, as of a refused sign-in.
func TestSentencesMatchSpecification(t *testing.T) {
	raw, err := os.ReadFile("../../../web/src/locales/specification.json")
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
		listed++
		for _, l := range Languages {
			got, there := sentences[l][key]
			if !there {
				t.Errorf("%s: %s is missing", l, key)
			}
			if want := row[string(l)]; there && got != want {
				t.Errorf("%s: %s is %q, want %q", l, key, got, want)
			}
		}
	}
	if len(rows) < 80 || listed < 30 {
		t.Errorf("only %d rows, %d of them the server's", len(rows), listed)
	}
}
