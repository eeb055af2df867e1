package settings

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"tilth/internal/domain/identity"
)

func parseArgs(t *testing.T, args ...string) (*Server, error) {
	t.Helper()
	f := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	AddFlags(f)
	if err := f.Parse(args); err != nil {
		t.Fatal(err)
	}
	return Read(f)
}

func TestDefaults(t *testing.T) {
	s, err := parseArgs(t)
	if err != nil {
		t.Fatal(err)
	}
	if s.DataDir != "./data" || s.HTTPAddr != "127.0.0.1:8080" || s.MQTTAddr != "127.0.0.1:1883" ||
		s.AdminAddr != "127.0.0.1:9090" ||
		s.Retention != 400*24*time.Hour ||
		s.DeviceRate != 20 ||
		s.DeviceBurst != 200 ||
		s.MessageLimit != 256<<10 ||
		s.NoticesAnHour != 12 ||
		s.ScreensAUser != 20 ||
		s.ScreensATenant != 500 ||
		s.PasswordMin != 6 ||
		s.MQTTTLSAddr != "" ||
		s.HTTPSAddr != "" ||
		s.HTTPSRedirect ||
		s.PerAddress != 1000 ||
		s.OpenAPIRate != 600 ||
		s.MapTiles != nil ||
		!s.DemoPages ||
		s.Captcha != "adaptive" ||
		s.PasswordCost != (identity.Cost{}) {
		t.Errorf("defaults: %+v", s)
	}
}

func TestFlagBeatsEnvironmentBeatsFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tilth.yaml")
	if err := os.WriteFile(
		file,
		[]byte(
			"http-addr: 127.0.0.1:1\nmqtt-addr: 127.0.0.1:1\nadmin-addr: 127.0.0.1:1\ntrusted-proxies: [10.0.0.0/8]\n",
		),
		0o600,
	); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TILTH_CONFIG", file)
	t.Setenv("TILTH_HTTP_ADDR", "127.0.0.1:2")
	t.Setenv("TILTH_MQTT_ADDR", "127.0.0.1:2")
	s, err := parseArgs(t, "--http-addr", "127.0.0.1:3")
	if err != nil {
		t.Fatal(err)
	}
	if s.HTTPAddr != "127.0.0.1:3" || s.MQTTAddr != "127.0.0.1:2" || s.AdminAddr != "127.0.0.1:1" {
		t.Errorf("flag %s, environment %s, file %s", s.HTTPAddr, s.MQTTAddr, s.AdminAddr)
	}
	if len(s.Proxies) != 1 || s.Proxies[0].String() != "10.0.0.0/8" {
		t.Errorf("proxies: %v", s.Proxies)
	}
}

func TestProxiesFromTheEnvironment(t *testing.T) {
	t.Setenv("TILTH_TRUSTED_PROXIES", "10.0.0.0/8,192.0.2.7")
	s, err := parseArgs(t)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Proxies) != 2 || s.Proxies[1].String() != "192.0.2.7/32" {
		t.Errorf("proxies: %v", s.Proxies)
	}
}

func TestDemoPagesAreSwitchedOff(t *testing.T) {
	for name, args := range map[string][]string{"flag": {"--demo-pages=false"}, "environment": nil} {
		t.Run(name, func(t *testing.T) {
			if args == nil {
				t.Setenv("TILTH_DEMO_PAGES", "false")
			}
			s, err := parseArgs(t, args...)
			if err != nil {
				t.Fatal(err)
			}
			if s.DemoPages {
				t.Error("the demo pages are still served")
			}
		})
	}
	t.Setenv("TILTH_DEMO_PAGES", "perhaps")
	_, err := parseArgs(t)
	if err == nil || err.Error() != `--demo-pages: "perhaps" in TILTH_DEMO_PAGES is not true or false` {
		t.Errorf("neither on nor off: %v", err)
	}
}

