package provider

import (
	"fmt"
	"slices"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/identity"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/text"
)

const (
	maxName         = 64
	maxUnit         = 32
	maxDescription  = 500
	maxElementData  = 8_000
	maxPassword     = 128
	minSecret       = 20
	maxSecret       = 128
	maxPrecision    = 9
	maxOfflineAfter = 366 * 24 * time.Hour
)

// checker checks a file against the rules that need no database.
type checker struct {
	*fileErrors
	seen        map[string]int // values that must be unique in a file, each with the line of its first occurrence
	minPassword int            // minimum length of a password, in characters
}

// validate adds an error for everything that is wrong in the file alone. Passwords need at least
// minPassword characters.
func (f *fileErrors) validate(file *file, minPassword int) {
	c := checker{fileErrors: f, seen: map[string]int{}, minPassword: minPassword}
	for i := range file.elements {
		c.element(&file.elements[i])
	}
	for i := range file.products {
		c.product(&file.products[i])
	}
	for i := range file.tenants {
		c.tenant(&file.tenants[i])
	}
	for i := range file.shelf {
		c.shelfItem(&file.shelf[i])
	}
}

// unique refuses a value that occurs in the file already; kind separates values that may be equal.
// The error names the value unless it is secret.
func (c *checker) unique(kind, value, what string, at filePos) {
	if line, ok := c.seen[kind+"\x00"+value]; ok {
		c.add(at, "%s is on line %d already", what, line)
		return
	}
	c.seen[kind+"\x00"+value] = at.line
}

// required refuses an item without the field that names it.
func (c *checker) required(f *field[string], of filePos, key string) bool {
	if !f.present() {
		c.add(of.child(key), "%s is missing", key)
	}
	return f.valid
}

// name checks a name; the zero field passes, since a file may leave it out.
func (c *checker) name(f *field[string]) {
	if f.valid && (!isName(f.value) || runeCount(f.value) > maxName) {
		c.add(
			f.at,
			"%s must have 1 to %d characters, not all of them invisible, without control characters",
			lastKey(f.at),
			maxName,
		)
	}
}

// multiLine checks a text that may be empty.
func (c *checker) multiLine(f *field[string], longest int) {
	c.text(f, device.TextKind{Longest: longest})
}

// singleLine checks a text of one line of at most longest characters, which may be empty, such as a
// title: it may stand in lists, in a browser's tab and in subjects of mails.
func (c *checker) singleLine(f *field[string], longest int) {
	c.text(f, device.TextKind{SingleLine: true, Longest: longest})
}

func (c *checker) text(f *field[string], kind device.TextKind) {
	if must := kind.Must(f.value); f.valid && must != "" {
		c.add(f.at, "%s must %s", lastKey(f.at), must)
	}
}

func (c *checker) address(f *field[string]) {
	if f.valid && f.value != "" && !isAddress(f.value) {
		c.add(f.at, "%s must be an http or https address, or a path such as /logo.svg", lastKey(f.at))
	}
}

func (c *checker) identifier(f *field[string]) bool {
	switch {
	case !f.valid:
		return false
	case !isIdentifier(f.value):
		c.add(f.at, "%s must have 1 to %d letters, digits, _ - . or :", lastKey(f.at), maxName)
		return false
	case reservedIdentifiers[f.value]:
		c.add(f.at, "%s must not be %q: the name has a meaning of its own in readings", lastKey(f.at), f.value)
		return false
	}
	return true
}

// elementData checks the data for a player or a frame.
func (c *checker) elementData(f *field[string]) {
	if f.valid && f.value != "" && !isElementData(f.value) {
		c.add(
			f.at,
			"%s must be an http or https address, a path beginning with /, "+
				"or an embed snippet beginning with <, of at most %d characters",
			lastKey(f.at),
			maxElementData,
		)
	}
}

func (c *checker) element(e *fileElement) {
	if c.required(&e.yeuSign, e.at, "yeuSign") && c.identifier(&e.yeuSign) {
		c.unique("element", e.yeuSign.value, fmt.Sprintf("yeuSign %q", e.yeuSign.value), e.yeuSign.at)
	}
	c.multiLine(&e.unit, maxUnit)
	c.address(&e.yeuURL)
	if !e.yeuName.present() {
		e.yeuName.at = e.at.child("yeuName")
	}
	c.names(&e.yeuName)
	if f := e.leastSpan; f.valid && f.value <= 0 {
		c.add(f.at, "leastSpan must be above 0")
	}
}

// names checks that a thing has a name in every language that needs one.
func (c *checker) names(f *field[fileNames]) {
	for _, l := range text.Languages {
		name := f.value[l]
		switch {
		case name.present():
			c.name(&name)
		case !l.NamesOptional():
			needed := slices.DeleteFunc(slices.Clone(text.Languages), text.Language.NamesOptional)
			c.add(f.at, "%s lacks %s: it must have all of %s", lastKey(f.at), l, languageList(needed))
		}
	}
}

