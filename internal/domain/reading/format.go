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

// Format 1 had no parts, format 2 took no value away, format 3 kept no lowest and
// highest in parts; what they wrote is read as it is, and written over piece by
// piece as days are sealed. Format 4 did not tell which of the latest values were
// stamped ahead: those that it wrote count by their own times until newer ones
// come.
const formatNumber = 5

// RefuseNewer makes sure that a folder is none of a later version, and writes
// nothing: others of the same data folder are written after it. Its error says
// what is wrong with the folder; one that is not there yet is fine.
func RefuseNewer(dir string) error { return refuseNewer(Options{Dir: dir}) }

func refuseNewer(o Options) (err error) {
	o.readOnly = true
	o.setDefaults()
	if o.fs == nil {
		if _, err := os.Stat(o.Dir); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
	}
	engine, err := openEngine(o)
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

// readFormat is the format of a folder, 0 before it has any; that of a later
// version is an error.
func readFormat(engine *pebble.DB) (uint64, error) {
	number, err := readNumber(engine, keyFormat)
	if err == nil && number > formatNumber {
		err = fmt.Errorf("%w (its format is %d, this version reads %d)", db.ErrNewer, number, formatNumber)
	}
	return number, err
}

// raiseFormat writes down that from now on this version's format is written.
func raiseFormat(engine *pebble.DB) error {
	number, err := readFormat(engine)
	if err != nil || number == formatNumber {
		return err
	}
	return engine.Set(keyFormat, binary.AppendUvarint(nil, formatNumber), pebble.Sync)
}

// readNumber reads a number kept under a meta key, 0 where there is none.
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

// openError says which folder cannot be opened.
func openError(o Options, err error) error {
	return fmt.Errorf("reading: cannot open the data folder %s: %w", o.Dir, err)
}
