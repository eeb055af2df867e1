package sender

import (
	"errors"
	"slices"
	"sync"

	"tilth/internal/domain/notify/mail"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/text"
)

// mailKey identifies the content of a mail. It contains the minute, since the duration of a notice
// and its picture change with time.
type mailKey struct {
	tenant   tenant.ID
	notice   int64
	event    alertmsg.Event
	language text.Language
	channel  string
	minute   int64
	ack      int64 // when a user acknowledged the notice, epoch ms; 0: nobody has
}

// cachedMail is a mail without its recipient.
type cachedMail struct {
	key  mailKey
	once sync.Once
	mail mail.Message
	err  error
}

// maxCachedMails is enough for the mails in flight: the recipients of a notice follow each other.
const maxCachedMails = 16

// mailCache holds the newest mails.
type mailCache struct {
	mu      sync.Mutex
	entries []*cachedMail
}

var errNotRendered = errors.New("the mail could not be rendered")

// get gives the cached mail, or calls write and caches its result; concurrent callers for the same
// key wait for it. It does not keep a mail that is not complete.
func (p *mailCache) get(key mailKey, write func() (m mail.Message, complete bool, err error)) (mail.Message, error) {
	entry := p.find(key)
	entry.once.Do(func() {
		entry.err = errNotRendered // remains if write panics
		complete := false
		defer func() {
			if !complete {
				p.forget(entry)
			}
		}()
		entry.mail, complete, entry.err = write()
	})
	return entry.mail, entry.err
}

func (p *mailCache) find(key mailKey) *cachedMail {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, entry := range p.entries {
		if entry.key == key {
			return entry
		}
	}
	if len(p.entries) == maxCachedMails {
		p.entries = slices.Delete(p.entries, 0, 1)
	}
	entry := &cachedMail{key: key}
	p.entries = append(p.entries, entry)
	return entry
}

func (p *mailCache) forget(one *cachedMail) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.entries = slices.DeleteFunc(p.entries, func(other *cachedMail) bool { return other == one })
}
