package mail

import (
	"context"
	"errors"
	"net"
	"net/textproto"
	"strings"
	"time"

	"github.com/wneessen/go-mail/smtp"
)

// line is one connection to the server.
type line struct {
	conn   net.Conn
	client *smtp.Client
	ahead  bool // the server lets commands be said before others are answered
	idle   *time.Timer
	calm   func() bool // ends the watch; false when it struck
	begun  bool        // the server took a sender, and not the mail
	broken bool        // nothing more can be sent over it
}

// watch closes the connection when ctx ends before unwatch.
func (l *line) watch(ctx context.Context) {
	conn := l.conn
	l.calm = context.AfterFunc(ctx, func() { _ = conn.Close() })
}

func (l *line) unwatch() bool { return l.calm == nil || l.calm() }

// hangUp closes the connection without a word.
func (l *line) hangUp() {
	l.unwatch()
	if l.conn != nil {
		_ = l.conn.Close() // closed already where the server was quicker
	}
}

// goodbye ends the connection as it should be ended; nothing depends on it.
func (l *line) goodbye() {
	_ = l.conn.SetDeadline(time.Now().Add(time.Second))
	_ = l.client.Quit()
	l.hangUp()
}

// send has the server take one mail.
func (l *line) send(ctx context.Context, from, to string, content []byte) (answer string, err error) {
	l.watch(ctx)
	defer func() {
		if !l.unwatch() {
			l.broken = true
		}
	}()
	if err := l.client.UpdateDeadline(sendWithin); err != nil {
		l.broken = true
		return "", unreached(ctx, err)
	}
	if err := l.announce(ctx, from, to); err != nil {
		return "", err
	}
	text := l.client.Text
	w := text.DotWriter()
	if _, err := w.Write(content); err != nil {
		return "", l.failed(ctx, err, letting)
	}
	if err := w.Close(); err != nil {
		return "", l.failed(ctx, err, letting)
	}
	_, words, err := text.ReadResponse(250)
	if err != nil {
		return "", l.failed(ctx, err, letting)
	}
	l.begun = false
	return said("250 " + words), nil
}

// command is what the server is told, and the beginning of the code that it
// says yes with.
type command struct {
	words string
	yes   int
}

// announce tells the server from whom and to whom a mail is, and that it comes.
// One that lets commands be said ahead (RFC 2920) hears all of it at once, which
// is one wait in place of three or four.
func (l *line) announce(ctx context.Context, from, to string) error {
	mail := command{"MAIL FROM:<" + from + ">" + l.parameters(from, to), 250}
	commands := []command{mail, {"RCPT TO:<" + to + ">", 25}, {"DATA", 354}}
	if l.begun { // what came of the mail before
		commands = append([]command{{"RSET", 250}}, commands...)
	}
	l.begun = false
	text, said := l.client.Text, 0
	var refused error
	for i, c := range commands {
		for said == i || l.ahead && said < len(commands) {
			_, _ = text.W.WriteString(commands[said].words + "\r\n") // Flush tells
			said++
		}
		err := text.W.Flush()
		if err == nil {
			_, _, err = text.ReadResponse(c.yes)
		}
		switch {
		case err != nil && refused == nil:
			at := opening
			if l.begun {
				at = letting
			}
			refused = l.failed(ctx, err, at)
			l.broken = l.broken || c.words == "RSET"
		case err != nil && !errors.As(err, new(*textproto.Error)):
			l.broken = true
		case err == nil && c == mail:
			l.begun = true
		case err == nil && c.yes == 354 && refused != nil:
			// It waits for a mail that nobody is to get.
			if err := text.PrintfLine("."); err != nil {
				l.broken = true
			} else if _, _, err = text.ReadResponse(0); err != nil {
				l.broken = true
			}
		}
		if refused != nil && (l.broken || !l.ahead) {
			break
		}
	}
	return refused
}

// parameters are what the server is to know of a mail's letters. SMTPUTF8 is not
// asked for without need: that would keep the mail from servers on the way that
// do not offer it; its headers are all ASCII.
func (l *line) parameters(from, to string) (list string) {
	if offered, _ := l.client.Extension("8BITMIME"); offered {
		list += " BODY=8BITMIME"
	}
	if offered, _ := l.client.Extension("SMTPUTF8"); offered && !(ascii(from) && ascii(to)) {
		list += " SMTPUTF8"
	}
	return list
}

func ascii(s string) bool { return strings.IndexFunc(s, func(r rune) bool { return r > 0x7e }) < 0 }
