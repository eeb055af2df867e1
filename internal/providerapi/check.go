package providerapi

import (
	"fmt"
	"time"

	"tilth/internal/identity"
	"tilth/internal/tenant"
	"tilth/internal/text"
)

const (
	maxName        = 64
	maxUnit        = 32
	maxDescription = 500
	maxElementData = 8_000
	maxPassword    = 128
	minSecret      = 20
	maxSecret      = 128
	maxPrecision   = 9
	maxPatience    = 366 * 24 * time.Hour
)

// checker holds a file against the rules that need no database.
type checker struct {
	*faults
	seen     map[string]int // what must be unique in a file: the line where it stands first
	shortest int            // characters of a password
}

// check adds everything that is wrong with what the file says by itself. A password
// has shortest characters at least.
func (f *faults) check(file *file, shortest int) {
	c := checker{faults: f, seen: map[string]int{}, shortest: shortest}
	for i := range file.elements {
		c.element(&file.elements[i])
	}
	for i := range file.products {
		c.product(&file.products[i])
	}
	for i := range file.tenants {
		c.tenant(&file.tenants[i])
	}
}

// unique refuses what stands in the file already; kind keeps apart what may
// be equal. The value is told unless it is secret.
func (c *checker) unique(kind, value, what string, at place) {
	if line, ok := c.seen[kind+"\x00"+value]; ok {
		c.add(at, "%s is on line %d already", what, line)
		return
	}
	c.seen[kind+"\x00"+value] = at.line
}

// required refuses an item without the field that names it.
func (c *checker) required(f *field[string], of place, key string) bool {
	if !f.given() {
		c.add(of.key(key), "%s is missing", key)
	}
	return f.set
}

// name checks a name; the zero field passes, since a file may leave it out.
func (c *checker) name(f *field[string]) {
	if f.set && (!isName(f.v) || length(f.v) > maxName) {
		c.add(f.at, "%s must have 1 to %d characters, not all of them invisible, without control characters", last(f.at), maxName)
	}
}

// phrase checks a text that may be empty.
func (c *checker) phrase(f *field[string], limit int) {
	if f.set && f.v != "" && !isPhrase(f.v, limit) {
		c.add(f.at, "%s must have at most %d characters, without control characters", last(f.at), limit)
	}
}

// line checks a name that may be empty: it stands in lists, in a browser's tab
// and in the subjects of mails.
func (c *checker) line(f *field[string], limit int) {
	if f.set && f.v != "" && (!isName(f.v) || length(f.v) > limit) {
		c.add(f.at, "%s must have at most %d characters, not all of them invisible, without control characters", last(f.at), limit)
	}
}

func (c *checker) address(f *field[string]) {
	if f.set && f.v != "" && !isAddress(f.v) {
		c.add(f.at, "%s must be an http or https address, or a path such as /logo.svg", last(f.at))
	}
}

func (c *checker) identifier(f *field[string]) bool {
	switch {
	case !f.set:
		return false
	case !isIdentifier(f.v):
		c.add(f.at, "%s must have 1 to %d letters, digits, _ - . or :", last(f.at), maxName)
		return false
	case reserved[f.v]:
		c.add(f.at, "%s must not be %q: the name has a meaning of its own in readings", last(f.at), f.v)
		return false
	}
	return true
}

// elementData checks what a player or a frame is given.
func (c *checker) elementData(f *field[string]) {
	if f.set && f.v != "" && !isElementData(f.v) {
		c.add(f.at, "%s must be an http or https address, a path beginning with /, or an embed snippet beginning with <, of at most %d characters", last(f.at), maxElementData)
	}
}

func (c *checker) element(e *fileElement) {
	if c.required(&e.yeuSign, e.at, "yeuSign") && c.identifier(&e.yeuSign) {
		c.unique("element", e.yeuSign.v, fmt.Sprintf("yeuSign %q", e.yeuSign.v), e.yeuSign.at)
	}
	c.phrase(&e.unit, maxUnit)
	c.address(&e.yeuURL)
	if !e.yeuName.given() {
		e.yeuName.at = e.at.key("yeuName")
	}
	c.names(&e.yeuName)
}

