package reading

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/cockroachdb/pebble/v2"

	"tilth/internal/platform/db"
)

// Format 1 had no segments, format 2 could not remove values, and format 3 had no minmax in
// segments. The store reads what they wrote as it is, and rewrites it day by day as days are
// sealed. Format 4 did not record which of the latest values were stamped ahead: those that it
// wrote count by their own times until newer ones arrive. Format 5 had no aggregates: fillAggregates
// adds them.
const formatNumber = 6

// RefuseNewer returns an error if a later version wrote the folder. It writes nothing, because the
// other parts of the data folder are written after it. Its error says what is wrong with the
// folder; a folder that does not exist yet is fine.
func RefuseNewer(dir string) error { return refuseNewer(Options{Dir: dir}) }

func refuseNewer(o Options) (err error) {
	o.readOnly = true
	o.setDefaults()
	if o.fs == nil {
		if _, err := os.Stat(o.Dir); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
	}
	engine, _, err := openEngine(o)
	if errors.Is(err, pebble.ErrDBDoesNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer closeInto(&err, engine)
	if _, err := readFormat(engine); err != nil {
		return openError(o, err)
	}
	return nil
}

// readFormat returns the format of a folder, 0 if it has none yet. The format of a later version is
// an error.
func readFormat(engine *pebble.DB) (uint64, error) {
	number, err := readNumber(engine, keyFormat)
	if err == nil && number > formatNumber {
		err = fmt.Errorf("%w (its format is %d, this version reads %d)", db.ErrNewer, number, formatNumber)
	}
	return number, err
}

// raiseFormat records that this version's format is written from now on.
func raiseFormat(engine *pebble.DB) error {
	number, err := readFormat(engine)
	if err != nil || number == formatNumber {
		return err
	}
	b := engine.NewBatch()
	if err := b.Set(keyAggregatedFrom, appendAggregatedFrom(nil, newAggregatedFrom(number)), nil); err != nil {
		return err
	}
	if err := b.Set(keyFormat, binary.AppendUvarint(nil, formatNumber), nil); err != nil {
		return err
	}
	if err := b.Commit(pebble.Sync); err != nil {
		return err
	}
	return b.Close()
}

// readNumber reads the number under a meta key, 0 if there is none.
func readNumber(engine *pebble.DB, key []byte) (uint64, error) {
	b, closer, err := engine.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	x, n := binary.Uvarint(b)
	if n <= 0 {
		err = fmt.Errorf("%w: %s", ErrCorrupt, printKey(key))
	}
	return x, errors.Join(err, closer.Close())
}

// openError says which folder could not be opened.
func openError(o Options, err error) error {
	return fmt.Errorf("reading: cannot open the data folder %s: %w", o.Dir, err)
}
