package architecture

import (
	"go/ast"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// actRow says where something asks tenant.Store.Acts or AnyActs, or why it need not.
type actRow struct{ asks, why string }

// asks names the function that asks: notify.worker.runDue.
func asks(function string) actRow { return actRow{asks: function} }

func why(reason string) actRow { return actRow{why: reason} }

const (
	ownFolder = "it tends this server's own files and tables"
	judges    = "a restored copy judges, as docs/backup.md says; what it tells waits in the outbox"
	clients   = "it serves clients that are connected, or a person's browser"
	ofNodes   = "a node's life; tenants are served by the server that it runs"
	senders   = "whoever hands something to it is listed"
	someone   = "somebody at this very server causes it, and what people do there is sent at once"
	shown     = "a restored copy shows its people and programs everything, and takes what devices send"
)

// loops are what runs while nobody waits for it.
var loops = map[string]actRow{
	"alarm.Engine.Run":                          why(judges), // wakes after a fault
	"alarm.Engine.Run archiver.run":             why(ownFolder),
	"alarm.Engine.Run e.stayAlive":              why(ownFolder),
	"alarm.Engine.Run e.writeLoop":              why(judges),
	"alarm.Engine.Run onsets.run":               why(judges),
	"alarm.Engine.Work":                         why(judges),
	"app.Screens.Tell":                          why(clients),
	"homeassistant.Service.Run":                 why("it waits for the links to end"),
	"homeassistant.Service.Run l.run":           asks("homeassistant.link.attempt"),
	"ingest.Consumer.Run Alarms.Work":           why(judges),
	"ingest.Consumer.Run c.saveRegularly":       why(ownFolder),
	"ingest.Consumer.Run publisher.run":         why(clients),
	"ingest.MQTT.Serve m.ServeConn":             why(clients),
	"ingest.MQTT.Shutdown":                      why(clients),
	"ingest.MQTT.StructureChanged m.endRevoked": why(clients),
	"ingest.NewPipeline p.run":                  why(shown),
	"ingest.NewPipeline p.stopGathering":        why(shown),
	"ingest.Pipeline.run":                       why(shown),
	"ingest.newAckFlushers":                     why(shown),
	"ingest.writeBuffer.writeWaiting o.write":   why(clients),
	"mail.SMTP.release":                         why("it ends idle connections"),
	"notify.Channel.SendTest sender.Send":       why(someone),
	"notify.Outbox.Run l.run":                   asks("notify.worker.runDue"),
	"notify.worker.close abort":                 why("it ends what is in flight"),
	"notify.worker.runOnce l.send":              asks("notify.worker.runDue"),
	"provider.Service.pack archive.Write":       why("the provider waits for the backup"),
	"reading.Store.Run s.Seal":                  why(ownFolder),
	"reading.Store.Run s.fillAggregates":        why(ownFolder),
	"reading.Store.Run s.forgetRegularly":       why(ownFolder),
	"reading.Store.Run s.logError":              why(ownFolder),
	"server.RunNode cluster.Watch":              why(ofNodes),
	"server.RunNode n.fetchArchived":            why(ofNodes),
	"server.Server.Run Alarms.Run":              why(judges),
	"server.Server.Run Audit.Run":               why(ownFolder),
	"server.Server.Run Calibrations.Run":        why(ownFolder),
	"server.Server.Run Credentials.Run":         why(ownFolder),
	"server.Server.Run Outbox.Run":              asks("notify.worker.runDue"),
	"server.Server.Run Presence.Run":            why(judges),
	"server.Server.Run Readings.Run":            why(ownFolder),
	"server.Server.Run Status.Run":              why(ownFolder),
	"server.Server.Run Traces.Run":              why(ownFolder),
	"server.Server.Run certificates.run":        why("of the installation, not of a tenant"),
	"server.Server.Run consumer.Run":            why(judges),
	"server.Server.Run disk.run":                why(ownFolder),
	"server.Server.Run exitIfHanging":           why("it ends this server"),
	"server.Server.Run HomeAssistant.Run":       asks("homeassistant.link.attempt"),
	"server.Server.Run mails.Run":               why(someone),
	"server.Server.Run s.sweepHourly":           why(ownFolder),
	"server.Server.Run SignIn.Run":              why(someone),
	"server.Server.Run storage.run":             why(ownFolder),
	"server.Server.endClients":                  why(clients),
	"server.Server.serve":                       why(clients),
	"server.Server.serve ignoreClosed":          why(clients),
	"server.Server.serve mqtt.Serve":            why(clients),
	"server.newServer console.ReadContract":     why("it reads what is in the binary"),
	"server.node.endTerm":                       why(ofNodes),
	"server.node.followLog n.trimJudged":        why(ofNodes),
	"server.node.followLog readings.Run":        why(ofNodes),
	"server.node.lead n.Run":                    why(ofNodes),
	"server.node.lead n.writeArchive":           why(ofNodes),
	"server.node.serveAdmin":                    why(ofNodes),
	"server.node.tryLead":                       why(ofNodes),
	"server.nodeAdmin.drain":                    why(ofNodes),
}

// waysOut are the functions that hand something to somebody outside, or connect to them. They also show
// what a listed loop does that did not do it before.
var waysOut = map[string]actRow{
	"homeassistant.Service.dial":       asks("homeassistant.link.attempt"),
	"identity.Account.SendCode":        why(someone),
	"identity.CodeStore.Send":          why(someone),
	"identity.People.send":             why(someone),
	"identity.SignIn.sendGuessWarning": why(someone),
	"identity.SignOn.emailLinked":      why(someone),
	"identity.emailUser":               why(someone),
	"mail.SMTP.dial":                   why(senders),
	"notify.Channel.SendTest":          why(someone),
	"notify.pacedSender.Send":          why(senders),
	"notify.worker.send":               asks("notify.worker.runDue"),
	"oidc.Client.newHTTPClient":        why(someone),
	"remote.NewClient":                 why(senders),
	"sender.Messenger.Send":            why(senders),
	"sender.SMS.Send":                  why(senders),
	"server.queueMailer.Enqueue":       why(senders),
	"server.smsTextSender.SendSMS":     why(senders),
	"webhook.newClients":               why(senders),
}

// tokens are the checks of what somebody presents instead of a session of the console.
var tokens = map[string]actRow{
	"console.server.verifyEmbed":            why(shown),
	"device.Registry.Authenticate":          why(shown),
	"device.Registry.Claimed":               why(shown),
	"device.Registry.Named":                 why(shown),
	"device.Registry.RefusedSignIn":         why(shown),
	"device.Registry.StillValid":            why(shown),
	"identity.CodeStore.verify":             why(shown),
	"identity.CredentialStore.Authenticate": why(shown),
	"identity.CredentialStore.Find":         why(shown),
	"identity.Hasher.verifyForm":            why(shown),
	"identity.InvitationStore.ByToken":      why(shown),
	"identity.People.Accept":                why(shown),
	"identity.People.Offer":                 why(shown),
	"identity.SessionStore.Caller":          why(shown),
	"identity.SessionStore.Refresh":         why(shown),
	"identity.SignIn.BeginEnrolment":        why(shown),
	"identity.SignIn.ConfirmEnrolment":      why(shown),
	"identity.SignIn.WithCode":              why(shown),
	"identity.SignOn.BackChannelLogout":     why(shown),
	"identity.SignOn.Callback":              why(shown),
	"identity.SignOn.OpenSession":           why(shown),
	"identity.SignOn.Refresh":               why(shown),
	"identity.SignOn.Start":                 why(shown),
	"identity.SignOn.Way":                   why(shown),
	"identity.matchTOTP":                    why(shown),
	"identity.ticketRow.isFor":              why(shown),
	"provider.Tokens.Allows":                why("the provider's, of the installation"),
	"selfservice.Service.find":              why(shown),
	"tenant.Store.ByHost":                   why(shown),
	"tenant.Store.ByName":                   why(shown),
}

// mayAct tells whether code of a folder may act for a tenant, or answers whoever presents a token.
func mayAct(dir string) bool {
	return strings.HasPrefix(dir, "internal/domain/") && dir != "internal/domain/reading/logtest" ||
		strings.HasPrefix(dir, "internal/edge/") || dir == "internal/server" || dir == "internal/app"
}

// eachFunction calls f with each function of the code that may act, and its name: notify.Outbox.Run.
func eachFunction(x *sourceTree, f func(name string, d *ast.FuncDecl)) {
	for dir, sources := range x.production() {
		for _, s := range sources {
			for _, d := range s.file.Decls {
				if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil && mayAct(dir) && !s.isGenerated() {
					name := s.file.Name.Name + "."
					if d.Recv != nil {
						name += receiver(d) + "."
					}
					f(name+d.Name.Name, d)
				}
			}
		}
	}
}

// selected returns the last two names of an expression, Outbox.Run of s.Stores.Outbox.Run.
func selected(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		if x := selected(e.X); x != "" {
			return x[strings.LastIndexByte(x, '.')+1:] + "." + e.Sel.Name
		}
		return e.Sel.Name
	}
	return ""
}

