// Package cluster has files for those who run a cluster, as tests and the workshop need them.
package cluster

import _ "embed"

// HAProxy is the configuration of HAProxy.
//
//go:embed haproxy.cfg
var HAProxy string