// names checks that a thing is named in every language.
func (c *checker) names(f *field[fileNames]) {
	for _, l := range text.Languages {
		name := f.v[l]
		if !name.given() {
			c.add(f.at, "%s lacks %s: it must have all of %s", last(f.at), l, languages())
			continue
		}
		c.name(&name)
	}
}

func (c *checker) product(p *fileProduct) {
	if c.required(&p.name, p.at, "name") {
		c.name(&p.name)
		c.unique("product", p.name.v, fmt.Sprintf("product %q", p.name.v), p.name.at)
	}
	if p.productName.given() {
		c.names(&p.productName)
	}
	if d := p.offlineAfter; d.set && (d.v < time.Second || d.v > maxPatience || d.v%time.Millisecond != 0) {
		c.add(d.at, "offlineAfter must be from 1s to %s, in whole milliseconds", maxPatience)
	}
	known := map[string]int{}
	for i := range p.properties.v {
		c.property(&p.properties.v[i], known)
	}
}

// property checks one property; known holds the product's identifiers so far.
func (c *checker) property(p *fileProperty, known map[string]int) {
	if c.required(&p.identifier, p.at, "identifier") && c.identifier(&p.identifier) {
		if line, ok := known[p.identifier.v]; ok {
			c.add(p.identifier.at, "identifier %q is on line %d already", p.identifier.v, line)
		}
		known[p.identifier.v] = p.identifier.at.line
	}
	c.line(&p.functionName, maxName)
	c.phrase(&p.elementUnit, maxUnit)
	c.elementData(&p.elementData)
	number := c.required(&p.dataType, p.at, "dataType") && p.dataType.v == "number"
	if p.dataType.set && !number && p.dataType.v != "boolean" && p.dataType.v != "text" {
		c.add(p.dataType.at, "dataType must be number, boolean or text")
		number = true // what follows is judged once this is mended
	}
	if a := p.accessMode; a.set && a.v != "r" && a.v != "w" && a.v != "rw" {
		c.add(a.at, "accessMode must be r, w or rw")
	}
	for _, f := range []field[float64]{p.min, p.max} {
		if f.given() && !number {
			c.add(f.at, "%s is only for dataType number", last(f.at))
		}
	}
	if p.min.set && p.max.set && p.min.v > p.max.v {
		c.add(p.min.at, "min is above max")
	}
	if f := p.precision; f.given() && !number {
		c.add(f.at, "precision is only for dataType number")
	} else if f.set && (f.v < 0 || f.v > maxPrecision) {
		c.add(f.at, "precision must be from 0 to %d decimals", maxPrecision)
	}
}

func (c *checker) tenant(t *fileTenant) {
	if c.required(&t.name, t.at, "name") {
		c.name(&t.name)
		c.unique("tenant", t.name.v, fmt.Sprintf("tenant %q", t.name.v), t.name.at)
	}
	for _, h := range t.hosts.v {
		switch {
		case !h.set:
		case !isHost(h.v):
			c.add(h.at, "%q is no host: it must be lower-case, without port, for example farm.example", h.v)
		default:
			c.unique("host", h.v, fmt.Sprintf("host %q", h.v), h.at)
		}
	}
	if z := t.timeZone; z.set && tenant.Zone(z.v) == nil {
		c.add(z.at, "timeZone must be an IANA name, for example Europe/Istanbul")
	}
	if l := t.language; l.set && !text.Language(l.v).Valid() {
		c.add(l.at, "language must be one of %s", languages())
	}
	for name, n := range map[string]*field[int]{"mailsADay": &t.mails, "smsADay": &t.sms} {
		if n.set && (n.v < 0 || n.v > tenant.MostLettersADay) {
			c.add(n.at, "%s must be from 0, which is any number, to %d", name, tenant.MostLettersADay)
		}
	}
	c.line(&t.diy.title, maxName)
	c.phrase(&t.diy.content, maxDescription)
	for _, f := range []*field[string]{&t.diy.logo, &t.diy.background, &t.diy.favicon} {
		c.address(f)
	}
	scope := "\x00" + t.at.path
	for _, s := range t.scenes {
		if s.set {
			c.name(&s)
			c.unique("scene"+scope, text.Fold(s.v), fmt.Sprintf("scene %q", s.v), s.at)
		}
	}
	for i := range t.users {
		c.user(&t.users[i], scope)
	}
	for i := range t.devices {
		c.device(&t.devices[i])
	}
}

