package architecture

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The picture in docs/ARCHITECTURE.md shows exactly the packages of each layer that TestImports
// checks.
func TestPictureOfLayers(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join(repoRoot(t), "docs", "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	shown := maps.Clone(folders)
	shown["workshop"] = workshop
	for folder, packages := range shown {
		line := regexp.MustCompile(`(?m)^` + folder + ` +(\w.*)$`).FindSubmatch(raw)
		if line == nil {
			t.Errorf("docs/ARCHITECTURE.md: the picture has no line for %s", folder)
			continue
		}
		names := strings.Split(string(line[1]), " · ")
		slices.Sort(names)
		if want := slices.Sorted(slices.Values(packages)); !slices.Equal(names, want) {
			t.Errorf("%s: the picture shows %v, TestImports has %v", folder, names, want)
		}
	}
}
