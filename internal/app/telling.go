package app

import (
	"context"
	"crypto/hkdf"
	"crypto/sha256"
	"log/slog"
	"time"

	"tilth/internal/identity"
	"tilth/internal/notify/mail"
	"tilth/internal/notify/sms"
)

// texts is the SMS sender as identity asks for it.
type texts struct{ sender sms.Sender }

// SendText sends one SMS.
func (t texts) SendText(ctx context.Context, mobile, text string) error {
	return t.sender.Send(ctx, sms.Message{To: mobile, Text: text})
}

// textSender is nil where SMS is not set up.
func textSender(t *Telling, log *slog.Logger) identity.TextSender {
	if t.SMS == smsOff {
		return nil
	}
	return texts{t.sender(log)}
}

// codeKey is the key under which codes are hashed. It comes from the
// platform's, so that the database alone tells no code.
func codeKey(platform []byte) ([]byte, error) {
	return hkdf.Key(sha256.New, platform, nil, "sms codes", 32)
}

// letters is the queue of mails as identity asks for it.
type letters struct{ queue *mail.Queue }

// Post hands a letter over.
func (l letters) Post(x identity.Letter) {
	l.queue.Post(mail.Message{
		ID: x.ID, To: x.To, Subject: x.Subject, Text: x.Text, HTML: mail.Paragraphs(x.Language, x.Text),
	})
}

// mailQueue is nil where mail is not set up.
func mailQueue(t *Telling, log *slog.Logger) *mail.Queue {
	if t.Mail == nil {
		return nil
	}
	return mail.NewQueue(mail.NewSMTP(*t.Mail, time.Now).Send, log)
}

// postbox is nil where mail is not set up.
func postbox(q *mail.Queue) identity.Postbox {
	if q == nil {
		return nil
	}
	return letters{q}
}
