package console

import (
	"net/url"
	"strings"

	"github.com/getkin/kin-openapi/routers"
)

// dropEmptyElements removes empty elements from the lists of a query, and lists that are then
// empty: clients also join fields that people left blank. It tells whether anything changed.
func dropEmptyElements(route *routers.Route, query url.Values) bool {
	changed := false
	for _, p := range route.Operation.Parameters {
		if p.Value.In != "query" || !p.Value.Schema.Value.Type.Is("array") || !query.Has(p.Value.Name) {
			continue
		}
		name := p.Value.Name
		given := query.Get(name)
		switch kept := strings.Join(splitList(given), ","); kept {
		case given:
			continue
		case "":
			query.Del(name)
		default:
			query.Set(name, kept)
		}
		changed = true
	}
	return changed
}

// splitList splits a list that is joined by commas and trims its elements; it drops empty ones.
func splitList(joined string) []string {
	var list []string
	for one := range strings.SplitSeq(joined, ",") {
		if one = trimmed(one); one != "" {
			list = append(list, one)
		}
	}
	return list
}
