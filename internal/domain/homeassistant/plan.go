package homeassistant

import (
	"context"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/text"
)

// message is a retained message of a topic.
type message struct {
	topic   string
	payload []byte
}

// plan is what a tenant's broker should retain of the devices, but for their values.
type plan struct {
	devices []*plannedDevice
	byID    map[device.ID]*plannedDevice
	configs []message
	omitted int // devices that are too many
}

// planner makes a plan.
type planner struct {
	catalog  *device.Catalog
	language text.Language
	settings *Settings
	version  string
}

// plan reads a tenant's devices and makes a plan of those that are not disabled.
func (s *Service) plan(ctx context.Context, t tenant.ID, set *Settings) (*plan, error) {
	select {
	case s.planning <- struct{}{}:
		defer func() { <-s.planning }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	owner, err := s.Tenants.Get(ctx, t)
	if err != nil {
		return nil, err
	}
	devices, total, err := s.Roster.Page(ctx, t, device.Query{Sort: device.SortCreated, Limit: maxDevices})
	if err != nil {
		return nil, err
	}
	p := &planner{catalog: s.Catalog, language: owner.Language, settings: set, version: s.Version}
	made := &plan{byID: map[device.ID]*plannedDevice{}, omitted: int(total) - len(devices)}
	for _, d := range devices {
		if err := p.add(made, d); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// add adds a device to a plan, unless it is disabled or has nothing that Home Assistant shows.
func (p *planner) add(to *plan, x *device.Device) error {
	product := p.catalog.Product(x.ProductID)
	if x.Disabled || product == nil {
		return nil
	}
	d := &plannedDevice{id: x.ID, segment: segment(x.Name)}
	var configs []message
	for i := range product.Properties {
		of := &product.Properties[i]
		m, ok, err := p.announcement(x, d, of)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		kind := reading.KindNumber
		if of.DataType == device.Boolean {
			kind = reading.KindBoolean
		}
		configs = append(configs, m)
		d.entities = append(d.entities, entity{of.ID, of.Identifier, kind})
	}
	switch {
	case len(configs) == 0:
	case len(to.configs)+len(configs) > maxEntities:
		to.omitted++
	default:
		to.devices = append(to.devices, d)
		to.byID[d.id] = d
		to.configs = append(to.configs, configs...)
	}
	return nil
}

// topics gives all topics of the plan.
func (p *plan) topics(s *Settings) []string {
	list := []string{s.bridgeTopic()}
	for _, m := range p.configs {
		list = append(list, m.topic)
	}
	for _, d := range p.devices {
		list = append(list, d.stateTopic(s), d.availabilityTopic(s))
	}
	return list
}
