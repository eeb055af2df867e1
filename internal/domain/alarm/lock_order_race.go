//go:build race

package alarm

func init() { lockOrder = &lockOrderChecker{} }
