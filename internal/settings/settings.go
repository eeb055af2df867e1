// Package settings reads what a server is told at its start, from flags, the environment
// and a file, and refuses what is wrong.
package settings

import (
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/knadh/koanf/providers/posflag"
	"github.com/knadh/koanf/v2"
	"github.com/spf13/pflag"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/audit"
	"tilth/internal/domain/identity"
	"tilth/internal/edge/console"
)

// Server is what a server is told at its start. Each setting comes from its flag, else from its
// environment variable (TILTH_ and the flag's name in capitals, with _ for -), else from the file
// given with --config; else it has its default.
type Server struct {
	DataDir         string
	DatabaseURL     string // empty: the database is in DataDir
	HTTPAddr        string
	HTTPSAddr       string // empty: no HTTPS
	HTTPSRedirect   bool   // requests of people and programs to the HTTP address are redirected to HTTPSAddr
	MQTTAddr        string
	MQTTTLSAddr     string // empty: no MQTT over TLS
	TLSCert         string // PEM files for HTTPSAddr and MQTTTLSAddr
	TLSKey          string
	ACME            ACME // in place of TLSCert and TLSKey
	AdminAddr       string
	PublicURL       string
	LinksToHTTPAddr bool // links in messages lead to the HTTP address while PublicURL is empty
	DefaultTenant   string
	Proxies         []netip.Prefix
	Balancers       []netip.Prefix // TCP load balancers: connections from there begin with a PROXY header
	MapTiles        *console.MapTiles
	DemoPages       bool                   // the server has the template pages with sample data
	Captcha         identity.CaptchaPolicy // when sign-in requires the slider captcha
	Retention       time.Duration
	AuditRetention  time.Duration
	DeviceRate      float64 // messages a second that a device may send for long
	DeviceBurst     int     // messages that a device may send at once
	MessageLimit    int     // bytes of one message of a device
	PerAddress      int     // MQTT connections that one address may have
	OpenAPIRate     int     // requests a minute that one API credential may make
	NoticesAnHour   int     // notices that a rule may open in an hour; 0: any number
	ScreensAUser    int     // open live streams of one user; 0: any number
	ScreensATenant  int
	PasswordMin     int // characters that a password must have at least
	Cluster         Cluster
	Notifications   Notifications
	SignOn          *identity.Connection // the issuer of tenants without one of their own; nil: there is none
	Memory          Memory
	LogLevel        slog.Level
	LogJSON         bool
	PasswordCost    identity.Cost // zero: the usual cost; no flag lowers it
}

// maxNoticesAnHour is the largest value of NoticesAnHour: the alarm engine remembers when each of
// so many newest notices of a rule began.
const maxNoticesAnHour = 100

// maxPasswordMin is the longest minimum that a provider may ask for: a sentence of some words.
const maxPasswordMin = 64

// BalancersFlag is the flag of Balancers.
const BalancersFlag = "proxy-protocol"

