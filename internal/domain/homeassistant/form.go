package homeassistant

import (
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"tilth/internal/domain/notify/guard"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
)

const (
	longestURL   = 255
	longestName  = 256 // of user name and password
	longestTopic = 128

	secureScheme, plainScheme = "mqtts", "mqtt"
	securePort, plainPort     = "8883", "1883"
)

// Form is what people say of the settings. A nil field was not given.
type Form struct {
	Enabled       bool
	URL, UserName *string
	Password      *string // nil: it stays; empty: it is removed
	Prefix, Base  *string // nil, empty: as in DefaultSettings
}

// settings reads the form. before are the stored settings, nil if there are none. Its error is the first
// mistake in the order of the form (Refused). The guard checks a host name whenever it is called; an IP
// address must be in a network that the provider allows.
func (f *Form) settings(owner *tenant.Tenant, before *Settings, g *guard.Guard) (s Settings, err error) {
	s = DefaultSettings(owner)
	s.Enabled = f.Enabled
	address := trimmed(f.URL)
	if before == nil || address != before.URL {
		// An address that was stored is taken unchecked, so that it can be switched off and does not
		// block changes of other fields when the provider allows less than before.
		if err := checkURL(address, f.Enabled, g); err != nil {
			return s, err
		}
	} else if address == "" && f.Enabled {
		return s, errs.New(errs.Refused, "invalid.required").WithField("url")
	}
	s.URL = address
	if s.UserName, err = credential(f.UserName, "userName"); err != nil {
		return s, err
	}
	password, err := credential(f.Password, "password")
	if err != nil {
		return s, err
	}
	s.HasPassword = password != "" || f.Password == nil && before != nil && before.HasPassword
	if s.HasPassword && s.UserName == "" {
		if f.Password != nil {
			return s, errs.New(errs.Refused, "homeAssistant.userNameRequired").WithField("userName")
		}
		s.HasPassword = false // it belonged to the user name
	}
	if s.HasPassword && f.Password == nil && !sameBroker(s.URL, before.URL) {
		// Else whoever may change the address could have the password sent to a server of theirs.
		return s, errs.New(errs.Refused, "homeAssistant.passwordAgain").WithField("password")
	}
	if s.Prefix, err = topic(f.Prefix, s.Prefix, "discoveryPrefix"); err != nil {
		return s, err
	}
	if s.Base, err = topic(f.Base, s.Base, "baseTopic"); err != nil {
		return s, err
	}
	if s.Base == s.Prefix {
		return s, errs.New(errs.Refused, "homeAssistant.topicsSame").WithField("baseTopic")
	}
	return s, nil
}

func trimmed(s *string) string {
	if s == nil {
		return ""
	}
	return strings.TrimSpace(*s)
}

// checkURL checks the address of a broker.
func checkURL(address string, needed bool, g *guard.Guard) error {
	refuse := func(key string, args ...string) error {
		return errs.New(errs.Refused, key, args...).WithField("url")
	}
	u, err := url.Parse(address)
	switch {
	case address == "" && needed:
		return refuse("invalid.required")
	case address == "":
		return nil
	case len(address) > longestURL:
		return refuse("invalid.long", "limit", strconv.Itoa(longestURL))
	case err != nil, !utf8.ValidString(address),
		strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || tenant.BreaksLayout(r) }):
		return refuse("homeAssistant.urlFormat")
	case u.Scheme == plainScheme && len(g.Private) > 0: // the guard checks the address at each connection
	case u.Scheme == plainScheme:
		return refuse("homeAssistant.urlPlain")
	case u.Scheme != secureScheme:
		return refuse("homeAssistant.urlFormat")
	}
	switch {
	case u.User != nil:
		return refuse("homeAssistant.urlUser")
	case u.Opaque != "", u.Hostname() == "", !isPort(u), strings.Trim(u.Path, "/") != "", u.RawQuery != "",
		strings.ContainsAny(address, "?#"):
		return refuse("homeAssistant.urlFormat")
	}
	if a, err := netip.ParseAddr(u.Hostname()); tenant.IsNumericHost(u.Hostname()) && (err != nil || !g.IsPrivate(a)) {
		return refuse("homeAssistant.urlFigures")
	}
	return nil
}

func isPort(u *url.URL) bool {
	if u.Port() == "" {
		return !strings.HasSuffix(u.Host, ":")
	}
	n, err := strconv.ParseUint(u.Port(), 10, 16)
	return err == nil && n > 0
}

// broker is where an address leads: host, port, and whether the connection has no TLS.
type broker struct {
	host, port string
	plain      bool
}

func (b broker) String() string { return net.JoinHostPort(b.host, b.port) }

// brokerOf reads an address that checkURL has passed.
func brokerOf(address string) (b broker, ok bool) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return b, false
	}
	b = broker{host: strings.ToLower(u.Hostname()), port: u.Port(), plain: u.Scheme == plainScheme}
	switch {
	case b.port != "":
	case b.plain:
		b.port = plainPort
	default:
		b.port = securePort
	}
	return b, true
}

// sameBroker tells whether two addresses lead to the same server in the same way.
func sameBroker(one, other string) bool {
	a, aOK := brokerOf(one)
	b, bOK := brokerOf(other)
	return aOK && bOK && a == b
}

// credential reads a user name or a password, in which blanks count.
func credential(given *string, field string) (string, error) {
	if given == nil {
		return "", nil
	}
	switch {
	case utf8.RuneCountInString(*given) > longestName:
		return "", errs.New(errs.Refused, "invalid.long", "limit", strconv.Itoa(longestName)).WithField(field)
	case strings.ContainsFunc(*given, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return "", errs.New(errs.Refused, "invalid.format").WithField(field)
	}
	return *given, nil
}

// topic reads a topic below which others are made.
func topic(given *string, otherwise, field string) (string, error) {
	s := trimmed(given)
	switch {
	case s == "":
		return otherwise, nil
	case utf8.RuneCountInString(s) > longestTopic:
		return "", errs.New(errs.Refused, "invalid.long", "limit", strconv.Itoa(longestTopic)).WithField(field)
	case strings.ContainsAny(s, "+#"), strings.HasPrefix(s, "$"), strings.HasPrefix(s, "/"),
		strings.HasSuffix(s, "/"), strings.Contains(s, "//"),
		strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || tenant.BreaksLayout(r) }):
		return "", errs.New(errs.Refused, "homeAssistant.topicFormat").WithField(field)
	}
	return s, nil
}
