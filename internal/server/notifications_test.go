package server

import (
	"testing"

	"tilth/internal/domain/notify/mail"
	"tilth/internal/settings"
	"tilth/internal/tools/testkit"
)

// Identity gets a sender of mail and one of SMS only where the settings set them up.
func TestIdentityGetsOnlySendersThatAreSetUp(t *testing.T) {
	logger := testkit.NewLog().Logger
	if newTextSender(&settings.Notifications{SMS: settings.SMSOff}, logger) != nil ||
		newMailer(nil) != nil {
		t.Error("a sender was made that is not set up")
	}
	if newTextSender(&settings.Notifications{SMS: settings.SMSLog}, logger) == nil {
		t.Error("no sender of SMS was made")
	}
	if newMailer(mail.NewQueue(nil, logger)) == nil {
		t.Error("no sender of mail was made")
	}
}