// AddFlags declares the settings and their defaults.
func AddFlags(f *pflag.FlagSet) {
	f.String("config", "", "YAML file with these settings, named as the flags are")
	f.String("data-dir", "./data", "folder for all data")
	AddDatabaseFlag(f)
	f.String("http-addr", "127.0.0.1:8080", "address of the console, its API and the devices' HTTP API")
	f.String("https-addr", "", "address of the same over TLS, usually port 443; empty: no HTTPS")
	f.Bool(
		"https-redirect",
		false,
		"redirect people and programs from the HTTP address to the HTTPS address; devices may stay",
	)
	f.String("mqtt-addr", "127.0.0.1:1883", "address of the devices' MQTT listener")
	f.String(
		"mqtt-tls-addr",
		"",
		"address of the devices' MQTT listener over TLS, usually port 8883; empty: no MQTT over TLS",
	)
	f.String(
		"tls-cert",
		"",
		"certificate for --https-addr and --mqtt-tls-addr with its intermediate certificates, PEM; read again when it changes",
	)
	f.String("tls-key", "", "the certificate's key, PEM")
	addACMEFlags(f)
	f.String("admin-addr", "127.0.0.1:9090", "address of /metrics and the provider API")
	f.String(
		"public-url",
		"",
		"where people reach the console; links in mails have its scheme and port and the tenant's first host",
	)
	f.String("default-tenant", "", "name of the tenant to sign in to if the host belongs to none")
	f.StringSlice(
		"trusted-proxies",
		nil,
		"networks of proxies whose forwarded addresses are trusted, for example 10.0.0.0/8",
	)
	f.StringSlice(
		BalancersFlag,
		nil,
		"networks of TCP load balancers: connections from there must begin with a PROXY header, version 2 or 1, which gives the client's address",
	)
	f.String(
		"map-tiles",
		"",
		"ground under the map: osm, opentopomap, or the address of a tile server, with {z}, {x}, {y}; "+
			"without it the bundled coastline",
	)
	f.String("map-tiles-attribution", "", "whom the map names as the source of the tiles; required with an address")
	f.String("map-tiles-datum", defaultDatum, "datum of the tiles of an address: WGS-84 or GCJ-02")
	f.Bool(
		"demo-pages",
		true,
		"serve the template pages with sample data: /billing, /virtual-reality, /rtl-page, /signup",
	)
	f.String(
		"captcha",
		string(identity.CaptchaAdaptive),
		"when sign-in requires the slider captcha: always, adaptive (after failures) or off",
	)
	declareDuration(f, "retention", 400*24*time.Hour, "how long readings are kept, for example 400d or 36h")
	declareDuration(f, "audit-retention", audit.DefaultRetention, "how long the audit log is kept, for example 1095d")
	f.Float64("device-rate", 20, "messages a second that a device may send for long")
	f.Int("device-burst", 200, "messages that a device may send at once")
	f.Int(
		"notices-an-hour",
		alarm.MaxNoticesPerHour,
		"alarm notices that a rule may open within an hour; the next one stays open until its conditions have not held for ten minutes; 0: any number",
	)
	f.Int("message-limit", 256<<10, "largest message of a device, in bytes")
	f.Int("mqtt-per-address", 1000, "MQTT connections that one address may have, including those over WebSockets")
	f.Int("open-api-rate", 600, "requests a minute that one API credential may make; a minute's worth may come at once")
	f.Int("screens-a-user", 20, "live streams that a user may have open; a new one ends the oldest; 0: any number")
	f.Int(
		"password-min",
		identity.PasswordMin,
		"characters that a password needs at least, whether a person chooses it or the provider's file gives it; 6 to 64",
	)
	f.Int("screens-a-tenant", 500, "live streams that a tenant's users may have open together; 0: any number")
	addClusterFlags(f)
	addMemoryFlags(f)
	addNotificationFlags(f)
	addSignOnFlags(f)
	f.String("log-level", "info", "debug, info, warn or error")
	f.String("log-format", "text", "text or json")
}

// Read reads the settings of a parsed flag set. Its error names the wrong setting in one line.
func Read(f *pflag.FlagSet) (*Server, error) {
	k := koanf.New(".")
	path, err := f.GetString("config")
	if err != nil {
		return nil, err
	}
	if path == "" {
		path = os.Getenv("TILTH_CONFIG")
	}
	if path != "" {
		if err := loadFile(k, f, path); err != nil {
			return nil, err
		}
	}
	if err := loadEnvironment(k, f); err != nil {
		return nil, err
	}
	given := f.Changed(MemoryFlag) || k.Exists(MemoryFlag)
	if err := k.Load(posflag.Provider(f, ".", k), nil); err != nil {
		return nil, err
	}
	if err := checkDatabase(f, k.String(DatabaseFlag)); err != nil {
		return nil, err
	}
	s, err := parseSettings(k)
	if err != nil {
		return nil, err
	}
	s.Memory.Explicit = given
	return s, nil
}

