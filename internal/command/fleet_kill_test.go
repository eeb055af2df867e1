package command

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tilth/internal/tools/announced"
	"tilth/internal/tools/testkit"
)

// seedEnv is a seed that repeats the choices of a run. The moments of the kills are always random.
const seedEnv = "TILTH_TEST_SEED"

// fleetRecipients are the addresses that get mails about notices.
var fleetRecipients = []string{"ada@example.com", "bora@example.com"}

const (
	fleetDevices, fleetMovers = 4, 2
	// A kill follows after a random number of answers, between these, to people and to moves of
	// devices.
	minAnswersBeforeKill, maxAnswersBeforeKill = 50, 200
	maxCallsInFlight                           = 4 // of one tenant's webhooks
	admin                                      = "/admin-api/client/pc/"
)

// The test kills the server with kill -9 again and again, also during starts, while people
// acknowledge notices, change that and take it back, devices move into the scenes of rules and out
// of them, and readings open and end notices. After a start everything is there that was answered;
// what was not answered is there whole or not at all; nothing is there twice.
func TestKillKeepsAcknowledgementsAndMemberships(t *testing.T) {
	t.Parallel()
	rounds := 2 * killRoundsFromEnv(t) // the rounds are short
	g := newFleet(t)
	for range rounds {
		g.killRound()
		g.checkAfterKill()
	}
	g.finish(rounds)
}

// fleet is a server with devices, and with rules for the devices of a scene, for those of none, and
// for all of their model.
type fleet struct {
	*process
	*rand.Rand    // for choices that are made one after the other
	mailServer    *countingMailServer
	webhook       *testkit.WebhookReceiver
	calls         []webhookCall  // that the program received, in order, each once
	callCounts    map[string]int // how often it received each, by ID
	scene         int64
	rules         map[string]int64 // orchard, rest, model
	devices       []*movingDevice
	people        []*person
	startDuration time.Duration // of the latest start that was not killed

	readingTokens chan struct{} // one reading for each action of people or devices, so that no kind of event prevails
	measured      chan struct{} // a device has measured
	onAnswer      func()        // called when an action of people or devices was answered
}

// outcome says what became of a request.
type outcome int

const (
	outcomeUnknown outcome = iota // a kill came before the answer: it is done whole, or not at all
	outcomeDone                   // done
	outcomeRefused
)

// request makes a call that a kill may cut off; request is its ID in the logs.
func (g *fleet) request(method, path, token, body string) (is outcome, request string) {
	req, err := http.NewRequest(method, "http://"+g.http+path, strings.NewReader(body))
	if err != nil {
		g.t.Error(err)
		return outcomeUnknown, ""
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return outcomeUnknown, ""
	}
	defer resp.Body.Close()
	var envelope struct {
		Code int
		Msg  string
	}
	if err := json.NewDecoder(resp.Body).Decode(&envelope); err != nil {
		return outcomeUnknown, ""
	}
	switch envelope.Code {
	case 200:
		return outcomeDone, resp.Header.Get("X-Request-Id")
	case 601:
		return outcomeRefused, resp.Header.Get("X-Request-Id")
	}
	g.t.Errorf("%s %s %s: %d %s", method, path, body, envelope.Code, envelope.Msg)
	return outcomeRefused, ""
}

// movingDevice is a device that measures and that is moved.
type movingDevice struct {
	name, secret string
	readings     []fleetReading // in order; only the latest may be unanswered
	moves        []move         // in order
}

type fleetReading struct {
	at       int64 // epoch ms
	cold     bool
	answered bool
}

type move struct {
	in      bool // into the scene
	outcome outcome
	request string
}

// measureLoop sends readings until the server is killed.
func (m *movingDevice) measureLoop(g *fleet, r *rand.Rand) {
	for range g.readingTokens {
		if !m.send(g, r.IntN(2) == 0) {
			return
		}
		select {
		case g.measured <- struct{}{}:
		default:
		}
	}
}

// send sends a new reading, or again one that was not answered; false: the server is killed.
func (m *movingDevice) send(g *fleet, cold bool) bool {
	if n := len(m.readings); n == 0 || m.readings[n-1].answered {
		at := time.Now().UnixMilli()
		for n > 0 && at <= m.readings[n-1].at { // of the next millisecond, so that none is ahead of the clock
			at = time.Now().UnixMilli()
		}
		m.readings = append(m.readings, fleetReading{at: at, cold: cold})
	}
	newest := &m.readings[len(m.readings)-1]
	degrees := 9
	if newest.cold {
		degrees = 0
	}
	resp, err := http.Post("http://"+g.http+"/api/v1/"+m.secret+"/telemetry", "application/json",
		strings.NewReader(fmt.Sprintf(`{"ts":%d,"values":{"airTemperature":%d}}`, newest.at, degrees)))
	if err != nil {
		return false
	}
	_ = resp.Body.Close()
	if newest.answered = resp.StatusCode == http.StatusOK; !newest.answered {
		g.t.Errorf("%s: a reading is answered %s", m.name, resp.Status)
	}
	return newest.answered
}

