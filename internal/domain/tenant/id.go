// Package tenant knows the organisations that share one installation: their
// names, hosts, zone, language and branding.
package tenant

// ID names one tenant. It is a type of its own so that no store method can be
// handed another number by mistake; it is always the first argument after the
// context.
type ID int64
