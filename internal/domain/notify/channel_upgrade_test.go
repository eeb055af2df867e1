package notify_test

import (
	"database/sql"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"tilth/internal/domain/notify"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/db"
	"tilth/internal/tools/testkit"
)

// lastWithColumns is the last migration with a column for each kind's recipients.
const lastWithColumns = 23

// beforeRecipients is a database with channels of each shape, and with deliveries of each kind that
// wait for being due, for a retry, for a digest, and for the server.
var beforeRecipients = []string{
	`INSERT INTO tenants (id, name, time_zone, language, create_time) VALUES (1, 'field', 'UTC', 'en-us', 0),
		(2, 'rival', 'UTC', 'tr-tr', 0)`,
	`INSERT INTO channels (id, tenant_id, notice_name, folded_name, by_email, by_phone, emails, phones, language,
		create_time, update_time) VALUES
		(3, 1, 'Both', 'both', TRUE, TRUE, '["z@example.com","a@example.com","\"m\"@example.com"]', '["+13","+12"]', 'tr-tr', 5, 6),
		(4, 1, 'Mail', 'mail', TRUE, FALSE, '["ş@örnek.tr"]', '["+99"]', '', 7, 8),
		(7, 1, 'SMS', 'sms', FALSE, TRUE, '["off@example.com"]', '["+14"]', '', 9, 10),
		(9, 2, 'Theirs', 'theirs', TRUE, FALSE, '["eve@example.com"]', '[]', '', 11, 12)`,
	`INSERT INTO notices (id, tenant_id, rule_id, rule_revision, device_id, device_name, title, folded_title,
		alarm_level, start_time, create_time) VALUES (1, 1, 1, 1, 1, 'WS-1', 'Frost', 'frost', 1, 1, 1)`,
	waitingDelivery(1, "email", "z@example.com", ""), waitingDelivery(2, "email", "a@example.com", "retry"),
	waitingDelivery(3, "phoneMessage", "+13", "server"), waitingDelivery(4, "phoneMessage", "+12", "digest"),
	waitingDelivery(5, "email", "deleted@example.com", "period"),
}

// waitingDelivery is the statement that makes a delivery of channel 3.
func waitingDelivery(id int, mode, recipient, reason string) string {
	return fmt.Sprintf(`INSERT INTO deliveries (id, tenant_id, notice_id, rule_id, channel_id, channel_name, recipient,
		destination, mode, event, alarm_level, language, facts, period, remind_every, state, reason, next_time,
		create_time, update_time) 
		VALUES (%d, 1, 1, 1, 3, 'Both', '%s', 'd', '%s', 'triggered', 1, 'tr-tr', '{}', '{}', 0, 'queued', '%s',
		1, 1, 1)`,
		id, recipient, mode, reason)
}

// migrateTo runs the migrations up to a version, and statements.
func migrateTo(
	t *testing.T,
	pool *sql.DB,
	dialect goose.Dialect,
	migrations string,
	version int64,
	statements []string,
) {
	t.Helper()
	p, err := goose.NewProvider(dialect, pool, os.DirFS(filepath.Join("../../platform/db/migrations", migrations)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.UpTo(t.Context(), version); err != nil {
		t.Fatal(err)
	}
	for _, s := range statements {
		if _, err := pool.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	if err := pool.Close(); err != nil {
		t.Fatal(err)
	}
}

// The upgrade keeps every channel with its recipients in their order, and every delivery that
// waits; the next start sends them.
func TestUpgradeKeepsRecipientsAndDeliveries(t *testing.T) {
	for name, open := range map[string]func(t *testing.T, dir string) (*db.DB, error){
		"SQLite": func(t *testing.T, dir string) (*db.DB, error) {
			pool, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "tilth.db")+"?_pragma=foreign_keys(ON)")
			if err != nil {
				t.Fatal(err)
			}
			migrateTo(t, pool, goose.DialectSQLite3, "sqlite", lastWithColumns, beforeRecipients)
			return db.Open(t.Context(), dir)
		},
		"PostgreSQL": func(t *testing.T, dir string) (*db.DB, error) {
			address := testkit.NewPostgres(t) // skips without a server
			pool, err := sql.Open("pgx", address)
			if err != nil {
				t.Fatal(err)
			}
			migrateTo(t, pool, goose.DialectPostgres, "postgres", lastWithColumns, beforeRecipients)
			return db.OpenPostgres(t.Context(), dir, address)
		},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := open(t, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			channels := notify.NewChannelStore(d, time.Now)
			for owner, want := range map[tenant.ID][]notify.Channel{
				1: {
					{ID: 7, Tenant: 1, Name: "SMS", To: notify.Recipients{notify.KindSMS: {"+14"}}, CreateTime: 9},
					{ID: 4, Tenant: 1, Name: "Mail", To: notify.Recipients{notify.KindEmail: {"ş@örnek.tr"}}, CreateTime: 7},
					{ID: 3, Tenant: 1, Name: "Both", Language: "tr-tr", CreateTime: 5, To: notify.Recipients{
						notify.KindEmail: {"z@example.com", "a@example.com", `"m"@example.com`}, notify.KindSMS: {"+13", "+12"},
					}},
				},
				2: {{ID: 9, Tenant: 2, Name: "Theirs", CreateTime: 11,
					To: notify.Recipients{notify.KindEmail: {"eve@example.com"}}}},
			} {
				got, _, err := channels.Page(t.Context(), owner, notify.ChannelQuery{Limit: 10})
				if err != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("%d: %+v (%v), want %+v", owner, got, err, want)
				}
			}
			mails, texts := &testkit.FakeSender{}, &testkit.FakeSender{}
			tenants := tenant.NewStore(d, time.Now)
			if err := tenants.LoadHold(t.Context()); err != nil {
				t.Fatal(err)
			}
			outbox := notify.NewOutbox(notify.OutboxOptions{
				DB: d, Tenants: tenants, Channels: channels, Now: time.Now,
				Senders: map[notify.ChannelKind]notify.Sender{notify.KindEmail: mails, notify.KindSMS: texts},
				Logger:  testkit.NewLog().Logger,
			})
			if _, err := outbox.Step(t.Context()); err != nil {
				t.Fatal(err)
			}
			var told []string
			for _, l := range slices.Concat(mails.Sent(), texts.Sent()) {
				told = append(told, l.Recipient)
			}
			slices.Sort(told)
			if got := strings.Join(told, " "); got != "+12 +13 a@example.com deleted@example.com z@example.com" {
				t.Errorf("told %s", got)
			}
			states := map[notify.State]int{}
			list, err := outbox.Deliveries(t.Context(), 1, 1)
			for _, one := range list {
				states[one.State]++
			}
			if err != nil || !maps.Equal(states, map[notify.State]int{notify.Sent: 5}) {
				t.Errorf("%v (%v)", states, err)
			}
		})
	}
}
