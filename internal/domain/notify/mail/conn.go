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

// smtpConn is one connection to the server.
type smtpConn struct {
	conn          net.Conn
	client        *smtp.Client
	pipelining    bool // the server lets commands be said before others are answered
	idleTimer     *time.Timer
	stopWatch     func() bool // ends the watch; false when it struck
	inTransaction bool        // the server took a sender, and not the mail
	broken        bool        // nothing more can be sent over it
}

// watch closes the connection when ctx ends before unwatch.
func (l *smtpConn) watch(ctx context.Context) {
	conn := l.conn
	l.stopWatch = context.AfterFunc(ctx, func() { _ = conn.Close() })
}

func (l *smtpConn) unwatch() bool { return l.stopWatch == nil || l.stopWatch() }

// closeNow closes the connection without a word.
func (l *smtpConn) closeNow() {
	l.unwatch()
	if l.conn != nil {
		_ = l.conn.Close() // closed already where the server was quicker
	}
}

// quit ends the connection as it should be ended; nothing depends on it.
func (l *smtpConn) quit() {
	_ = l.conn.SetDeadline(time.Now().Add(time.Second))
	_ = l.client.Quit()
	l.closeNow()
}

// send has the server take one mail.
func (l *smtpConn) send(ctx context.Context, from, to string, content []byte) (answer string, err error) {
	l.watch(ctx)
	defer func() {
		if !l.unwatch() {
			l.broken = true
		}
	}()
	if err := l.client.UpdateDeadline(sendWithin); err != nil {
		l.broken = true
		return "", connectFailure(ctx, err)
	}
	if err := l.sendEnvelope(ctx, from, to); err != nil {
		return "", err
	}
	text := l.client.Text
	w := text.DotWriter()
	if _, err := w.Write(content); err != nil {
		return "", l.failure(ctx, err, messagePhase)
	}
	if err := w.Close(); err != nil {
		return "", l.failure(ctx, err, messagePhase)
	}
	_, words, err := text.ReadResponse(250)
	if err != nil {
		return "", l.failure(ctx, err, messagePhase)
	}
	l.inTransaction = false
	return shortLine("250 " + words), nil
}

// command is what the server is told, and the beginning of the code that it
// says yes with.
type command struct {
	line     string
	wantCode int
}

// sendEnvelope tells the server from whom and to whom a mail is, and that it comes.
// One that lets commands be said ahead (RFC 2920) hears all of it at once, which
// is one wait in place of three or four.
func (l *smtpConn) sendEnvelope(ctx context.Context, from, to string) error {
	mail := command{"MAIL FROM:<" + from + ">" + l.mailParameters(from, to), 250}
	commands := []command{mail, {"RCPT TO:<" + to + ">", 25}, {"DATA", 354}}
	if l.inTransaction { // what came of the mail before
		commands = append([]command{{"RSET", 250}}, commands...)
	}
	l.inTransaction = false
	text, sent := l.client.Text, 0
	var refused error
	for i, c := range commands {
		for sent == i || l.pipelining && sent < len(commands) {
			_, _ = text.W.WriteString(commands[sent].line + "\r\n") // Flush tells
			sent++
		}
		err := text.W.Flush()
		if err == nil {
			_, _, err = text.ReadResponse(c.wantCode)
		}
		switch {
		case err != nil && refused == nil:
			at := envelopePhase
			if l.inTransaction {
				at = messagePhase
			}
			refused = l.failure(ctx, err, at)
			l.broken = l.broken || c.line == "RSET"
		case err != nil && !errors.As(err, new(*textproto.Error)):
			l.broken = true
		case err == nil && c == mail:
			l.inTransaction = true
		case err == nil && c.wantCode == 354 && refused != nil:
			// It waits for a mail that nobody is to get.
			if err := text.PrintfLine("."); err != nil {
				l.broken = true
			} else if _, _, err = text.ReadResponse(0); err != nil {
				l.broken = true
			}
		}
		if refused != nil && (l.broken || !l.pipelining) {
			break
		}
	}
	return refused
}

// mailParameters are what the server is to know of a mail's letters. SMTPUTF8 is not
// asked for without need: that would keep the mail from servers on the way that
// do not offer it; its headers are all ASCII.
func (l *smtpConn) mailParameters(from, to string) (list string) {
	if offered, _ := l.client.Extension("8BITMIME"); offered {
		list += " BODY=8BITMIME"
	}
	if offered, _ := l.client.Extension("SMTPUTF8"); offered && !(ascii(from) && ascii(to)) {
		list += " SMTPUTF8"
	}
	return list
}

func ascii(s string) bool { return strings.IndexFunc(s, func(r rune) bool { return r > 0x7e }) < 0 }