// contextName matches a variable with the context of work that goes on.
var contextName = regexp.MustCompile(`^(ctx|inner|outer|running|watching|\w+C(on)?te?xt?)$`)

// startedLoops finds what runs while nobody waits for it: what a go statement, the Go of a group, or a
// timer starts, by the function that starts it.
func startedLoops(x *sourceTree) map[string]bool {
	found := map[string]bool{}
	eachFunction(x, func(name string, d *ast.FuncDecl) {
		started := func(e ast.Expr) {
			literal, ok := e.(*ast.FuncLit)
			if !ok {
				found[name+" "+selected(e)] = true
				return
			}
			calls := 0
			ast.Inspect(literal, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if ok && len(call.Args) > 0 && mentionsContext(call.Args[0]) && !isContextMaker(call) {
					calls++
					found[name+" "+selected(call.Fun)] = true
				}
				return true
			})
			if calls == 0 {
				found[name] = true
			}
		}
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				started(n.Call.Fun)
			case *ast.CallExpr:
				switch f := selected(n.Fun); {
				case strings.HasSuffix(f, ".Go") && len(n.Args) == 1:
					started(n.Args[0])
				case f == "time.AfterFunc":
					started(n.Args[1])
				}
			}
			return true
		})
	})
	return found
}

func isContextMaker(call *ast.CallExpr) bool {
	f := selected(call.Fun)
	return strings.HasPrefix(f, "context.") || strings.HasSuffix(f, ".NewContext")
}

