package alarm

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/platform/db"
)

// All tests of this package run with the lock order checked.
func init() { lockOrder = &lockOrderChecker{} }

// lockPanic calls f and gives what it panicked with; empty: nothing.
func lockPanic(f func()) (said string) {
	defer func() {
		if v := recover(); v != nil {
			said, _ = v.(string)
		}
	}()
	f()
	return ""
}

func violates(t *testing.T, f func()) {
	t.Helper()
	if said := lockPanic(f); !strings.HasPrefix(said, "alarm: lock order violated") {
		t.Errorf("panic %q, want one that names the lock order", said)
	}
}

func TestLockOrderAllowsAscendingRanksOnly(t *testing.T) {
	type locker interface {
		Lock()
		Unlock()
	}
	// One engine for each pair: a violation leaves its locks held.
	pairs := func(e *Engine) []locker { return []locker{&e.writeMu, &e.mu, &e.queues.mu, &e.presenceInbox.mu} }
	for i := range pairs(&Engine{}) {
		for j := range pairs(&Engine{}) {
			all := pairs(&Engine{})
			first, second := all[i], all[j]
			first.Lock()
			if i < j {
				second.Lock()
				first.Unlock() // the order of releasing does not matter
				second.Unlock()
				continue
			}
			violates(t, second.Lock)
			first.Unlock()
		}
	}
	e := &Engine{onsets: &onsetFinder{}}
	for _, leaf := range []locker{&e.backlogs.mu, &e.regroupTenants.mu, &e.onsets.mu} {
		leaf.Lock()
		violates(t, e.presenceInbox.mu.Lock)
		leaf.Unlock()
	}
}

func TestLockOrderIsPerGoroutine(t *testing.T) {
	e := &Engine{}
	e.mu.Lock()
	defer e.mu.Unlock()
	said := make(chan string)
	go func() {
		said <- lockPanic(func() {
			e.writeMu.Lock()
			defer e.writeMu.Unlock()
		})
	}()
	if s := <-said; s != "" {
		t.Errorf("another goroutine's lock counts: %s", s)
	}
	go func() { said <- lockPanic(e.mu.Unlock) }()
	if s := <-said; !strings.Contains(s, "does not hold") {
		t.Errorf("a goroutine releases another one's lock: panic %q", s)
	}
}

// The engine's own methods are called with locks held that they must not be called with. Without
// the check each of these calls waits forever.
func TestLockOrderCatchesViolationsInTheEngine(t *testing.T) {
	for name, violation := range map[string]struct {
		held func(e *Engine)
		call func(e *Engine)
	}{
		"Stats under the queues' lock": {
			func(e *Engine) { e.queues.mu.Lock() },
			func(e *Engine) { e.Stats() },
		},
		"Taken under the queues' lock": {
			func(e *Engine) { e.queues.mu.Lock() },
			func(e *Engine) { e.Taken() },
		},
		"flush under the engine's lock": {
			func(e *Engine) { e.mu.Lock() },
			func(e *Engine) { _ = e.flush(context.Background()) },
		},
		"Change within Change": {
			func(e *Engine) { e.writeMu.Lock(); e.mu.Lock() },
			func(e *Engine) { _ = e.Change(context.Background(), 1, nil, Changed, nil) },
		},
		"Behind under a leaf lock": {
			func(e *Engine) { e.regroupTenants.mu.Lock() },
			func(e *Engine) { e.Behind() },
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := &Engine{queues: newTenantQueues()}
			e.opts.Now, e.opts.DB = time.Now, new(db.DB)
			done := make(chan struct{})
			go func() { // its goroutine ends with the locks held
				defer close(done)
				violation.held(e)
				violates(t, func() { violation.call(e) })
			}()
			<-done
		})
	}
}

func TestLockOrderCatchesWritingInATransaction(t *testing.T) {
	d, err := db.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	e := &Engine{queues: newTenantQueues()}
	e.opts.DB = d
	err = d.Tx(t.Context(), func(ctx context.Context, _ bun.IDB) error {
		violates(t, func() { _ = e.lock(ctx, allTenants) })
		violates(t, func() { _, _ = e.flushBatch(ctx) })
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A mutex without a rank, and a writeMu that is locked past lockWriting, would escape the check.
func TestLocksCannotEscapeTheOrder(t *testing.T) {
	set := token.NewFileSet()
	names, err := filepath.Glob("*.go")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	unranked := []string{"Mutex", "RWMutex", "Locker", "Cond"}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "lock_order") {
			continue
		}
		file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			function := ""
			if f, ok := d.(*ast.FuncDecl); ok {
				function = f.Name.Name
			}
			ast.Inspect(d, func(n ast.Node) bool {
				s, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				if x, ok := s.X.(*ast.Ident); ok && x.Name == "sync" && slices.Contains(unranked, s.Sel.Name) {
					t.Errorf("%s: sync.%s has no rank; use orderedMutex", set.Position(s.Pos()), s.Sel.Name)
				}
				if x, ok := s.X.(*ast.SelectorExpr); ok && x.Sel.Name == "writeMu" && s.Sel.Name == "Lock" &&
					function != "lockWriting" {
					t.Errorf("%s: %s locks writeMu itself; use lockWriting", set.Position(s.Pos()), function)
				}
				return true
			})
		}
	}
}

func BenchmarkOrderedMutex(b *testing.B) {
	defer func(o *lockOrderChecker) { lockOrder = o }(lockOrder.(*lockOrderChecker))
	lockOrder = nil
	var m orderedMutex[engineRank]
	n := 0
	for b.Loop() {
		m.Lock()
		n++
		m.Unlock()
	}
}
