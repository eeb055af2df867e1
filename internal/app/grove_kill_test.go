package app

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

	"tilth/internal/bench"
	"tilth/internal/testkit"
)

// seedVariable is a number by which choices are made again as they were; when a kill
// falls is left to chance.
const seedVariable = "TILTH_TEST_SEED"

// groveMails are who is told of notices by mail.
var groveMails = []string{"ada@example.com", "bora@example.com"}

const (
	groveDevices, groveMovers = 4, 2
	// groveAnswers is between how many answers to people, and to moves of devices, a kill falls.
	groveAnswersLeast, groveAnswersMost = 50, 200
	callsInFlight                       = 4 // of a tenant's programs
	admin                               = "/admin-api/client/pc/"
)

// Kill -9 again and again, also in the middle of starts, while people say that they are
// on notices, say it anew and take it back, devices come to stand in the scenes of rules
// and leave them, and readings begin and end notices. What was answered is there after
// the start; what was not is there as a whole or not at all; nothing is there twice.
func TestKillsAmongPeopleAndMovingDevices(t *testing.T) {
	t.Parallel()
	rounds := 2 * killRoundsWanted(t) // they are short
	g := newGrove(t)
	for range rounds {
		g.round()
		g.holds()
	}
	g.end(rounds)
}

// grove is a server with devices, and rules for those of a scene, for those of none, and
// for all of their model.
type grove struct {
	*process
	*rand.Rand // of choices that are made one after the other
	post       *postOffice
	program    *testkit.Program
	calls      []call         // that the program heard, in their order, each once
	heard      map[string]int // how often it heard each, by its id
	scene      int64
	rules      map[string]int64 // orchard, rest, model
	devices    []*roamer
	people     []*person
	startTook  time.Duration // the newest start that was not cut off

	tickets chan struct{} // a reading for each thing that people or devices did, so that none are in the majority
	news    chan struct{} // something was measured
	acted   func()        // something that people or devices did was answered
}

// answered says what became of what was asked for.
type answered int

const (
	cutOff  answered = iota // by a kill: it is done as a whole, or not at all
	granted                 // done
	refused
)

// asks makes a call that a kill may cut off; request is its id in the logs.
func (g *grove) asks(method, path, token, body string) (is answered, request string) {
	req, err := http.NewRequest(method, "http://"+g.http+path, strings.NewReader(body))
	if err != nil {
		g.t.Error(err)
		return cutOff, ""
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return cutOff, ""
	}
	defer resp.Body.Close()
	var envelope struct {
		Code int
		Msg  string
	}
	if err := json.NewDecoder(resp.Body).Decode(&envelope); err != nil {
		return cutOff, ""
	}
	switch envelope.Code {
	case 200:
		return granted, resp.Header.Get("X-Request-Id")
	case 601:
		return refused, resp.Header.Get("X-Request-Id")
	}
	g.t.Errorf("%s %s %s: %d %s", method, path, body, envelope.Code, envelope.Msg)
	return refused, ""
}

// roamer is a device that measures and that somebody moves.
type roamer struct {
	name, secret string
	readings     []sample // in their order; only the newest may be unanswered
	moves        []move   // in their order
}

type sample struct {
	at       int64 // epoch ms
	cold     bool
	answered bool
}

type move struct {
	in      bool // to the scene
	is      answered
	request string
}

// measures sends readings until the server is gone.
func (m *roamer) measures(g *grove, r *rand.Rand) {
	for range g.tickets {
		if !m.sends(g, r.IntN(2) == 0) {
			return
		}
		select {
		case g.news <- struct{}{}:
		default:
		}
	}
}