func mentionsContext(e ast.Expr) (mentions bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		mentions = mentions || ok && contextName.MatchString(id.Name)
		return true
	})
	return mentions
}

// exits are the methods that hand something to a sender.
var exits = []string{"Enqueue", "SendSMS", "Send", "Post"}

// openExits finds the functions that hand something to a sender, or connect to another machine.
func openExits(x *sourceTree) map[string]bool {
	found := map[string]bool{}
	eachFunction(x, func(name string, d *ast.FuncDecl) {
		ast.Inspect(d, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				of := selected(s)
				found[name] = found[name] || of == "net.Dialer" || strings.HasPrefix(of, "net.Dial") ||
					strings.HasPrefix(of, "tls.Dial")
			}
			if call, ok := n.(*ast.CallExpr); ok {
				s, ok := call.Fun.(*ast.SelectorExpr)
				found[name] = found[name] || ok && slices.Contains(exits, s.Sel.Name)
			}
			return true
		})
	})
	maps.DeleteFunc(found, func(_ string, is bool) bool { return !is })
	return found
}

// compares are the functions that compare a secret in constant time.
var compares = []string{"hmac.Equal", "subtle.ConstantTimeCompare"}

// checkedTokens finds the functions that compare secrets, and the methods of stores that take no tenant
// since they find out whose something is.
func checkedTokens(x *sourceTree, tenantless map[string]string) map[string]bool {
	found := map[string]bool{}
	for name, reason := range tenantless {
		if strings.Contains(reason, "established the tenant") || strings.HasPrefix(reason, "establishes the tenant") {
			found[name] = true
		}
	}
	eachFunction(x, func(name string, d *ast.FuncDecl) {
		ast.Inspect(d, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && slices.Contains(compares, selected(call.Fun)) {
				found[name] = true
			}
			return true
		})
	})
	return found
}