// moveLoop moves some devices alternately into the scene and out of it, until the server is killed.
// It repeats requests that were not answered.
func (g *fleet) moveLoop(devices []*movingDevice, r *rand.Rand) {
	for {
		m, in := devices[r.IntN(len(devices))], true
		if n := len(m.moves); n > 0 {
			in = m.moves[n-1].in == (m.moves[n-1].outcome == outcomeUnknown)
		}
		if !m.moveTo(g, in) {
			return
		}
		g.onAnswer()
	}
}

// moveTo moves the device; false: the server is killed.
func (m *movingDevice) moveTo(g *fleet, in bool) bool {
	scene := int64(0)
	if in {
		scene = g.scene
	}
	is, request := g.request(http.MethodPut, admin+"device/update", g.token(),
		fmt.Sprintf(`{"deviceName":%q,"noteName":%q,"groupId":%d}`, m.name, m.name, scene))
	m.moves = append(m.moves, move{in, is, request})
	return is == outcomeDone
}

// person is a user who acts on some of the notices; no other user acts on these.
type person struct {
	name, token string // both survive kills
	*rand.Rand
	actions  map[int64][]ackAction // by notice, in order
	ackCount int                   // number of actions so far
}

// ackAction is an acknowledgement of a notice, or its withdrawal.
type ackAction struct {
	note    string // different each time; empty: taken back
	hours   int
	outcome outcome
	request string
}

// actLoop acts on open notices until the server is killed.
func (p *person) actLoop(g *fleet, gone <-chan struct{}) {
	for {
		open, there := g.openNotices(p.token)
		if !there {
			return
		}
		mine := slices.DeleteFunc(open, func(id int64) bool { return g.actorOf(id) != p })
		if len(mine) == 0 {
			select {
			case <-g.measured:
				continue
			case <-gone:
				return
			}
		}
		for range 6 {
			if !p.act(g, mine[p.IntN(len(mine))], p.IntN(3) > 0) {
				return
			}
			g.onAnswer()
		}
	}
}

// act acknowledges a notice, or takes that back; false: the server is killed.
func (p *person) act(g *fleet, notice int64, on bool) bool {
	d, path, body := ackAction{}, "unacknowledge", fmt.Sprintf(`{"id":%d}`, notice)
	if on {
		p.ackCount++
		d.note, d.hours = fmt.Sprint(p.name, " ", p.ackCount), []int{1, 4, 12}[p.IntN(3)]
		path, body = "acknowledge", fmt.Sprintf(`{"id":%d,"note":%q,"remindHours":%d}`, notice, d.note, d.hours)
	}
	d.outcome, d.request = g.request(http.MethodPut, admin+"alarm-notice/"+path, p.token, body)
	p.actions[notice] = append(p.actions[notice], d)
	return d.outcome != outcomeUnknown
}

// openNotices are the open notices, the latest fifty; false: the server is killed.
func (g *fleet) openNotices(token string) (ids []int64, there bool) {
	req, err := http.NewRequest(
		http.MethodGet,
		"http://"+g.http+admin+"alarm-notice/page?resolveStatus=0&pageSize=50",
		http.NoBody,
	)
	if err != nil {
		g.t.Error(err)
		return nil, false
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, false
	}
	defer resp.Body.Close()
	var page struct {
		Code int
		Msg  string
		Data struct{ List []struct{ ID int64 } }
	}
	if err := json.NewDecoder(resp.Body).Decode(&page); err != nil {
		return nil, false
	}
	if page.Code != 200 {
		g.t.Errorf("open notices: %d %s", page.Code, page.Msg)
		return nil, false
	}
	for _, n := range page.Data.List {
		ids = append(ids, n.ID)
	}
	return ids, true
}

