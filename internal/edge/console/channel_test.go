package console_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/notify"
	"tilth/internal/edge/console"
	"tilth/internal/edge/console/wire"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/text"
	"tilth/internal/tools/testkit"
	"tilth/internal/tools/testkit/pseudo"
)

const channelsPath = "/admin-api/client/pc/notice-channel/"

// nightShiftForm returns a valid form of a channel; with changes it, and nil removes a key.
func nightShiftForm(with body) body {
	b := body{
		"noticeName":   "Night shift",
		"noticeMode":   []string{"email", "phoneMessage"},
		"email":        body{"emails": []string{"ada@example.com", "bora@example.com"}},
		"phoneMessage": []string{"+90 555 111 22 33"},
		"language":     "tr-tr",
	}
	maps.Copy(b, with)
	for key, value := range b {
		if value == nil {
			delete(b, key)
		}
	}
	return b
}

// channelCall returns a call of the field's ada with a form.
func (w *fixture) channelCall(method, name string, b body) testkit.Call {
	return w.adaCall(method, channelsPath+name, b)
}

func (w *fixture) getChannel(t *testing.T, id int64) wire.NoticeChannel {
	t.Helper()
	return testkit.Ask[wire.NoticeChannel](t, w.Contract, w.get(fmt.Sprint(channelsPath, "get?id=", id)))
}

func (w *fixture) deleteChannelCall(id int64) testkit.Call {
	return testkit.Call{Method: http.MethodDelete, Path: fmt.Sprint(channelsPath, "delete?id=", id), Token: w.ada}
}

func (w *fixture) testChannelCall(id int64) testkit.Call {
	return testkit.Call{Method: http.MethodPost, Path: fmt.Sprint(channelsPath, "test?id=", id), Token: w.ada}
}

// createRivalChannel makes a channel of the rival, with the marker, and returns its id.
func (w *fixture) createRivalChannel() int64 {
	id, err := w.Channels.Create(context.Background(), w.rival.ID, &notify.Channel{
		Tenant: w.rival.ID,
		Name:   marker + " channel",
		To:     notify.Recipients{notify.KindEmail: {marker + "@example.com"}},
	})
	if err != nil {
		panic(err) // a row of a table has no test to fail
	}
	return id
}

// A channel is made, read, changed and deleted.
func TestNoticeChannels(t *testing.T) {
	w := newServer(t)
	made := w.Clock.Milli()
	id := testkit.Ask[int64](t, w.Contract, w.channelCall(http.MethodPost, "create", nightShiftForm(nil)))
	want := wire.NoticeChannel{
		Id:           id,
		NoticeName:   "Night shift",
		NoticeMode:   []string{"email", "phoneMessage"},
		Email:        wire.NoticeChannelEmail{Emails: []string{"ada@example.com", "bora@example.com"}},
		PhoneMessage: []string{"+905551112233"},
		Language:     new("tr-tr"),
		CreateTime:   made,
		RuleNames:    []string{},
	}
	if got := w.getChannel(t, id); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	w.Clock.Advance(time.Minute)
	change := nightShiftForm(
		body{
			"id":           id,
			"noticeName":   " Gündüz ",
			"noticeMode":   []string{"phoneMessage"},
			"language":     nil,
			"phoneMessage": []string{"13800138000", "", "+7-900-123-45-67"},
		},
	)
	w.Run(
		t,
		[]testkit.Scenario{
			{Name: "update", Call: w.channelCall(http.MethodPut, "update", change), Contains: []string{`"data":true`}},
		},
	)
	want.NoticeName, want.NoticeMode, want.Email.Emails, want.Language = "Gündüz", []string{
		"phoneMessage",
	}, []string{}, nil
	want.PhoneMessage = []string{"+8613800138000", "+79001234567"}
	if got := w.getChannel(t, id); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	w.Run(t, []testkit.Scenario{
		{Name: "delete", Call: w.deleteChannelCall(id), Contains: []string{`"data":true`}},
		{Name: "deleted", Call: w.get(fmt.Sprint(channelsPath, "get?id=", id)), Code: 404},
		{Name: "delete again", Call: w.deleteChannelCall(id), Code: 404},
		{
			Name: "an invalid update of a deleted channel",
			Call: w.channelCall(http.MethodPut, "update", body{"id": id}),
			Code: 404,
		},
		{Name: "test a deleted channel", Call: w.testChannelCall(id), Code: 404},
	})
}

