package architecture

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

// notOfTheProduct finds packages that the product must not link: those of the workshop, and those of tools,
// but for the simulated farm.
func notOfTheProduct(packages []string) (violations []string) {
	for _, p := range packages {
		name, isTool := strings.CutPrefix(p, module+"internal/tools/")
		switch {
		case isTool && name != "farm", strings.HasPrefix(p, module+"workshop/"):
			violations = append(violations, "the product links "+p)
		}
	}
	return violations
}

func TestProductLinksNoWorkshop(t *testing.T) {
	for _, system := range []string{"linux", "darwin", "windows"} {
		linked := strings.Fields(
			string(run(t, []string{"GOOS=" + system, "CGO_ENABLED=0"}, "list", "-deps", "./cmd/tilth")),
		)
		if len(linked) < 100 {
			t.Fatalf("only %d packages", len(linked))
		}
		expectNone(t, notOfTheProduct(linked))
	}
	expectViolations(t, notOfTheProduct([]string{
		"tilth/cmd/tilth",
		"tilth/internal/tools/farm",
		"tilth/internal/tools/pgpair",
		"tilth/workshop/bench",
		"example.org/workshop/x",
	}), "links tilth/internal/tools/pgpair", "links tilth/workshop/bench")
}

// differentVersions finds modules that two go.mod files require in different versions.
func differentVersions(product, workshop map[string]string) (violations []string) {
	for path, version := range workshop {
		if other, both := product[path]; both && other != version {
			violations = append(
				violations,
				fmt.Sprintf("%s: the product has %s, the workshop %s", path, other, version),
			)
		}
	}
	return violations
}

func TestModulesShareVersions(t *testing.T) {
	product, workshop := required(t, "go.mod"), required(t, "workshop/go.mod")
	if len(product) < 50 || len(workshop) < 50 {
		t.Fatalf("only %d and %d modules", len(product), len(workshop))
	}
	expectNone(t, differentVersions(product, workshop))
	expectViolations(t, differentVersions(
		map[string]string{"a": "v1.0.0", "b": "v1.0.0", "c": "v1.0.0"},
		map[string]string{"a": "v1.0.0", "b": "v1.0.1", "d": "v1.0.0"},
	), "b: the product has v1.0.0, the workshop v1.0.1")
}

// required returns the version of each module that a go.mod requires, and that of Go.
func required(t *testing.T, file string) map[string]string {
	t.Helper()
	var parsed struct {
		Go      string
		Require []struct{ Path, Version string }
	}
	if err := json.Unmarshal(run(t, nil, "mod", "edit", "-json", file), &parsed); err != nil {
		t.Fatal(err)
	}
	versions := map[string]string{"go": parsed.Go}
	for _, r := range parsed.Require {
		versions[r.Path] = r.Version
	}
	return versions
}

// run runs the go command in the repository's root, and returns what it prints.
func run(t *testing.T, settings []string, args ...string) []byte {
	t.Helper()
	c := exec.CommandContext(t.Context(), "go", args...)
	c.Dir, c.Env = repoRoot(t), append(c.Environ(), settings...)
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.Output()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, &said)
	}
	return out
}
