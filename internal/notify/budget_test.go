package notify_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"tilth/internal/errs"
	"tilth/internal/news"
	"tilth/internal/notify"
	"tilth/internal/testkit"
)

// thrifty is a post whose tenants may send so many mails and SMS a day, and whose
// notices go one by one.
func thrifty(t *testing.T, mails, sms int) *post {
	return newPost(t, func(p *post) { p.digests, p.mailsADay, p.smsADay = 0, mails, sms })
}

// used is how much of the field's budgets is, such as "8/10".
func (p *post) used() string {
	p.t.Helper()
	budgets, err := p.outbox.Budgets(p.t.Context(), p.field.ID)
	p.must(err)
	var said []string
	for _, b := range budgets {
		near := ""
		if b.Near() {
			near = "!"
		}
		said = append(said, fmt.Sprintf("%s %d/%d%s", b.Mode, b.Letters, b.Of, near))
	}
	return strings.Join(said, ", ")
}

// together is what was told by letters that fly together, in whatever order they came.
func together(told string) string {
	letters := strings.Split(told, "; ")
	slices.Sort(letters)
	return strings.Join(letters, "; ")
}

// Up to the budget one by one; then one letter an hour, and the serious ones as
// ever; from half as many again the serious ones only; at twice the budget nothing.
func TestBudget(t *testing.T) {
	p := thrifty(t, 10, 0)
	w := news.DeliveryOptions{Channels: []int64{p.channel("field", ada)}}
	screen, _, _, _ := p.hub.Subscribe(p.field.ID, "key", "")
	other, _, _, _ := p.hub.Subscribe(p.rival.ID, "key", "")
	told := func() (n int) {
		for len(screen.Events) > 0 {
			if e := <-screen.Events; e.Name == "budget" {
				n++
			}
		}
		return n
	}
	p.after(20 * time.Minute)
	p.storm(7, 1, w)
	p.step()
	p.wants("below 80 %", p.used(), "email 7/10")
	if n := told(); n != 0 {
		t.Errorf("told %d times of nothing", n)
	}
	p.storm(1, 1, w)
	p.step()
	p.wants("at 80 %", p.used(), "email 8/10!")
	if n := told(); n != 1 {
		t.Errorf("told %d times", n)
	}
	p.mail.take()
	all := p.storm(4, 1, w)
	next := p.step()
	p.wants("the last two", together(p.mail.told()), "ada@example.com triggered 1; ada@example.com triggered 2")
	p.wants("the third", p.of(all[2]), "ada@example.com triggered queued budget")
	if d := p.deliveries(all[2])[0]; next.Sub(p.Clock.Now()) != 40*time.Minute || !d.Digest || d.NextTime != next.UnixMilli() {
		t.Errorf("the hour ends at %v: %+v", next, d)
	}
	// What begins and ends until the hour's end comes with it, of all channels.
	p.after(30 * time.Minute)
	general := p.begins("General", 0, news.DeliveryOptions{Channels: []int64{p.channel("house", ada)}})
	p.ends(all[0], true)
	p.storm(2, 2, w)
	p.step()
	p.wants("serious ones", together(p.mail.told()), "ada@example.com triggered 1; ada@example.com triggered 2")
	p.after(10 * time.Minute)
	letters := p.mail.take()
	if len(letters) != 1 || len(letters[0].Alarms) != 4 || !letters[0].Hourly {
		t.Errorf("%+v", letters)
	}
	p.wants("general", p.of(general), "ada@example.com triggered sent")
	p.wants("the end", p.of(all[0]), "ada@example.com resolved sent; ada@example.com triggered sent")
	p.ends(general, true)
	p.after(59 * time.Minute)
	p.wants("within the next hour", p.mail.told(), "")
	p.after(time.Minute)
	p.wants("at its end", p.mail.told(), "ada@example.com resolved General")
	for range 3 {
		p.storm(1, 1, w)
		p.after(time.Hour)
	}
	p.wants("up to half as many again", p.mail.shapes(), "t1")
	p.wants("used", p.used(), "email 15/10!")
	mild := p.begins("Mild", 1, news.DeliveryOptions{Channels: w.Channels, RemindEvery: time.Hour})
	p.step()
	p.wants("beyond", p.of(mild), "ada@example.com triggered skipped budget")
	p.ends(mild, true)
	p.step()
	p.wants("its end", p.of(mild), "ada@example.com resolved skipped notTold; ada@example.com triggered skipped budget")
	lasting := p.begins("Lasting", 2, news.DeliveryOptions{Channels: w.Channels, RemindEvery: 10 * time.Minute})
	p.step()
	p.storm(4, 2, w)
	p.step()
	p.wants("serious ones still", p.mail.shapes(), "t1 t1 t1 t1 t1")
	all = p.storm(1, 2, w)
	p.step()
	p.wants("at twice the budget", p.of(all[0]), "ada@example.com triggered skipped budget")
	p.after(10 * time.Minute)
	p.wants("a reminder", p.of(lasting), "ada@example.com reminder queued budget; ada@example.com triggered sent")
	if n := told(); n != 3 {
		t.Errorf("told %d times of the budget, of half as much again, and of twice as much", n)
	}
	if len(other.Events) > 0 {
		t.Error("another tenant is told")
	}
	// The next day begins anew.
	p.at("00:00", 1)
	p.wants("the next day", p.mail.told(), "ada@example.com reminder Lasting")
	p.wants("its budget", p.used(), "email 1/10")
}

