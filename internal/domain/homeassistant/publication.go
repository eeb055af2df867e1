package homeassistant

import (
	"context"
	"hash/maphash"
	"slices"
	"strings"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
)

// publication is what one connection has made a tenant's broker retain.
type publication struct {
	service *Service
	tenant  tenant.ID
	to      *target
	session *session
	known   map[string]bool   // topics of which the broker may retain a message, as they are written down
	sent    map[string]uint64 // of each topic that this connection published, a digest of the message
	plan    *plan
	gone    bool // everything was removed, or is to be
}

// newPublication begins a publication: the topics that earlier connections published are known.
func (s *Service) newPublication(ctx context.Context, t tenant.ID, to *target, x *session) (*publication, error) {
	topics, err := s.Store.topics(ctx, t)
	if err != nil {
		return nil, err
	}
	p := &publication{
		service: s, tenant: t, to: to, session: x, known: map[string]bool{}, sent: map[string]uint64{}, plan: &plan{},
	}
	for _, topic := range topics {
		p.known[topic] = true
	}
	return p, nil
}

// forget makes the following calls publish everything again.
func (p *publication) forget() { clear(p.sent) }

var digestSeed = maphash.MakeSeed()

// put makes the broker retain a message, unless this connection has done so already.
func (p *publication) put(ctx context.Context, topic string, payload []byte) error {
	digest := maphash.Bytes(digestSeed, payload)
	if before, ok := p.sent[topic]; ok && before == digest {
		return nil
	}
	if err := p.session.publish(ctx, topic, payload); err != nil {
		return err
	}
	p.sent[topic] = digest
	return nil
}

// announce publishes a plan: all that the broker does not have, and it removes what is not in the plan.
// New topics are written down before, so that they are removed even if the server is killed now.
func (p *publication) announce(ctx context.Context, next *plan) error {
	s := &p.to.Settings
	topics, wanted, added := next.topics(s), map[string]bool{}, []string{}
	for _, topic := range topics {
		wanted[topic] = true
		if !p.known[topic] {
			added = append(added, topic)
		}
	}
	if err := p.service.Store.addTopics(ctx, p.tenant, added); err != nil {
		return err
	}
	for _, topic := range added {
		p.known[topic] = true
	}
	p.plan = next
	if err := p.put(ctx, s.bridgeTopic(), []byte(payloadOnline)); err != nil {
		return err
	}
	for _, m := range next.configs {
		if err := p.put(ctx, m.topic, m.payload); err != nil {
			return err
		}
	}
	for _, d := range next.devices {
		if err := p.putAvailability(ctx, d); err != nil {
			return err
		}
		if err := p.putState(ctx, d); err != nil {
			return err
		}
	}
	var gone []string
	for topic := range p.known {
		if !wanted[topic] {
			gone = append(gone, topic)
		}
	}
	return p.remove(ctx, gone)
}

// remove makes the broker retain nothing of topics, and forgets them once it has confirmed that.
// Announcements go first, so that Home Assistant sees no device without values.
func (p *publication) remove(ctx context.Context, topics []string) error {
	isState := func(topic string) int {
		if strings.HasSuffix(topic, "/config") {
			return 0
		}
		return 1
	}
	slices.SortFunc(topics, func(a, b string) int { return isState(a) - isState(b) })
	for _, topic := range topics {
		if err := p.session.publish(ctx, topic, []byte{}); err != nil {
			return err
		}
		delete(p.sent, topic)
	}
	if err := p.session.flush(ctx); err != nil {
		return err
	}
	if err := p.service.Store.removeTopics(ctx, p.tenant, topics); err != nil {
		return err
	}
	for _, topic := range topics {
		delete(p.known, topic)
	}
	return nil
}

// removeAll removes all that was ever announced.
func (p *publication) removeAll(ctx context.Context) error {
	all := make([]string, 0, len(p.known))
	for topic := range p.known {
		all = append(all, topic)
	}
	return p.remove(ctx, all)
}

// update publishes the newest values of devices, and whether devices are online.
func (p *publication) update(ctx context.Context, m *marks) error {
	for id := range m.available {
		if d := p.plan.byID[id]; d != nil {
			if err := p.putAvailability(ctx, d); err != nil {
				return err
			}
		}
	}
	for id := range m.states {
		if d := p.plan.byID[id]; d != nil {
			delete(p.sent, d.stateTopic(&p.to.Settings)) // a reading counts even if its values are the same
			if err := p.putState(ctx, d); err != nil {
				return err
			}
		}
	}
	return p.session.flush(ctx)
}

func (p *publication) putAvailability(ctx context.Context, d *plannedDevice) error {
	payload := payloadOffline
	if p.service.Presence.Status(p.tenant, d.id).Online {
		payload = payloadOnline
	}
	return p.put(ctx, d.availabilityTopic(&p.to.Settings), []byte(payload))
}

func (p *publication) putState(ctx context.Context, d *plannedDevice) error {
	payload, err := d.state(p.service.Readings.Latest(ctx, p.tenant, d.id))
	if err != nil {
		return err
	}
	return p.put(ctx, d.stateTopic(&p.to.Settings), payload)
}

// marks are the devices of which something is to be published.
type marks struct {
	plan              bool // devices, their names or properties changed
	states, available map[device.ID]struct{}
}

func newMarks() *marks {
	return &marks{states: map[device.ID]struct{}{}, available: map[device.ID]struct{}{}}
}
