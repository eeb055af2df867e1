package server

import (
	"time"

	"tilth/internal/domain/identity"
	"tilth/internal/tools/testkit"
)

const (
	auth = "/app-api/member/auth/"
	totp = "/app-api/member/user/totp/"
)

const (
	changesNothing = "changes nothing of a tenant"
	ownTokens      = "the presented token is the session; TestSignInIsTenantScoped of console"
	sessions       = "people and their pages are as before"
	newPassword    = "another password"
)

// signInRows are the calls before a session, and those that begin and end one.
var signInRows = map[string]operationRow{
	"console loginUsername": {
		call: func(s *tenantFixture) request {
			return request{body: fields{
				"tenantName": s.tag + "farm", "userName": s.tag + "ada", "password": s.password,
			}}
		},
		log: "session.signIn TAG nick", unseen: sessions,
		nondeterministic: true, onlyValues: []string{"tenant name", "user name", "password"},
	},
	"console loginCode": {
		call: func(s *tenantFixture) request {
			p := s.freshPerson(nil)
			codes := s.factor(p)
			return request{body: fields{"ticket": s.ticket(p), "code": codes[0]}, as: &account{id: p.ID}}
		},
		log: "session.signIn TAG person", unseen: sessions,
	},
	"console loginTotpBegin": {
		call: func(s *tenantFixture) request {
			p := s.freshPerson(nil)
			return request{body: fields{"ticket": s.enrolTicket(p)}, as: &account{id: p.ID}}
		},
		log: "user.update TAG person; secondFactorKey hidden", unseen: sessions, nondeterministic: true,
	},
	"console loginTotpConfirm": {
		call: func(s *tenantFixture) request {
			p := s.freshPerson(nil)
			ticket := s.enrolTicket(p)
			var key struct{ Secret string }
			s.env.ask("", "POST", auth+"login-totp-begin", fields{"ticket": ticket}, &key)
			code := testkit.TOTP(s.env.t, key.Secret, time.Now())
			return request{body: fields{"ticket": ticket, "code": code}, as: &account{id: p.ID}}
		},
		log:       "session.signIn TAG person",
		logBefore: "user.update TAG person; secondFactor: false > true; recoveryCodes hidden",
		screens:   []string{"people"},
	},
	"console logout": {
		call: func(s *tenantFixture) request { return request{as: s.freshPerson(nil).account()} },
		log:  "session.signOut TAG person", unseen: sessions,
	},
	"console refreshToken": {
		call: func(s *tenantFixture) request {
			p := s.freshPerson(nil)
			pair, err := s.env.server.Stores.Sessions.Start(s.env.t.Context(), p.Tenant, p.ID, false)
			if err != nil {
				s.env.t.Fatal(err)
			}
			return queryRequest("refreshToken", pair.Refresh)
		},
		unlogged: "continues a session that a sign-in began", unseen: sessions, skipReason: ownTokens,
	},
	"console getSignInWays": {
		call:         func(s *tenantFixture) request { return queryRequest("tenantName", s.tag+"farm") },
		noNames:      true, // no tenant has an issuer
		publicAnswer: "the issuer of whoever's name is known",
	},
	"console openOidcSession": {
		call: func(s *tenantFixture) request {
			p := s.freshPerson(withEmail)
			return request{body: fields{"ticket": s.signOnTicket(p), "binding": browserKey}, as: &account{id: p.ID}}
		},
		log: "session.signIn TAG person", unseen: sessions,
	},
	"console oidcLogout": {
		call: func(s *tenantFixture) request {
			p := s.freshPerson(withEmail)
			var session struct{ AccessToken string }
			body := fields{"ticket": s.signOnTicket(p), "binding": browserKey}
			s.env.ask("", "POST", auth+"oidc-session", body, &session)
			return request{as: &account{p.ID, session.AccessToken}}
		},
		log: "session.signOut TAG person", unseen: sessions,
	},
	"console linkOidc": {
		call: func(s *tenantFixture) request {
			s.useIssuer(s.freshPerson(withEmail))
			return request{body: fields{"binding": browserHash()}}
		},
		unlogged: "leads to the issuer; openOidcSession links the account", unseen: changesNothing,
		// What is random like a token may have another form.
		nondeterministic: true, onlyValues: fewChanges,
	},
	"console startOidc": {
		call:     func(s *tenantFixture) request { return queryRequest("tenant", s.tag+"farm") },
		refused:  "leads a browser elsewhere: TestSignOnCalls of console",
		unlogged: changesNothing, unseen: changesNothing,
	},
	"console answerOidc": {
		call:     func(*tenantFixture) request { return queryRequest("state", "x") },
		refused:  "leads a browser elsewhere: TestSignOnCalls of console",
		unlogged: "openOidcSession opens the session", unseen: changesNothing,
	},
	"console endOidcSessions": {
		call:     func(*tenantFixture) request { return request{} },
		refused:  "the issuer's, with a token of its own: TestBackChannelLogoutCall of console",
		unlogged: "the issuer ends sessions", unseen: sessions,
	},
	"console getCaptcha": {
		call:     func(*tenantFixture) request { return request{body: fields{"captchaType": "blockPuzzle"}} },
		unlogged: changesNothing, unseen: changesNothing,
		nondeterministic: true, publicAnswer: "a picture that belongs to nobody",
	},
	"console checkCaptcha": {
		call: func(*tenantFixture) request {
			return request{body: fields{"captchaType": "blockPuzzle", "pointJson": "x", "token": "x"}}
		},
		unlogged: changesNothing, unseen: changesNothing,
	},
	"console getTenantIdByName": {
		call:    func(s *tenantFixture) request { return queryRequest("name", s.tag+"farm") },
		noNames: true, publicAnswer: "the number of whoever's name is known",
	},
	"console getTenantByWebsite": {
		call:         func(s *tenantFixture) request { return queryRequest("website", s.tag+"host.example") },
		publicAnswer: "the branding of whoever's host is known",
	},
	"console getConsoleSettings": {call: noParams, noNames: true},
	"console getInvitation": {
		call:         func(s *tenantFixture) request { return request{body: fields{"token": s.invitationToken}} },
		unlogged:     "reads",
		unseen:       "reads",
		publicAnswer: "what is offered to whoever has the link",
	},
	"console acceptInvitation": {
		call: func(s *tenantFixture) request {
			_, token := s.invite()
			s.made++
			name := s.tag + "guest" + number(int64(s.made))
			return request{body: fields{"token": token, "userName": name, "password": newPassword}, as: &account{}}
		},
		log: "user.create TAG guest; role: <nil> > viewer", screens: []string{"people"},
	},
}

