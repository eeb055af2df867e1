package alarm

import (
	"context"
	"encoding/json"

	"github.com/uptrace/bun"

	"tilth/internal/domain/device"
	"tilth/internal/platform/db"
)

// stateRow is the part of a rule's state on a device that stored readings do not tell.
type stateRow struct {
	bun.BaseModel `bun:"table:alarm_states,alias:s"`
	RuleID        RuleID    `bun:",pk"`
	DeviceID      device.ID `bun:",pk"`
	Revision      int64
	Floor         int64
	Waiting       bool
	Openings      string // JSON of oscillation.Openings; empty: none
}

func newStateRow(r *activeRule, floor int64, waiting bool, openings []int64) stateRow {
	row := stateRow{RuleID: r.ID, DeviceID: r.Device, Revision: r.Revision, Floor: floor, Waiting: waiting}
	if len(openings) > 0 {
		b, err := json.Marshal(openings)
		if err != nil {
			return row // numbers always marshal
		}
		row.Openings = string(b)
	}
	return row
}

// saveStates writes the parts of rules' states that stored readings do not tell.
func saveStates(ctx context.Context, d *db.DB, states []stateRow) error {
	return d.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		for len(states) > 0 {
			some := append([]stateRow{}, states[:min(len(states), lookupBatchSize)]...)
			states = states[len(some):]
			_, err := tx.NewInsert().Model(&some).
				On(
					"CONFLICT (rule_id, device_id) DO UPDATE",
				).Set("revision = EXCLUDED.revision, floor = EXCLUDED.floor, waiting = EXCLUDED.waiting, openings = EXCLUDED.openings").Exec(ctx)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// saveState is saveStates for one rule.
func saveState(ctx context.Context, d *db.DB, r *activeRule, floor int64, waiting bool) error {
	return saveStates(ctx, d, []stateRow{newStateRow(r, floor, waiting, r.state.Openings)})
}

// forgetStates removes the stored states of rules that are no longer evaluated. Entries of one rule
// are adjacent in list.
func forgetStates(ctx context.Context, d *db.DB, list []*activeRule) error {
	return d.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		for len(list) > 0 {
			rule, devices := list[0].ID, []device.ID(nil)
			for len(list) > 0 && list[0].ID == rule && len(devices) < lookupBatchSize {
				devices, list = append(devices, list[0].Device), list[1:]
			}
			_, err := tx.NewDelete().Model((*stateRow)(nil)).
				Where("s.rule_id = ? AND s.device_id IN (?)", rule, bun.List(devices)).Exec(ctx)
			if err != nil {
				return err
			}
		}
		return nil
	})
}