func parseSettings(k *koanf.Koanf) (*Server, error) {
	s := &Server{
		DataDir:        k.String("data-dir"),
		DatabaseURL:    k.String(DatabaseFlag),
		HTTPAddr:       k.String("http-addr"),
		MQTTAddr:       k.String("mqtt-addr"),
		AdminAddr:      k.String("admin-addr"),
		PublicURL:      strings.TrimSuffix(k.String("public-url"), "/"),
		DefaultTenant:  k.String("default-tenant"),
		DeviceBurst:    k.Int("device-burst"),
		MessageLimit:   k.Int("message-limit"),
		DeviceRate:     k.Float64("device-rate"),
		PerAddress:     k.Int("mqtt-per-address"),
		Retention:      k.Duration("retention"),
		AuditRetention: k.Duration("audit-retention"),
		OpenAPIRate:    k.Int("open-api-rate"),
		NoticesAnHour:  k.Int("notices-an-hour"),
		ScreensAUser:   k.Int("screens-a-user"),
		ScreensATenant: k.Int("screens-a-tenant"),
		PasswordMin:    k.Int("password-min"),
	}
	for name, addr := range map[string]string{"http-addr": s.HTTPAddr, "mqtt-addr": s.MQTTAddr, "admin-addr": s.AdminAddr} {
		if err := isHostPort(name, addr); err != nil {
			return nil, err
		}
	}
	if err := s.readTLS(k); err != nil {
		return nil, err
	}
	if err := s.readCluster(k); err != nil {
		return nil, err
	}
	switch {
	case s.DataDir == "":
		return nil, fmt.Errorf("--data-dir: a folder is needed")
	case s.Retention < 24*time.Hour:
		return nil, fmt.Errorf("--retention: %s is shorter than a day", k.String("retention"))
	case s.AuditRetention < 24*time.Hour:
		return nil, fmt.Errorf("--audit-retention: %s is shorter than a day", k.String("audit-retention"))
	case s.DeviceRate <= 0 || math.IsNaN(s.DeviceRate) || math.IsInf(s.DeviceRate, 0):
		return nil, fmt.Errorf("--device-rate: %v: must be above 0", s.DeviceRate)
	case s.DeviceBurst < 1:
		return nil, fmt.Errorf("--device-burst: %d: must be 1 or more", s.DeviceBurst)
	case s.PerAddress < 1:
		return nil, fmt.Errorf("--mqtt-per-address: %d: must be 1 or more", s.PerAddress)
	case s.OpenAPIRate < 1:
		return nil, fmt.Errorf("--open-api-rate: %d: must be 1 or more", s.OpenAPIRate)
	case s.NoticesAnHour < 0 || s.NoticesAnHour > maxNoticesAnHour:
		return nil, fmt.Errorf("--notices-an-hour: %d: must be 0 to %d", s.NoticesAnHour, maxNoticesAnHour)
	case s.ScreensAUser < 0:
		return nil, fmt.Errorf("--screens-a-user: %d: must be 0 or more", s.ScreensAUser)
	case s.PasswordMin < identity.PasswordMin || s.PasswordMin > maxPasswordMin:
		return nil, fmt.Errorf(
			"--password-min: %d: must be %d to %d",
			s.PasswordMin,
			identity.PasswordMin,
			maxPasswordMin,
		)
	case s.ScreensATenant < 0:
		return nil, fmt.Errorf("--screens-a-tenant: %d: must be 0 or more", s.ScreensATenant)
	case s.MessageLimit < 1024:
		return nil, fmt.Errorf("--message-limit: %d: must be 1024 bytes or more", s.MessageLimit)
	}
	if s.PublicURL != "" && !isWebAddress(s.PublicURL) {
		return nil, fmt.Errorf("--public-url: %q is not an http or https address", s.PublicURL)
	}
	var err error
	if s.Proxies, err = networksOf(k, "trusted-proxies"); err != nil {
		return nil, err
	}
	if s.Balancers, err = networksOf(k, BalancersFlag); err != nil {
		return nil, err
	}
	if err := s.readMapTiles(k); err != nil {
		return nil, err
	}
	if err := s.Notifications.read(k); err != nil {
		return nil, err
	}
	if s.SignOn, err = readSignOn(k); err != nil {
		return nil, err
	}
	if s.Memory, err = parseMemory(k.String(MemoryFlag)); err != nil {
		return nil, err
	}
	switch s.Captcha = identity.CaptchaPolicy(k.String("captcha")); s.Captcha {
	case identity.CaptchaAlways, identity.CaptchaAdaptive, identity.CaptchaOff:
	default:
		return nil, fmt.Errorf("--captcha: %q is not always, adaptive or off", k.String("captcha"))
	}
	s.DemoPages = k.Bool("demo-pages")
	if err := s.LogLevel.UnmarshalText([]byte(k.String("log-level"))); err != nil {
		return nil, fmt.Errorf("--log-level: %q is not debug, info, warn or error", k.String("log-level"))
	}
	switch k.String("log-format") {
	case "text":
	case "json":
		s.LogJSON = true
	default:
		return nil, fmt.Errorf("--log-format: %q is not text or json", k.String("log-format"))
	}
	return s, nil
}

