package mail

import (
	"context"
	"net"
	"strings"
	"time"

	"github.com/wneessen/go-mail/smtp"
)

// line is one connection to the server.
type line struct {
	conn   net.Conn
	client *smtp.Client
	idle   *time.Timer
	calm   func() bool // ends the watch; false when it struck
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

// again makes a connection that was kept ready for the next mail.
func (l *line) again(ctx context.Context) error {
	l.watch(ctx)
	err := l.client.UpdateDeadline(sendWithin)
	if err == nil {
		err = l.client.Reset()
	}
	if !l.unwatch() && err == nil {
		err = context.Cause(ctx)
	}
	return err
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
	// Asked for without need, it would keep the mail from servers on the way that
	// do not offer it; its headers are all ASCII.
	l.client.SkipSMTPUTF8(ascii(from) && ascii(to))
	if err := l.client.Mail("<" + from + ">"); err != nil {
		return "", l.failed(ctx, err, opening)
	}
	if err := l.client.Rcpt("<" + to + ">"); err != nil {
		return "", l.failed(ctx, err, letting)
	}
	w, err := l.client.Data()
	if err != nil {
		return "", l.failed(ctx, err, letting)
	}
	if _, err := w.Write(content); err != nil {
		return "", l.failed(ctx, err, letting)
	}
	if err := w.Close(); err != nil {
		return "", l.failed(ctx, err, letting)
	}
	if c, ok := w.(*smtp.DataCloser); ok {
		answer = said("250 " + c.ServerResponse())
	}
	return answer, nil
}

func ascii(s string) bool { return strings.IndexFunc(s, func(r rune) bool { return r > 0x7e }) < 0 }