func TestNoticeChannelPage(t *testing.T) {
	w := newServer(t)
	w.createRivalChannel()
	for _, b := range []body{{"noticeName": "Işık", "noticeMode": []string{"email"}}, {"noticeName": "İlk 50%", "noticeMode": []string{"phoneMessage"}}, {"noticeName": "both"}} {
		w.Clock.Advance(time.Second)
		testkit.Ask[int64](t, w.Contract, w.channelCall(http.MethodPost, "create", nightShiftForm(b)))
	}
	for query, want := range map[string]string{
		"": "both, İlk 50%, Işık of 3", "?noticeName=IŞI": "Işık of 1", "?noticeName=0%25": "İlk 50% of 1", "?noticeMode=email": "both, Işık of 2",
		"?noticeMode=phoneMessage&noticeName=ilk": "İlk 50% of 1", "?pageSize=1&pageNo=2": "İlk 50% of 3", "?noticeMode=": "both, İlk 50%, Işık of 3",
		"?noticeName=" + marker: " of 0", "?pageSize=400&pageNo=46116860184273880": " of 3",
	} {
		page := testkit.Ask[wire.NoticeChannelPage](t, w.Contract, w.get(channelsPath+"page"+query))
		var names []string
		for _, c := range page.List {
			names = append(names, c.NoticeName)
		}
		if got := fmt.Sprintf("%s of %d", strings.Join(names, ", "), page.Total); got != want {
			t.Errorf("%q: %s, want %s", query, got, want)
		}
	}
	w.Run(t, []testkit.Scenario{
		{
			Name:     "an unknown mode",
			Call:     w.get(channelsPath + "page?noticeMode=fax"),
			Code:     601,
			Contains: []string{"Mode: not one of the choices"},
		},
		{
			Name:     "a long name",
			Call:     w.get(channelsPath + "page?noticeName=" + strings.Repeat("x", 65)),
			Code:     601,
			Contains: []string{"Name: at most 64 characters"},
		},
	})
}

