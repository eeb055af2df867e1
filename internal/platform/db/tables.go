package db

// TenantTable says whether the rows of a table move with their tenant to another installation, and why.
type TenantTable struct {
	Moves bool
	Why   string
}

func moves(why string) TenantTable { return TenantTable{true, why} }

func stays(why string) TenantTable { return TenantTable{false, why} }

// TenantTables are the tables whose rows belong to a tenant: those with a tenant column, and those that
// refer to a row of such a table.
var TenantTables = map[string]TenantTable{
	"access_tokens":          stays("people sign in anew"),
	"alarm_rule_channels":    moves("of rules"),
	"alarm_rule_devices":     moves("of rules"),
	"alarm_rule_targets":     moves("of rules"),
	"alarm_rules":            moves("rules"),
	"alarm_states":           stays("judging begins anew"),
	"analysis_views":         moves("of people"),
	"audit_entries":          moves("who did what"),
	"audit_names":            moves("of entries"),
	"avatars":                moves("of people"),
	"calibrations":           moves("of devices"),
	"channel_minutes":        stays("a burst begins anew"),
	"channel_recipients":     moves("who is told"),
	"channels":               moves("who is told"),
	"credential_hours":       stays("use here"),
	"credentials":            moves("programs go on"),
	"deliveries":             moves("waiting ones too"),
	"delivery_steps":         moves("of deliveries"),
	"device_day_pages":       moves("days of devices"),
	"device_former_secrets":  moves("names old boxes"),
	"device_presence":        moves("online times"),
	"device_secrets":         moves("devices go on"),
	"device_status_pages":    moves("of devices"),
	"device_swapped_secrets": moves("names old boxes"),
	"device_swaps":           moves("of devices"),
	"device_traces":          moves("of devices"),
	"devices":                moves("devices"),
	"home_assistant":         moves("the broker"),
	"home_assistant_topics":  moves("what the broker keeps"),
	"invitations":            moves("links go on"),
	"judged_positions":       stays("judging begins anew"),
	"letter_days":            moves("the day's budget"),
	"message_marks":          moves("read marks"),
	"message_reads":          moves("read marks"),
	"messages":               moves("what was told"),
	"notices":                moves("alarms"),
	"oidc_attempts":          stays("lasts minutes"),
	"oidc_connections":       moves("single sign-on"),
	"oidc_links":             moves("single sign-on"),
	"oidc_sessions":          stays("people sign in anew"),
	"oidc_tickets":           stays("lasts minutes"),
	"recipient_minutes":      stays("a burst begins anew"),
	"recovery_codes":         moves("people's keys"),
	"rederivations":          stays("done before"),
	"refresh_tokens":         stays("people sign in anew"),
	"scenes":                 moves("of devices"),
	"second_factors":         moves("people's keys"),
	"sessions":               stays("people sign in anew"),
	"shelf":                  moves("the tenant's part"),
	"sign_in_networks":       stays("seen here"),
	"sign_in_tickets":        stays("lasts minutes"),
	"sms_codes":              stays("lasts minutes"),
	"tenant_hosts":           moves("people's addresses"),
	"tenants":                moves("limits and branding"),
	"users":                  moves("people"),
	"webhooks":               moves("who is told"),
}

// SceneEnd is what happens to a row that names a scene when the scene is deleted.
type SceneEnd string

// The ends.
const (
	SceneCleared SceneEnd = "cleared" // the row stays without a scene
	SceneRefused SceneEnd = "refused" // the scene cannot be deleted
	RowDeleted   SceneEnd = "deleted" // the row goes too
	RowKept      SceneEnd = "kept"    // the row stays as it is
)

// SceneColumns are the columns that name a scene, or are called so.
var SceneColumns = map[string]SceneEnd{
	"alarm_rule_targets.scene_id": SceneRefused, // people change the rule first
	"devices.scene_id":            SceneCleared, // the default group
	"sms_codes.scene":             RowKept,      // no scene: what the code is for
}
