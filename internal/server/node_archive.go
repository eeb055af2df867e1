package server

import (
	"context"
	"time"

	"tilth/internal/cluster"
)

const (
	// archiveInterval is how often the leader looks for sealed days to copy.
	archiveInterval = 5 * time.Minute
	// fetchInterval is how often a node looks whether days are missing or damaged here.
	fetchInterval = 10 * time.Second
)

// writeArchive copies sealed days to the archive while this node leads. With --archive=off it removes what
// is there, which would become out of date.
func (n *node) writeArchive(ctx context.Context, archive *cluster.Archive) {
	readings := n.base.readings
	if n.set.Cluster.Archive {
		// Its other errors are logged and retried; whoever is fenced learns it from the term.
		_ = readings.CopyToArchive(ctx, archive, archiveInterval)
		return
	}
	tick := time.NewTicker(archiveInterval)
	defer tick.Stop()
	for {
		err := readings.ClearArchive(ctx, archive)
		if err == nil || ctx.Err() != nil {
			return
		}
		n.logger.Warn("cluster: the archive is not removed yet; trying again", "error", err)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// fetchArchived fetches the days that this node does not hold from the archive, until ctx ends. There is
// mostly nothing to do.
func (n *node) fetchArchived(ctx context.Context) {
	tick := time.NewTicker(fetchInterval)
	defer tick.Stop()
	told := ""
	for {
		err := n.base.readings.FetchMissing(ctx)
		switch {
		case err == nil:
			told = ""
		case ctx.Err() == nil && err.Error() != told:
			told = err.Error()
			n.logger.Warn("cluster: days cannot be fetched from the archive; trying again", "error", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// noteArchived tells the readings of a standby what is archived, so that it need not remember to copy it.
func (n *node) noteArchived(ctx context.Context) {
	state, err := n.base.archive.State(ctx)
	if err == nil {
		err = n.base.readings.NoteArchived(ctx, state)
	}
	if err != nil && ctx.Err() == nil {
		n.logger.Debug("cluster: what is archived is not known now", "error", err)
	}
}
