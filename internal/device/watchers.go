package device

import (
	"sync"

	"tilth/internal/tenant"
)

// watchers are told of what changed in a tenant, once it is kept.
type watchers[T any] struct {
	mu   sync.Mutex
	list []func(tenant.ID, T)
}

func (w *watchers[T]) add(f func(tenant.ID, T)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.list = append(w.list, f)
}

func (w *watchers[T]) tell(t tenant.ID, what T) {
	w.mu.Lock()
	list := w.list
	w.mu.Unlock()
	for _, f := range list {
		f(t, what)
	}
}
