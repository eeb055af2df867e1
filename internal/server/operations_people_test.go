package server

import (
	"net/http"

	"tilth/internal/domain/identity"
)

// peopleRows are the calls of owners about people, and the activity log.
var peopleRows = map[string]operationRow{
	"console pageAudit":  {query: firstPage, call: noParams},
	"console pagePeople": {query: firstPage, call: noParams},
	"console updatePerson": {
		call: func(s *tenantFixture) request {
			return request{body: fields{"id": s.freshPerson(owner).ID, "role": "viewer", "language": "tr-tr"}}
		},
		log: "user.update TAG person; role: owner > viewer; language: <nil> > tr-tr", screens: []string{"people"},
	},
	"console togglePerson": {
		call: func(s *tenantFixture) request {
			return request{body: fields{"id": s.freshPerson(nil).ID, "enabled": false}}
		},
		log: "user.update TAG person; disabled: false > true", screens: []string{"people"},
	},
	"console endPersonSessions": {
		call: func(s *tenantFixture) request { return request{body: fields{"id": s.freshPerson(nil).ID}} },
		log:  "user.endSessions TAG person", unseen: sessions,
	},
	"console updatePeopleSettings": {
		call: func(s *tenantFixture) request {
			p := s.freshPerson(owner)
			s.factor(p)
			return request{body: fields{"secondFactor": "required"}, as: p.account()}
		},
		undo: func(_ *isolationEnv, s *tenantFixture, _ *httpAnswer) { s.requireSecondFactor(false) },
		log:  "tenant.update TAGfarm; secondFactor: optional > required",
	},
	"console resetSecondFactor": {
		call: func(s *tenantFixture) request {
			p := s.freshPerson(nil)
			s.factor(p)
			return request{body: fields{"id": p.ID}}
		},
		log: "user.update TAG person; secondFactor: true > false", screens: []string{"people"},
	},
	"console deletePerson": {
		call: func(s *tenantFixture) request { return queryRequest("id", number(s.freshPerson(nil).ID)) },
		log:  "user.delete TAG person", screens: []string{"people"},
	},
	"console pagePersonKeys": {
		query: firstPage,
		call:  func(s *tenantFixture) request { return queryRequest("id", number(s.user)) },
	},
	"console deletePersonKey": {
		call: func(s *tenantFixture) request {
			p := s.freshPerson(func(u *identity.User) { u.Role = identity.Owner; u.Nickname = s.tag + " bora" })
			var made struct{ ID int64 }
			s.env.ask(p.access, http.MethodPost, pc+"apicredentials/create", fields{"name": s.tag + " pump"}, &made)
			return queryRequest("id", number(p.ID), "key", number(made.ID))
		},
		log: "credential.delete TAG pump; person: TAG bora > <nil>; appKey: tk_… > <nil>; role: owner > <nil>",
	},
	"console pageInvitations": {query: firstPage, call: noParams},
	"console invitePerson": {
		call: func(s *tenantFixture) request {
			return request{body: with(invitationForm(s.tag+"@new.example"), "role", "operator")}
		},
		undo: deleteCreated("people/invitations/page", "people/invitations/delete"),
		log:  "invitation.create a•••@new.example; role: <nil> > operator", nondeterministic: true,
	},
	"console resendInvitation": {
		call: func(s *tenantFixture) request {
			id, _ := s.invite()
			return request{body: fields{"id": id}}
		},
		log: "invitation.update TAG guest; role: <nil> > viewer", nondeterministic: true,
	},
	"console deleteInvitation": {
		call: func(s *tenantFixture) request {
			id, _ := s.invite()
			return queryRequest("id", number(id))
		},
		log: "invitation.delete TAG guest; role: <nil> > viewer",
	},
}
