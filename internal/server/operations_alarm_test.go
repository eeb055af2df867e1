package server

import (
	"fmt"
	"strings"
	"time"
)

const ownEvent = "screens get the notice's own event"

// alarmRows are the calls about alarm rules and notices.
var alarmRows = map[string]operationRow{
	"console pageAlarmRules":       {query: firstPage, call: noParams},
	"console getAlarmRule":         {call: ruleQuery},
	"console pageAlarmRuleDevices": {call: ruleQuery},
	"console getAlarmTargetAttributes": {noNames: true, call: func(s *tenantFixture) request {
		return queryRequest("devices", s.device("mast"), "groups", number(s.scene))
	}},
	"console getAlarmRehearsed": {call: ruleQuery, noNames: true},
	"console getAlarmOutlook": {
		call:    func(s *tenantFixture) request { return queryRequest("ids", number(s.rule)) },
		noNames: true,
	},
	"console createAlarmRule": {
		call: func(s *tenantFixture) request { return request{body: ruleOf(s, s.tag+" other", nil)} },
		undo: deleteCreated("alarm-rules/page", "alarm-rules/delete"),
		log: "rule.create TAG other; alarmName: <nil> > TAG other; executionId: <nil> > TAG note; " +
			"triggerType: <nil> > 0; " +
			"conditions: <nil> > [map[andor:and subconditions:< tslAttribute:airTemperature value:0]]",
	},
	"console updateAlarmRule": {
		call: func(s *tenantFixture) request {
			warm := fields{"alarmLevel": 0, "conditions": []fields{
				{"andor": "and", "tslAttribute": "airTemperature", "subconditions": ">", "value": 30},
			}}
			id := s.freshRule()
			return request{body: with(ruleOf(s, fmt.Sprint(s.tag, " rule", s.made), warm), "id", id)}
		},
		log: "rule.update TAG rule…; " +
			"conditions: [map[andor:and subconditions:< tslAttribute:airTemperature value:0]] > " +
			"[map[andor:and subconditions:> tslAttribute:airTemperature value:30]]; alarmLevel: 2 > 0",
	},
	"console copyAlarmRule": {
		call: func(s *tenantFixture) request {
			return request{body: fields{"id": s.rule, "executionIds": []any{s.device("gateway")}}}
		},
		undo: deleteCreated("alarm-rules/page", "alarm-rules/delete"),
		log:  "rule.create TAG frost; alarmName: <nil> > TAG frost; executionId: <nil> > TAG-gateway;",
	},
	"console publishAlarmRule": {
		call: func(s *tenantFixture) request { return queryRequest("alarmRulesId", number(s.freshRule())) },
		log:  "rule.publish TAG rule…; deployState: 0 > 1",
	},
	"console unpublishAlarmRule": {
		call: func(s *tenantFixture) request { return queryRequest("alarmRulesId", number(s.runningRule())) },
		log:  "rule.unpublish TAG rule…; deployState: 1 > 2",
	},
	"console deleteAlarmRule": {
		call: func(s *tenantFixture) request { return queryRequest("id", number(s.freshRule())) },
		log:  "rule.delete TAG rule…; alarmName: TAG rule… > <nil>",
	},
	"console muteAlarmRule": {
		call: func(s *tenantFixture) request {
			return request{body: fields{"id": s.freshRule(), "until": time.Now().UnixMilli() + 60_000}}
		},
		log: "rule.mute TAG rule…; muteUntil: <nil> > …",
	},
	"console rehearseAlarmRule": {
		call:     func(s *tenantFixture) request { return request{body: ruleOf(s, s.tag+" other", nil)} },
		unlogged: "reads", unseen: "reads",
	},
	"console rehearseAlarmRuleDevices": {
		call:     func(s *tenantFixture) request { return request{body: ruleOf(s, s.tag+" other", nil)} },
		unlogged: "reads", unseen: "reads",
	},
	"console pageAlarmNotices":   {query: firstPage, call: noParams},
	"console getAllAlarmNotices": {query: firstPage, call: noParams},
	"console getAlarmNotice":     {call: noticeQuery},
	"console getAlarmAdvice":     {call: noticeQuery, noNames: true},
	"console acknowledgeAlarmNotice": {
		call: func(s *tenantFixture) request {
			return request{body: fields{"id": s.openNotice(), "note": s.tag + " note", "remindHours": 1}}
		},
		log: "notice.acknowledge TAG rule…; note: <nil> > TAG note; remindAt: <nil> > …", unseen: ownEvent,
	},
	"console unacknowledgeAlarmNotice": {
		call: func(s *tenantFixture) request { return request{body: fields{"id": s.acknowledged(s.openNotice())}} },
		log:  "notice.unacknowledge TAG rule…", unseen: ownEvent,
	},
	"console resolveAlarmNotice": {
		call: func(s *tenantFixture) request {
			return request{body: fields{"id": s.openNotice(), "remark": "Heater on"}}
		},
		log: "notice.resolve TAG rule…; remark: <nil> > Heater on", unseen: ownEvent,
	},
}

func ruleQuery(s *tenantFixture) request { return queryRequest("id", number(s.rule)) }

func noticeQuery(s *tenantFixture) request { return queryRequest("id", number(s.notice)) }

// channelRows are the calls about notification channels and Home Assistant.
var channelRows = map[string]operationRow{
	"console pageNoticeChannels": {query: firstPage, call: noParams},
	"console getNoticeChannel":   {call: channelQuery},
	"console getNoticeWays":      {call: noParams, noNames: true},
	"console createNoticeChannel": {
		call: func(s *tenantFixture) request {
			return request{body: fields{
				"noticeName": s.tag + " other", "noticeMode": []any{"email", "phoneMessage"}, "language": "tr-tr",
				"email":        fields{"emails": []any{"ada@example.com", "bora@example.com"}},
				"phoneMessage": []any{"+90 555 111 22 33"},
			}}
		},
		undo: deleteCreated("notice-channel/page", "notice-channel/delete"),
		log: "channel.create TAG other; noticeName: <nil> > TAG other; noticeMode: <nil> > [email phoneMessage]; " +
			"emails: <nil> > [a•••@example.com b•••@example.com]; phoneMessage: <nil> > [+90•••••233]; " +
			"language: <nil> > tr-tr",
	},
	"console updateNoticeChannel": {
		call: func(s *tenantFixture) request {
			return request{body: with(channelOf(s.tag+" day shift"), "id", s.freshChannel())}
		},
		log: "channel.update TAG channel…; noticeName: TAG channel… > TAG day shift",
	},
	"console deleteNoticeChannel": {
		call: func(s *tenantFixture) request { return queryRequest("id", number(s.freshChannel())) },
		log:  "channel.delete TAG channel…; noticeName: TAG channel… > <nil>",
	},
	"console testNoticeChannel": {
		call:     channelQuery,
		unlogged: "a test changes nothing", unseen: "a test changes nothing", nondeterministic: true,
	},
	// Its broker refuses, now or a moment later.
	"console getHomeAssistant": {call: noParams, nondeterministic: true},
	"console updateHomeAssistant": {
		call: func(s *tenantFixture) request {
			return request{body: with(homeAssistantForm(s.tag), "userName", s.fresh("user"))}
		},
		log: "integration.update Home Assistant; userName: TAG… > TAG user…", nondeterministic: true,
	},
}

func channelQuery(s *tenantFixture) request { return queryRequest("id", number(s.channel)) }

func channelOf(name string) fields {
	return fields{
		"noticeName": name,
		"noticeMode": []any{"email"},
		"email":      fields{"emails": []any{strings.Fields(name)[0] + "@channel.example"}},
	}
}
