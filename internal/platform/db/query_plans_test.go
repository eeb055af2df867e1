package db_test

import (
	"strings"
	"testing"

	"tilth/internal/platform/db"
)

// Frequent queries find their rows without reading all rows of a tenant: with 100,000 devices that
// is the difference between one and twenty milliseconds, which no test with a few rows would
// notice.
func TestQueriesUseIndexes(t *testing.T) {
	d, err := db.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for query, want := range map[string]string{
		`SELECT * FROM devices AS d WHERE (d.tenant_id = 1 AND d.id IN (1, 2, 3))`:                     "(rowid=?)",
		`SELECT product_id, element_data FROM devices AS d WHERE (d.tenant_id = 1 AND d.video = TRUE)`: "(tenant_id=? AND video=?)",
		`SELECT d.id FROM devices AS d WHERE (d.tenant_id = 1 AND d.serial IN ('a', 'A')) LIMIT 2`:     "(tenant_id=? AND serial=?)",
		`UPDATE devices SET scene_id = NULL WHERE scene_id = 1`:                                        "(scene_id=?)",
		`SELECT * FROM device_presence AS c WHERE (c.tenant_id = 1 AND c.device_id = 1 AND c.time >= 5)
			ORDER BY c.time DESC, c.id DESC LIMIT 10`: "(device_id=? AND time>?)",
		`DELETE FROM device_presence AS c WHERE (c.time < 5)`:                                                                                    "(time<?)",
		`DELETE FROM device_presence AS c WHERE (c.tenant_id = 1 AND c.device_id = 1 AND c.time >= 5)`:                                           "(device_id=? AND time>?)",
		`UPDATE notices AS n SET end_time = 5 WHERE (n.tenant_id = 1 AND n.id = 1 AND n.resolve_status = 0)`:                                     "(rowid=?)",
		`UPDATE deliveries AS d SET over = '' WHERE (d.tenant_id = 1 AND d.id IN (1, 2) AND d.over = '')`:                                        "(rowid=?)",
		`UPDATE deliveries AS d SET destination = '' WHERE (d.tenant_id = 1 AND d.channel_id = 1 AND d.mode = 'webhook' AND d.state = 'queued')`: "deliveries_turn (mode=? AND tenant_id=?)",
		`SELECT * FROM channel_recipients AS cr WHERE (cr.tenant_id = 1 AND cr.channel_id IN (1, 2))
			ORDER BY cr.channel_id, cr.mode, cr.position`: "USING PRIMARY KEY (tenant_id=? AND channel_id=?)",
		`SELECT * FROM channels AS ch WHERE (ch.tenant_id = 1) AND (EXISTS (SELECT 1 FROM channel_recipients AS cr
			WHERE (cr.tenant_id = 1 AND cr.channel_id = ch.id AND cr.mode = 'email')))`: "channel_recipients_channel (channel_id=? AND tenant_id=? AND mode=?)",
		`SELECT * FROM analysis_views AS v WHERE (v.tenant_id = 1 AND v.user_id = 1)
			ORDER BY v.folded_name`: "analysis_views_name (tenant_id=? AND user_id=?)",
		`DELETE FROM channel_recipients WHERE channel_id = 1`:                                                               "channel_recipients_channel (channel_id=?)",
		`SELECT EXISTS (SELECT * FROM sign_in_networks AS w WHERE (w.tenant_id = 1 AND w.user_id = 1 AND w.network = 'n'))`: "(user_id=? AND network=?)",
		`DELETE FROM sign_in_networks AS w WHERE (w.tenant_id = 1 AND w.user_id = 1) AND (w.network NOT IN (SELECT k.network
			FROM sign_in_networks AS k WHERE k.tenant_id = 1 AND k.user_id = 1 ORDER BY k.last_time DESC, k.network DESC LIMIT 50))`: "USING COVERING INDEX sign_in_networks_newest (tenant_id=? AND user_id=?)",
		`DELETE FROM sign_in_networks AS w WHERE (w.last_time < 5)`:             "sign_in_networks_last (last_time<?)",
		`DELETE FROM sessions AS s WHERE (+s.tenant_id = 1 AND s.id IN (1, 2))`: "(rowid=?)",
		`SELECT * FROM sign_in_tickets AS k WHERE (k.hash = 'h')`:               "(hash=?)",
		`DELETE FROM sign_in_tickets AS k WHERE (k.tenant_id = 1 AND k.user_id = 1) AND (k.id NOT IN (SELECT n.id FROM sign_in_tickets AS n
			WHERE n.tenant_id = 1 AND n.user_id = 1 ORDER BY n.id DESC LIMIT 5))`: "sign_in_tickets_user (user_id=?)",
		`SELECT u.id, EXISTS (SELECT 1 FROM second_factors AS f WHERE f.tenant_id = 1 AND f.user_id = u.id AND f.secret IS NOT NULL) FROM users AS u
			WHERE u.tenant_id = 1 AND u.id = 1`: "SEARCH f USING INTEGER PRIMARY KEY",
		`SELECT n.rule_id, COUNT(*) FROM notices AS n WHERE n.tenant_id = 1 AND n.rule_id IN (1, 2) AND n.start_time >= 5
			GROUP BY n.rule_id`: "(tenant_id=? AND rule_id=? AND start_time>?)",
		`SELECT x.id FROM notices AS x WHERE x.rule_id = 1 AND +x.tenant_id = 1
			ORDER BY x.rule_revision DESC, x.start_time DESC LIMIT 1`: "sqlite_autoindex_notices_1 (rule_id=?)",
		`SELECT n.id FROM notices AS n WHERE n.tenant_id = 1 ORDER BY n.create_time DESC, n.id DESC LIMIT 10`:    "notices_newest (tenant_id=?)",
		`SELECT r.* FROM alarm_rules AS r WHERE r.tenant_id = 1 ORDER BY r.create_time DESC, r.id DESC LIMIT 10`: "alarm_rules_newest (tenant_id=?)",
		`SELECT * FROM deliveries AS d WHERE (d.state = 'queued' AND d.mode = 'email' AND d.tenant_id = 1 AND d.alarm_level = 2 AND d.next_time <= 5)
			AND (d.lease_until <= 5) ORDER BY d.next_time, d.id LIMIT 4`: "deliveries_turn (mode=? AND tenant_id=? AND alarm_level=? AND next_time<?)",
		`SELECT MIN(d.tenant_id) FROM deliveries AS d WHERE d.state = 'queued' AND d.mode = 'email' AND d.tenant_id > 7`: "USING COVERING INDEX deliveries_turn (mode=? AND tenant_id>?)",
		`SELECT EXISTS (SELECT 1 FROM deliveries AS d WHERE d.state = 'queued' AND d.mode = 'email' AND d.tenant_id = 7 AND d.alarm_level = 2 AND d.next_time <= 5
			AND d.lease_until <= 5)`: "deliveries_turn (mode=? AND tenant_id=? AND alarm_level=? AND next_time<?)",
		`SELECT EXISTS (SELECT * FROM deliveries AS d WHERE (d.state = 'queued' AND d.mode = 'email' AND d.alarm_level IN (0, 1, 2) AND d.next_time <= 5)
			AND (d.lease_until <= 5))`: "deliveries_due (mode=? AND alarm_level=? AND next_time<?)",
		`SELECT d.id FROM deliveries AS d WHERE (d.tenant_id = 1 AND d.notice_id = 1 AND d.event = 'triggered')`:                                                     "deliveries_once (notice_id=?",
		`UPDATE deliveries AS d SET reason = '' WHERE (d.notice_id IN (1, 2) AND d.event = 'resolved' AND d.after_id IN (1, 2) AND d.state = 'queued')`:              "deliveries_once (notice_id=?",
		`SELECT * FROM deliveries AS d WHERE (d.state = 'queued' AND d.digest > 0 AND d.channel_id = 1 AND d.digest = 5) AND (d.tenant_id = 1 AND d.mode = 'email')`: "deliveries_digest (tenant_id=? AND digest=?)",
		`DELETE FROM recipient_minutes AS rm WHERE (rm.began < 5)`:                                                                                                   "recipient_minutes_began (began<?)",
		`UPDATE deliveries AS d SET next_time = 5 WHERE (d.tenant_id = 1 AND d.rule_id = 1 AND d.state = 'queued' AND d.reason = 'muted')`:                           "deliveries_rule (rule_id=?)",
		`SELECT d.* FROM deliveries AS d WHERE (d.channel_id = 1 AND d.mode = 'webhook' AND d.tenant_id = 1) ORDER BY d.id DESC LIMIT 20`:                            "deliveries_webhook (channel_id=?)",
		`SELECT d.id FROM deliveries AS d WHERE (d.create_time < 5) ORDER BY d.create_time LIMIT 1000`:                                                               "deliveries_created (create_time<?)",
		`SELECT n.id FROM notices AS n WHERE ((n.create_time, n.id) < (5, 5)) AND (n.tenant_id = 1) ORDER BY n.create_time DESC, n.id DESC LIMIT 10`:                 "notices_newest (tenant_id=? AND create_time<?)",
		`SELECT n.id, n.tenant_id FROM notices AS n WHERE (n.holds_since IS NULL) ORDER BY n.id`:                                                                     "notices_since_unknown",
		`SELECT n.id, n.holds_since FROM notices AS n WHERE (n.tenant_id = 1 AND n.id IN (1, 2) AND n.holds_since > 0)`:                                              "(rowid=?)",
		`SELECT h.credential_id, SUM(h.requests) FROM credential_hours AS h WHERE (h.credential_id IN (1, 2) AND h.hour > 5) GROUP BY h.credential_id`:               "(credential_id=? AND hour>?)",
		`DELETE FROM credential_hours AS h WHERE (h.hour < 5)`:                                                                                                       "credential_hours_hour (hour<?)",
		`SELECT e.id FROM audit_entries AS e WHERE (e.tenant_id = 1) ORDER BY e.time DESC, e.id DESC LIMIT 10`:                                                       "audit_entries_newest (tenant_id=?)",
		`SELECT e.id FROM audit_entries AS e WHERE (e.tenant_id = 1) AND (e.time >= 5) ORDER BY e.time DESC, e.id DESC LIMIT 10`:                                     "audit_entries_newest (tenant_id=? AND time>?)",
		`SELECT e.id FROM audit_entries AS e WHERE (e.tenant_id = 1) AND (e.kind = 'rule') ORDER BY e.time DESC, e.id DESC LIMIT 10`:                                 "audit_entries_kind (tenant_id=? AND kind=?)",
		`SELECT e.id FROM audit_entries AS e WHERE (e.tenant_id = 1) AND (e.actor = 'user' AND e.actor_id = 7) ORDER BY e.time DESC, e.id DESC LIMIT 10`:             "audit_entries_actor (tenant_id=? AND actor=? AND actor_id=?)",
		`SELECT actor FROM audit_entries AS e WHERE (e.tenant_id = 1) AND (e.actor = 'user' AND e.actor_id > 7)
			ORDER BY e.actor, e.actor_id, e.time DESC, e.id DESC LIMIT 1`: "audit_entries_actor (tenant_id=? AND actor=? AND actor_id>?)",
		`SELECT actor FROM audit_entries AS e WHERE (e.tenant_id = 1) AND (e.actor > 'user')
			ORDER BY e.actor, e.actor_id, e.time DESC,
			e.id DESC LIMIT 1`: "audit_entries_actor (tenant_id=? AND actor>?)",
		`SELECT COUNT(*) FROM audit_entries AS e WHERE (e.tenant_id = 1) AND (e.name_id IN
			(SELECT n.id FROM audit_names AS n WHERE (n.tenant_id = 1 AND n.folded LIKE '%a%')))`: "USING COVERING INDEX audit_entries_name (tenant_id=? AND name_id=?)",
		`SELECT e.id FROM audit_entries AS e WHERE (e.tenant_id = 1) AND (+e.name_id IN (SELECT n.id FROM audit_names AS n WHERE (n.tenant_id = 1 AND n.folded LIKE '%a%')))
			ORDER BY e.time DESC, e.id DESC LIMIT 10`: "USING COVERING INDEX audit_entries_newest (tenant_id=?)",
		`SELECT id FROM audit_entries AS e WHERE (e.time < 5) ORDER BY e.time LIMIT 1000`:        "audit_entries_time (time<?)",
		`SELECT device_id FROM device_presence AS c GROUP BY device_id HAVING (COUNT(*) > 2000)`: "USING COVERING INDEX",
	} {
		var steps []struct {
			ID, Parent, Notused int
			Detail              string
		}

		if err := d.Read(t.Context()).NewRaw("EXPLAIN QUERY PLAN "+query).Scan(t.Context(), &steps); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		var plan strings.Builder
		for _, step := range steps {
			plan.WriteString(step.Detail + "; ")
		}
		if found := plan.String(); !strings.Contains(found, want) || strings.Contains(found, "TEMP B-TREE") {
			t.Errorf("%s\nhas the plan %s, want %s", query, found, want)
		}
	}
}
