package device_test

import (
	"fmt"
	"slices"
	"testing"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
	"tilth/internal/tools/testkit"
)

// The look-ups of provisioning find more names than one statement takes, and those of a tenant find
// only that tenant's devices.
func TestProvisioningLookups(t *testing.T) {
	s := testkit.NewStores(t)
	north, south := s.Tenant(t, "north"), s.Tenant(t, "south")
	p := s.Station(t)
	var devices []*device.Device
	var names []string
	for i := range 1203 {
		name := fmt.Sprintf("N-%04d", i)
		devices = append(devices, &device.Device{Name: name, ProductID: p.ID,
			ElementData: map[string]string{"note": name}})
		names = append(names, name)
	}
	s.PutDevices(t, north.ID, devices...)
	s.Device(t, south.ID, p, "S-1")
	asked := append(slices.Clone(names), "S-1", "nobody")

	found, err := s.Devices.ByNames(t.Context(), north.ID, asked)
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != len(names) || found["N-1200"] == nil || found["N-1200"].ElementData["note"] != "N-1200" {
		t.Errorf("ByNames found %d devices, %+v", len(found), found["N-1200"])
	}
	owners, err := s.Devices.OwnersOf(t.Context(), asked)
	if err != nil {
		t.Fatal(err)
	}
	if len(owners) != len(names)+1 || owners["S-1"] != south.ID || owners["N-0000"] != north.ID {
		t.Errorf("OwnersOf: %d owners, S-1 of %d", len(owners), owners["S-1"])
	}
	if _, ok := owners["nobody"]; ok {
		t.Error("OwnersOf knows a device that does not exist")
	}
}

func TestSecretLookups(t *testing.T) {
	s := testkit.NewStores(t)
	north, south := s.Tenant(t, "north"), s.Tenant(t, "south")
	p := s.Station(t)
	a, b := s.Device(t, north.ID, p, "A"), s.Device(t, south.ID, p, "B")
	first := device.HashSecret(testkit.SecretKey, testkit.Secret("A"))
	second := device.HashSecret(testkit.SecretKey, "another one of the same device")
	if err := s.Devices.PutSecrets(t.Context(), north.ID, a.ID, first, second); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		owner tenant.ID
		want  []device.SecretHash
	}{{north.ID, []device.SecretHash{first, second}}, {south.ID, nil}} {
		got, err := s.Devices.SecretsOf(t.Context(), c.owner, []device.ID{a.ID})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got[a.ID], c.want) {
			t.Errorf("SecretsOf for tenant %d: %d hashes, want %d", c.owner, len(got[a.ID]), len(c.want))
		}
	}
	owners, err := s.Devices.SecretOwners(t.Context(), []device.SecretHash{
		second, device.HashSecret(testkit.SecretKey, testkit.Secret("B")), {1, 2, 3},
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(owners) != 2 || owners[second] != a.ID ||
		owners[device.HashSecret(testkit.SecretKey, testkit.Secret("B"))] != b.ID {
		t.Errorf("SecretOwners: %v", owners)
	}
}