// sends measures anew, or sends again what was not answered; false: the server is gone.
func (m *roamer) sends(g *grove, cold bool) bool {
	if n := len(m.readings); n == 0 || m.readings[n-1].answered {
		at := time.Now().UnixMilli()
		for n > 0 && at <= m.readings[n-1].at { // of the next millisecond: none is ahead of the clock
			at = time.Now().UnixMilli()
		}
		m.readings = append(m.readings, sample{at: at, cold: cold})
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

// moves moves some devices to the scene and out of it in turns, until the server is gone.
// What was not answered is asked for again.
func (g *grove) moves(devices []*roamer, r *rand.Rand) {
	for {
		m, in := devices[r.IntN(len(devices))], true
		if n := len(m.moves); n > 0 {
			in = m.moves[n-1].in == (m.moves[n-1].is == cutOff)
		}
		if !m.goes(g, in) {
			return
		}
		g.acted()
	}
}

// goes moves the device; false: the server is gone.
func (m *roamer) goes(g *grove, in bool) bool {
	scene := int64(0)
	if in {
		scene = g.scene
	}
	is, request := g.asks(http.MethodPut, admin+"device/update", g.token(),
		fmt.Sprintf(`{"deviceName":%q,"noteName":%q,"groupId":%d}`, m.name, m.name, scene))
	m.moves = append(m.moves, move{in, is, request})
	return is == granted
}

// person is somebody who acts on some of the notices, on which nobody else does.
type person struct {
	name, token string // both outlive kills
	*rand.Rand
	deeds map[int64][]deed // of notices, in their order
	said  int              // how often anything was
}

// deed is that somebody is on a notice, or takes that back.
type deed struct {
	note    string // different each time; empty: taken back
	hours   int
	is      answered
	request string
}

// works acts on what is open, until the server is gone.
func (p *person) works(g *grove, gone <-chan struct{}) {
	for {
		open, there := g.open(p.token)
		if !there {
			return
		}
		mine := slices.DeleteFunc(open, func(id int64) bool { return g.of(id) != p })
		if len(mine) == 0 {
			select {
			case <-g.news:
				continue
			case <-gone:
				return
			}
		}
		for range 6 {
			if !p.acts(g, mine[p.IntN(len(mine))], p.IntN(3) > 0) {
				return
			}
			g.acted()
		}
	}
}

// acts says that the person is on a notice, or takes it back; false: the server is gone.
func (p *person) acts(g *grove, notice int64, on bool) bool {
	d, path, body := deed{}, "unacknowledge", fmt.Sprintf(`{"id":%d}`, notice)
	if on {
		p.said++
		d.note, d.hours = fmt.Sprint(p.name, " ", p.said), []int{1, 4, 12}[p.IntN(3)]
		path, body = "acknowledge", fmt.Sprintf(`{"id":%d,"note":%q,"remindHours":%d}`, notice, d.note, d.hours)
	}
	d.is, d.request = g.asks(http.MethodPut, admin+"alarm-notice/"+path, p.token, body)
	p.deeds[notice] = append(p.deeds[notice], d)
	return d.is != cutOff
}

// open are the notices that are, the newest fifty; false: the server is gone.
func (g *grove) open(token string) (ids []int64, there bool) {
	req, err := http.NewRequest(http.MethodGet, "http://"+g.http+admin+"alarm-notice/page?resolveStatus=0&pageSize=50", http.NoBody)
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

func newGrove(t *testing.T) *grove {
	t.Helper()
	seed := rand.Uint64()
	if said := os.Getenv(seedVariable); said != "" {
		var err error
		if seed, err = strconv.ParseUint(said, 10, 64); err != nil {
			t.Fatalf("%s=%q: a number is wanted", seedVariable, said)
		}
	}
	t.Logf("%s=%d", seedVariable, seed)
	g := &grove{
		process: newProcess(t), Rand: rand.New(rand.NewPCG(seed, 0)), program: testkit.NewProgram(t),
		post:  &postOffice{came: map[string]int{}, reached: map[int]chan struct{}{}},
		rules: map[string]int64{}, heard: map[string]int{}, tickets: make(chan struct{}, 1), news: make(chan struct{}, 1),
	}
	g.env = []string{mailTo(t, g.post)}
	var users, devices strings.Builder
	for i := range groveDevices {
		m := &roamer{name: fmt.Sprint("G-", i), secret: fmt.Sprint("grove-test-secret-number-", i)}
		g.devices = append(g.devices, m)
		fmt.Fprintf(&devices, "      - {deviceName: %s, noteName: %s, serial: s, product: mast, secret: %s}\n", m.name, m.name, m.secret)
	}
	for i, name := range []string{"ada", "bora", "cem", "defne"} {
		fmt.Fprintf(&users, "      - {userName: %s, password: correct horse}\n", name)
		choices := rand.New(rand.NewPCG(seed, uint64(i+1)))
		g.people = append(g.people, &person{name: name, Rand: choices, deeds: map[int64][]deed{}})
	}
	g.begin()
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
	g.call(http.MethodPost, admin+"notice-channel/create", token,
		`{"noticeName":"Field","noticeMode":["email"],"email":{"emails":["`+strings.Join(groveMails, `","`)+`"]}}`, &channel)
	var hook struct{ ID int64 }
	g.call(http.MethodPost, admin+"webhook/create", token,
		fmt.Sprintf(`{"name":"Planner","url":%q,"events":["opened","resolved","acknowledged"]}`, g.program.URL), &hook)
	g.call(http.MethodPost, admin+"group/create", token, `{"groupName":"Orchard","groupStatus":1}`, &g.scene)
	var all struct{ List []struct{ ProductID int64 } }
	g.call(http.MethodGet, admin+"device/page", token, "", &all)
	for _, m := range g.devices[:groveDevices/2] {
		if !m.goes(g, true) {
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

// token is of who does whatever it does not matter who does it.
func (g *grove) token() string { return g.people[0].token }

func groveArgs() []string {
	return append([]string{"--digest-after=0", "--mails-a-day=0", "--webhook-private=127.0.0.0/8"}, unlimited...)
}

func (g *grove) begin() {
	g.t.Helper()
	began := time.Now()
	g.start(groveArgs()...)
	g.startTook = time.Since(began)
}

// round lets all act, kills the server among that, perhaps also within the starts that
// follow, and starts it again.
func (g *grove) round() {
	g.t.Helper()
	target := int64(groveAnswersLeast + g.IntN(groveAnswersMost-groveAnswersLeast))
	var acts atomic.Int64
	enough := make(chan struct{})
	g.acted = func() {
		if acts.Add(1) == target {
			close(enough)
		}
		select {
		case g.tickets <- struct{}{}:
		default:
		}
	}
	var all, measuring sync.WaitGroup
	for _, m := range g.devices {
		r := rand.New(rand.NewPCG(g.Uint64(), 0))
		measuring.Go(func() { m.measures(g, r) })
	}
	for some := range slices.Chunk(g.devices, groveDevices/groveMovers) {
		r := rand.New(rand.NewPCG(g.Uint64(), 0))
		all.Go(func() { g.moves(some, r) })
	}
	for _, p := range g.people {
		gone := g.ended
		all.Go(func() { p.works(g, gone) })
	}
	select {
	case <-enough:
	case <-time.After(time.Minute):
		g.t.Fatalf("%d of %d answers\n%s", acts.Load(), target, g.log)
	}
	// Right after an answer nothing else is half done: who writes, writes alone.
	g.killWithin(5*time.Millisecond, nil)
	all.Wait()
	close(g.tickets)
	measuring.Wait()
	g.tickets = make(chan struct{}, 1)
	for g.IntN(3) == 0 {
		g.killWithin(g.startTook, g.launch(groveArgs()...).Ready())
	}
	g.begin()
}

// killWithin kills the server at a moment that is left to chance, or when it is ready.
func (g *grove) killWithin(most time.Duration, ready <-chan bench.Addresses) {
	select {
	case <-time.After(time.Duration(g.Int64N(int64(most)))):
	case <-ready:
	}
	g.kill()
}
