package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

const (
	heldCalls   = 40 // bodies withheld at a time, half of them a device's
	rightsPause = 200 * time.Millisecond
	formerOwner = "former"
)

// takenRights is an owner who begins calls, and a device that begins messages, and both withhold the
// last byte of each body until their rights are gone: another owner disables the one and gives the
// other a new secret. Nothing that is completed then may be done.
type takenRights struct {
	tenant         Tenant
	owner          *console
	former         int64  // id of the user who is disabled
	secret         string // of the device
	began          int64  // epoch ms
	late, executed atomic.Int64
}

func newTakenRights() *takenRights {
	w := attackerTenant("rights", 1)
	w.Guests = []string{formerOwner}
	return &takenRights{tenant: w, secret: w.Devices[0].Secret}
}

func (a *takenRights) tenants() []Tenant { return []Tenant{a.tenant} }

func (a *takenRights) prepare(ctx context.Context, t *neighbourRun, _ *NeighbourRow) (err error) {
	a.began = time.Now().UnixMilli()
	if a.owner, err = t.signIn(ctx, a.tenant); err != nil {
		return err
	}
	var people struct {
		List []struct {
			ID       int64 `json:"id"`
			UserName string
		}
	}
	path := "/admin-api/client/pc/people/page?pageNo=1&pageSize=10"
	if err := a.owner.call(ctx, http.MethodGet, path, nil, &people); err != nil {
		return err
	}
	for _, p := range people.List {
		if p.UserName == formerOwner {
			a.former = p.ID
		}
	}
	return nil
}

func (a *takenRights) run(ctx context.Context, t *neighbourRun, r *NeighbourRow) error {
	for ctx.Err() == nil {
		if err := a.round(context.WithoutCancel(ctx), t); err != nil {
			return err
		}
		select {
		case <-time.After(rightsPause):
		case <-ctx.Done():
		}
	}
	r.remark("of %d bodies that were complete after the rights were gone %d were executed",
		a.late.Load(), a.executed.Load())
	if a.late.Load() == 0 || a.executed.Load() > 0 {
		return fmt.Errorf("%d of %d late bodies were executed", a.executed.Load(), a.late.Load())
	}
	return nil
}

// round begins calls and messages, takes the rights for them, and completes them.
func (a *takenRights) round(ctx context.Context, t *neighbourRun) error {
	w := a.tenant
	w.User = formerOwner
	if err := a.owner.call(ctx, http.MethodPut, "/admin-api/client/pc/people/enable-or-disable",
		fmt.Appendf(nil, `{"id":%d,"enabled":true}`, a.former), nil); err != nil {
		return err
	}
	former, err := signIn(ctx, t.server.Console, w)
	if err != nil {
		return err
	}
	address := strings.TrimPrefix(t.server.Console, "http://")
	var held []*heldBody
	for i := range heldCalls {
		path, text := "/api/v1/"+a.secret+"/telemetry", fmt.Sprintf(`{%q:1}`, a.tenant.Properties[0])
		if i%2 == 0 {
			path, text = "/admin-api/client/pc/group/create", fmt.Sprintf(`{"groupName":"late %d","groupStatus":1}`, i)
		}
		h, err := holdBody(ctx, address, path, former.token, []byte(text))
		if err != nil {
			return err
		}
		held = append(held, h)
	}
	if err := a.takeRights(ctx); err != nil {
		return err
	}
	for _, h := range held {
		answer := h.complete()
		if answer.err != nil {
			return answer.err
		}
		a.late.Add(1)
		if answer.executed {
			a.executed.Add(1)
		}
	}
	return nil
}

// takeRights disables the former owner, and gives the device a secret beside which no other is valid.
func (a *takenRights) takeRights(ctx context.Context) error {
	if err := a.owner.call(ctx, http.MethodPut, "/admin-api/client/pc/people/enable-or-disable",
		fmt.Appendf(nil, `{"id":%d,"enabled":false}`, a.former), nil); err != nil {
		return err
	}
	body := fmt.Appendf(nil, `{"deviceName":%q,"dropOthers":true}`, a.tenant.Devices[0].Name)
	return a.owner.call(ctx, http.MethodPost, "/admin-api/client/pc/device/new-secret", body, &a.secret)
}

// compare checks that no late scene and no late reading is there.
func (a *takenRights) compare(ctx context.Context, _ *neighbourRun, r *NeighbourRow) error {
	var scenes json.RawMessage
	if err := a.owner.call(ctx, http.MethodGet, "/admin-api/client/pc/group/page", nil, &scenes); err != nil {
		return err
	}
	values, err := a.owner.history(
		ctx, a.tenant.Devices[0].Name, a.tenant.Properties[:1], a.began, time.Now().UnixMilli(),
	)
	if err != nil {
		return err
	}
	for _, of := range values {
		r.Extra += len(of)
	}
	if strings.Contains(string(scenes), "late ") {
		return errors.New("somebody who was disabled made a scene")
	}
	return nil
}
