package torture

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// disksLimit is how long it may take from when all nodes and their disks are lost until devices are
	// answered: the folders are made anew meanwhile.
	disksLimit = 20 * time.Second
	// heldUpFor is how long nobody can write to the archive.
	heldUpFor = 3 * time.Second
	// oldAge is how old the readings are that retention removes, and shortRetention how long they are kept
	// then.
	oldAge         = 20 * 24 * time.Hour
	shortRetention = "6d"
	oldReadings    = 500
)

// archiveAll has the leader copy everything that is sealed, and waits until it has.
func (b *clusterBed) archiveAll(ctx context.Context) error {
	stop := b.publish(ctx)
	err := b.await(
		ctx,
		"something to archive",
		func() (bool, error) { return b.acks.total() > loadDevices*clusterWindow, nil },
	)
	if err := errors.Join(err, stop()); err != nil {
		return err
	}
	if err := b.handOver(ctx); err != nil { // the next leader seals and copies when it begins
		return err
	}
	return b.awaitArchived(ctx)
}

// awaitArchived waits until the leader has copied something, and nothing waits to be copied.
func (b *clusterBed) awaitArchived(ctx context.Context) error {
	leader, err := b.awaitLeader(ctx, nil)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, stepPatience)
	defer cancel()
	figures := map[string]float64{}
	err = leader.await(ctx, "sealed days to be in the archive", func() (bool, error) {
		for _, name := range []string{"position", "behind", "failed", "copied_total"} {
			v, err := leader.metric(ctx, "tilth_cluster_archive_"+name)
			if err != nil {
				return false, nil //nolint:nilerr // it is asked again
			}
			figures[name] = v
		}
		return figures["position"] > 0 && figures["copied_total"] > 0 && figures["behind"] == 0 &&
			figures["failed"] == 0, nil
	})
	if err != nil {
		err = fmt.Errorf("%w: %s has %v", err, leader.name, figures)
	}
	return err
}

// disksLost kills all nodes and removes their folders. One begins with what PostgreSQL has.
func disksLost(ctx context.Context, b *clusterBed, r *ClusterRow) error {
	if err := b.archiveAll(ctx); err != nil {
		return err
	}
	key, err := os.ReadFile(filepath.Join(b.nodes[0].dir, "device-key"))
	if err != nil {
		return err
	}
	saved := filepath.Join(b.dir, "saved-device-key")
	if err := os.WriteFile(saved, key, 0o600); err != nil {
		return err
	}
	first := b.nodes[0]
	err = b.round(ctx, r, func(ctx context.Context) error {
		for _, n := range b.nodes {
			if err := errors.Join(n.kill(), os.RemoveAll(n.dir)); err != nil {
				return err
			}
		}
		began := time.Now()
		if err := first.joinFromArchive(ctx, saved); err != nil {
			return err
		}
		r.Remark = fmt.Sprintf("a folder from the archive after %.1f s", time.Since(began).Seconds())
		return first.start(ctx)
	})
	if err != nil {
		return err
	}
	for i, n := range b.nodes[1:] {
		// The archive or another node: both make a node.
		if i == 0 {
			err = n.joinFromArchive(ctx, saved)
		} else if err = first.awaitFetched(ctx); err == nil {
			err = n.join(ctx, b.balancer)
		}
		if err == nil {
			err = n.start(ctx)
		}
		if err != nil {
			return err
		}
	}
	if err := b.awaitWhole(ctx); err != nil {
		return err
	}
	return b.verifyReadings(ctx, first, r)
}

// joinFromArchive makes the node's folder with what PostgreSQL has.
func (n *clusterNode) joinFromArchive(ctx context.Context, key string) error {
	_, err := n.run(
		ctx,
		"join",
		"--from-archive",
		"--device-key",
		key,
		"--data-dir",
		n.dir,
		"--database-url",
		n.database,
	)
	return err
}

// awaitFetched waits until the node has fetched every day from the archive.
func (n *clusterNode) awaitFetched(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, stepPatience)
	defer cancel()
	return n.await(ctx, n.name+" to have fetched every day from the archive", func() (bool, error) {
		days, err := n.metric(ctx, "tilth_cluster_archive_missing_days")
		return err == nil && days == 0, nil // otherwise it is asked again
	})
}

