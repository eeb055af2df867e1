package tenant_test

import (
	"archive/zip"
	"go/build"
	"path/filepath"
	"strings"
	"testing"
	_ "time/tzdata" // the zones are the same on every machine

	"tilth/internal/domain/tenant"
)

// Zone finds only the listed names, whatever other files the machine has.
func TestZone(t *testing.T) {
	for _, name := range []string{"UTC", "Europe/Istanbul", "Asia/Shanghai", "Asia/Calcutta", "America/Argentina/Ushuaia", "Etc/GMT-3", "Turkey", "W-SU", "EST5EDT"} {
		if z := tenant.Zone(name); z == nil || z.String() != name || tenant.Zone(name) != z {
			t.Errorf("%s: %v", name, z)
		}
	}
	for _, name := range []string{
		"", "Local", "localtime", "posixrules", "Factory", "posix/Europe/Istanbul", "right/UTC", "europe/istanbul", "Europe", "Europe/", "/Europe/Istanbul",
		"Europe/../Europe/Istanbul", "../zoneinfo/UTC", "Mars/Base", "GMT+3", " UTC", "UTC\n", "tzdata.zi", "zone.tab", "SystemV/AST4",
	} {
		if z := tenant.Zone(name); z != nil {
			t.Errorf("%q: %v", name, z)
		}
	}
}

// zones.txt lists the zones that Go embeds.
func TestZoneNames(t *testing.T) {
	carried, err := zip.OpenReader(filepath.Join(build.Default.GOROOT, "lib", "time", "zoneinfo.zip"))
	if err != nil {
		t.Skip("Go's sources are not on this machine:", err)
	}
	defer func() { _ = carried.Close() }()
	for _, f := range carried.File {
		if placeholder := f.Name == "Factory"; !placeholder && !strings.HasSuffix(f.Name, "/") &&
			tenant.Zone(f.Name) == nil {
			t.Errorf("zones.txt lacks %s", f.Name)
		}
	}
}
