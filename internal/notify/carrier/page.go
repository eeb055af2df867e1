package carrier

import (
	"errors"
	"slices"
	"sync"

	"tilth/internal/news"
	"tilth/internal/notify/mail"
	"tilth/internal/tenant"
	"tilth/internal/text"
)

// pageKey is what a page tells; how long a notice has lasted, and its picture,
// grow with time, so the minute is part of it.
type pageKey struct {
	tenant   tenant.ID
	notice   int64
	event    news.Event
	language text.Language
	channel  string
	minute   int64
	ack      int64 // when somebody said to be on it, epoch ms; 0: nobody has
}

// page is a mail but for whom it goes to.
type page struct {
	key  pageKey
	once sync.Once
	mail mail.Message
	err  error
}

// pagesKept is enough for the letters in flight: a notice's many recipients come
// one after the other.
const pagesKept = 16

// pages keeps the newest pages.
type pages struct {
	mu   sync.Mutex
	kept []*page
}

var errUnwritten = errors.New("the mail could not be written")

// get gives a page that was written before, else writes it; who wants it
// meanwhile waits. What is not whole is not kept.
func (p *pages) get(key pageKey, write func() (m mail.Message, whole bool, err error)) (mail.Message, error) {
	one := p.find(key)
	one.once.Do(func() {
		one.err = errUnwritten // unless write returns
		whole := false
		defer func() {
			if !whole {
				p.forget(one)
			}
		}()
		one.mail, whole, one.err = write()
	})
	return one.mail, one.err
}

func (p *pages) find(key pageKey) *page {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, one := range p.kept {
		if one.key == key {
			return one
		}
	}
	if len(p.kept) == pagesKept {
		p.kept = slices.Delete(p.kept, 0, 1)
	}
	one := &page{key: key}
	p.kept = append(p.kept, one)
	return one
}

func (p *pages) forget(one *page) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.kept = slices.DeleteFunc(p.kept, func(other *page) bool { return other == one })
}
