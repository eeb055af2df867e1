package command

import (
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

var (
	// These are the parts of an expression that are not names: strings, ranges, label lists.
	nonNames = regexp.MustCompile(
		`"[^"]*"|\[[^\]]*\]|\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)`,
	)
	labelMatchers   = regexp.MustCompile(`\{[^}]*\}`)
	tokens          = regexp.MustCompile(`[0-9][0-9a-zA-Z.]*|[a-zA-Z_:][a-zA-Z0-9_:]*\s*\(?`)
	promOperators   = []string{"and", "or", "unless", "offset", "bool"}
	histogramSuffix = regexp.MustCompile(`_(bucket|count|sum)$`)
)

// metricNames are the metrics of a PromQL expression.
func metricNames(expr string) (names []string) {
	expr = labelMatchers.ReplaceAllString(nonNames.ReplaceAllString(expr, " "), " ")
	for _, word := range tokens.FindAllString(expr, -1) {
		word = strings.TrimSpace(word)
		if c := word[0]; c >= '0' && c <= '9' || strings.HasSuffix(word, "(") || slices.Contains(promOperators, word) {
			continue
		}
		names = append(names, word)
	}
	return names
}

// unknownMetrics are the names in expressions that nothing exposes. Prometheus makes `up` itself.
func unknownMetrics(exposed map[string]string, exprs []string) (missing []string) {
	for _, expr := range exprs {
		for _, name := range metricNames(expr) {
			kind, known := exposed[histogramSuffix.ReplaceAllString(name, "")]
			if known && kind != "histogram" && kind != "summary" {
				_, known = exposed[name]
			}
			if _, whole := exposed[name]; name != "up" && !known && !whole {
				missing = append(missing, name)
			}
		}
	}
	slices.Sort(missing)
	return slices.Compact(missing)
}

func TestMetricNames(t *testing.T) {
	for expr, want := range map[string]string{
		`up{job="tilth"} == 0`: "up",
		`sum by (instance, le) (rate(a_bucket{side="x y"}[15m])) > 0.05 * b_total offset 5m`:                      "a_bucket b_total",
		`predict_linear(free{instance=~"$instance"}[12h], 4 * 86400) < 0 or on(job) slow > bool 1e9`:              "free slow",
		`rate(x[$__rate_interval]) / (deriv(y[6h]) < 0) unless z`:                                                 "x y z",
		`time() - max without (job) (process_start_time_seconds) and histogram_quantile(0.95, count(go_threads))`: "process_start_time_seconds go_threads",
	} {
		if got := strings.Join(metricNames(expr), " "); got != want {
			t.Errorf("%s: %s, want %s", expr, got, want)
		}
	}
	exposed := map[string]string{"h": "histogram", "c_total": "counter"}
	got := unknownMetrics(exposed, []string{"h_bucket + h_sum", "c_total", "up", "c_total_count", "h_total", "tlth"})
	if !slices.Equal(got, []string{"c_total_count", "h_total", "tlth"}) {
		t.Errorf("unknown: %v", got)
	}
}

// alertRule is a rule of Prometheus that raises an alert.
type alertRule struct {
	Alert, Expr, For    string
	Labels, Annotations map[string]string
}

// alerts reads a file of rules below deploy.
func alerts(t *testing.T, path string) (rules []alertRule) {
	t.Helper()
	raw, err := os.ReadFile("../../deploy/" + path)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Groups []struct {
			Name  string
			Rules []alertRule
		}
	}
	if err := yaml.UnmarshalWithOptions(raw, &file, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	for _, g := range file.Groups {
		rules = append(rules, g.Rules...)
	}
	return rules
}

func TestAlertsHaveSeverityAndDescription(t *testing.T) {
	seen := checkAlerts(t, "prometheus/alerts.yml", "prometheus/alerts_test.yml")
	if len(seen) < 15 {
		t.Errorf("only %d alerts were read", len(seen))
	}
}

// checkAlerts checks what every alert of a file has. One that concerns the whole cluster names its job.
func checkAlerts(t *testing.T, path, testPath string) (seen map[string]bool) {
	t.Helper()
	tests, err := os.ReadFile("../../deploy/" + testPath)
	if err != nil {
		t.Fatal(err)
	}
	seen = map[string]bool{}
	for _, r := range alerts(t, path) {
		if seen[r.Alert] || !strings.HasPrefix(r.Alert, "Tilth") {
			t.Errorf("%s: there twice, or not ours by its name", r.Alert)
		}
		seen[r.Alert] = true
		if s := r.Labels["severity"]; s != "critical" && s != "warning" {
			t.Errorf("%s: severity %q", r.Alert, s)
		}
		where := "$labels.instance"
		if strings.Contains(r.Expr, "by (job)") && !strings.Contains(r.Expr, "group_left") {
			where = "$labels.job"
		}
		if !strings.Contains(r.Annotations["summary"], where) || r.Annotations["description"] == "" {
			t.Errorf("%s: at which server, and what to do?", r.Alert)
		}
		if !strings.Contains(string(tests), `ALERTS{alertname="`+r.Alert+`", alertstate="firing"`) {
			t.Errorf("%s: %s never raises it", r.Alert, testPath)
		}
	}
	return seen
}

// A real server exposes the metrics that the dashboard and the alerts use, and operators find the
// metrics that it exposes in the documentation.
func TestDashboardAndAlertsUseExposedMetrics(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	p.startTLS(t.TempDir())
	p.signInOnce(t)
	exposed, figures := map[string]string{}, p.metricsPage()
	for _, found := range regexp.MustCompile(`(?m)^# TYPE (\S+) (\S+)$`).FindAllStringSubmatch(figures, -1) {
		exposed[found[1]] = found[2]
	}
	var exprs []string
	for _, r := range alerts(t, "prometheus/alerts.yml") {
		exprs = append(exprs, r.Expr)
	}
	for _, panel := range dashboard(t).Panels {
		for _, target := range panel.Targets {
			exprs = append(exprs, target.Expr)
		}
	}
	if missing := unknownMetrics(exposed, exprs); missing != nil {
		t.Errorf("asked for, but not exposed: %s", strings.Join(missing, " "))
	}
	monitoring, err := os.ReadFile("../../docs/monitoring.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(exposed)) {
		if strings.HasPrefix(name, "tilth_") && !regexp.MustCompile(`\b`+name+`\b`).Match(monitoring) {
			t.Errorf("%s is not in docs/monitoring.md", name)
		}
	}
	page, err := os.ReadFile("../../docs/limits.md")
	if err != nil {
		t.Fatal(err)
	}
	limits := regexp.MustCompile(`(?m)^tilth_limit_refused_total\{limit="(\w+)"\}`).FindAllStringSubmatch(figures, -1)
	for _, found := range limits {
		if !regexp.MustCompile("(?m)^\\|.*`" + found[1] + "`.*\\|$").Match(page) {
			t.Errorf("the limit %s is not in docs/limits.md", found[1])
		}
	}
	table := regexp.MustCompile("(?s)\\| `limit` \\|.*").FindString(string(page))
	named := regexp.MustCompile("`[a-z]+(?:_[a-z]+)+`").FindAllString(table, -1)
	if len(named) != len(limits) {
		t.Errorf("docs/limits.md names %v, and there are %v", named, limits)
	}
}

// signInOnce makes the server measure an answer of the console.
func (p *process) signInOnce(t *testing.T) {
	t.Helper()
	p.apply(simulatedFarm)
	if p.signIn("farm", "ada", "correct horse") == "" {
		t.Fatal("not signed in")
	}
}

// dashboard reads deploy/grafana/tilth.json.
func dashboard(t *testing.T) *grafana {
	t.Helper()
	raw, err := os.ReadFile("../../deploy/grafana/tilth.json")
	if err != nil {
		t.Fatal(err)
	}
	d := &grafana{}
	if err := json.Unmarshal(raw, d); err != nil {
		t.Fatal(err)
	}
	return d
}
