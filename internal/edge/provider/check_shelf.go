package provider

import (
	"encoding/hex"
	"fmt"
	"strings"

	"tilth/internal/domain/selfservice"
)

const (
	maxSelfDevices = 100_000
	devEUIDigits   = 16
	maxOwnerToken  = 64
)

func (c *checker) selfService(s *fileSelfService) {
	if n := s.devices; n.valid && (n.value < 0 || n.value > maxSelfDevices) {
		c.add(n.at, "devices must be from 0 to %d", maxSelfDevices)
	}
	if s.devices.value > 0 && len(s.products.value) == 0 {
		c.add(s.at.child("products"), "products is missing: of which kinds may the devices be?")
	}
	seen := map[string]bool{}
	for _, p := range s.products.value {
		if p.valid && seen[p.value] {
			c.add(p.at, "product %q is in the list already", p.value)
		}
		seen[p.value] = true
	}
}

func (c *checker) shelfItem(i *fileShelfItem) {
	c.deviceName(&i.deviceName, i.at)
	if i.deviceName.valid && isDotSegment(i.deviceName.value) {
		c.add(i.deviceName.at, "deviceName must not be %q", i.deviceName.value)
	}
	c.singleLine(&i.serial, maxName)
	if i.claimCode.valid {
		if code, isCode, right := selfservice.ParseCode(i.claimCode.value); !isCode || !right {
			c.add(i.claimCode.at, "claimCode must be 12 symbols and a right check symbol, for example 7K3Q-9DMX-2B4F-7")
		} else {
			c.unique("claimCode", string(code), "the same claimCode", i.claimCode.at)
		}
	}
	if i.devEUI.valid {
		if !isHex(i.devEUI.value) || len(i.devEUI.value) != devEUIDigits {
			c.add(i.devEUI.at, "devEui must be %d hexadecimal digits", devEUIDigits)
		}
		eui := strings.ToUpper(i.devEUI.value)
		c.unique("devEui", eui, fmt.Sprintf("devEui %s", eui), i.devEUI.at)
	}
	if o := i.ownerToken; o.valid && (!isHex(o.value) || o.value == "" || len(o.value) > maxOwnerToken) {
		c.add(o.at, "ownerToken must be 2 to %d hexadecimal digits, in quotes", maxOwnerToken)
	}
	if i.ownerToken.present() && !i.devEUI.present() {
		c.add(i.ownerToken.at, "ownerToken without devEui: the label of a LoRaWAN device has both")
	}
	if i.secret.valid {
		c.secret(&i.secret)
	}
}

func isHex(s string) bool {
	_, err := hex.DecodeString(s)
	return err == nil
}
