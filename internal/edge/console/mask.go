package console

import (
	"strings"

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
	return "•••"
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

// maskDelivery masks the recipient of a delivery, and what a server answered that names it.
func maskDelivery(d *wire.Delivery) {
	recipient := d.Recipient
	masked := maskedRecipient(notify.ChannelKind(d.Mode), recipient)
	hide := func(answer *string) {
		if answer != nil {
			*answer = strings.ReplaceAll(*answer, recipient, masked)
		}
	}
	d.Recipient = masked
	hide(d.LastError)
	for i := range d.Steps {
		hide(d.Steps[i].Answer)
	}
}
