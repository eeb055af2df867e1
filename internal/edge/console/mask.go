package console

import (
	"reflect"
	"regexp"
	"strings"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/identity"
	"tilth/internal/domain/notify"
	"tilth/internal/edge/console/wire"
)

// maskedRecipient masks a recipient as mails mask addresses and numbers. Of other kinds it shows
// nothing: their recipients may be keys.
func maskedRecipient(kind notify.ChannelKind, recipient string) string {
	switch kind {
	case notify.KindEmail:
		return identity.MaskedEmail(recipient)
	case notify.KindSMS:
		return identity.MaskedMobile(recipient)
	}
	return maskDots
}

// shownRecipients gives recipients as a role may see them: viewers get them masked.
func shownRecipients(role identity.Role, kind notify.ChannelKind, recipients []string) []string {
	shown := append([]string{}, recipients...)
	if !role.Allows(identity.Operator) {
		for i, r := range shown {
			shown[i] = maskedRecipient(kind, r)
		}
	}
	return shown
}

// recipientField names the recipients of a kind in entries of the audit log.
func recipientField(k *notify.Kind) string {
	if k.Other {
		return string(k.Name)
	}
	return k.Field
}

// maskRecipients masks the recipients in a change of a channel. Entries are written with masks;
// those of former versions were not.
func maskRecipients(c *audit.Change) {
	for _, k := range notify.Kinds() {
		if recipientField(k) != c.Field || c.Hidden {
			continue
		}
		for _, side := range []*any{&c.Before, &c.After} {
			if list, ok := (*side).([]any); ok {
				*side = maskedList(k.Name, list)
			}
		}
		if reflect.DeepEqual(c.Before, c.After) {
			*c = audit.Change{Field: c.Field, Hidden: true}
		}
	}
}

func maskedList(kind notify.ChannelKind, list []any) []any {
	masked := make([]any, len(list))
	for i, one := range list {
		if r, ok := one.(string); ok && !strings.Contains(r, maskDots) {
			one = maskedRecipient(kind, r)
		}
		masked[i] = one
	}
	return masked
}

const maskDots = "•••"

// placeInAnswer is what in the answer of a server may lead to somebody or to the server: an address,
// a host or IP address with its port, a number of eight digits and more.
var placeInAnswer = regexp.MustCompile(strings.Join([]string{
	`[^\s<>()\[\]",;:]+@[^\s<>()\[\]",;:]+`,
	`\[[0-9A-Fa-f:.]+(?:%\w+)?\](?::\d+)?`,
	`[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}`,
	`\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?`,
	`(?:[\p{L}\d_-]+\.)+\p{L}[\p{L}\d-]*(?::\d+)?`,
	`\p{L}[\p{L}\d_-]*:\d+`,
	`\+?\d[\d ()-]{6,}\d`,
}, "|"))

// lookedUp is the name that a resolver did not find, which may be a single word.
var lookedUp = regexp.MustCompile(`\blookup [^\s:]+`)

// maskedAnswer gives what a server answered to a viewer: without addresses, numbers and places in
// the network, whoever's they are.
func maskedAnswer(answer string) string {
	answer = lookedUp.ReplaceAllString(answer, "lookup "+maskDots)
	return placeInAnswer.ReplaceAllStringFunc(answer, func(found string) string {
		switch {
		case strings.Contains(found, "@"):
			return identity.MaskedEmail(found)
		case strings.Trim(found, "+0123456789 ()-") == "":
			return identity.MaskedMobile(found)
		}
		return maskDots
	})
}

// maskDelivery masks the recipient of a delivery, and what a server answered that names it, or says
// where that server is.
func maskDelivery(d *wire.Delivery) {
	recipient := d.Recipient
	masked := maskedRecipient(notify.ChannelKind(d.Mode), recipient)
	hide := func(answer *string) {
		if answer != nil {
			*answer = maskedAnswer(strings.ReplaceAll(*answer, recipient, masked))
		}
	}
	d.Recipient = masked
	hide(d.LastError)
	for i := range d.Steps {
		hide(d.Steps[i].Answer)
	}
}