func newFleet(t *testing.T) *fleet {
	t.Helper()
	seed := rand.Uint64()
	if said := os.Getenv(seedEnv); said != "" {
		var err error
		if seed, err = strconv.ParseUint(said, 10, 64); err != nil {
			t.Fatalf("%s=%q: must be a number", seedEnv, said)
		}
	}
	t.Logf("%s=%d", seedEnv, seed)
	g := &fleet{
		process:       newProcess(t),
		Rand:          rand.New(rand.NewPCG(seed, 0)),
		webhook:       testkit.NewWebhookReceiver(t),
		mailServer:    &countingMailServer{byMessage: map[string]int{}, reached: map[int]chan struct{}{}},
		rules:         map[string]int64{},
		callCounts:    map[string]int{},
		readingTokens: make(chan struct{}, 1),
		measured:      make(chan struct{}, 1),
	}
	g.env = []string{startMailServer(t, g.mailServer)}
	var users, devices strings.Builder
	for i := range fleetDevices {
		m := &movingDevice{name: fmt.Sprint("G-", i), secret: fmt.Sprint("fleet-test-secret-number-", i)}
		g.devices = append(g.devices, m)
		fmt.Fprintf(
			&devices,
			"      - {deviceName: %s, noteName: %s, serial: s, product: mast, secret: %s}\n",
			m.name,
			m.name,
			m.secret,
		)
	}
	for i, name := range []string{"ada", "bora", "cem", "defne"} {
		fmt.Fprintf(&users, "      - {userName: %s, password: correct horse}\n", name)
		choices := rand.New(rand.NewPCG(seed, uint64(i+1)))
		g.people = append(g.people, &person{name: name, Rand: choices, actions: map[int64][]ackAction{}})
	}
	g.startServer()
	g.apply(`products:
  - name: mast
    properties: [{identifier: airTemperature, dataType: number, precision: 1}]
tenants:
  - name: farm
    timeZone: Europe/Istanbul
    language: en-us
    users:
` + users.String() + `    devices:
` + devices.String())
	for _, p := range g.people {
		p.token = g.signIn("farm", p.name, "correct horse")
	}
	token := g.token()
	var channel int64
	g.call(
		http.MethodPost,
		admin+"notice-channel/create",
		token,
		`{"noticeName":"Field","noticeMode":["email"],"email":{"emails":["`+strings.Join(
			fleetRecipients,
			`","`,
		)+`"]}}`,
		&channel,
	)
	var hook struct{ ID int64 }
	g.call(http.MethodPost, admin+"webhook/create", token,
		fmt.Sprintf(`{"name":"Planner","url":%q,"events":["opened","resolved","acknowledged"]}`, g.webhook.URL), &hook)
	g.call(http.MethodPost, admin+"group/create", token, `{"groupName":"Orchard","groupStatus":1}`, &g.scene)
	var all struct{ List []struct{ ProductID int64 } }
	g.call(http.MethodGet, admin+"device/page", token, "", &all)
	for _, m := range g.devices[:fleetDevices/2] {
		if !m.moveTo(g, true) {
			t.Fatalf("%s is not moved", m.name)
		}
	}
	for name, targets := range map[string]string{
		"orchard": fmt.Sprintf(`{"groups":[%d]}`, g.scene), "rest": `{"groups":[0]}`,
		"model": fmt.Sprintf(`{"products":[%d]}`, all.List[0].ProductID),
	} {
		var id int64
		g.call(http.MethodPost, admin+"alarm-rules/create", token, fmt.Sprintf(
			`{"alarmName":%q,"dataSource":1,"targets":%s,"triggerType":0,"durations":60000,"hitCounts":1,"alarmLevel":1,
			"manualRelease":0,"passageway":[%d],"conditions":[{"andor":"and","tslAttribute":"airTemperature","subconditions":"<","value":1}]}`,
			name, targets, channel), &id)
		var done bool
		g.call(http.MethodGet, fmt.Sprintf("%salarm-rules/publish?alarmRulesId=%d", admin, id), token, "", &done)
		g.rules[name] = id
	}
	return g
}

// token is the access token for calls that any user may make.
func (g *fleet) token() string { return g.people[0].token }

func fleetArgs() []string {
	return append([]string{"--digest-after=0", "--mails-a-day=0", "--webhook-private=127.0.0.0/8"}, unlimitedArgs...)
}

func (g *fleet) startServer() {
	g.t.Helper()
	began := time.Now()
	g.start(fleetArgs()...)
	g.startDuration = time.Since(began)
}

// killRound lets all act, kills the server meanwhile, perhaps also during the starts that follow,
// and starts it again.
func (g *fleet) killRound() {
	g.t.Helper()
	target := int64(minAnswersBeforeKill + g.IntN(maxAnswersBeforeKill-minAnswersBeforeKill))
	var acts atomic.Int64
	enough := make(chan struct{})
	g.onAnswer = func() {
		if acts.Add(1) == target {
			close(enough)
		}
		select {
		case g.readingTokens <- struct{}{}:
		default:
		}
	}
	var all, measuring sync.WaitGroup
	for _, m := range g.devices {
		r := rand.New(rand.NewPCG(g.Uint64(), 0))
		measuring.Go(func() { m.measureLoop(g, r) })
	}
	for some := range slices.Chunk(g.devices, fleetDevices/fleetMovers) {
		r := rand.New(rand.NewPCG(g.Uint64(), 0))
		all.Go(func() { g.moveLoop(some, r) })
	}
	for _, p := range g.people {
		gone := g.ended
		all.Go(func() { p.actLoop(g, gone) })
	}
	select {
	case <-enough:
	case <-time.After(time.Minute):
		g.t.Fatalf("%d of %d answers\n%s", acts.Load(), target, g.stderr)
	}
	// Right after an answer nothing else is half done, since only one call writes at a time.
	g.killWithin(5*time.Millisecond, nil)
	all.Wait()
	close(g.readingTokens)
	measuring.Wait()
	g.readingTokens = make(chan struct{}, 1)
	for g.IntN(3) == 0 {
		g.launch(fleetArgs()...)
		g.killWithin(g.startDuration, g.listens.Ready())
	}
	g.startServer()
}

// killWithin kills the server at a random moment, or when it is ready.
func (g *fleet) killWithin(most time.Duration, ready <-chan announced.Addresses) {
	select {
	case <-time.After(time.Duration(g.Int64N(int64(most)))):
	case <-ready:
	}
	g.kill()
}
