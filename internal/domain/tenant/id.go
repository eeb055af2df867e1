// Package tenant keeps the organisations that share one installation: their names, hosts, time
// zone, language and branding.
package tenant

// ID names one tenant. It has its own type so that no caller passes another number by mistake; it
// is always the first argument after the context.
type ID int64