// Every error in a form is reported in the reader's language, by both calls.
func TestNoticeChannelRefusals(t *testing.T) {
	w := newServer(t)
	id := testkit.Ask[int64](t, w.Contract, w.channelCall(http.MethodPost, "create", nightShiftForm(nil)))
	emails := func(list ...string) body { return body{"email": body{"emails": list}} }
	phones := func(list ...string) body { return body{"phoneMessage": list} }
	many := make([]string, 21)
	for i := range many {
		many[i] = fmt.Sprintf("a%d@example.com", i)
	}
	translate := func(l text.Language, key string, args ...string) string {
		return text.Translate(l, key, errs.New(errs.Refused, key, args...).Args)
	}
	fieldError := func(l text.Language, field, key string, args ...string) string {
		return translate(l, "field", "field", translate(l, "field."+field), "reason", translate(l, key, args...))
	}
	for name, c := range map[string]struct {
		with body
		want func(l text.Language) string
	}{
		"no name":       {body{"noticeName": nil}, func(l text.Language) string { return translate(l, "common.nameRequired") }},
		"a blank name":  {body{"noticeName": " "}, func(l text.Language) string { return translate(l, "common.nameRequired") }},
		"a long name":   {body{"noticeName": strings.Repeat("ş", 65)}, func(l text.Language) string { return fieldError(l, "noticeName", "invalid.long", "limit", "64") }},
		"NUL":           {body{"noticeName": "a\x00"}, func(l text.Language) string { return fieldError(l, "noticeName", "invalid.format") }},
		"no mode":       {body{"noticeMode": nil}, func(l text.Language) string { return translate(l, "channel.modeRequired") }},
		"an empty mode": {body{"noticeMode": []string{}}, func(l text.Language) string { return translate(l, "channel.modeRequired") }},
		"fax":           {body{"noticeMode": []string{"fax"}}, func(l text.Language) string { return fieldError(l, "noticeMode", "invalid.choice") }},
		"no e-mail":     {body{"email": nil}, func(l text.Language) string { return translate(l, "channel.emailEmpty") }},
		"no addresses":  {body{"email": body{}}, func(l text.Language) string { return translate(l, "channel.emailEmpty") }},
		"no address":    {emails(" "), func(l text.Language) string { return translate(l, "channel.emailEmpty") }},
		"a bad address": {emails("ada@example.com", "bora"), func(l text.Language) string { return translate(l, "channel.emailFormat", "value", "bora") }},
		"no domain":     {emails("crew@valley"), func(l text.Language) string { return translate(l, "channel.emailFormat", "value", "crew@valley") }},
		"in figures": {emails("crew@[10.0.0.1]"), func(l text.Language) string {
			return fieldError(l, "emails", "invalid.mailHost", "value", "crew@[10.0.0.1]")
		}},
		"one twice":      {emails("ada@example.com", "ADA@example.com"), func(l text.Language) string { return translate(l, "channel.emailTwice", "value", "ADA@example.com") }},
		"21 addresses":   {emails(many...), func(l text.Language) string { return fieldError(l, "emails", "invalid.many", "limit", "20") }},
		"no numbers":     {body{"phoneMessage": nil}, func(l text.Language) string { return translate(l, "channel.phoneEmpty") }},
		"no number":      {phones(""), func(l text.Language) string { return translate(l, "channel.phoneEmpty") }},
		"a bad number":   {phones("0555"), func(l text.Language) string { return translate(l, "channel.phoneFormat", "value", "0555") }},
		"a number twice": {phones("+12", "1 2"), func(l text.Language) string { return translate(l, "channel.phoneTwice", "value", "1 2") }},
		"four numbers":   {phones("+12", "+13", "+14", "+15"), func(l text.Language) string { return fieldError(l, "phoneMessage", "invalid.many", "limit", "3") }},
		"a language":     {body{"language": "xx-xx"}, func(l text.Language) string { return fieldError(l, "language", "invalid.choice") }},
	} {
		for _, call := range []testkit.Call{
			w.channelCall(http.MethodPost, "create", nightShiftForm(c.with)), w.channelCall(http.MethodPut, "update", nightShiftForm(mergeBodies(c.with, body{"id": id}))),
		} {
			for _, l := range pseudo.Languages() {
				call.Header = map[string]string{"Accept-Language": string(l)}
				a := w.Do(t, call)
				if want := c.want(l); a.Code != 601 || a.Msg != want || strings.HasPrefix(want, "channel.") ||
					strings.HasPrefix(want, "field") {
					t.Errorf("%s in %s: %s, want %s", name, l, a.Body, want)
				}
			}
		}
	}
	w.Run(t, []testkit.Scenario{
		{
			Name: "a name that is not a text",
			Call: w.channelCall(http.MethodPost, "create", nightShiftForm(body{"noticeName": 1})),
			Code: 400,
		},
		{
			Name: "one mode",
			Call: w.channelCall(http.MethodPost, "create", nightShiftForm(body{"noticeMode": "email"})),
			Code: 400,
		},
		{
			Name: "an address that is not a text",
			Call: w.channelCall(http.MethodPost, "create", nightShiftForm(body{"email": body{"emails": []int{1}}})),
			Code: 400,
		},
		{
			Name: "no body",
			Call: testkit.Call{Method: http.MethodPost, Path: channelsPath + "create", Token: w.ada},
			Code: 400,
		},
		{
			Name: "an unknown language",
			Call: w.channelCall(http.MethodPost, "create", nightShiftForm(body{"language": ""})),
		},
	})
	if page := testkit.Ask[wire.NoticeChannelPage](t, w.Contract, w.get(channelsPath+"page")); page.Total != 2 {
		t.Errorf("%+v", page)
	}
}

func mergeBodies(parts ...body) body {
	all := body{}
	for _, p := range parts {
		maps.Copy(all, p)
	}
	return all
}