// A tenant's own number goes before the server's, at once; another tenant's budget
// is its own.
func TestBudgetsOfTenants(t *testing.T) {
	p := thrifty(t, 0, 0)
	f := p.farmers("a", "b")
	owner, err := p.Tenants.Get(t.Context(), f[0].id)
	p.must(err)
	owner.MailsADay = new(4)
	p.must(p.Tenants.Put(t.Context(), owner))
	f[0].begin(6, 1)
	f[1].begin(6, 1)
	p.step()
	p.wants("a's four and b's six", p.mail.shapes(), strings.TrimSpace(strings.Repeat("t1 ", 10)))
	p.wants("one that has none", p.used(), "")
	owner.MailsADay = new(0)
	p.must(p.Tenants.Put(t.Context(), owner))
	p.after(time.Hour)
	p.wants("without a budget", p.mail.shapes(), "t2")
}

// Mails and SMS are counted apart; what only went to the log is not, and programs
// have no budget.
func TestBudgetsOfModes(t *testing.T) {
	p := thrifty(t, 5, 3)
	p.hook("one")
	c := p.Channel(t, p.field.ID, "both", func(c *notify.Channel) { c.Emails, c.Phones = []string{ada}, []string{"+905551112233"} }).ID
	p.storm(6, 1, news.DeliveryOptions{Channels: []int64{c}})
	p.step()
	p.wants("used", p.used(), "email 5/5!, phoneMessage 3/3!")
	if got := len(p.programs.take()); got != 6 {
		t.Errorf("%d calls", got)
	}
	p = newPost(t, func(p *post) {
		p.digests, p.smsADay = 0, 3
		p.carriers[notify.Phone] = logbook{p.sms}
	})
	c = p.Channel(t, p.field.ID, "phone", func(c *notify.Channel) { c.ByEmail, c.Emails, c.Phones = false, nil, []string{"+905551112233"} }).ID
	p.storm(6, 1, news.DeliveryOptions{Channels: []int64{c}})
	p.step()
	p.wants("the log", p.used(), "phoneMessage 0/3")
}

// An hour's letter that the far end puts off goes with the next hour's; refused, each
// of its notices says so.
func TestHourlyLetterThatFails(t *testing.T) {
	p := thrifty(t, 4, 0)
	w := news.DeliveryOptions{Channels: []int64{p.channel("field", ada)}}
	all := p.storm(6, 1, w)
	p.step()
	p.ends(all[0], true)
	p.step()
	p.mail.take()
	p.mail.fails(notify.Later, "451 busy")
	p.after(time.Hour)
	p.wants("put off", p.of(all[0])+"; "+p.of(all[5]), "ada@example.com resolved queued retry; ada@example.com triggered sent; ada@example.com triggered queued retry")
	p.mail.fails(notify.Refused, "550 nobody")
	p.after(20 * time.Minute)
	p.wants("the next hour", p.of(all[0])+"; "+p.of(all[5]), "ada@example.com resolved queued budget; ada@example.com triggered sent; ada@example.com triggered queued budget")
	p.after(40 * time.Minute)
	p.wants("refused", p.of(all[0])+"; "+p.of(all[5]), "ada@example.com resolved failed refused; ada@example.com triggered sent; ada@example.com triggered failed refused")
	p.wants("used", p.used(), "email 4/4!")
}

// Whoever changes, stops or deletes the rule has nobody told of what waits.
func TestBudgetAndItsRule(t *testing.T) {
	p := thrifty(t, 2, 0)
	w := news.DeliveryOptions{Channels: []int64{p.channel("field", ada)}}
	all := p.storm(3, 1, w)
	p.step()
	p.ends(all[2], false)
	p.wants("waiting", p.of(all[2]), "ada@example.com triggered skipped changed")
}