// listOf is a list as flags and files have it, or as the environment has it: one text with commas.
func listOf(k *koanf.Koanf, name string) []string {
	if text, ok := k.Get(name).(string); ok {
		return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
	}
	return k.Strings(name)
}

// networksOf is a list of networks. An address counts as the network that holds it alone.
func networksOf(k *koanf.Koanf, name string) (list []netip.Prefix, err error) {
	for _, p := range listOf(k, name) {
		prefix, err := netip.ParsePrefix(p)
		if addr, errAddr := netip.ParseAddr(p); errAddr == nil {
			prefix, err = addr.Prefix(addr.BitLen())
		}
		if err != nil {
			return nil, fmt.Errorf("--%s: %q is no network", name, p)
		}
		list = append(list, prefix.Masked())
	}
	return list, nil
}

// readTLS reads the settings of HTTPS and of MQTT over TLS. The server reads the certificate files
// when it starts.
func (s *Server) readTLS(k *koanf.Koanf) error {
	s.HTTPSAddr = k.String("https-addr")
	s.MQTTTLSAddr = k.String("mqtt-tls-addr")
	s.TLSCert = k.String("tls-cert")
	s.TLSKey = k.String("tls-key")
	used := ""
	for _, at := range []struct{ name, addr string }{{"https-addr", s.HTTPSAddr}, {"mqtt-tls-addr", s.MQTTTLSAddr}} {
		if at.addr == "" {
			continue
		}
		if err := isHostPort(at.name, at.addr); err != nil {
			return err
		}
		used = at.name
	}
	if err := s.readACME(k, used); err != nil {
		return err
	}
	for _, file := range []struct{ name, path string }{{"tls-cert", s.TLSCert}, {"tls-key", s.TLSKey}} {
		switch {
		case used == "" && file.path != "":
			return fmt.Errorf("--%s: nothing uses it without --https-addr or --mqtt-tls-addr", file.name)
		case used != "" && file.path == "" && len(s.ACME.Names) == 0:
			return fmt.Errorf("--%s: needed for --%s, or --acme-domains", file.name, used)
		}
	}
	if s.HTTPSRedirect = k.Bool("https-redirect"); s.HTTPSRedirect && s.HTTPSAddr == "" {
		return fmt.Errorf("--https-redirect: there is nowhere to redirect people to without --https-addr")
	}
	return nil
}

func isHostPort(name, addr string) error {
	if _, _, err := net.SplitHostPort(addr); err != nil {
		return fmt.Errorf("--%s: %q is not host:port", name, addr)
	}
	return nil
}

func isWebAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// Logger is the logger that the settings describe.
func (s *Server) Logger() *slog.Logger {
	opts := &slog.HandlerOptions{Level: s.LogLevel}
	if s.LogJSON {
		return slog.New(slog.NewJSONHandler(os.Stderr, opts))
	}
	return slog.New(slog.NewTextHandler(os.Stderr, opts))
}