// standbyDiskLost removes a standby's folder, makes it anew from PostgreSQL, and has the node lead.
func standbyDiskLost(ctx context.Context, b *clusterBed, r *ClusterRow) error {
	if err := b.archiveAll(ctx); err != nil {
		return err
	}
	leader, err := b.awaitLeader(ctx, nil)
	if err != nil {
		return err
	}
	lost := b.standbys(leader)[0]
	if err := b.round(ctx, r, func(context.Context) error { return lost.kill() }); err != nil {
		return err
	}
	if err := os.RemoveAll(lost.dir); err != nil {
		return err
	}
	began := time.Now()
	if err := lost.joinFromArchive(ctx, filepath.Join(leader.dir, "device-key")); err != nil {
		return err
	}
	if err := lost.start(ctx); err != nil {
		return err
	}
	if err := b.awaitWhole(ctx); err != nil {
		return err
	}
	r.Remark = fmt.Sprintf("whole again after %.1f s, without another node; then it leads", time.Since(began).Seconds())
	if err := b.makeLead(ctx, r, leader, lost); err != nil {
		return err
	}
	return b.verifyReadings(ctx, lost, r)
}

// archiveHeldUp keeps everybody from writing to the archive while another node begins to lead. Devices
// need not notice more than that; the days are copied later.
func archiveHeldUp(ctx context.Context, b *clusterBed, r *ClusterRow) error {
	conn, err := b.pair.Primary().Connect(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }() // ends the lock, too
	if _, err := conn.Exec(ctx, "BEGIN"); err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, "LOCK TABLE reading_parts, reading_latest IN ACCESS EXCLUSIVE MODE"); err != nil {
		return err
	}
	leader, err := b.awaitLeader(ctx, nil)
	if err != nil {
		return err
	}
	if err := b.round(ctx, r, func(ctx context.Context) error { return b.handOverFrom(ctx, leader) }); err != nil {
		return err
	}
	select {
	case <-time.After(heldUpFor):
	case <-ctx.Done():
		return ctx.Err()
	}
	if _, err := conn.Exec(ctx, "COMMIT"); err != nil {
		return err
	}
	r.Remark = "by a lock, while another node begins to lead; then the days are copied"
	return b.awaitArchived(ctx)
}

// archiveDamaged changes rows of the archive. doctor must name them, no node may take them, and the leader
// must write them anew.
func archiveDamaged(ctx context.Context, b *clusterBed, r *ClusterRow) error {
	if err := b.archiveAll(ctx); err != nil {
		return err
	}
	damaged, err := b.damageArchive(ctx)
	if err != nil {
		return err
	}
	doctor := func() (string, error) {
		return b.nodes[0].run(ctx, "doctor", "--archive", "--database-url", b.nodes[0].database)
	}
	text, err := doctor()
	if err == nil {
		return fmt.Errorf("%w: doctor finds nothing wrong with a damaged archive: %s", errBroken, text)
	}
	for _, id := range damaged {
		if !strings.Contains(text, fmt.Sprintf("device %d ", id)) {
			return fmt.Errorf("%w: doctor does not name device %d: %s", errBroken, id, text)
		}
	}
	leader, err := b.awaitLeader(ctx, nil)
	if err != nil {
		return err
	}
	// The next leader looks for damage when it begins.
	if err := b.round(ctx, r, func(ctx context.Context) error { return b.handOverFrom(ctx, leader) }); err != nil {
		return err
	}
	began := time.Now()
	if err := b.await(ctx, "the archive to be mended", func() (bool, error) {
		text, err = doctor()
		return err == nil, nil
	}); err != nil {
		return fmt.Errorf("%w: %s", err, text)
	}
	r.Remark = fmt.Sprintf("%d rows; doctor names them, and the leader mends them within %.1f s", len(damaged),
		time.Since(began).Seconds())
	return b.awaitWhole(ctx)
}

// damageArchive turns over a bit of some rows, and returns their devices.
func (b *clusterBed) damageArchive(ctx context.Context) (devices []int64, err error) {
	conn, err := b.pair.Primary().Connect(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close(ctx) }() // the statement has been answered
	rows, err := conn.Query(ctx, `UPDATE reading_parts SET segments = set_byte(segments, length(segments) / 2,
		get_byte(segments, length(segments) / 2) # 1) WHERE device_id IN
		(SELECT device_id FROM reading_parts ORDER BY device_id DESC LIMIT 3) RETURNING device_id`)
	if err != nil {
		return nil, err
	}
	devices, err = pgx.CollectRows(rows, pgx.RowTo[int64])
	if err == nil && len(devices) == 0 {
		err = errors.New("the archive has no rows")
	}
	return devices, err
}

