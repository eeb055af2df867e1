package command

import (
	"maps"
	"net"
	"net/netip"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/spf13/pflag"

	"tilth/internal/command/client"
	"tilth/internal/settings"
)

// deployed reads a file below deploy.
func deployed(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile("../../deploy/" + path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// composeFile is what the tests need of deploy/cluster/compose.yaml.
type composeFile struct {
	Services map[string]struct {
		Image       string
		Hostname    string
		Environment map[string]string
		Volumes     []string
		Networks    any
		Command     any
	}
	Networks map[string]any
	Volumes  map[string]any
}

func compose(t *testing.T) (c composeFile) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(deployed(t, "cluster/compose.yaml")), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// addressIn is the fixed address of a service in the network of the containers.
func addressIn(t *testing.T, networks any) string {
	t.Helper()
	of, _ := networks.(map[string]any)
	in, _ := of["tilth"].(map[string]any)
	address, _ := in["ipv4_address"].(string)
	if _, err := netip.ParseAddr(address); err != nil {
		t.Errorf("networks %v: %v", networks, err)
	}
	return address
}

// The nodes of compose.yaml start with the settings that it and the image give them.
func TestComposeNodesHaveRightSettings(t *testing.T) {
	c := compose(t)
	image := map[string]string{}
	for _, found := range regexp.MustCompile(`(TILTH_\w+)=(\S+)`).FindAllStringSubmatch(deployed(t, "Dockerfile"), -1) {
		image[found[1]] = found[2]
	}
	proxy := netip.MustParseAddr(addressIn(t, c.Services["haproxy"].Networks))
	nodes := 0
	for name, s := range c.Services {
		if !strings.HasPrefix(s.Image, "tilth:") {
			continue
		}
		nodes++
		t.Run(name, func(t *testing.T) {
			serving := pflag.NewFlagSet("serve", pflag.ContinueOnError)
			settings.AddFlags(serving)
			known := map[string]bool{client.TokenEnv: true}
			serving.VisitAll(func(f *pflag.Flag) { known[settings.Variable(f.Name)] = true })
			given := maps.Clone(image)
			maps.Copy(given, s.Environment)
			for variable, value := range given {
				if !known[variable] {
					t.Errorf("%s is no setting", variable)
				}
				t.Setenv(variable, regexp.MustCompile(`\$\{\w+:\?\}`).ReplaceAllString(value, "0123456789abcdef"))
			}
			set, err := settings.Read(serving)
			if err != nil {
				t.Fatal(err)
			}
			if want := net.JoinHostPort(s.Hostname, "9090"); set.Cluster.Address != want || s.Hostname != name {
				t.Errorf("its admin port is at %s, want %s", set.Cluster.Address, want)
			}
			if !slices.ContainsFunc(set.Balancers, func(p netip.Prefix) bool { return p.Contains(proxy) }) {
				t.Errorf("it does not expect the PROXY header of %s", proxy)
			}
			if !strings.Contains(set.DatabaseURL, "target_session_attrs=primary") {
				t.Errorf("database %s", set.DatabaseURL)
			}
		})
	}
	if nodes != 3 {
		t.Errorf("%d nodes", nodes)
	}
}

// What compose.yaml names is there: files beside it, volumes, and PostgreSQL servers.
func TestComposeNamesWhatIsThere(t *testing.T) {
	c := compose(t)
	for name, s := range c.Services {
		for _, v := range s.Volumes {
			from, _, _ := strings.Cut(v, ":")
			if _, declared := c.Volumes[from]; declared {
				continue
			}
			if _, err := os.Stat("../../deploy/cluster/" + from); err != nil || !strings.HasPrefix(from, "./") {
				t.Errorf("%s: volume %s: %v", name, v, err)
			}
		}
		for _, found := range regexp.MustCompile(`\bdb\d+\b`).FindAllString(strings.Join(slices.Collect(maps.Values(s.Environment)), " "), -1) {
			if _, there := c.Services[found]; !there {
				t.Errorf("%s: no service %s", name, found)
			}
		}
	}
}

// HAProxy leads to the nodes of compose.yaml, at the ports of the image, and asks their admin address.
func TestHAProxyLeadsToTheNodes(t *testing.T) {
	c := compose(t)
	config := deployed(t, "cluster/haproxy.cfg")
	want := map[string]int{}
	for name, s := range c.Services {
		if strings.HasPrefix(s.Image, "tilth:") {
			_, admin, _ := net.SplitHostPort(s.Environment["TILTH_ADMIN_ADDR"])
			for _, port := range []string{"8080 send-proxy-v2", "1883 send-proxy-v2", admin} {
				want[name+" "+addressIn(t, s.Networks)+":"+port]++
			}
			if !strings.Contains(config, "check port "+admin+" ") {
				t.Errorf("%s: its admin port %s is not asked", name, admin)
			}
		}
	}
	got := map[string]int{}
	for _, found := range regexp.MustCompile(`(?m)^ +server (.*)$`).FindAllStringSubmatch(config, -1) {
		got[found[1]]++
	}
	if !maps.Equal(got, want) {
		t.Errorf("servers %v, want %v", got, want)
	}
	for port := range strings.SplitSeq("8080 1883", " ") {
		if !strings.Contains(deployed(t, "Dockerfile"), ":"+port) {
			t.Errorf("the image does not listen on %s", port)
		}
	}
}

// Patroni lets a primary go within ttl only if it can ask etcd twice meanwhile.
func TestPatroniTimesFit(t *testing.T) {
	var p struct {
		Bootstrap struct {
			DCS struct {
				TTL             int  `yaml:"ttl"`
				LoopWait        int  `yaml:"loop_wait"`
				RetryTimeout    int  `yaml:"retry_timeout"`
				SynchronousMode bool `yaml:"synchronous_mode"`
			} `yaml:"dcs"`
		}
	}
	if err := yaml.Unmarshal([]byte(deployed(t, "cluster/patroni.yml")), &p); err != nil {
		t.Fatal(err)
	}
	d := p.Bootstrap.DCS
	if d.TTL < 20 || d.LoopWait+2*d.RetryTimeout > d.TTL || !d.SynchronousMode {
		t.Errorf("%+v", d)
	}
}

// The unit of a node differs from that of one server only in what makes it a node.
func TestNodeUnitIsTheServersUnit(t *testing.T) {
	lines := func(path string) (found []string) {
		for line := range strings.Lines(deployed(t, path)) {
			if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
				found = append(found, line)
			}
		}
		return found
	}
	of, node := lines("tilth.service"), lines("cluster/tilth@.service")
	if len(of) != len(node) {
		t.Fatalf("%d lines, the server's unit has %d", len(node), len(of))
	}
	for i, line := range node {
		key, value, _ := strings.Cut(line, "=")
		if serversKey, _, _ := strings.Cut(of[i], "="); key != serversKey {
			t.Errorf("%s in place of %s", line, of[i])
		}
		switch key {
		case "Description":
		case "StateDirectory":
			if value != "tilth-%i" {
				t.Errorf("%s=%s", key, value)
			}
		case "ExecStart":
			args := strings.Fields(value)
			if err := parseCommand(args[1:]); err != nil || !slices.Contains(args, "--node-name") {
				t.Errorf("%s: %v", line, err)
			}
		default:
			if line != of[i] {
				t.Errorf("%s, the server's unit has %s", line, of[i])
			}
		}
	}
}

// parseCommand checks that a subcommand and its flags exist.
func parseCommand(args []string) error {
	c, rest, err := root().Find(args)
	if err == nil {
		err = c.ParseFlags(rest)
	}
	return err
}

// Every command of docs/cluster.md exists, with its flags.
func TestClusterPageNamesRealCommands(t *testing.T) {
	raw, err := os.ReadFile("../../docs/cluster.md")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(raw), -1) {
		for line := range strings.Lines(block[1]) {
			_, args, is := strings.Cut(" "+strings.TrimSpace(line), " tilth ")
			if !is || strings.HasPrefix(line, "export") {
				continue
			}
			checked++
			if err := parseCommand(strings.Fields(args)); err != nil {
				t.Errorf("%s: %v", strings.TrimSpace(line), err)
			}
		}
	}
	if checked < 10 {
		t.Errorf("only %d commands were found", checked)
	}
	serving := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	settings.AddFlags(serving)
	for _, row := range regexp.MustCompile("(?m)^\\| `--([a-z-]+)` \\| (\\w*)").FindAllStringSubmatch(string(raw), -1) {
		f := serving.Lookup(row[1])
		if f == nil {
			t.Errorf("no setting --%s", row[1])
		} else if regexp.MustCompile(`^\d`).MatchString(row[2]) && f.DefValue != row[2]+"0m0s" && f.DefValue != row[2] {
			t.Errorf("--%s: the page says %s, and it is %s", row[1], row[2], f.DefValue)
		}
	}
}