// accountRows are the calls of people about themselves.
var accountRows = map[string]operationRow{
	"console getUser": {call: noParams},
	"console updateUser": {
		call: func(s *tenantFixture) request {
			return request{body: fields{"nickname": s.fresh("nick"), "email": s.tag + "@mail.example"}}
		},
		log: "user.update TAG nick; nickname: TAG nick > TAG nick…", screens: []string{"people", "me"},
	},
	"console updateAvatar": {
		rawRequest: avatarUpload,
		call:       noParams,
		log:        "user.update TAG nick; avatar hidden", unseen: ownPage,
		nondeterministic: true,
	},
	"console updateUserPassword": {
		call: func(s *tenantFixture) request {
			mobile := s.freshMobile()
			p := s.freshPerson(func(u *identity.User) { u.Mobile = mobile })
			return request{body: fields{"code": s.smsCode(p, mobile), "password": newPassword}, as: p.account()}
		},
		log: "user.update TAG person; password hidden", screens: []string{"people"},
	},
	"console updateUserMobile": {
		call: func(s *tenantFixture) request {
			p, mobile := s.freshPerson(func(u *identity.User) { u.Mobile = s.freshMobile() }), s.freshMobile()
			return request{body: fields{"mobile": mobile, "scene": 2, "code": s.smsCode(p, mobile)}, as: p.account()}
		},
		log: "user.update TAG person; mobile: +90•••••… > +90•••••…", screens: []string{"people"},
	},
	"console validateSmsCode": {
		call: func(s *tenantFixture) request {
			p, mobile := s.freshPerson(nil), s.freshMobile()
			return request{body: fields{"mobile": mobile, "scene": 2, "code": s.smsCode(p, mobile)}, as: p.account()}
		},
		log: "user.update TAG person; mobile: <nil> > +90•••••…", screens: []string{"people"},
	},
	"console sendSmsCode": {
		call: func(s *tenantFixture) request {
			return request{body: fields{"mobile": s.freshMobile(), "scene": 2}, as: s.freshPerson(nil).account()}
		},
		unlogged: "changes nothing; the use of the code is audited", unseen: changesNothing,
		skipReason: "one a minute: TestAccountsAreTenantScoped of console",
	},
	"console beginSecondFactor": {
		call: func(s *tenantFixture) request {
			return request{body: fields{"password": testkit.Password}, as: s.freshPerson(nil).account()}
		},
		log: "user.update TAG person; secondFactorKey hidden", unseen: "nothing is on yet",
		nondeterministic: true, onlyValues: []string{"password"}, // a wrong one counts as a failed sign-in
	},
	"console confirmSecondFactor": {
		call: func(s *tenantFixture) request {
			p := s.freshPerson(nil)
			return request{body: fields{"code": s.totpCode(p)}, as: p.account()}
		},
		log:        "user.update TAG person; secondFactor: false > true; recoveryCodes hidden",
		screens:    []string{"people"},
		onlyValues: []string{"mast's ID"}, // the fifth wrong code ends the key
	},
	"console disableSecondFactor": {
		call: func(s *tenantFixture) request {
			p := s.freshPerson(nil)
			codes := s.factor(p)
			return request{body: fields{"password": testkit.Password, "code": codes[0]}, as: p.account()}
		},
		log: "user.update TAG person; secondFactor: true > false", screens: []string{"people"},
	},
	"console newRecoveryCodes": {
		call: func(s *tenantFixture) request {
			p := s.freshPerson(nil)
			return request{body: fields{"code": s.factor(p)[0]}, as: p.account()}
		},
		log: "user.update TAG person; recoveryCodes hidden", unseen: "the second factor is on as before",
	},
	"console pageCredentials": {query: firstPage, call: noParams},
	"console createCredential": {
		call: func(s *tenantFixture) request { return request{body: fields{"name": s.tag + " other"}} },
		undo: deleteCreated("apicredentials/page", "apicredentials/delete"),
		log:  "credential.create TAG other; appKey: <nil> > tk_…; enabled: <nil> > 1", unseen: ownPage,
		nondeterministic: true,
	},
	"console toggleCredential": {
		call: func(s *tenantFixture) request { return queryRequest("id", number(s.freshCredential())) },
		log:  "credential.update TAG program…; enabled: 1 > 0", unseen: ownPage,
	},
	"console deleteCredential": {
		call: func(s *tenantFixture) request { return queryRequest("id", number(s.freshCredential())) },
		log:  "credential.delete TAG program…; appKey: tk_… > <nil>; enabled: 1 > <nil>", unseen: ownPage,
	},
	"console getAnalysisViews": {call: noParams},
	"console createAnalysisView": {
		call:     func(s *tenantFixture) request { return request{body: viewForm(s.tag+" other", s.tag)} },
		undo:     deleteCreated("analysis-view/list", "analysis-view/delete"),
		unlogged: private, unseen: ownPage, nondeterministic: true,
	},
	"console updateAnalysisView": {
		call: func(s *tenantFixture) request {
			return request{body: with(viewForm(s.tag+" view", s.tag), "id", s.ids["analysis_views"])}
		},
		unlogged: private, unseen: ownPage,
	},
	"console deleteAnalysisView": {
		call: func(s *tenantFixture) request {
			return queryRequest("id", number(s.makeThing("analysis-view/create", viewForm(s.fresh("view"), s.tag))))
		},
		unlogged: private, unseen: ownPage,
	},
	"console getUnreadCount": {call: noParams, noNames: true},
	"console pageMyMessages": {query: firstPage, call: noParams},
	"console updateMessagesRead": {
		call:     func(s *tenantFixture) request { return queryRequest("ids", number(s.message)) },
		unlogged: private,
	},
	"console updateAllMessagesRead": {call: noParams, unlogged: private},
}

const (
	private = "private to the user"
	ownPage = "only a page of its own shows it"
)
