package torture

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// tornLogs kills the server and leaves behind its logs what a machine leaves
// that lost its power in the midst of a write: a piece of a record, after
// everything that was made durable.
func tornLogs(ctx context.Context, o *Options, r *Row) error {
	dir := dataDir(o.Dir)
	h, err := openTestbed(ctx, o, o.Binary, dir, 0)
	if err != nil {
		return err
	}
	return withTestbed(h, func() error {
		if err := h.alarms.armMails(ctx); err != nil {
			return err
		}
		for i := range o.Rounds {
			stop, err := h.publish(ctx)
			if err != nil {
				return err
			}
			err = errors.Join(h.alarms.storm(ctx), h.waitMessages(ctx, messagesBeforeFault), h.server.Kill(), stop())
			if err == nil {
				err = tear(dir, tearPatterns[i%len(tearPatterns)])
			}
			if err != nil {
				return err
			}
			if err := h.restartAfterFault(ctx, r); err != nil {
				return err
			}
		}
		r.InFlight = o.Rounds * maxMailsInFlight
		r.Remark = "of the readings and of the database"
		return h.checkAll(ctx, r)
	})
}

// tearPatterns make what stands behind the last whole record of log number n.
var tearPatterns = []func(n uint32) []byte{
	func(uint32) []byte { return randomBytes(700) },
	func(uint32) []byte { return append(make([]byte, 64), randomBytes(5000)...) },
	func(n uint32) []byte { // the head of a record, and half of what it promises
		head := randomBytes(11)
		binary.LittleEndian.PutUint16(head[4:], 2000)
		head[6] = 9 // a whole record
		binary.LittleEndian.PutUint32(head[7:], n)
		return append(head, randomBytes(1000)...)
	},
}

func randomBytes(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // it never fails
	return b
}

// tear writes behind the newest log of the readings and behind the database's.
func tear(dir string, piece func(n uint32) []byte) error {
	logs, err := filepath.Glob(filepath.Join(dir, "readings", "*.log"))
	if err != nil || len(logs) == 0 {
		return errors.Join(err, fmt.Errorf("no log in %s", dir))
	}
	newest := slices.Max(logs) // their numbers have as many digits
	number, _, _ := strings.Cut(filepath.Base(newest), "-")
	n, err := strconv.ParseUint(strings.TrimSuffix(number, ".log"), 10, 32)
	if err != nil {
		return err
	}
	return errors.Join(
		appendAfterData(newest, piece(uint32(n))),
		appendAfterData(filepath.Join(dir, "tilth.db-wal"), piece(0)),
	)
}

// appendAfterData writes behind the last byte of a file that is not zero: room that was
// set aside is no record.
func appendAfterData(file string, piece []byte) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(piece, int64(len(bytes.TrimRight(text, "\x00"))))
	return errors.Join(err, f.Close())
}