// A channel that rules use names them, and cannot be deleted.
func TestNoticeChannelInUse(t *testing.T) {
	w := newServer(t)
	id := testkit.Ask[int64](t, w.Contract, w.channelCall(http.MethodPost, "create", nightShiftForm(nil)))
	rules := []int64{}
	for i := range 6 {
		w.Clock.Advance(time.Second)
		rules = append(
			rules,
			w.createRule(t, frostForm("WS-1", body{"alarmName": fmt.Sprint("Frost ", i), "passageway": []int64{id}})),
		)
	}
	if c := w.getChannel(t, id); c.RuleCount != 6 ||
		strings.Join(c.RuleNames, ", ") != "Frost 5, Frost 4, Frost 3, Frost 2, Frost 1" {
		t.Errorf("%+v", c)
	}
	page := testkit.Ask[wire.NoticeChannelPage](t, w.Contract, w.get(channelsPath+"page"))
	if len(page.List) != 1 || page.List[0].RuleCount != 6 || len(page.List[0].RuleNames) != 5 {
		t.Errorf("%+v", page)
	}
	refused := func(want map[text.Language]string) {
		t.Helper()
		for l, said := range want {
			call := w.deleteChannelCall(id)
			call.Header = map[string]string{"Accept-Language": string(l)}
			if a := w.Do(t, call); a.Code != 601 || a.Msg != said {
				t.Errorf("%s: %s", l, a.Body)
			}
		}
	}
	refused(map[text.Language]string{
		text.English: "Alarm rules use this channel: “Frost 5”, “Frost 4”, “Frost 3” and 3 more. Take it out of them first",
		text.Chinese: "告警规则正在使用该渠道：“Frost 5”、“Frost 4”、“Frost 3”，另有3条。请先在规则中移除",
		text.Turkish: "Bu kanalı kullanan alarm kuralları var: “Frost 5”, “Frost 4”, “Frost 3” ve 3 kural daha. Önce kanalı onlardan çıkarın",
		text.Russian: "Канал используется в правилах тревог: «Frost 5», «Frost 4», «Frost 3» и ещё 3. Сначала уберите его оттуда",
	})
	for _, rule := range rules[1:] {
		w.Run(t, []testkit.Scenario{{Name: "delete a rule", Call: w.deleteRuleCall(rule)}})
	}
	refused(
		map[text.Language]string{text.English: "Alarm rules use this channel: “Frost 0”. Take it out of them first"},
	)
	w.Run(t, []testkit.Scenario{
		{
			Name: "the last rule drops the channel",
			Call: w.updateRuleCall(rules[0], frostForm("WS-1", body{"passageway": []int64{}})),
		},
		{Name: "delete the unused channel", Call: w.deleteChannelCall(id)},
		{
			Name: "a rule cannot use the deleted channel",
			Call: w.updateRuleCall(rules[0], frostForm("WS-1", body{"passageway": []int64{id}})),
			Code: 601,
			Contains: []string{
				fmt.Sprint("Notification channels: There is no notification channel with the number ", id),
			},
		},
	})
}

func TestNoticeChannelKinds(t *testing.T) {
	w := newServer(t)
	if ways := testkit.Ask[wire.NoticeWays](t, w.Contract, w.get(channelsPath+"get/ways")); !ways.Email ||
		!ways.PhoneMessage || ways.Logged != nil || ways.Language != "en-us" {
		t.Errorf("%+v", ways)
	}
	w = newServer(t, func(o *console.Options) {
		o.Outbox.Senders, o.SMSLogged = map[notify.ChannelKind]notify.Sender{notify.KindSMS: w.SMSSender}, true
	})
	if ways := testkit.Ask[wire.NoticeWays](t, w.Contract, w.get(channelsPath+"get/ways")); ways.Email ||
		!ways.PhoneMessage || ways.Logged == nil || !*ways.Logged {
		t.Errorf("%+v", ways)
	}
}

// withTelegram sets Telegram up, with a sender that gets its messages.
func withTelegram(bot notify.Sender) func(o *console.Options) {
	return func(o *console.Options) {
		senders := maps.Clone(o.Outbox.Senders)
		senders[notify.KindTelegram] = bot
		o.Outbox.Senders = senders
	}
}

func telegramChats(list ...string) []body {
	return []body{{"mode": "telegram", "recipients": list}}
}

