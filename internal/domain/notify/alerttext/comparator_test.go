package alerttext_test

import (
	"testing"

	"tilth/internal/platform/comparator"
	"tilth/internal/platform/text"
)

// A comparator that mails say in words has the sentence.
func TestComparatorsHaveTexts(t *testing.T) {
	for _, c := range comparator.All {
		if c.Key != "" && !text.HasKey("letter."+c.Key) {
			t.Errorf("%s: there is no text letter.%s", c.Operator, c.Key)
		}
	}
}
