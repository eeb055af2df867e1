package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	importPath = "/admin-api/client/pc/device/import"
	// holdFor is how long a body's last byte is withheld, a little less than a body may take.
	holdFor    = 8 * time.Second
	sendEvery  = time.Second
	importBody = 1 << 20
	formBody   = 16 << 10
	deviceBody = 256 << 10
	// memoryOver is what the server may take of its limit, in percent.
	memoryOver   = 110
	holdingGuest = "holder"
)

// largeBodies is a user who sends the largest and costliest bodies that calls take, many at once
// each second, while calls of another user and devices announce as much and withhold the last byte
// until shortly before their time is over. The server has a memory limit.
type largeBodies struct {
	tenant                    Tenant
	memory                    int64 // the server's limit, bytes
	senders, holders          int
	sender, holder            *console
	answered, refused, failed atomic.Int64
}

func newLargeBodies(s NeighbourSize, memory int64) *largeBodies {
	w := attackerTenant("bodies", 20)
	w.Guests = []string{holdingGuest}
	return &largeBodies{tenant: w, memory: memory, senders: s.Bodies, holders: s.HeldBodies}
}

func (a *largeBodies) tenants() []Tenant { return []Tenant{a.tenant} }

// setUp limits the server's memory.
//
//nolint:unparam // others can fail
func (a *largeBodies) setUp(_ context.Context, o *ServerOptions) error {
	o.Args = append(o.Args, "--memory", fmt.Sprintf("%dMiB", a.memory>>20))
	return nil
}

func (*largeBodies) tearDown() error { return nil }

func (a *largeBodies) prepare(ctx context.Context, t *neighbourRun, r *NeighbourRow) (err error) {
	r.Limits.Memory, r.Limits.Page = a.memory/100*memoryOver, defaultLimits.Ack
	if a.sender, err = t.signIn(ctx, a.tenant); err != nil {
		return err
	}
	second := a.tenant
	second.User = holdingGuest
	a.holder, err = t.signIn(ctx, second)
	return err
}

// compare has nothing to do: nothing that is sent is valid.
func (a *largeBodies) compare(context.Context, *neighbourRun, *NeighbourRow) error { return nil }

// costly is a text of a size that takes much more memory once it is decoded.
func costly(size int) []byte {
	text := []byte(`{"csv":[`)
	text = append(text, bytes.Repeat([]byte("{},"), (size-len(text))/len("{},")-2)...)
	text = append(text, "{}]}"...)
	return append(text, bytes.Repeat([]byte{' '}, size-len(text))...)
}

func (a *largeBodies) run(ctx context.Context, t *neighbourRun, r *NeighbourRow) error {
	texts := map[int][]byte{}
	for _, size := range []int{importBody, formBody, deviceBody} {
		texts[size] = costly(size)
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: a.senders}}
	defer client.CloseIdleConnections()
	sender := &console{base: a.sender.base, token: a.sender.token, http: client}
	var all sync.WaitGroup
	for range a.senders {
		all.Go(func() {
			a.repeat(ctx, sendEvery, func() error { return a.send(ctx, sender, texts[importBody]) })
		})
	}
	address := strings.TrimPrefix(t.server.Console, "http://")
	device := a.tenant.Devices
	for i := range a.holders {
		path, size := importPath, importBody
		switch i % 3 {
		case 0:
			path, size = "/admin-api/client/pc/group/create", formBody
		case 1:
			path, size = "/api/v1/"+device[i%len(device)].Secret+"/telemetry", deviceBody
		}
		text := texts[size]
		all.Go(func() {
			a.repeat(ctx, holdFor, func() error { return withhold(ctx, address, path, a.holder.token, text) })
		})
	}
	all.Wait()
	r.remark("%d bodies were received and refused for what they say, %d asked to come later, %d connections closed",
		a.answered.Load(), a.refused.Load(), a.failed.Load())
	if a.answered.Load() == 0 || a.refused.Load() == 0 {
		return errors.New("bodies were not both received and asked to come later, so that it was no attack")
	}
	return nil
}

// repeat sends a body again and again, at most once every so often, and counts how it was answered.
func (a *largeBodies) repeat(ctx context.Context, every time.Duration, send func() error) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for ctx.Err() == nil {
		err := send()
		switch {
		case ctx.Err() != nil:
		case err == nil:
			a.answered.Add(1)
		case errors.Is(err, errComeLater):
			a.refused.Add(1)
		default:
			a.failed.Add(1)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

// errComeLater says that a body was refused for now.
var errComeLater = errors.New("come later")

// send sends a whole body.
func (*largeBodies) send(ctx context.Context, c *console, text []byte) error {
	res, err := c.request(ctx, http.MethodPost, importPath, text)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }() // read to its end
	return answerOf(res)
}

// withhold sends a body, its last byte only after holdFor unless the server answers before.
func withhold(ctx context.Context, address, path, token string, text []byte) error {
	h, err := holdBody(ctx, address, path, token, text)
	if err != nil {
		return err
	}
	var a heldAnswer
	select {
	case a = <-h.answer:
		h.close(a)
	case <-time.After(holdFor): // the attack
		a = h.complete()
	}
	if a.comeLater {
		return errComeLater
	}
	return a.err
}

// answerOf returns errComeLater for an answer that asks for it.
func answerOf(res *http.Response) error {
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		return err
	}
	if res.Header.Get("Retry-After") != "" {
		return errComeLater
	}
	return nil
}
