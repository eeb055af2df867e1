// Package architecture holds no code: its tests keep the whole repository to
// the rules of docs/ARCHITECTURE.md that no compiler checks. Each rule is shown
// a bad example first, so that a rule that finds nothing is known to look.
package architecture