// Recipients of other kinds stand beside the specified members. A program that does not know them
// changes the rest and keeps them; one that knows them changes and removes them.
func TestOtherKindsOfChannels(t *testing.T) {
	w := newServer(t, withTelegram(&testkit.FakeSender{}))
	if ways := testkit.Ask[wire.NoticeWays](t, w.Contract, w.get(channelsPath+"get/ways")); ways.Others == nil ||
		!slices.Equal(*ways.Others, []string{"telegram"}) {
		t.Errorf("%+v", ways)
	}
	id := testkit.Ask[int64](t, w.Contract, w.channelCall(http.MethodPost, "create",
		nightShiftForm(body{"others": telegramChats("-5", "@Farm_alerts", "")})))
	want := &[]wire.ChannelRecipients{{Mode: "telegram", Recipients: []string{"-5", "@Farm_alerts"}}}
	c := w.getChannel(t, id)
	if !reflect.DeepEqual(c.Others, want) || !slices.Equal(c.NoticeMode, []string{"email", "phoneMessage"}) ||
		len(c.PhoneMessage) != 1 {
		t.Errorf("%+v", c)
	}
	update := func(with body) wire.NoticeChannel {
		t.Helper()
		form := nightShiftForm(with)
		form["id"] = id
		w.mustSucceed(t, w.channelCall(http.MethodPut, "update", form))
		return w.getChannel(t, id)
	}
	if c = update(body{"noticeMode": []string{"email"}}); !reflect.DeepEqual(c.Others, want) ||
		!slices.Equal(c.NoticeMode, []string{"email"}) {
		t.Errorf("an older program's change: %+v", c)
	}
	if c = update(body{"noticeMode": []string{}}); !reflect.DeepEqual(c.Others, want) || len(c.NoticeMode) != 0 {
		t.Errorf("chats alone: %+v", c)
	}
	for filter, total := range map[string]int{"telegram": 1, "email": 0} {
		page := testkit.Ask[wire.NoticeChannelPage](t, w.Contract, w.get(channelsPath+"page?noticeMode="+filter))
		if page.Total != total {
			t.Errorf("%s: %+v", filter, page)
		}
	}
	outcomes := testkit.Ask[[]wire.NoticeOutcome](t, w.Contract, w.testChannelCall(id))
	if len(outcomes) != 2 || outcomes[0].Mode != "telegram" || !outcomes[0].Ok {
		t.Errorf("%+v", outcomes)
	}
	if c = update(body{"others": telegramChats("17")}); (*c.Others)[0].Recipients[0] != "17" {
		t.Errorf("%+v", c)
	}
	if c = update(body{"others": []body{}}); c.Others != nil {
		t.Errorf("removed: %+v", c)
	}
	entries := w.Do(t, w.get("/admin-api/client/pc/audit/page?pageSize=1"))
	if said := string(entries.Body); !strings.Contains(said, `{"before":["•••"],"field":"telegram"}`) {
		t.Errorf("audit: %s", said)
	}
	w.createRivalChannel()
	for name, others := range map[string][]body{
		"a specified kind": {{"mode": "email", "recipients": []string{"a@b.cd"}}}, "a webhook": {{"mode": "webhook", "recipients": []string{"1"}}},
		"an unknown kind": {{"mode": "fax", "recipients": []string{"1"}}}, "a kind twice": append(telegramChats("1"), telegramChats("2")...),
	} {
		w.Run(
			t,
			[]testkit.Scenario{{Name: name, Code: 601, Contains: []string{"Other recipients: not one of the choices"},
				Call: w.channelCall(http.MethodPost, "create", nightShiftForm(body{"others": others}))}},
		)
	}
	w.Run(t, []testkit.Scenario{
		{Name: "telegram as a mode", Code: 601, Contains: []string{"Mode: not one of the choices"},
			Call: w.channelCall(http.MethodPost, "create", nightShiftForm(body{"noticeMode": []string{"telegram"}}))},
		{Name: "no chat", Code: 601, Contains: []string{"Add at least one recipient for Telegram"},
			Call: w.channelCall(http.MethodPost, "create", nightShiftForm(body{"others": telegramChats(" ")}))},
		{Name: "a wrong chat", Code: 601, Contains: []string{"Not a recipient for Telegram: farm"},
			Call: w.channelCall(http.MethodPost, "create", nightShiftForm(body{"others": telegramChats("farm")}))},
	})
}