// retentionWhileAway stops a standby, and starts the others with a retention that removes old readings. The
// node that was away must not bring them back.
func retentionWhileAway(ctx context.Context, b *clusterBed, r *ClusterRow) error {
	sent, err := b.sendOld(ctx)
	if err != nil {
		return err
	}
	if err := b.archiveAll(ctx); err != nil {
		return err
	}
	if n, err := b.countOld(ctx); err != nil || n != sent {
		return fmt.Errorf("%d old readings were acknowledged, %d are there (%w)", sent, n, err)
	}
	leader, err := b.awaitLeader(ctx, nil)
	if err != nil {
		return err
	}
	away := b.standbys(leader)[0]
	if err := away.terminate(); err != nil {
		return err
	}
	for _, n := range b.nodes {
		n.args = append(n.args, "--retention", shortRetention)
	}
	other := b.standbys(leader)[0]
	if err := errors.Join(other.terminate(), other.start(ctx)); err != nil {
		return err
	}
	if err := b.round(ctx, r, func(context.Context) error { return leader.terminate() }); err != nil {
		return err
	}
	if err := errors.Join(leader.start(ctx), away.start(ctx), b.awaitWhole(ctx)); err != nil {
		return err
	}
	for _, next := range []*clusterNode{other, away} {
		now, err := b.awaitLeader(ctx, nil)
		if err != nil {
			return err
		}
		if now != next {
			if err := b.makeLead(ctx, r, now, next); err != nil {
				return err
			}
		}
		if err := b.awaitNoOld(ctx, next); err != nil {
			return err
		}
	}
	r.Remark = fmt.Sprintf("%d old readings are gone from each node, and their days from the archive", sent)
	return nil
}

// awaitNoOld waits until a node that leads, and the archive, have no old readings.
func (b *clusterBed) awaitNoOld(ctx context.Context, leader *clusterNode) error {
	b.askAt(leader)
	return b.await(ctx, "old readings to be removed at "+leader.name, func() (bool, error) {
		n, err := b.countOld(ctx)
		if err != nil || n > 0 {
			return false, err
		}
		left, err := b.oldArchived(ctx)
		return left == 0, err
	})
}

// oldArchived counts the rows of the archive that are older than the readings of the load.
func (b *clusterBed) oldArchived(ctx context.Context) (n int, err error) {
	conn, err := b.pair.Primary().Connect(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { _ = conn.Close(ctx) }() // it only asked
	day := time.Now().Add(-(oldAge - 24*time.Hour)).Unix() / 86_400
	err = conn.QueryRow(ctx, "SELECT count(*) FROM reading_parts WHERE day < $1", day).Scan(&n)
	return n, err
}

// oldTimes are the times of the old readings, epoch milliseconds: from the first on, one a second.
func (b *clusterBed) oldTimes() (first, last int64) {
	first = b.began.Add(-oldAge).UnixMilli()
	return first, first + (oldReadings-1)*1000
}

// sendOld sends old readings of the probe until a node acknowledges them, and returns how many.
func (b *clusterBed) sendOld(ctx context.Context) (int, error) {
	first, _ := b.oldTimes()
	var values []string
	for i := range oldReadings {
		values = append(values, fmt.Sprintf(`{"ts":%d,"values":{"sensor02":%d}}`, first+int64(i)*1000, i))
	}
	if _, err := b.awaitLeader(ctx, nil); err != nil {
		return 0, err
	}
	r, err := http.NewRequestWithContext(
		ctx,
		http.MethodPost,
		"http://"+b.balancer.HTTP+"/api/v1/"+b.probe.Secret+"/telemetry",
		strings.NewReader("["+strings.Join(values, ",")+"]"),
	)
	if err != nil {
		return 0, err
	}
	status, body, err := doRequest(r)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("old readings were answered with %d %s", status, body)
	}
	return oldReadings, err
}

// countOld counts the old readings that the console shows.
func (b *clusterBed) countOld(ctx context.Context) (int, error) {
	leader, err := b.awaitLeader(ctx, nil)
	if err != nil {
		return 0, err
	}
	b.askAt(leader)
	person, err := b.world.server.SignIn(ctx)
	if err != nil {
		return 0, err
	}
	first, last := b.oldTimes()
	var series map[string][]any
	path := "/admin-api/client/pc/device/get/format-map/time-interval-data?deviceName=" + b.probe.Name +
		"&yeuSignList=sensor02&startTime=" + strconv.FormatInt(first, 10) + "&endTime=" + strconv.FormatInt(last, 10)
	if err := person.Call(ctx, http.MethodGet, path, nil, &series); err != nil {
		return 0, err
	}
	return len(series["sensor02"]), nil
}