func (c *checker) product(p *fileProduct) {
	if c.required(&p.name, p.at, "name") {
		c.name(&p.name)
		c.unique("product", p.name.value, fmt.Sprintf("product %q", p.name.value), p.name.at)
	}
	if p.productName.present() {
		c.names(&p.productName)
	}
	if d := p.offlineAfter; d.valid &&
		(d.value < time.Second || d.value > maxOfflineAfter || d.value%time.Millisecond != 0) {
		c.add(d.at, "offlineAfter must be from 1s to %s, in whole milliseconds", maxOfflineAfter)
	}
	if f := p.batteryLimit; f.valid && f.value <= 0 {
		c.add(f.at, "batteryLimit must be above 0")
	}
	known, uploads := map[string]int{}, map[string]int{}
	for i := range p.properties.value {
		c.property(&p.properties.value[i], known)
		c.upload(&p.properties.value[i], uploads)
		c.maxRise(&p.properties.value[i])
	}
}

// upload checks the weather station's field of a property; known holds the product's fields so far.
func (c *checker) upload(p *fileProperty, known map[string]int) {
	f := p.upload
	if !f.valid {
		return
	}
	line, twice := known[f.value]
	switch {
	case !isIdentifier(f.value):
		c.add(f.at, "upload must have 1 to %d letters, digits, _ - . or :", maxName)
	case signInFields[f.value]:
		c.add(f.at, "upload must not be %q: a weather station signs in or tells the time with it", f.value)
	case p.formula.present():
		c.add(f.at, "upload is only for properties without formula: the server computes the others")
	case twice:
		c.add(f.at, "upload %q is on line %d already", f.value, line)
	}
	known[f.value] = f.at.line
}

// maxRise checks the bound of a rain counter's growth.
func (c *checker) maxRise(p *fileProperty) {
	f, of := p.maxRise, device.Property{
		Identifier: p.identifier.value, DataType: device.DataType(p.dataType.value),
		Upload: p.upload.value, Formula: p.formula.value,
	}
	switch {
	case f.present() && !of.CountsRain():
		c.add(f.at, "maxRise is only for a number %s without upload and formula: it bounds the growth of a "+
			"weather station's rain counters", device.Rainfall)
	case f.valid && f.value <= 0:
		c.add(f.at, "maxRise must be above 0: the mm that may fall in ten minutes")
	}
}

// property checks one property; known holds the product's identifiers so far.
func (c *checker) property(p *fileProperty, known map[string]int) {
	if c.required(&p.identifier, p.at, "identifier") && c.identifier(&p.identifier) {
		if line, ok := known[p.identifier.value]; ok {
			c.add(p.identifier.at, "identifier %q is on line %d already", p.identifier.value, line)
		}
		known[p.identifier.value] = p.identifier.at.line
	}
	c.singleLine(&p.functionName, maxName)
	c.multiLine(&p.elementUnit, maxUnit)
	c.elementData(&p.elementData)
	number := c.required(&p.dataType, p.at, "dataType") && p.dataType.value == "number"
	if p.dataType.valid && !number && p.dataType.value != "boolean" && p.dataType.value != "text" {
		c.add(p.dataType.at, "dataType must be number, boolean or text")
		number = true // the checks that follow make sense only after this is corrected
	}
	if a := p.accessMode; a.valid && a.value != "r" && a.value != "w" && a.value != "rw" {
		c.add(a.at, "accessMode must be r, w or rw")
	}
	for _, f := range []field[float64]{p.min, p.max, p.clamp} {
		if f.present() && !number {
			c.add(f.at, "%s is only for dataType number", lastKey(f.at))
		}
	}
	if p.min.valid && p.max.valid && p.min.value > p.max.value {
		c.add(p.min.at, "min is above max")
	}
	if number {
		c.clamp(p)
	}
	if f := p.precision; f.present() && !number {
		c.add(f.at, "precision is only for dataType number")
	} else if f.valid && (f.value < 0 || f.value > maxPrecision) {
		c.add(f.at, "precision must be from 0 to %d decimals", maxPrecision)
	}
}

// clamp checks as which number the numbers up to max count.
func (c *checker) clamp(p *fileProperty) {
	f := p.clamp
	switch {
	case !f.valid:
	case p.formula.present():
		c.add(f.at, "clamp is only for properties without formula")
	case !p.max.present():
		c.add(f.at, "clamp needs max: numbers above clamp, up to max, count as clamp")
	case p.max.valid && f.value > p.max.value:
		c.add(f.at, "clamp is above max")
	case p.min.valid && f.value < p.min.value:
		c.add(f.at, "clamp is below min")
	}
}

