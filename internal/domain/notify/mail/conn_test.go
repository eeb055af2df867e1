package mail

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/notify"
	"tilth/internal/tools/testkit"
)

// A server that offers pipelining receives all commands of a mail at once; another one receives
// each after it has answered the one before.
func TestPipelining(t *testing.T) {
	for _, offers := range []string{"250 8BITMIME", "250-PIPELINING\r\n250-SMTPUTF8\r\n250 8BITMIME"} {
		heard := make(chan bool, 1)
		set := scriptedServer(t, func(say func(string), hear func(string) bool) {
			say("220 hello")
			hear("EHLO")
			say("250-mail.example.org\r\n" + offers)
			if strings.Contains(offers, "PIPELINING") {
				// The server answers only after all commands, so a client that waits would hang.
				heard <- hear("MAIL FROM:<a@example.org> BODY=8BITMIME") && hear("RCPT TO:<ada@example.com>") && hear("DATA")
				say("250 fine\r\n250 fine\r\n354 go on")
			} else {
				hear("MAIL")
				say("250 fine")
				hear("RCPT")
				say("250 fine")
				heard <- hear("DATA")
				say("354 go on")
			}
			hear(".")
			say("250 taken")
			hear("QUIT")
			say("221 bye")
		})
		s := newTestSMTP(t, set, time.Now)
		if answer, err := s.Send(t.Context(), hello); err != nil || answer != "250 taken" {
			t.Errorf("%q: %q %v", offers, answer, err)
		}
		if !testkit.Receive(t, "the commands", heard) {
			t.Errorf("%q: not all commands were received", offers)
		}
		s.Close()
	}
}

// Of a server's replies to pipelined commands the first refusal counts; the others follow from it.
// The connection can be used again.
func TestPipelinedRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		replies string
		more    []string // what the server receives and replies after that
		want    notify.FailureKind
		says    string
		again   bool // the next mail goes over the same connection
	}{
		"the sender":    {"451 not now\r\n503 sender first\r\n503 no recipient", nil, notify.Unavailable, "451 not now", true},
		"the recipient": {"250 fine\r\n550 nobody\r\n554 no recipient", nil, notify.Permanent, "550 nobody", true},
		"the recipient, yet it waits for the mail": {"250 fine\r\n450 full\r\n354 go on", []string{".", "554 no recipient"}, notify.Transient, "450 full", true},
		"the recipient, yet it accepts the mail":   {"250 fine\r\n550 nobody\r\n354 go on", []string{".", "250 taken"}, notify.Permanent, "550 nobody", true},
		"the mail":                                 {"250 fine\r\n250 fine\r\n552 no room", nil, notify.Permanent, "552 no room", true},
		"it closes at the recipient":               {"250 fine\r\n421 too many", nil, notify.Unavailable, "421 too many", false},
		"it breaks off after a refusal":            {"250 fine\r\n550 nobody", nil, notify.Permanent, "550 nobody", false},
		"it breaks off at the sender":              {"", nil, notify.Unavailable, "", false},
		"it breaks off at the mail":                {"250 fine\r\n250 fine", nil, notify.Transient, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			offer := func(say func(string), hear func(string) bool) {
				say("220 hello")
				hear("EHLO")
				say("250-mail.example.org\r\n250 PIPELINING")
			}
			take := func(say func(string), hear func(string) bool) {
				hear("DATA")
				say("250 fine\r\n250 fine\r\n354 go on")
				hear(".")
				say("250 taken")
				hear("QUIT")
				say("221 bye")
			}
			cleared := make(chan bool, 1)
			first := func(say func(string), hear func(string) bool) {
				offer(say, hear)
				hear("DATA")
				if c.replies != "" {
					say(c.replies)
				}
				if len(c.more) > 0 {
					hear(c.more[0])
					say(c.more[1])
				}
				if !c.again {
					return
				}
				if strings.HasPrefix(c.replies, "250") { // it has accepted a sender
					cleared <- hear("RSET")
					say("250 forgotten")
				}
				take(say, hear)
			}
			scripts := []func(func(string), func(string) bool){first}
			if !c.again {
				scripts = append(scripts,
					func(say func(string), hear func(string) bool) { offer(say, hear); take(say, hear) })
			}
			s := newTestSMTP(t, scriptedServer(t, scripts...), time.Now)
			if f := wantFailure(t, s, hello); f.Kind != c.want || !strings.Contains(f.Answer, c.says) {
				t.Errorf("%v %q, want %v %q", f.Kind, f.Answer, c.want, c.says)
			}
			if answer, err := s.Send(t.Context(), hello); err != nil || answer != "250 taken" {
				t.Errorf("the next mail: %q %v", answer, err)
			}
			if c.again && strings.HasPrefix(c.replies, "250") && !testkit.Receive(t, "RSET", cleared) {
				t.Error("the transaction is not reset")
			}
			s.Close()
		})
	}
}

// Idle connections that the server has closed, with or without a reply, do not fail a mail.
func TestClosedIdleConnectionsSkipped(t *testing.T) {
	for _, last := range []string{"", "421 idle for too long"} {
		var scripts []func(func(string), func(string) bool)
		for i := range 2 {
			scripts = append(scripts, func(say func(string), hear func(string) bool) {
				greet(say, hear, ".")
				say(fmt.Sprint("250 ", i))
				hear("MAIL")
				if last != "" && i == 0 {
					say(last)
					return // the client uses the next connection
				}
				say("250 fine")
				hear("RCPT")
				say("250 fine")
				hear("DATA")
				say("354 go on")
				hear(".")
				say("250 again")
				hear("QUIT")
			})
		}
		if last == "" {
			scripts = slices.Insert(scripts, 0, func(say func(string), hear func(string) bool) {
				greet(say, hear, ".")
				say("250 0")
			})
		}
		s := newTestSMTP(t, scriptedServer(t, scripts...), time.Now)
		for i := range 3 {
			if _, err := s.Send(t.Context(), hello); err != nil {
				t.Errorf("%q, mail %d: %v", last, i, err)
			}
		}
		s.Close()
	}
}
