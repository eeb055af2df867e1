package console_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"tilth/internal/edge/console"
	"tilth/internal/edge/console/wire"
	"tilth/internal/platform/text"
	"tilth/internal/tools/testkit"
	"tilth/internal/tools/testkit/broker"
)

const homeAssistantPath = "/admin-api/client/pc/integration/home-assistant"

// homeAssistant gives the field's settings and state.
func (w *fixture) homeAssistant(t *testing.T, l text.Language) wire.HomeAssistant {
	t.Helper()
	a := w.Do(t, testkit.Call{
		Path: homeAssistantPath, Token: w.ada, Header: map[string]string{"Accept-Language": string(l)},
	})
	var got wire.HomeAssistant
	if err := json.Unmarshal(a.Data, &got); err != nil {
		t.Fatalf("%s: %v", a.Body, err)
	}
	return got
}

func TestHomeAssistant(t *testing.T) {
	const password = "pond-and-orchard"
	var o console.Options
	w := newServer(t, func(options *console.Options) { o = *options })
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- o.HomeAssistant.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	got := w.homeAssistant(t, text.English)
	if got != (wire.HomeAssistant{DiscoveryPrefix: "homeassistant", BaseTopic: "tilth/field", State: "off"}) {
		t.Errorf("%+v", got)
	}
	b := broker.Start(t, broker.Options{UserName: "tilth", Password: password})
	bora := w.Listen(t, w.Serve(t), w.liveCall(w.bora, ""))
	expectEvents(t, bora, testkit.Event{ID: "e-0"})
	set := func(with body) *testkit.Answer {
		form := body{"enabled": true, "url": b.URL, "userName": "tilth"}
		for key, value := range with {
			form[key] = value
		}
		return w.Do(t, w.adaCall(http.MethodPut, homeAssistantPath, form))
	}
	if a := set(body{"password": "wrong"}); a.Code != 200 {
		t.Fatalf("%s", a.Body)
	}
	testkit.Eventually(t, "a refusal", func() bool { return w.homeAssistant(t, text.English).State == "failed" })
	for l, part := range map[text.Language]string{
		text.English: "refuses the user name", text.Chinese: "拒绝了用户名", text.Turkish: "kabul etmiyor", text.Russian: "не принимает",
	} {
		if got := w.homeAssistant(t, l); got.Error == nil || !strings.Contains(*got.Error, part) {
			t.Errorf("%s: %+v", l, got)
		}
	}
	if e := bora.Next(t); e.Name != "change" || e.Data != `{"of":["integration"]}` {
		t.Errorf("%+v", e)
	}
	a := set(body{"password": password})
	testkit.Eventually(t, "a connection", func() bool { return w.homeAssistant(t, text.English).State == "connected" })
	got = w.homeAssistant(t, text.English)
	if !got.HasPassword || got.Error != nil || got.Since == nil || got.Devices == nil || *got.Devices == 0 ||
		got.Entities == nil {
		t.Errorf("%+v", got)
	}
	again := w.Do(t, testkit.Call{Path: homeAssistantPath, Token: w.ada})
	activity := w.Do(t, testkit.Call{Path: "/admin-api/client/pc/audit/page?pageNo=1&pageSize=10", Token: w.ada})
	for _, text := range []string{string(a.Body), string(again.Body), string(activity.Body), w.Log.Text()} {
		if strings.Contains(text, password) {
			t.Errorf("the password is told: %s", text)
		}
	}
	if !strings.Contains(string(activity.Body), `"kind":"integration"`) {
		t.Errorf("%s", activity.Body)
	}
	for _, c := range []struct {
		with body
		said string
	}{
		{body{"url": ""}, "Address: required"},
		{body{"url": "mqtt://127.0.0.1:1"}, "Password: the address has changed"},
		{body{"baseTopic": "a/#"}, "Base topic: must not contain"},
	} {
		if a := set(c.with); a.Code != 601 || !strings.Contains(a.Msg, c.said) {
			t.Errorf("%v: %s", c.with, a.Body)
		}
	}
}
