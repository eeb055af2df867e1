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
	pipelining    bool // the server accepts commands before it has answered earlier ones
	idleTimer     *time.Timer
	stopWatch     func() bool // ends the watch; false: it has closed the connection
	inTransaction bool        // the server accepted the sender, but not yet the mail
	broken        bool        // the connection is unusable
}

// watch closes the connection when ctx ends before unwatch.
func (l *smtpConn) watch(ctx context.Context) {
	conn := l.conn
	l.stopWatch = context.AfterFunc(ctx, func() { _ = conn.Close() })
}

func (l *smtpConn) unwatch() bool { return l.stopWatch == nil || l.stopWatch() }

// closeNow closes the connection without QUIT.
func (l *smtpConn) closeNow() {
	l.unwatch()
	if l.conn != nil {
		_ = l.conn.Close() // it fails if the server has closed the connection
	}
}

// quit ends the connection with QUIT; nothing depends on its success.
func (l *smtpConn) quit() {
	_ = l.conn.SetDeadline(time.Now().Add(time.Second))
	_ = l.client.Quit()
	l.closeNow()
}

// send sends one mail over the connection.
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
	_, message, err := text.ReadResponse(250)
	if err != nil {
		return "", l.failure(ctx, err, messagePhase)
	}
	l.inTransaction = false
	return shortLine("250 " + message), nil
}

// command is an SMTP command and the beginning of the reply code that accepts it.
type command struct {
	line     string
	wantCode int
}

// sendEnvelope sends MAIL, RCPT and DATA. To a server that supports pipelining (RFC 2920) it sends
// them all at once, which saves two or three round trips.
func (l *smtpConn) sendEnvelope(ctx context.Context, from, to string) error {
	mail := command{"MAIL FROM:<" + from + ">" + l.mailParameters(from, to), 250}
	commands := []command{mail, {"RCPT TO:<" + to + ">", 25}, {"DATA", 354}}
	if l.inTransaction { // of the mail before
		commands = append([]command{{"RSET", 250}}, commands...)
	}
	l.inTransaction = false
	text, sent := l.client.Text, 0
	var refused error
	for i, c := range commands {
		for sent == i || l.pipelining && sent < len(commands) {
			_, _ = text.W.WriteString(commands[sent].line + "\r\n") // Flush gives the error
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
			// The server waits for a mail whose envelope it refused: send an empty one.
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

// mailParameters gives the MAIL parameters about the mail's encoding. It asks for SMTPUTF8 only if
// an address needs it, since servers on the way that do not offer it would refuse the mail; the
// headers are all ASCII.
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
