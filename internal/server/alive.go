package server

import (
	"context"
	"time"
)

// aliveTimeout is how long it may take to tell the other nodes until when devices were accepted.
const aliveTimeout = 2 * time.Second

// alive returns until when the server that ran before accepted devices, and what records that this one
// does. In a cluster, the one before may have been another node.
func (f *foundation) alive(ctx context.Context) (before time.Time, save func() error, err error) {
	if f.term == nil {
		return f.retention.PreviousAccepted, f.retention.MarkAccepting, nil
	}
	before, err = f.term.AcceptedUntil(ctx)
	save = func() error {
		if err := f.retention.MarkAccepting(); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(context.Background(), aliveTimeout)
		defer cancel()
		return f.term.Accepted(ctx, f.retention.Accepted())
	}
	return before, save, err
}
