package provider

import (
	"net/netip"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/text"
)

// runeCount counts characters.
func runeCount(s string) int { return utf8.RuneCountInString(s) }

func isName(s string) bool { return tenant.IsDisplayable(s) }

// isPrintable tells whether s has 1 to limit printable characters and no spaces.
func isPrintable(s string, limit int) bool {
	return s != "" && runeCount(s) <= limit &&
		strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || unicode.IsSpace(r) }) < 0
}

// isDeviceName refuses the comma, which separates names in lists, and the characters with a meaning
// in MQTT topics.
func isDeviceName(s string) bool {
	return isPrintable(s, maxName) && isName(s) && !strings.ContainsAny(s, ",/+#")
}

// isDotSegment tells whether clients would remove such a segment from a path.
func isDotSegment(s string) bool { return s == "." || s == ".." }

func isSecret(s string) bool { return isPrintable(s, maxSecret) && runeCount(s) >= minSecret }

func isIdentifier(s string) bool {
	return s != "" && runeCount(s) <= maxName && strings.IndexFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !strings.ContainsRune("_-.:", r)
	}) < 0
}

// reservedIdentifiers are names with a meaning of their own where identifiers are keys: in messages
// of devices, in lists of readings, and in the browser's objects.
var reservedIdentifiers = map[string]bool{"ts": true, "values": true, "collect_time": true, "__proto__": true}

// signInFields are the fields of a weather station that are never readings: its name, its secrets
// and the time.
var signInFields = map[string]bool{"ID": true, "PASSWORD": true, "PASSKEY": true, "dateutc": true}

// isAddress tells whether a page can load an address.
func isAddress(s string) bool { return tenant.Loadable(s) }

// isElementData accepts an address, a path on this server (for example of a proxy that serves
// pictures) or an embed snippet. A snippet is never trusted: the server serves it in a frame of its
// own.
func isElementData(s string) bool {
	if runeCount(s) > maxElementData || !utf8.ValidString(s) {
		return false
	}
	if strings.HasPrefix(s, "<") {
		return true
	}
	return isAddress(s) &&
		(strings.HasPrefix(s, "http:") || strings.HasPrefix(s, "https:") || strings.HasPrefix(s, "/"))
}

var hostNamePattern = regexp.MustCompile(`^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$`)

func isHost(s string) bool {
	if tenant.NormalizeHost(s) != s || len(s) > 253 {
		return false
	}
	_, err := netip.ParseAddr(s)
	return err == nil || hostNamePattern.MatchString(s)
}

func languageList(languages []text.Language) string {
	names := make([]string, len(languages))
	for i, l := range languages {
		names[i] = string(l)
	}
	return joinWords(names)
}
