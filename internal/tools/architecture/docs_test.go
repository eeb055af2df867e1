package architecture

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const maxPageLines = 300

var (
	linkPattern    = regexp.MustCompile(`\]\(([\w./-]*\.md)?(#[\w-]+)?\)`)
	headingPattern = regexp.MustCompile(`(?m)^#{1,4} (.*)$`)
	notInAnchor    = regexp.MustCompile(`[^\p{L}\p{N}_\- ]`)
)

// anchorOf returns the anchor that a Markdown page gives a heading.
func anchorOf(heading string) string {
	return "#" + strings.ReplaceAll(notInAnchor.ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}

// readPages returns the Markdown pages of the repository by their slash-separated path. It skips
// the folders that npm, builds and tests fill.
func readPages(t *testing.T) map[string]string {
	t.Helper()
	pages := map[string]string{}
	root := repoRoot(t)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); name == "node_modules" || name == ".git" || name == "bin" || name == "results" {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".md") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		pages[filepath.ToSlash(rel)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

// badPages finds pages that are too long, and links to pages or headings that do not exist.
func badPages(pages map[string]string) (violations []string) {
	anchors := map[string]map[string]bool{}
	for path, text := range pages {
		anchors[path] = map[string]bool{}
		for _, h := range headingPattern.FindAllStringSubmatch(text, -1) {
			anchors[path][anchorOf(h[1])] = true
		}
	}
	for path, text := range pages {
		if n := strings.Count(text, "\n"); n > maxPageLines && strings.HasPrefix(path, "docs/") {
			violations = append(
				violations,
				fmt.Sprintf("%s has %d lines; at most %d are allowed", path, n, maxPageLines),
			)
		}
		for _, link := range linkPattern.FindAllStringSubmatch(text, -1) {
			target := path
			if link[1] != "" {
				target = filepath.ToSlash(filepath.Join(filepath.Dir(path), link[1]))
			}
			switch {
			case anchors[target] == nil:
				violations = append(violations, fmt.Sprintf("%s: no page %s", path, target))
			case link[2] != "" && !anchors[target][link[2]]:
				violations = append(violations, fmt.Sprintf("%s: no heading %s in %s", path, link[2], target))
			}
		}
	}
	return violations
}

func TestDocs(t *testing.T) {
	pages := readPages(t)
	if len(pages) < 20 {
		t.Fatalf("only %d pages", len(pages))
	}
	expectNone(t, badPages(pages))
	expectViolations(t, badPages(map[string]string{
		"docs/a.md": "# A\n[b](b.md) [c](../C.md#how-it-works) [d](d.md) [e](b.md#none) [f](#a)\n",
		"docs/b.md": "# B\n" + strings.Repeat("\n", maxPageLines),
		"C.md":      "## How it works?\n",
	}), "no page docs/d.md", "no heading #none in docs/b.md", "b.md has 301 lines")
}

var (
	codeSpan    = regexp.MustCompile("`([^`]+)`")
	pathInRepo  = regexp.MustCompile(`^(?:api|cmd|deploy|docs|e2e|internal|scripts|web|workshop)/[\w./-]+$`)
	testCommand = regexp.MustCompile(`go test (?:-run '?([^' ]+)'? )?((?:\./[\w./-]+ ?)+)`)
	testName    = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
)

// CONTRIBUTING.md names files that exist and test patterns that match tests, up
// to its table of old names.
func TestContributingIsTrue(t *testing.T) {
	root := repoRoot(t)
	raw, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	page, _, _ := strings.Cut(string(raw), "\n## Old names\n")
	lines := strings.Split(page, "\n")
	for i, line := range lines {
		switch {
		case strings.HasPrefix(line, "|"):
			lines[i] = strings.ReplaceAll(line, `\|`, "|")
		case i > 10 && strings.Contains(line, `\|`): // the introduction explains it
			t.Errorf("line %d: only tables escape |", i+1)
		}
	}
	page = strings.Join(lines, "\n")
	paths := 0
	for _, span := range codeSpan.FindAllStringSubmatch(page, -1) {
		if pathInRepo.MatchString(span[1]) {
			paths++
			if _, err := os.Stat(filepath.Join(root, span[1])); err != nil {
				t.Error(err)
			}
		}
		for _, command := range testCommand.FindAllStringSubmatch(span[1], -1) {
			for _, pattern := range strings.Split(command[1], "|") {
				if pattern != "" && !anyTestMatches(t, root, strings.Fields(command[2]), pattern) {
					t.Errorf("no test matches %q in %s", pattern, command[2])
				}
			}
		}
	}
	if paths < 40 {
		t.Errorf("only %d paths were found", paths)
	}
}

// anyTestMatches tells whether a test function of one of the packages contains
// the pattern.
func anyTestMatches(t *testing.T, root string, packages []string, pattern string) bool {
	t.Helper()
	for _, p := range packages {
		files, err := filepath.Glob(filepath.Join(root, strings.TrimSuffix(p, "/..."), "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, found := range testName.FindAllSubmatch(text, -1) {
				if strings.Contains(string(found[1]), pattern) {
					return true
				}
			}
		}
	}
	return false
}
