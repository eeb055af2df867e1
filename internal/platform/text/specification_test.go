package text

import (
	"encoding/json"
	"os"
	"testing"
)

// The server's sentences match the specification's. The table is the console's, which checks its
// own texts against it. The test skips rows without a key of the server: the server has no such
// sentence, or has another sentence under the same name, as for a refused sign-in.
func TestSentencesMatchSpecification(t *testing.T) {
	raw, err := os.ReadFile("../../../web/src/locales/specification.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]any
	if err := json.Unmarshal(raw, &rows); err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, row := range rows {
		key, listed := row["server"].(string)
		if !listed {
			continue
		}
		count++
		for _, l := range Languages {
			got, exists := descriptorOf(l).sentences[key]
			if !exists {
				t.Errorf("%s: %s is missing", l, key)
			}
			// A language that came later is not in the specification.
			if want, fixed := row[string(l)]; exists && fixed && got != want {
				t.Errorf("%s: %s is %q, want %q", l, key, got, want)
			}
		}
	}
	if len(rows) < 80 || count < 30 {
		t.Errorf("only %d rows, %d of them with a key of the server", len(rows), count)
	}
}
