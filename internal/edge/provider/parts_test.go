package provider

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/device"
	"tilth/internal/edge/provider/wire"
)

// partsFile has seven devices of two tenants, three of which get their secret from the server.
const partsFile = `
products: [{name: mast, properties: [{identifier: rain, dataType: number}]}]
tenants:
  - name: north
    scenes: [Hill]
    users: [{userName: dan}]
    devices:
      - {deviceName: P-1, product: mast, scene: Hill, secret: secret-of-the-device-p-1}
      - {deviceName: P-2, product: mast, serial: B}
      - {deviceName: N-1, serial: changed}
      - {deviceName: P-3, product: mast}
  - name: east
    timeZone: UTC
    scenes: [Dale]
    devices:
      - {deviceName: P-4, product: mast, scene: Dale, secrets: [secret-one-of-device-p-4, secret-two-of-device-p-4]}
      - {deviceName: P-5, product: mast}
      - {deviceName: P-6, product: mast, secret: secret-of-the-device-p-6}
`

var partsSecrets = map[string]string{
	"P-1": "secret-of-the-device-p-1",
	"P-4": "secret-two-of-device-p-4",
	"P-6": "secret-of-the-device-p-6",
}

// signIn checks that each device can sign in with its secret: one of the file, or one of an answer.
func (p *fixture) signIn(t *testing.T, answers ...*Result) {
	t.Helper()
	secrets := map[string]string{}
	for _, out := range answers {
		for _, i := range slices.Concat(out.Created, out.Changed) {
			if i.Kind == KindDevice && i.Secret != "" {
				secrets[i.Name] = i.Secret
			}
		}
	}
	if len(secrets) != 3 {
		t.Errorf("the answers have the secrets of %v", secrets)
	}
	for name, secret := range partsSecrets {
		secrets[name] = secret
	}
	for name, secret := range secrets {
		if _, _, ok := p.Registry.Authenticate(name, secret); !ok {
			t.Errorf("%s cannot sign in with %q", name, secret)
		}
	}
}

// A file that is stored in parts has the result and the audit log that it has when it is stored at once.
func TestApplyInParts(t *testing.T) {
	var wants [2]string
	for _, atOnce := range []int{devicesAtOnce, 3, 2, 1} {
		p := newFixture(t)
		p.service.AtOnce = atOnce
		p.applyBase(t)
		ctx := p.Audit.NewContext(t.Context(), audit.Actor{Kind: audit.Provider})
		out, err := p.service.Apply(ctx, []byte(partsFile), false)
		if err != nil {
			t.Fatal(err)
		}
		p.signIn(t, out)
		var entries []string
		err = p.DB.Read(
			t.Context(),
		).NewRaw(
			"SELECT kind || action || ' ' || thing_name || ' ' || tenant_id FROM audit_entries ORDER BY 1",
		).
			Scan(
				t.Context(),
				&entries,
			)
		if err != nil || len(entries) != len(out.Created)+len(out.Changed) {
			t.Errorf("%d entries of %d things (%v)", len(entries), len(out.Created)+len(out.Changed), err)
		}
		created, changed := itemNames(out.Created), itemNames(out.Changed)
		got := [2]string{fmt.Sprint(created, changed, out.Unchanged), fmt.Sprint(entries)}
		if atOnce == devicesAtOnce {
			wants = got
		}
		if got != wants {
			t.Errorf("%d at once: %s, want %s", atOnce, got, wants)
		}
		again, err := p.service.Apply(ctx, []byte(partsFile), false)
		if err != nil || len(again.Created)+len(again.Changed) > 0 ||
			again.Unchanged != len(out.Created)+len(out.Changed)+out.Unchanged {
			t.Errorf("%d at once, again: %+v (%v)", atOnce, again, err)
		}
	}
}

