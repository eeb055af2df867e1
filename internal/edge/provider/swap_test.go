package provider

import (
	"fmt"
	"strings"
	"testing"

	"tilth/internal/domain/device"
	"tilth/internal/domain/selfservice"
)

const swapFile = `products: [{name: station, properties: [{identifier: t, dataType: number}]}]
tenants:
  - name: north
    timeZone: Europe/Istanbul
    devices:
      - {deviceName: N-1, product: station, serial: A-1, secret: secret-of-the-first-box}
      - {deviceName: N-2, product: station, serial: A-2, secret: secret-of-another-one}
`

// swapped is a fixture with the file applied and N-1 swapped since; it returns the new box's secret.
func newSwapped(t *testing.T) (*fixture, string) {
	t.Helper()
	p := newFixture(t)
	p.apply(t, swapFile, false)
	form := selfservice.SwapForm{DeviceName: "N-1", Serial: "B-1"}
	secret, err := p.SelfService.Swap(t.Context(), p.tenant(t, "north").ID, form)
	if err != nil {
		t.Fatal(err)
	}
	return p, secret
}

// box tells the serial of N-1, and which of the secrets are valid.
func (p *fixture) box(t *testing.T, secrets ...string) string {
	t.Helper()
	got := p.device(t, "north", "N-1").Serial
	for _, secret := range secrets {
		_, _, ok := p.Registry.Authenticate("N-1", secret)
		got += map[bool]string{true: " +", false: " -"}[ok]
	}
	return got
}

func kept(r *Result) string {
	var list []string
	for _, it := range r.Kept {
		list = append(list, fmt.Sprintf("%s %s/%s: %s", it.Kind, it.Tenant, it.Name, strings.Join(it.Changes, ", ")))
	}
	return strings.Join(list, "; ")
}

// A file leaves the box that came with a swap, and says so, unless it is to overwrite it or names another one.
func TestApplyAfterSwap(t *testing.T) {
	const old = "secret-of-the-first-box"
	for name, c := range map[string]struct {
		from, to              string // a change of the file
		overwrite             bool
		box, changed, keptAre string
	}{
		"as it was":       {"", "", false, "B-1 - +", "", "device north/N-1: serial, secrets"},
		"overwriting":     {"", "", true, "A-1 + -", "device north/N-1: serial,secrets", ""},
		"a new serial":    {"A-1", "C-1", false, "C-1 - +", "device north/N-1: serial", "device north/N-1: secrets"},
		"the box's own":   {"A-1", "B-1", false, "B-1 - +", "", "device north/N-1: secrets"},
		"without secrets": {", secret: " + old, "", false, "B-1 - +", "", "device north/N-1: serial"},
		"a new secret": {
			old, "secret-of-the-third-box", false, "B-1 - -", "device north/N-1: secrets", "device north/N-1: serial",
		},
		"the old secret and a new one": {
			"secret: " + old, "secrets: [" + old + ", secret-of-the-third-box]", false, "B-1 - -",
			"device north/N-1: secrets", "device north/N-1: serial, secrets",
		},
		"another change": {
			"serial: A-1", "serial: A-1, gateway: true", false, "B-1 - +", "device north/N-1: gateway",
			"device north/N-1: serial, secrets",
		},
		"the old secret is another device's": {
			"- {deviceName: N-1, product: station, serial: A-1, secret: " + old + "}",
			"- {deviceName: N-3, product: station, serial: A-1, secret: " + old + "}", false, "B-1 - +", "", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, secret := newSwapped(t)
			file := swapFile
			if c.from != "" {
				file = strings.Replace(file, c.from, c.to, 1)
			}
			before := kept(p.apply(t, swapFile, false))
			out := p.apply(t, file, c.overwrite)
			if got := p.box(t, old, secret); got != c.box {
				t.Errorf("the box is %s, want %s", got, c.box)
			}
			if got := itemNames(out.Changed); got != c.changed {
				t.Errorf("changed %s, want %s", got, c.changed)
			}
			if got := kept(out); got != c.keptAre {
				t.Errorf("kept %s, want %s", got, c.keptAre)
			}
			// Again it says the same, and changes nothing.
			again := p.apply(t, file, c.overwrite)
			if len(again.Changed)+len(again.Created) != 0 || kept(again) != c.keptAre ||
				before != "device north/N-1: serial, secrets" {
				t.Errorf("again: %+v", again)
			}
		})
	}
}

// A large file, which is stored in parts, leaves the boxes as well.
func TestApplyInPartsAfterSwap(t *testing.T) {
	p, secret := newSwapped(t)
	p.service.AtOnce = 2
	file := swapFile
	for i := range 5 {
		file += fmt.Sprintf("      - {deviceName: N-%d, product: station, serial: P-%d}\n", i+10, i)
	}
	file = strings.Replace(file, "serial: A-1", "serial: A-1, elevation: 12", 1)
	out := p.apply(t, file, false)
	if got := p.box(t, "secret-of-the-first-box", secret); got != "B-1 - +" || len(out.Created) != 5 ||
		kept(out) != "device north/N-1: serial, secrets" {
		t.Errorf("%s, %+v", got, out)
	}
}

// A device whose secret was replaced, but not its box, follows the file as ever.
func TestApplyAfterNewSecret(t *testing.T) {
	p := newFixture(t)
	p.apply(t, swapFile, false)
	made, err := p.Devices.NewSecret(t.Context(), p.tenant(t, "north").ID, "N-1",
		device.SecretOptions{DropOthers: true}, p.Catalog, p.Registry)
	if err != nil {
		t.Fatal(err)
	}
	if out := p.apply(
		t,
		swapFile,
		false,
	); len(out.Kept) != 0 ||
		p.box(t, "secret-of-the-first-box", made) != "A-1 + -" {
		t.Errorf("%+v", out)
	}
}