// functionsThatAsk finds the functions that ask whether a tenant acts.
func functionsThatAsk(x *sourceTree) map[string]bool {
	found := map[string]bool{}
	eachFunction(x, func(name string, d *ast.FuncDecl) {
		ast.Inspect(d, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				s, ok := call.Fun.(*ast.SelectorExpr)
				if ok && (s.Sel.Name == "Acts" || s.Sel.Name == "AnyActs") {
					found[name] = true
				}
			}
			return true
		})
	})
	return found
}

// withoutAnswer finds what has no row, and rows that are not true.
func withoutAnswer(found map[string]bool, rows map[string]actRow, asking map[string]bool) (violations []string) {
	for name := range found {
		if rows[name] == (actRow{}) {
			violations = append(violations, name+" has no row: ask tenant.Store.Acts before it acts, or say why not")
		}
	}
	for name, row := range rows {
		switch {
		case !found[name]:
			violations = append(violations, name+" has a row, but was not found")
		case row.asks != "" && !asking[row.asks]:
			violations = append(violations, name+": "+row.asks+" does not ask whether the tenant acts")
		}
	}
	return violations
}

// Whatever runs by itself, sends, or takes a token asks whether its tenant acts, or says here why not.
// What a listed function does besides is not found, unless it is a way out.
func TestEverythingAsksWhetherItsTenantActs(t *testing.T) {
	x := parseRepository(t)
	asking := functionsThatAsk(x)
	expectNone(t, withoutAnswer(startedLoops(x), loops, asking))
	expectNone(t, withoutAnswer(openExits(x), waysOut, asking))
	expectNone(t, withoutAnswer(checkedTokens(x, tenantlessMethods), tokens, asking))
}

func TestActRuleFindsViolations(t *testing.T) {
	x := parseExample(t, map[string]string{
		"internal/server/server.go": `package server
func (s *Server) Run(ctx context.Context) {
	work.Go(func() error { return s.Stores.Duty.Run(s.Stores.Audit.NewContext(inner, 1)) })
	work.Go(func() error { return s.reports.Run(inner) })
	time.AfterFunc(second, s.publish)
	defer context.AfterFunc(inner, stop)()
}`,
		"internal/domain/duty/loop.go": `package duty
func (s *Service) Run(ctx context.Context) { for { s.askAll() } }
func (s *Service) askAll() { if s.Tenants.Acts(1) { s.Mailer.Enqueue(1) } }
func (s *Service) start() { go s.quiet() }
func (s *Service) load() { go func() { s.close() }() }`,
		"internal/domain/duty/token.go": `package duty
func (s *Service) check(token []byte) bool { return hmac.Equal(token, s.token) }
func (s *Service) call() { d := net.Dialer{}; _ = d }`,
		"internal/platform/live/hub.go":     `package live; func (h *Hub) run() { go h.beat(); hmac.Equal(a, b) }`,
		"internal/domain/duty/duty_test.go": `package duty; func TestIt() { go run(); s.Mailer.Enqueue(1) }`,
	})
	asking := functionsThatAsk(x)
	expectViolations(t, withoutAnswer(startedLoops(x), map[string]actRow{
		"server.Server.Run Duty.Run":    asks("duty.Service.askAll"),
		"server.Server.Run reports.Run": asks("duty.Service.Run"),
		"duty.Service.gone":             why("x"),
	}, asking),
		"server.Server.Run reports.Run: duty.Service.Run does not ask", "server.Server.Run s.publish has no row",
		"duty.Service.start s.quiet has no row", "duty.Service.load has no row", "duty.Service.gone has a row",
	)
	expectViolations(t, withoutAnswer(openExits(x), nil, asking),
		"duty.Service.askAll has no row", "duty.Service.call has no row")
	expectViolations(t, withoutAnswer(checkedTokens(x, map[string]string{
		"duty.Links.Open": "establishes the tenant from the token of a link", "duty.Links.Sweep": "clean-up",
	}), nil, asking), "duty.Service.check has no row", "duty.Links.Open has no row")
}