// What is in flight counts.
func TestBudgetAndFlights(t *testing.T) {
	p := thrifty(t, 3, 0)
	f := p.farmers("a")[0]
	f.begin(9, 1)
	held := make(chan struct{})
	p.mail.says(func(*notify.Letter) error { <-held; return nil })
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- p.outbox.Run(ctx) }()
	testkit.Eventually(t, "three in flight", func() bool { return p.mail.attempts() >= 3 })
	f.begin(1, 1)
	testkit.Eventually(t, "the others wait", func() bool {
		list, err := p.outbox.Of(t.Context(), f.id, f.last)
		p.must(err)
		return list[0].Reason == notify.ForBudget
	})
	close(held)
	p.mail.wait(t, 3)
	stop()
	p.must(<-done)
	if n := p.mail.attempts(); n != 3 {
		t.Errorf("%d letters were tried", n)
	}
}

// Of a tenant that is deleted while its letters are in flight nothing is counted.
func TestNobodysBudget(t *testing.T) {
	p := thrifty(t, 3, 0)
	gone := *p.field.Tenant
	c, err := p.Channels.Get(t.Context(), gone.ID, p.channel("field", ada))
	p.must(err)
	gone.ID = 4711
	_, err = p.outbox.Try(t.Context(), &gone, c)
	p.must(err)
	p.wants("another's", p.used(), "email 0/3")
}

// A test of a channel counts, and is refused once the budget is used up.
func TestBudgetOfTests(t *testing.T) {
	p := thrifty(t, 3, 0)
	c, err := p.Channels.Get(t.Context(), p.field.ID, p.channel("field", ada, "bora@example.com"))
	p.must(err)
	for range 2 {
		outcomes, err := p.outbox.Try(t.Context(), p.field.Tenant, c)
		p.must(err)
		if len(outcomes) != 2 {
			t.Errorf("%+v", outcomes)
		}
	}
	p.wants("used", p.used(), "email 4/3!")
	_, err = p.outbox.Try(t.Context(), p.field.Tenant, c)
	if !errs.Is(err, errs.TooMany) || len(p.mail.take()) != 4 {
		t.Errorf("%v", err)
	}
	p.at("00:00", 1)
	_, err = p.outbox.Try(t.Context(), p.field.Tenant, c)
	p.must(err)
	p.at("00:00", 9)
	p.must(p.outbox.Sweep(t.Context(), p.Clock.Now()))
	left, err := p.DB.Read(t.Context()).NewSelect().Table("letter_days").Count(t.Context())
	if p.must(err); left != 0 {
		t.Errorf("%d days are kept", left)
	}
}

// Whatever comes, whatever fails: no day takes more than twice its budget, what is
// not serious no more than half as much again; and once all is over nothing waits.
func TestBudgetHolds(t *testing.T) {
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 19))
			of := 4 + random.IntN(8)
			p := newPost(t, func(p *post) { p.mailsADay, p.digests = of, []int{0, 3}[seed%2] })
			channels := []int64{p.channel("field", ada, "bora@example.com"), p.channel("house", ada)}
			letters := 0
			p.mail.says(func(l *notify.Letter) error {
				if random.IntN(5) == 0 {
					return &notify.Failure{Trouble: notify.Later, Answer: "451 busy"}
				}
				if letters++; l.Alarms[0].Level < 2 {
					if letters > of+of/2 {
						t.Errorf("letter %d of %d is not serious", letters, of)
					}
				}
				if letters > 2*of {
					t.Errorf("letter %d of %d", letters, of)
				}
				return nil
			})
			p.outbox.OneAtATime(notify.Email) // else those in flight do not know of each other's end
			var all []*news.Alarm
			for range 60 {
				w := news.DeliveryOptions{Channels: channels[:1+random.IntN(2)], RemindEvery: time.Duration(random.IntN(2)) * 40 * time.Minute}
				all = append(all, p.storm(random.IntN(3), random.IntN(3), w)...)
				if len(all) > 0 && random.IntN(2) == 0 {
					i := random.IntN(len(all))
					p.ends(all[i], true)
					all = append(all[:i], all[i+1:]...)
				}
				day := p.Clock.Now().In(p.field.TimeZone).Day()
				d := time.Duration(random.IntN(30)) * time.Minute
				if p.Clock.Now().Add(d).In(p.field.TimeZone).Day() != day {
					letters = 0
				}
				p.after(d)
			}
			for _, a := range all {
				p.ends(a, true)
			}
			for range 3 * 24 {
				if p.Clock.Now().In(p.field.TimeZone).Hour() == 23 {
					letters = 0
				}
				p.after(time.Hour)
			}
			if n := p.waiting(notify.Email); n > 0 {
				t.Errorf("%d deliveries wait", n)
			}
		})
	}
}