func (c *checker) user(u *fileUser, scope string) {
	if c.required(&u.userName, u.at, "userName") {
		if !isUserName(u.userName.v) {
			c.add(u.userName.at, "userName must have 1 to %d printable characters, without spaces", maxName)
		}
		c.unique("user"+scope, text.FoldASCII(u.userName.v), fmt.Sprintf("user %q", u.userName.v), u.userName.at)
	}
	if p := u.password; p.set && (length(p.v) < c.shortest || length(p.v) > maxPassword) {
		why := ""
		if c.shortest != identity.PasswordMin {
			why = ", as --password-min of the server says"
		}
		c.add(p.at, "password must have %d to %d characters%s", c.shortest, maxPassword, why)
	}
	c.name(&u.nickname)
	if e := u.email; e.set && e.v != "" && !identity.IsEmail(e.v) {
		c.add(e.at, "email must look like ada@example.com")
	}
	if m := u.mobile; m.set && m.v != "" {
		if number := identity.E164(m.v); number == "" {
			c.add(m.at, "mobile must be an international number, for example +905551112233")
		} else {
			c.unique("mobile"+scope, number, fmt.Sprintf("mobile %s", number), m.at)
		}
	}
}

func (c *checker) device(d *fileDevice) {
	if c.required(&d.deviceName, d.at, "deviceName") {
		if !isDeviceName(d.deviceName.v) {
			c.add(d.deviceName.at, "deviceName must have 1 to %d printable characters, without spaces and without , / + #", maxName)
		}
		c.unique("device", d.deviceName.v, fmt.Sprintf("deviceName %q", d.deviceName.v), d.deviceName.at)
	}
	c.phrase(&d.serial, maxName)
	c.line(&d.noteName, maxName)
	c.position(d)
	if d.secret.given() && d.secrets.given() {
		c.add(d.secrets.at, "give either secret or secrets")
	}
	if n := len(d.secrets.v); d.secrets.set && (n < 1 || n > 2) {
		c.add(d.secrets.at, "secrets must list one or two")
	}
	for _, s := range d.given() {
		if !isSecret(s.v) {
			c.add(s.at, "a secret must have %d to %d printable characters, without spaces", minSecret, maxSecret)
		}
		c.unique("secret", s.v, "the same secret", s.at)
	}
	for _, f := range d.elementData.v {
		c.elementData(&f)
	}
}

func (c *checker) position(d *fileDevice) {
	if f := d.longitude; f.set && (f.v < -180 || f.v > 180) {
		c.add(f.at, "longitude must be from -180 to 180")
	}
	if f := d.latitude; f.set && (f.v < -90 || f.v > 90) {
		c.add(f.at, "latitude must be from -90 to 90")
	}
	if f := d.elevation; f.set && (f.v < -500 || f.v > 9000) {
		c.add(f.at, "elevation must be from -500 to 9000 metres")
	}
	switch lon, lat := d.longitude.given(), d.latitude.given(); {
	case lon && !lat:
		c.add(d.longitude.at, "longitude without latitude: give both or neither")
	case lat && !lon:
		c.add(d.latitude.at, "latitude without longitude: give both or neither")
	}
}

// given lists the secrets that the file gives a device: none, one or two.
func (d *fileDevice) given() []field[string] {
	var list []field[string]
	if d.secret.set {
		list = append(list, d.secret)
	}
	for _, s := range d.secrets.v {
		if s.set {
			list = append(list, s)
		}
	}
	return list
}