// A node publishes the metrics of the cluster's alerts, and operators find all of them in the documentation.
func TestClusterAlertsUseMetricsOfNodes(t *testing.T) {
	if seen := checkAlerts(
		t,
		"cluster/tilth-cluster.rules.yml",
		"cluster/tilth-cluster.rules_test.yml",
	); len(
		seen,
	) < 5 {
		t.Errorf("only %d alerts were read", len(seen))
	}
	source, err := os.ReadFile("../server/node_metrics.go")
	if err != nil {
		t.Fatal(err)
	}
	exposed := map[string]string{}
	for _, found := range regexp.MustCompile(`m\.(gauge|counter)\("(\w+)"`).FindAllStringSubmatch(string(source), -1) {
		exposed[found[2]] = found[1]
	}
	if len(exposed) < 5 {
		t.Fatalf("only %v were found", exposed)
	}
	var exprs []string
	for _, r := range alerts(t, "cluster/tilth-cluster.rules.yml") {
		exprs = append(exprs, regexp.MustCompile(`\b(by|on|group_left) \([a-z]*\)`).ReplaceAllString(r.Expr, ""))
	}
	if missing := unknownMetrics(exposed, exprs); missing != nil {
		t.Errorf("asked for, but not exposed: %s", strings.Join(missing, " "))
	}
	monitoring, err := os.ReadFile("../../docs/monitoring.md")
	if err != nil {
		t.Fatal(err)
	}
	for name := range exposed {
		if !regexp.MustCompile(`\b` + name + `\b`).Match(monitoring) {
			t.Errorf("%s is not in docs/monitoring.md", name)
		}
	}
}
