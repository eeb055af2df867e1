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

// mailKey is what a page tells; how long a notice has lasted, and its picture,
// grow with time, so the minute is part of it.
type mailKey struct {
	tenant   tenant.ID
	notice   int64
	event    alertmsg.Event
	language text.Language
	channel  string
	minute   int64
	ack      int64 // when somebody said to be on it, epoch ms; 0: nobody has
}

// cachedMail is a mail but for whom it goes to.
type cachedMail struct {
	key  mailKey
	once sync.Once
	mail mail.Message
	err  error
}

// maxCachedMails is enough for the letters in flight: a notice's many recipients come
// one after the other.
const maxCachedMails = 16

// mailCache keeps the newest pages.
type mailCache struct {
	mu      sync.Mutex
	entries []*cachedMail
}

var errNotRendered = errors.New("the mail could not be written")

// get gives a page that was written before, else writes it; who wants it
// meanwhile waits. What is not whole is not kept.
func (p *mailCache) get(key mailKey, write func() (m mail.Message, complete bool, err error)) (mail.Message, error) {
	entry := p.find(key)
	entry.once.Do(func() {
		entry.err = errNotRendered // unless write returns
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
