package device

import (
	"sync"

	"tilth/internal/domain/tenant"
)

// listeners are called for each change in a tenant, after its commit.
type listeners[T any] struct {
	mu   sync.Mutex
	list []func(tenant.ID, T)
}

func (w *listeners[T]) add(f func(tenant.ID, T)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.list = append(w.list, f)
}

func (w *listeners[T]) notify(t tenant.ID, value T) {
	w.mu.Lock()
	list := w.list
	w.mu.Unlock()
	for _, f := range list {
		f(t, value)
	}
}
