package command

import (
	"strings"
	"testing"
	"tilth/internal/domain/notify/sms"
	"tilth/internal/settings"
	"tilth/internal/tools/testkit"
)

// The demo writes one-time codes to its log, at a level that it prints.
func TestDemoLogsSMSCodes(t *testing.T) {
	c := demoCommand()
	if err := c.Flags().Parse(nil); err != nil {
		t.Fatal(err)
	}
	s, err := settings.Read(c.Flags())
	if err != nil {
		t.Fatal(err)
	}
	log := testkit.NewLog()
	message := sms.Message{To: "+905551112233", Text: "code 123456"}
	if _, err := s.Notifications.SMSSender(log.Logger).Send(t.Context(), message); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.Text(), "123456") || !strings.Contains(log.Text(), "level="+s.LogLevel.String()) {
		t.Errorf("at level %s: %s", s.LogLevel, log.Text())
	}
	t.Setenv("TILTH_SMS", "off") // which the operator can turn off
	if s, err = settings.Read(c.Flags()); err != nil || s.Notifications.SMS != settings.SMSOff {
		t.Errorf("%+v %v", s, err)
	}
}
