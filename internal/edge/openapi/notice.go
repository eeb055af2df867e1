package openapi

import (
	"context"
	"strconv"

	"tilth/internal/domain/alarm"
	"tilth/internal/edge/openapi/wire"
)

// levelNames are the levels of an alarm as programs know them.
var levelNames = map[alarm.Level]string{
	alarm.LevelGeneral:   string(wire.General),
	alarm.LevelImportant: string(wire.Important),
	alarm.LevelSerious:   string(wire.Serious),
}

// ListNotices answers alarm notices, the newest first.
func (s *server) ListNotices(
	ctx context.Context,
	r wire.ListNoticesRequestObject,
) (wire.ListNoticesResponseObject, error) {
	p, info := r.Params, requestFrom(ctx)
	from, err := parseOptionalTime("from", p.From)
	if err != nil {
		return nil, err
	}
	to, err := parseOptionalTime("to", p.To)
	if err != nil {
		return nil, err
	}
	if from != nil && to != nil && *from > *to {
		return nil, invalid("history.rangeOrder", "to")
	}
	queryHash := hashQuery(
		info,
		optional(p.Status),
		optional(p.Level),
		optional(p.Device),
		formatOptional(from),
		formatOptional(to),
	)
	at, err := readCursor(p.Cursor, queryHash)
	if err != nil {
		return nil, err
	}
	limit := orDefault(p.Limit, defaultPageSize)
	q := alarm.NoticeQuery{From: from, Limit: int64(limit) + 1} // one more shows whether there is a next page
	if to != nil {
		q.To = new(*to - 1)
	}
	if p.Device != nil {
		q.Devices = []string{*p.Device}
	}
	if p.Status != nil {
		q.Open = new(*p.Status == wire.Open)
	}
	for level, word := range levelNames {
		if p.Level != nil && word == string(*p.Level) {
			q.Level = &level
		}
	}
	var olderThan *alarm.NoticeCursor
	if at != nil {
		olderThan = &alarm.NoticeCursor{CreateTime: at.Time, ID: at.ID}
	}
	found, err := s.Notices.PageAfter(ctx, info.program.Tenant, q, olderThan)
	if err != nil {
		return nil, err
	}
	list := wire.ListNotices200JSONResponse{Items: []wire.Notice{}}
	for i := range found {
		if i == limit {
			last := found[i-1].Cursor()
			list.NextCursor = new(cursor{QueryHash: queryHash, Time: last.CreateTime, ID: last.ID}.String())
			break
		}
		list.Items = append(list.Items, wireNotice(&found[i]))
	}
	return list, nil
}

func formatOptional(n *int64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(*n, 10)
}

// GetNotice answers one alarm notice.
func (s *server) GetNotice(ctx context.Context, r wire.GetNoticeRequestObject) (wire.GetNoticeResponseObject, error) {
	n, err := s.Notices.GetListed(ctx, requestFrom(ctx).program.Tenant, r.Id)
	if err != nil {
		return nil, err
	}
	return wire.GetNotice200JSONResponse(wireNotice(n)), nil
}

func wireNotice(n *alarm.ListedNotice) wire.Notice {
	w := wire.Notice{
		Id:          n.ID,
		Title:       n.Title,
		Level:       levelNames[n.Level],
		Status:      string(wire.Resolved),
		DeviceName:  n.DeviceName,
		NoteName:    n.NoteName,
		StartTime:   wire.Moment(n.Start),
		EndTime:     omitZero(wire.Moment(n.End)),
		Description: omitZero(n.Description),
		HoldsSince:  omitZero(wire.Moment(n.HoldsSince)),
	}
	day, before := n.HoldsSincePrecision.Flags()
	w.HoldsSinceDay, w.HoldsSinceBefore = omitZero(day), omitZero(before)
	if a := n.Ack; a != nil {
		w.Acknowledged = &wire.Acknowledgement{
			By:         a.User,
			Time:       wire.Moment(a.Time),
			Note:       a.Note,
			RemindTime: wire.Moment(a.RemindAt),
		}
	}
	if n.Unsteady {
		w.Unsteady, w.Changes = new(true), new(n.Changes)
	}
	switch n.Status {
	case alarm.Pending:
		w.Status = string(wire.Open)
	case alarm.ResolvedAutomatically:
		w.ResolvedBy = new("itself")
	case alarm.ResolvedManually:
		w.ResolvedBy = new("hand")
	}
	return w
}
