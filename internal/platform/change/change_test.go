package change

import (
	"fmt"
	"slices"
	"testing"
)

// The effects of a change are called in their order, also those that an effect adds meanwhile, from the
// next change on.
func TestEffects(t *testing.T) {
	var k Kind[int]
	if k.HasEffects() {
		t.Error("the zero value causes something")
	}
	k.Tell(1)
	var got []string
	k.Then(
		func(n int) { got = append(got, fmt.Sprint("first ", n)) },
		func(n int) {
			got = append(got, fmt.Sprint("second ", n))
			if n == 2 {
				k.Then(func(n int) { got = append(got, fmt.Sprint("third ", n)) })
			}
		},
	)
	k.Tell(2)
	k.Tell(3)
	if want := []string{"first 2", "second 2", "first 3", "second 3", "third 3"}; !slices.Equal(got, want) ||
		!k.HasEffects() {
		t.Errorf("%q", got)
	}
}
