package notify

import (
	"slices"
	"strings"
	"testing"

	"tilth/internal/platform/db"
)

// With a year of messages, the unread count and a page must read only their own rows: by an index
// from where the user's messages begin, in order. Tests with a handful of rows would not notice a
// full scan.
func TestMessagePlans(t *testing.T) {
	d, err := db.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	page := func(read *bool) string {
		return NewMessageStore(d).pageQuery(t.Context(), 1, 2, MessageQuery{Read: read, Limit: 10}, tally{}).String()
	}
	format := func(query string) string { return d.Read(t.Context()).NewRaw(query, 1, 2, 3).String() }
	const (
		floor   = "x USING COVERING INDEX messages_newest (tenant_id=? AND create_time<?)"
		mark    = "k USING INTEGER PRIMARY KEY (rowid=?)"
		made    = "m USING COVERING INDEX messages_tenant (tenant_id=? AND id>?)"
		marked  = "r USING COVERING INDEX message_reads_user (user_id=? AND message_id>?)"
		expired = "SELECT m.id FROM messages AS m WHERE m.create_time < 5 LIMIT 1000"
	)
	for query, want := range map[string][]string{
		format(countUnreadSQL): {floor, mark, made, marked},
		format(tallySQL):       {floor, mark, made, marked},
		page(nil):              {"m USING INDEX messages_tenant (tenant_id=? AND id>?)"},
		page(new(true)):        {"m USING INDEX messages_tenant (tenant_id=? AND id>?)"},
		page(new(false)):       {"m USING INDEX messages_tenant (tenant_id=? AND id>?)"},

		"DELETE FROM messages AS m WHERE m.id IN (" + expired + ")": {"messages_created (create_time<?)"},
	} {
		var steps []struct {
			ID, Parent, Notused int
			Detail              string
		}
		if err := d.Read(t.Context()).NewRaw("EXPLAIN QUERY PLAN "+query).Scan(t.Context(), &steps); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		var plan []string
		for _, step := range steps {
			plan = append(plan, step.Detail)
		}
		found := strings.Join(plan, "; ")
		for _, part := range want {
			if !strings.Contains(found, part) {
				t.Errorf("%s\nhas the plan %s, want %s", query, found, part)
			}
		}
		if slices.ContainsFunc(plan, func(step string) bool {
			return strings.HasPrefix(step, "SCAN m") || strings.Contains(step, "TEMP B-TREE")
		}) {
			t.Errorf("%s\nscans the whole table: %s", query, found)
		}
	}
}
