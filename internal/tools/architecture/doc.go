// Package architecture contains no production code. Its tests check the rules of
// docs/ARCHITECTURE.md that no compiler checks, in the whole repository. Each test first feeds its
// rule a bad example, so that a rule that finds nothing is known to work.
package architecture