func TestWrongSettingIsNamed(t *testing.T) {
	for want, args := range map[string][]string{
		"--http-addr":                        {"--http-addr", "8080"},
		"--mqtt-addr":                        {"--mqtt-addr", "nonsense"},
		"--mqtt-tls-addr":                    {"--mqtt-tls-addr", "8883", "--tls-cert", "c", "--tls-key", "k"},
		"--tls-cert: needed":                 {"--mqtt-tls-addr", ":8883", "--tls-key", "k"},
		"--tls-key: needed":                  {"--mqtt-tls-addr", ":8883", "--tls-cert", "c"},
		"--tls-key: nothing":                 {"--tls-key", "k"},
		"--https-addr":                       {"--https-addr", "443", "--tls-cert", "c", "--tls-key", "k"},
		"--tls-key: needed for --https-addr": {"--https-addr", ":443", "--tls-cert", "c"},
		"--https-redirect: there is nowhere": {"--https-redirect", "--mqtt-tls-addr", ":8883", "--tls-cert", "c", "--tls-key", "k"},
		"--data-dir":                         {"--data-dir", ""},
		"--audit-retention":                  {"--audit-retention", "1h"},
		"--retention":                        {"--retention", "1h"},
		"--device-rate":                      {"--device-rate", "0"},
		"--device-rate: NaN":                 {"--device-rate", "nan"},
		"--device-burst":                     {"--device-burst", "0"},
		"--message-limit":                    {"--message-limit", "10"},
		"--notices-an-hour":                  {"--notices-an-hour", "101"},
		"--screens-a-user":                   {"--screens-a-user", "-1"},
		"--password-min":                     {"--password-min", "5"},
		"--screens-a-tenant":                 {"--screens-a-tenant", "-1"},
		"--mqtt-per-address":                 {"--mqtt-per-address", "0"},
		"--open-api-rate":                    {"--open-api-rate", "0"},
		"--public-url":                       {"--public-url", "ftp://x"},
		"--trusted-proxies":                  {"--trusted-proxies", "everybody"},
		"--webhook-private":                  {"--webhook-private", "10.0.0.0/33"},
		"--map-tiles":                        {"--map-tiles", "javascript:alert(1)"},
		"--map-tiles: the":                   {"--map-tiles", "https://tiles.example/{z}/{x}.png"},
		"--map-tiles-attribution":            {"--map-tiles", "https://tiles.example/{z}/{x}/{y}.png"},
		"--map-tiles-datum":                  {"--map-tiles", "https://tiles.example/{z}/{x}/{y}.png", "--map-tiles-attribution", "X", "--map-tiles-datum", "BD-09"},
		"--map-tiles-datum: \"":              {"--map-tiles-datum", "X"},
		"--map-tiles-datum: nothing":         {"--map-tiles-datum", "GCJ-02"},
		"--map-tiles-attribution: nothing":   {"--map-tiles-attribution", "A"},
		"--map-tiles: \"OSM\" is not osm":    {"--map-tiles", "OSM"},
		"--map-tiles-attribution: --map":     {"--map-tiles", "osm", "--map-tiles-attribution", "A"},
		"--map-tiles-datum: the tiles":       {"--map-tiles", "opentopomap", "--map-tiles-datum", "GCJ-02"},
		"--captcha":                          {"--captcha", "sometimes"},
		"--log-level":                        {"--log-level", "loud"},
		"--log-format":                       {"--log-format", "xml"},
		"--config":                           {"--config", "does-not-exist.yaml"},
	} {
		_, err := parseArgs(t, args...)
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: %v, want one line that begins with %s", args, err, want)
		}
	}
}

func TestUnknownSettingInFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tilth.yaml")
	if err := os.WriteFile(file, []byte("htp-addr: 127.0.0.1:1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := parseArgs(t, "--config", file); err == nil || !strings.Contains(err.Error(), `"htp-addr"`) {
		t.Errorf("unknown setting: %v", err)
	}
}

func TestBrokenSettingsFileIsOneLine(t *testing.T) {
	for content, want := range map[string]string{
		"captcha: [1":                         ": line 1: sequence end token ']' not found",
		"# ours\nhttp-addr: \"a\nx: 1\n":      ": line 2: could not find end character of double-quoted text",
		"- a\n- b\n":                          ": line 1: sequence was used where mapping is expected",
		"captcha: off\n\tlog-level: info\n":   ": line 2: found character '\t' that cannot start any token",
		"captcha: off\n\n\ncaptcha: always\n": `: line 4: mapping key "captcha" already defined at [1:1]`,
	} {
		file := filepath.Join(t.TempDir(), "tilth.yaml")
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := parseArgs(t, "--config", file); err == nil || err.Error() != "--config "+file+want {
			t.Errorf("%q: %v, want it to end %s", content, err, want)
		}
	}
}