// A test says in the reader's language why a chat cannot be written to.
func TestTelegramRefusalsAreExplained(t *testing.T) {
	bot := &testkit.FakeSender{}
	w := newServer(t, withTelegram(bot))
	c := w.Channel(t, w.field.ID, "Strangers", func(c *notify.Channel) {
		c.To = notify.Recipients{notify.KindTelegram: {"17"}}
	})
	for reason, want := range map[notify.Reason]string{
		notify.UnknownRecipient:   "Telegram bu alıcıyı bulamıyor. ",
		notify.BlockedByRecipient: "Bu alıcı, gönderen hesabı Telegram üzerinde engellemiş",
	} {
		bot.Break(&notify.Failure{Kind: notify.Permanent, Reason: reason, Answer: "400 no"})
		call := w.testChannelCall(c.ID)
		call.Header = map[string]string{"Accept-Language": "tr-tr"}
		outcomes := testkit.Ask[[]wire.NoticeOutcome](t, w.Contract, call)
		if len(outcomes) != 1 || outcomes[0].Ok || !strings.HasPrefix(*outcomes[0].Msg, want) {
			t.Errorf("%s: %s", reason, asJSON(t, outcomes))
		}
		w.Clock.Advance(time.Minute)
	}
}

// A channel begins to use another kind only where it is set up, and keeps what it has.
func TestOtherKindsNotSetUp(t *testing.T) {
	w := newServer(t)
	w.Run(t, []testkit.Scenario{{Name: "not set up", Code: -699, Contains: []string{"Telegram is not set up"},
		Call: w.channelCall(http.MethodPost, "create", nightShiftForm(body{"others": telegramChats("17")}))}})
	c := w.Channel(t, w.field.ID, "Chats", func(c *notify.Channel) { c.To[notify.KindTelegram] = []string{"17"} })
	form := nightShiftForm(body{"id": c.ID, "others": telegramChats("18")})
	w.mustSucceed(t, w.channelCall(http.MethodPut, "update", form))
	if got := w.getChannel(t, c.ID); (*got.Others)[0].Recipients[0] != "18" {
		t.Errorf("%+v", got)
	}
}

// A test message goes to every recipient; the answer says in the reader's language what became of
// each.
func TestChannelTestMessage(t *testing.T) {
	w := newServer(t)
	id := testkit.Ask[int64](
		t,
		w.Contract,
		w.channelCall(http.MethodPost, "create", nightShiftForm(body{"language": nil})),
	)
	w.SMSSender.Break(&notify.Failure{Kind: notify.Permanent, Answer: "30005 unknown"})
	call := w.testChannelCall(id)
	call.Header = map[string]string{"Accept-Language": "ru-ru"}
	outcomes := testkit.Ask[[]wire.NoticeOutcome](t, w.Contract, call)
	want := []wire.NoticeOutcome{
		{Recipient: "ada@example.com", Mode: "email", Ok: true, Answer: new("accepted")},
		{Recipient: "bora@example.com", Mode: "email", Ok: true, Answer: new("accepted")},
		{
			Recipient: "+905551112233",
			Mode:      "phoneMessage",
			Answer:    new("30005 unknown"),
			Msg:       new("СМС-шлюз не принимает этот номер"),
		},
	}
	if !reflect.DeepEqual(outcomes, want) {
		t.Errorf("%s", asJSON(t, outcomes))
	}
	for _, l := range w.MailSender.Sent() {
		if l.Tenant != w.field.ID || l.Language != text.English || l.Channel != "Night shift" ||
			l.Kind != notify.KindEmail ||
			len(l.Alarms) != 0 {
			t.Errorf("%+v", l)
		}
	}
	// A tenant may send five a minute, whichever user asks; another tenant has its own five.
	w.SMSSender.Break(nil)
	for range 4 {
		w.Run(t, []testkit.Scenario{{Name: "again", Call: call}})
	}
	w.Clock.Advance(20 * time.Second)
	call.Token = w.bora
	a := w.Do(t, call)
	if a.Code != 429 || a.Msg != "Слишком много запросов. Повторите через 40\u00a0с" ||
		a.Header.Get("Retry-After") != "40" {
		t.Errorf("%s %v", a.Body, a.Header)
	}
	theirs := w.testChannelCall(w.createRivalChannel())
	theirs.Token = w.rivalToken
	w.Run(t, []testkit.Scenario{{Name: "theirs", Call: theirs}})
	w.Clock.Advance(40 * time.Second)
	w.Run(t, []testkit.Scenario{{Name: "a minute later", Call: call}})
	if n := len(w.MailSender.Sent()); n != 13 {
		t.Errorf("%d mails", n)
	}
}

