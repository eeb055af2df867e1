// Package change carries a change from where it is made to whatever it concerns. internal/app says on one
// page what each kind of change causes.
package change

import "sync"

// Kind is one kind of change; a T says what has changed. The zero value causes nothing.
type Kind[T any] struct {
	mu      sync.Mutex
	effects []func(T)
}

// Then adds what a change causes. The effects are called in this order and must not block.
func (k *Kind[T]) Then(effects ...func(T)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	// A copy: Tell may be calling the old ones.
	k.effects = append(k.effects[:len(k.effects):len(k.effects)], effects...)
}

// HasEffects reports whether a change has any effect.
func (k *Kind[T]) HasEffects() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.effects) > 0
}

// Tell calls the effects of a change that is made: it is committed, where it is stored.
func (k *Kind[T]) Tell(what T) {
	k.mu.Lock()
	effects := k.effects
	k.mu.Unlock()
	for _, effect := range effects {
		effect(what)
	}
}
