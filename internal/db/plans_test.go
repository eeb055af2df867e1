package db_test

import (
	"strings"
	"testing"

	"tilth/internal/db"
)

// What is asked for often finds its rows without looking at all of a tenant's:
// with 100,000 devices that is the difference between one and twenty
// milliseconds, which no test on a handful of rows would notice.
func TestPlans(t *testing.T) {
	d, err := db.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for query, want := range map[string]string{
		`SELECT * FROM devices AS d WHERE (d.tenant_id = 1 AND d.id IN (1, 2, 3))`:                     "(rowid=?)",
		`SELECT product_id, element_data FROM devices AS d WHERE (d.tenant_id = 1 AND d.video = TRUE)`: "(tenant_id=? AND video=?)",
		`UPDATE devices SET scene_id = NULL WHERE scene_id = 1`:                                        "(scene_id=?)",
		`SELECT * FROM device_presence AS c WHERE (c.tenant_id = 1 AND c.device_id = 1 AND c.time >= 5)
			ORDER BY c.time DESC, c.id DESC LIMIT 10`: "(device_id=? AND time>?)",
		`DELETE FROM device_presence AS c WHERE (c.time < 5)`:                                    "(time<?)",
		`SELECT device_id FROM device_presence AS c GROUP BY device_id HAVING (COUNT(*) > 2000)`: "USING COVERING INDEX",
	} {
		var steps []string
		rows, err := d.Read(t.Context()).QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query)
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		for rows.Next() {
			var id, parent, unused int
			var step string
			if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
				t.Fatal(err)
			}
			steps = append(steps, step)
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		if plan := strings.Join(steps, "; "); !strings.Contains(plan, want) || strings.Contains(plan, "TEMP B-TREE") {
			t.Errorf("%s\nis found by %s, want %s", query, plan, want)
		}
	}
}
