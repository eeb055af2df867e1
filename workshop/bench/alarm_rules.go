package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"golang.org/x/sync/errgroup"
)

const (
	copiesAtOnce = 400 // devices that one call copies a rule to
	publishers   = 8   // rules that are published at the same time
	// threshold is every rule's threshold in hundredths, and high the value that passes it. All other
	// values are lower.
	threshold = 85_000
	high      = 90_000
)

func ruleName(property int) string { return fmt.Sprintf("bench rule %02d", property+1) }

// makeRules makes perDevice rules for each device, on its first properties; they do not run yet.
// Each rule is made for one device and copied to the others. With together, each rule is for all
// devices instead: those in no scene.
func (c *console) makeRules(ctx context.Context, w Tenant, perDevice int, together bool) ([]int64, error) {
	var all []int64
	for p := range perDevice {
		form := map[string]any{
			"alarmName":   ruleName(p),
			"dataSource":  1,
			"executionId": w.Devices[0].Name,
			"triggerType": 0,
			"conditions": []map[string]any{
				{"andor": "and", "tslAttribute": w.Properties[p], "subconditions": ">", "value": threshold / 100},
			},
			"hitCounts":     1,
			"durations":     600_000,
			"alarmLevel":    1,
			"passageway":    []int64{},
			"manualRelease": 0,
		}
		if together {
			form["targets"] = map[string]any{"groups": []int64{0}}
		}
		body, err := json.Marshal(form)
		if err != nil {
			return nil, err
		}
		var id int64
		if err := c.call(ctx, http.MethodPost, "/admin-api/client/pc/alarm-rules/create", body, &id); err != nil {
			return nil, fmt.Errorf("make a rule: %w", err)
		}
		all = append(all, id)
		if together {
			continue
		}
		for part := range slices.Chunk(w.Devices[1:], copiesAtOnce) {
			copies, err := c.copyRule(ctx, id, part)
			if err != nil {
				return nil, err
			}
			all = append(all, copies...)
		}
	}
	return all, nil
}

func (c *console) copyRule(ctx context.Context, id int64, devices []Device) (ids []int64, err error) {
	names := make([]string, len(devices))
	for i, d := range devices {
		names[i] = d.Name
	}
	body, err := json.Marshal(map[string]any{"id": id, "executionIds": names})
	if err != nil {
		return nil, err
	}
	if err := c.call(ctx, http.MethodPost, "/admin-api/client/pc/alarm-rules/copy", body, &ids); err != nil {
		return nil, fmt.Errorf("copy a rule to %d devices: %w", len(devices), err)
	}
	return ids, nil
}

func (c *console) runRules(ctx context.Context, ids []int64) error {
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(publishers)
	for _, id := range ids {
		work.Go(func() error {
			var done bool
			path := fmt.Sprintf("/admin-api/client/pc/alarm-rules/publish?alarmRulesId=%d", id)
			if err := c.call(ctx, http.MethodGet, path, nil, &done); err != nil {
				return fmt.Errorf("run rule %d: %w", id, err)
			}
			return nil
		})
	}
	return work.Wait()
}
