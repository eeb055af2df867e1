package ingest

import (
	"strings"
	"unicode/utf8"
)

const (
	ownTopics     = "v1/devices/me/"
	gatewayTopics = "v1/gateway/"
)

// kindOf returns the kind of a message by its topic.
func kindOf(topic []byte) Kind {
	// The compiler compares without making a string.
	switch string(topic) {
	case "v1/devices/me/telemetry":
		return Telemetry
	case "v1/gateway/telemetry":
		return GatewayTelemetry
	case "v1/gateway/connect":
		return GatewayConnect
	case "v1/gateway/disconnect":
		return GatewayDisconnect
	}
	t := string(topic)
	rest, own := strings.CutPrefix(t, ownTopics)
	if !own {
		if rest, own = strings.CutPrefix(t, gatewayTopics); !own {
			return UnknownTopic
		}
	}
	switch head, _, _ := strings.Cut(rest, "/"); head {
	case "attributes", "rpc", "claim":
		return Ignored
	}
	return UnknownTopic
}

// authorizeFilter decides on a topic filter of a SUBSCRIBE: a device is granted its own topics, a
// gateway also the gateway topics. If ok is false, reason says why, for MQTT 5.
func authorizeFilter(filter string, gateway bool) (reason byte, ok bool) {
	switch {
	case !validFilter(filter):
		return reasonBadFilter, false
	case strings.HasPrefix(filter, ownTopics), gateway && strings.HasPrefix(filter, gatewayTopics):
		return reasonSuccess, true
	}
	return reasonNotAuthorized, false
}

// validFilter tells whether wildcards are only where they are allowed.
func validFilter(filter string) bool {
	if filter == "" || strings.ContainsRune(filter, 0) || !utf8.ValidString(filter) {
		return false
	}
	last := false
	for level := range strings.SplitSeq(filter, "/") {
		if last || strings.ContainsAny(level, "+#") && len(level) > 1 {
			return false
		}
		last = level == "#"
	}
	return true
}
