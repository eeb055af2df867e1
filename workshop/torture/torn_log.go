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

// tornLogs kills the server and appends to its logs what a power failure in the middle of a write
// leaves: a part of a record, after everything that was made durable.
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

// tearPatterns make the bytes that follow the last whole record of log number n.
var tearPatterns = []func(n uint32) []byte{
	func(uint32) []byte { return randomBytes(700) },
	func(uint32) []byte { return append(make([]byte, 64), randomBytes(5000)...) },
	func(n uint32) []byte { // the header of a record, and half of its data
		head := randomBytes(11)
		binary.LittleEndian.PutUint16(head[4:], 2000)
		head[6] = 9 // the type of a whole record
		binary.LittleEndian.PutUint32(head[7:], n)
		return append(head, randomBytes(1000)...)
	},
}

func randomBytes(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // it never fails
	return b
}

// tear appends to the newest log of the readings and to the database's log.
func tear(dir string, pattern func(n uint32) []byte) error {
	logs, err := filepath.Glob(filepath.Join(dir, "readings", "*.log"))
	if err != nil || len(logs) == 0 {
		return errors.Join(err, fmt.Errorf("no log in %s", dir))
	}
	newest := slices.Max(logs) // their numbers have equally many digits
	number, _, _ := strings.Cut(filepath.Base(newest), "-")
	n, err := strconv.ParseUint(strings.TrimSuffix(number, ".log"), 10, 32)
	if err != nil {
		return err
	}
	return errors.Join(
		appendAfterData(newest, pattern(uint32(n))),
		appendAfterData(filepath.Join(dir, "tilth.db-wal"), pattern(0)),
	)
}

// appendAfterData writes after the last byte of a file that is not zero: preallocated zeros are no
// record.
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
