package server

import "time"

// webhookRows are the console's calls about webhooks.
var webhookRows = map[string]operationRow{
	"console pageWebhooks": {query: firstPage, call: noParams},
	"console createWebhook": {
		call: func(s *tenantFixture) request {
			return request{body: fields{
				"name": s.tag + " other", "url": "https://planner.example/?key=planner",
				"alarmLevel": 1, "enabled": true, "events": []any{"opened", "resolved"},
			}}
		},
		undo: deleteCreated("webhook/page", "webhook/delete"),
		log: "webhook.create TAG other; name: <nil> > TAG other; url: <nil> > https://planner.example; " +
			"events: <nil> > [opened resolved]; alarmLevel: <nil> > 1; enabled: <nil> > true",
		unseen: ownPage, nondeterministic: true,
	},
	"console updateWebhook": {
		call: func(s *tenantFixture) request {
			form := with(webhookForm(s.tag+" hook"), "id", s.ids["webhooks"], "alarmLevel", 2)
			return request{body: with(form, "url", webhookURL("another-path"))}
		},
		log: "webhook.update TAG hook; alarmLevel: 0 > 2", unseen: ownPage,
	},
	"console toggleWebhook": {
		call: hookQuery,
		undo: func(w *isolationEnv, s *tenantFixture, _ *httpAnswer) {
			w.mustCall(s, "PUT", pc+"webhook/enable-or-disable?id="+number(s.ids["webhooks"]), nil, new(any))
		},
		log: "webhook.update TAG hook; enabled: true > false", unseen: ownPage,
	},
	"console deleteWebhook": {
		call: func(s *tenantFixture) request { return queryRequest("id", number(s.freshWebhook())) },
		log:  "webhook.delete TAG hook…; name: TAG hook… > <nil>; url: http://127.0.0.1… > <nil>;", unseen: ownPage,
	},
	"console newWebhookSecret": {
		call: hookQuery,
		log:  "webhook.update TAG hook; secret hidden", unseen: ownPage, nondeterministic: true,
	},
	"console testWebhook": {
		call:     hookQuery,
		unlogged: "a test changes nothing", unseen: "a test changes nothing", nondeterministic: true,
		onlyValues: fewTests,
	},
	"console getWebhookDeliveries": {
		call:    hookQuery,
		noNames: true,
	},
}

// openRows are the calls of programs.
var openRows = map[string]operationRow{
	"open listDevices":   {call: noParams},
	"open getDevice":     {call: devicePath},
	"open getLatest":     {call: devicePath},
	"open getHistory":    {call: devicePathUntilNow},
	"open getAggregates": {call: devicePathUntilNow, noNames: true},
	"open listNotices":   {call: noParams},
	"open getNotice":     {call: func(s *tenantFixture) request { return pathRequest("id", number(s.notice)) }},
	"open listWebhooks":  {call: noParams},
	"open getWebhook":    {call: hookPath},
	"open createWebhook": {
		call: func(s *tenantFixture) request {
			return request{body: fields{
				"name": s.tag + " other", "url": "https://other.example/?key=other", "events": []any{"opened"},
			}}
		},
		undo:   deleteCreated("webhook/page", "webhook/delete"),
		log:    "webhook.create TAG other; name: <nil> > TAG other; url: <nil> > https://other.example;",
		unseen: ownPage, nondeterministic: true,
	},
	"open changeWebhook": {
		call: func(s *tenantFixture) request {
			q := hookPath(s)
			q.body = fields{"name": s.tag + " hook", "events": []any{"opened", "resolved"}}
			return q
		},
		log: "webhook.update TAG hook; events: [opened] > [opened resolved]", unseen: ownPage,
	},
	"open deleteWebhook": {
		call: freshHookPath,
		log:  "webhook.delete TAG hook…; name: TAG hook… > <nil>;", unseen: ownPage,
	},
	"open renewWebhookSecret": {
		call: hookPath,
		log:  "webhook.update TAG hook; secret hidden", unseen: ownPage, nondeterministic: true,
	},
	"open testWebhook": {
		call:     hookPath,
		unlogged: "a test changes nothing", unseen: "a test changes nothing", nondeterministic: true,
		onlyValues: fewTests,
	},
	"open listWebhookDeliveries": {call: hookPath, noNames: true},
}

// otherRows are the calls of devices, of the provider and of whoever watches the server.
var otherRows = map[string]operationRow{
	"console getLive":    {skipReason: "a stream: TestIsolationOfLiveScreens"},
	"console getHealthz": {call: noParams, noNames: true},
	"console getReadyz":  {call: noParams, noNames: true},

	// On the devices' edge a secret establishes the tenant.
	"devices postTelemetry":      {skipReason: "TestIsolationOfDevices"},
	"devices postAttributes":     {skipReason: "TestIsolationOfDevices"},
	"devices postEcowitt":        {skipReason: "TestIsolationOfDevices"},
	"devices getWeatherStation":  {skipReason: "TestIsolationOfDevices"},
	"devices postWeatherStation": {skipReason: "TestIsolationOfDevices"},
	"devices postChirpStack":     {skipReason: "TestIsolationOfDevices"},
	"devices postTheThingsStack": {skipReason: "TestIsolationOfDevices"},

	// The provider's calls concern all tenants; TestProviderIsAudited of provider makes them.
	"provider apply":         {skipReason: "the operator's, who sees all tenants"},
	"provider delete":        {skipReason: "the operator's, who sees all tenants"},
	"provider resetUser":     {skipReason: "the operator's, who sees all tenants"},
	"provider derive":        {skipReason: "the operator's, who sees all tenants"},
	"provider backup":        {skipReason: "the operator's, who sees all tenants"},
	"provider seed":          {skipReason: "the operator's, who sees all tenants"},
	"provider releaseOutbox": {skipReason: "the operator's, who sees all tenants"},
}

func pathRequest(name, value string) request { return request{path: map[string]string{name: value}} }

func devicePath(s *tenantFixture) request { return pathRequest("deviceName", s.device("mast")) }

func devicePathUntilNow(s *tenantFixture) request {
	q := devicePath(s)
	q.query = map[string]string{"from": "0", "to": number(time.Now().Add(time.Hour).UnixMilli())}
	return q
}

func hookQuery(s *tenantFixture) request { return queryRequest("id", number(s.ids["webhooks"])) }

// fewTests limits the values that are tried of calls that test something: a tenant may test a few times.
var fewTests = []string{
	"user", "users", "scenes", "alarm_rules", "channels", "webhooks", "notices", "ended notice", "messages",
	"credentials", "deliveries", "analysis_views", "invitations", "mast's ID", "mast", "access token", "key",
}

func hookPath(s *tenantFixture) request { return pathRequest("id", number(s.ids["webhooks"])) }

func freshHookPath(s *tenantFixture) request { return pathRequest("id", number(s.freshWebhook())) }
