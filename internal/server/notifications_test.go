package server

import (
	"testing"
	"time"

	"tilth/internal/domain/notify/mail"
	"tilth/internal/settings"
	"tilth/internal/tools/testkit"
)

// Identity gets a sender of mail and one of SMS only where the settings set them up.
func TestIdentityGetsOnlySendersThatAreSetUp(t *testing.T) {
	logger := testkit.NewLog().Logger
	if newTextSender(&settings.Notifications{SMS: settings.SMSOff}, logger) != nil ||
		newMailQueue(nil, logger) != nil ||
		newMailer(nil) != nil {
		t.Error("a sender was made that is not set up")
	}
	if newTextSender(&settings.Notifications{SMS: settings.SMSLog}, logger) == nil {
		t.Error("no sender of SMS was made")
	}
	server := mail.Settings{Host: "mail.example.org"}
	if newMailQueue(mail.NewSMTP(server, time.Now), logger) == nil {
		t.Error("no queue of mail was made")
	}
}