func (c *checker) tenant(t *fileTenant) {
	if c.required(&t.name, t.at, "name") {
		c.name(&t.name)
		c.unique("tenant", t.name.value, fmt.Sprintf("tenant %q", t.name.value), t.name.at)
	}
	for _, h := range t.hosts.value {
		switch {
		case !h.valid:
		case !isHost(h.value):
			c.add(h.at, "%q is no host: it must be lower-case, without port, for example farm.example", h.value)
		default:
			c.unique("host", h.value, fmt.Sprintf("host %q", h.value), h.at)
		}
	}
	if z := t.timeZone; z.valid && tenant.Zone(z.value) == nil {
		c.add(z.at, "timeZone must be an IANA name, for example Europe/Istanbul")
	}
	if l := t.language; l.valid && !text.Language(l.value).Valid() {
		c.add(l.at, "language must be one of %s", languageList(text.Languages))
	}
	for name, n := range map[string]*field[int]{"mailsADay": &t.mails, "smsADay": &t.sms} {
		if n.valid && (n.value < 0 || n.value > tenant.MaxSendsPerDay) {
			c.add(n.at, "%s must be from 0, which is any number, to %d", name, tenant.MaxSendsPerDay)
		}
	}
	c.singleLine(&t.diy.title, maxName)
	c.multiLine(&t.diy.content, maxDescription)
	for _, f := range []*field[string]{&t.diy.logo, &t.diy.background, &t.diy.favicon} {
		c.address(f)
	}
	if p := t.people; p.valid && p.value != peopleByTenant && p.value != peopleByProvider {
		c.add(p.at, "people must be %s or %s", peopleByTenant, peopleByProvider)
	}
	c.selfService(&t.self)
	c.oidc(&t.oidc)
	scope := "\x00" + t.at.path
	for _, s := range t.scenes {
		if s.valid {
			c.name(&s)
			c.unique("scene"+scope, text.Fold(s.value), fmt.Sprintf("scene %q", s.value), s.at)
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
		if !identity.IsUserName(u.userName.value) {
			c.add(u.userName.at, "userName must have 1 to %d printable characters, without spaces", maxName)
		}
		c.unique(
			"user"+scope,
			text.FoldASCII(u.userName.value),
			fmt.Sprintf("user %q", u.userName.value),
			u.userName.at,
		)
	}
	length := identity.PasswordLength(u.password.value)
	if p := u.password; p.valid && (length < c.minPassword || length > maxPassword) {
		why := ""
		if c.minPassword != identity.PasswordMin {
			why = ", as --password-min of the server says"
		}
		c.add(p.at, "password must have %d to %d characters%s", c.minPassword, maxPassword, why)
	}
	c.name(&u.nickname)
	if e := u.email; e.valid && e.value != "" && !identity.IsEmail(e.value) {
		c.add(e.at, "email must look like ada@example.com")
	}
	if r := u.role; r.valid && !identity.IsRole(r.value) {
		c.add(r.at, "role must be viewer, operator or owner")
	}
	if m := u.mobile; m.valid && m.value != "" {
		if number := identity.E164(m.value); number == "" {
			c.add(m.at, "mobile must be an international number, for example +905551112233")
		} else {
			c.unique("mobile"+scope, number, fmt.Sprintf("mobile %s", number), m.at)
		}
	}
}

func (c *checker) deviceName(f *field[string], of filePos) {
	if c.required(f, of, "deviceName") {
		if !isDeviceName(f.value) {
			c.add(
				f.at,
				"deviceName must have 1 to %d printable characters, without spaces and without , / + #",
				maxName,
			)
		}
		c.unique("device", f.value, fmt.Sprintf("deviceName %q", f.value), f.at)
	}
}

func (c *checker) secret(s *field[string]) {
	if !isSecret(s.value) {
		c.add(s.at, "a secret must have %d to %d printable characters, without spaces", minSecret, maxSecret)
	}
	c.unique("secret", s.value, "the same secret", s.at)
}

func (c *checker) device(d *fileDevice) {
	c.deviceName(&d.deviceName, d.at)
	c.plainFields(d)
	if d.secret.present() && d.secrets.present() {
		c.add(d.secrets.at, "give either secret or secrets")
	}
	if n := len(d.secrets.value); d.secrets.valid && (n < 1 || n > 2) {
		c.add(d.secrets.at, "secrets must list one or two")
	}
	for _, s := range d.secretFields() {
		c.secret(&s)
	}
	for _, f := range d.elementData.value {
		c.elementData(&f)
	}
}

func (c *checker) plainFields(d *fileDevice) {
	for _, f := range device.Fields {
		if given := d.plain[f.Name]; given.valid {
			if must := f.Must(given.value); must != "" {
				c.add(given.at, "%s must %s", f.Name, must)
			}
		}
	}
	longitude, latitude := d.plain["longitude"], d.plain["latitude"]
	switch lon, lat := longitude.present(), latitude.present(); {
	case lon && !lat:
		c.add(longitude.at, "longitude without latitude: give both or neither")
	case lat && !lon:
		c.add(latitude.at, "latitude without longitude: give both or neither")
	}
}

// secretFields lists the secrets that the file gives a device: none, one or two.
func (d *fileDevice) secretFields() []field[string] {
	var list []field[string]
	if d.secret.valid {
		list = append(list, d.secret)
	}
	for _, s := range d.secrets.value {
		if s.valid {
			list = append(list, s)
		}
	}
	return list
}