// A test message that only went into the log is not reported as sent.
func TestChannelTestMessageLoggedOnly(t *testing.T) {
	w := newServer(t)
	w.SMSSender.OnlyLog()
	id := testkit.Ask[int64](t, w.Contract, w.channelCall(http.MethodPost, "create", nightShiftForm(body{})))
	for _, one := range testkit.Ask[[]wire.NoticeOutcome](t, w.Contract, w.testChannelCall(id)) {
		if logged := one.Logged != nil && *one.Logged; !one.Ok || logged != (one.Mode == "phoneMessage") {
			t.Errorf("%s", asJSON(t, one))
		}
	}
}

// If no way of a channel is configured, there is nothing to test; if one of two is missing, the
// answer says so beside the other's result.
func TestChannelTestMessageNotConfigured(t *testing.T) {
	w := newServer(t, func(o *console.Options) { o.Outbox.Senders = nil })
	for _, c := range []struct {
		mode string
		said map[text.Language]string
	}{
		{"phoneMessage", map[text.Language]string{
			text.English: "No SMS gateway is set up: SMS reach nobody. Ask whoever runs Tilth", text.Chinese: "未配置短信网关，短信无法送达任何人。请联系 Tilth 管理员",
			text.Turkish: "SMS ağ geçidi kurulmamış: SMS kimseye ulaşmaz. Tilth yöneticisine başvurun", text.Russian: "СМС-шлюз не настроен: СМС никому не приходят. Обратитесь к администратору Tilth",
		}},
		{"email", map[text.Language]string{
			text.English: "No mail server is set up: email reaches nobody. Ask whoever runs Tilth", text.Chinese: "未配置邮件服务器，邮件无法送达任何人。请联系 Tilth 管理员",
			text.Turkish: "E-posta sunucusu kurulmamış: e-posta kimseye ulaşmaz. Tilth yöneticisine başvurun", text.Russian: "Почтовый сервер не настроен: письма никому не приходят. Обратитесь к администратору Tilth",
		}},
	} {
		id := testkit.Ask[int64](
			t,
			w.Contract,
			w.channelCall(http.MethodPost, "create", nightShiftForm(body{"noticeMode": []string{c.mode}})),
		)
		for l, said := range c.said {
			call := w.testChannelCall(id)
			call.Header = map[string]string{"Accept-Language": string(l)}
			if a := w.Do(t, call); a.Code != -699 || a.Msg != said {
				t.Errorf("%s: %s", l, a.Body)
			}
		}
		w.Clock.Advance(time.Minute)
	}
	if log := w.Log.Text(); strings.Contains(log, "level=ERROR") {
		t.Errorf("the log has an error although nothing failed:\n%s", log)
	}
}

// A channel is made in the caller's tenant, whatever the header says, and no rule can use another
// tenant's channel: the people of that tenant would get the rule's alarms.
func TestChannelsAreTenantScoped(t *testing.T) {
	w := newServer(t)
	call := w.channelCall(http.MethodPost, "create", nightShiftForm(nil))
	call.Header = map[string]string{"tenant-id": fmt.Sprint(w.rival.ID)}
	id, theirs := testkit.Ask[int64](t, w.Contract, call), w.createRivalChannel()
	if _, err := w.Channels.Get(t.Context(), w.field.ID, id); err != nil {
		t.Error(err)
	}
	rule := w.createRule(t, frostForm("WS-1", body{"passageway": []int64{id}}))
	for name, call := range map[string]testkit.Call{
		"create": w.createRuleCall(frostForm("WS-1", body{"passageway": []int64{id, theirs}})), "update": w.updateRuleCall(rule, frostForm("WS-1", body{"passageway": []int64{theirs}})),
	} {
		if a := w.Do(t, call); a.Code != 601 ||
			a.Msg != fmt.Sprint("Notification channels: There is no notification channel with the number ", theirs) {
			t.Errorf("%s: %s", name, a.Body)
		}
	}
	if r := w.rule(t, rule); len(r.Passageway) != 1 || r.Passageway[0] != id {
		t.Errorf("%+v", r)
	}
}