// A mistake anywhere in a large file changes nothing.
func TestMistakeInLargeFileChangesNothing(t *testing.T) {
	p := newFixture(t)
	p.service.AtOnce = 1
	p.applyBase(t)
	before := p.dump(t)
	_, err := p.service.Apply(
		t.Context(),
		[]byte(strings.Replace(partsFile, "P-6, product: mast", "P-6, product: none", 1)),
		false,
	)
	var wrong *FileError
	if !errors.As(err, &wrong) || p.dump(t) != before {
		t.Errorf("%v; stored:\n%s\nwas\n%s", err, p.dump(t), before)
	}
}

// Whichever device the database fails at, what was stored before stays and the answer has its secrets; applying the
// file again stores the rest, and makes secrets for devices that have none.
func TestFailureBetweenParts(t *testing.T) {
	for _, c := range []struct{ when, table, condition string }{
		{"BEFORE INSERT", "devices", "NEW.name = 'P-2'"}, {"BEFORE INSERT", "devices", "NEW.name = 'P-6'"},
		{"BEFORE UPDATE", "devices", "NEW.name = 'N-1'"},
		{"BEFORE INSERT", "device_secrets", "(SELECT name FROM devices WHERE id = NEW.device_id) = 'P-3'"},
		{"BEFORE INSERT", "device_secrets", "(SELECT name FROM devices WHERE id = NEW.device_id) = 'P-5'"},
	} {
		t.Run(c.condition, func(t *testing.T) {
			p := newFixture(t)
			p.service.AtOnce = 1
			p.applyBase(t)
			repair := p.failOn(t, c.when, c.table, c.condition)
			first, err := p.service.Apply(t.Context(), []byte(partsFile), false)
			var incomplete *IncompleteError
			if !errors.As(err, &incomplete) || incomplete.left == 0 || first == nil ||
				!strings.Contains(err.Error(), "disk full") || p.tenant(t, "east") == nil {
				t.Fatalf("%+v, %v", first, err)
			}
			if p.service.stale {
				t.Error("what was stored is not loaded")
			}
			repair()
			second, err := p.service.Apply(t.Context(), []byte(partsFile), false)
			if err != nil {
				t.Fatal(err)
			}
			p.signIn(t, first, second)
			if last := p.apply(t, partsFile, false); len(last.Created)+len(last.Changed) > 0 {
				t.Errorf("a third time: %+v", last)
			}
		})
	}
}

// A caller that leaves ends the call before the next part, and before the server makes secrets.
func TestCallerLeavesBetweenParts(t *testing.T) {
	p := newFixture(t)
	p.service.AtOnce = 1
	p.applyBase(t)
	ctx, leave := context.WithCancel(t.Context())
	p.Devices.Changed.Then(func(device.Ref) { leave() })
	first, err := p.service.Apply(ctx, []byte(partsFile), false)
	var incomplete *IncompleteError
	if !errors.As(err, &incomplete) || !errors.Is(err, context.Canceled) {
		t.Fatalf("%+v, %v", first, err)
	}
	for _, i := range first.Created {
		if i.Kind == KindDevice && i.Secret != "" {
			t.Errorf("a secret was made that nobody reads: %+v", i)
		}
	}
	second := p.apply(t, partsFile, false)
	p.signIn(t, second)
}

// The answer of a call that stored a part has what it stored, and a warning.
func TestIncompleteAnswer(t *testing.T) {
	f := newAPIFixture(t)
	f.service.AtOnce = 1
	f.applyBase(t)
	repair := f.failOn(t, "BEFORE INSERT", "devices", "NEW.name = 'P-5'")
	out := read[wire.ApplyResult](t, f.post(t, "v1/apply", partsFile), http.StatusOK)
	if out.Warning == nil || !strings.Contains(*out.Warning, "apply the file again") || len(out.Created) == 0 {
		t.Errorf("%+v", out)
	}
	if !strings.Contains(f.Log.Text(), "applied only in part") {
		t.Errorf("log:\n%s", f.Log.Text())
	}
	repair()
	if out := read[wire.ApplyResult](t, f.post(t, "v1/apply", partsFile), http.StatusOK); out.Warning != nil {
		t.Errorf("%+v", out)
	}
}
