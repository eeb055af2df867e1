package app

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/url"
	"os"
	"time"

	"github.com/spf13/pflag"

	"tilth/internal/platform/db"
)

const (
	databaseFlag     = "database-url"
	databaseVariable = "TILTH_DATABASE_URL"
	folderFlag       = "data-dir"
)

// declareDatabaseFlag declares where the database is.
func declareDatabaseFlag(f *pflag.FlagSet) {
	f.String(databaseFlag, "", "PostgreSQL in place of the data folder's own database: postgres://user@host/name; "+
		"with a password only in "+databaseVariable+", the file given with --config or PGPASSFILE")
}

// checkDatabase refuses an address that is none, and a password where everybody
// on the machine can read it.
func checkDatabase(f *pflag.FlagSet, address string) error {
	if address == "" {
		return nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		// The address is not repeated: it may hold a password.
		return errors.New("--" + databaseFlag + ": an address is like postgres://user@host:5432/name")
	}
	_, given := u.User.Password()
	if (given || u.Query().Has("password")) && f.Changed(databaseFlag) {
		return errors.New(
			"--" + databaseFlag + ": everybody on the machine can read a command's flags: put the password in " +
				databaseVariable + ", the file given with --config or PGPASSFILE",
		)
	}
	return nil
}

// databaseURL is the address for commands that have few settings: from the flag,
// else from the environment; empty: the data folder's own database.
func databaseURL(f *pflag.FlagSet) (string, error) {
	address, err := f.GetString(databaseFlag)
	if err != nil {
		return "", err
	}
	if !f.Changed(databaseFlag) {
		address = os.Getenv(databaseVariable)
	}
	return address, checkDatabase(f, address)
}

// dataFolder is the data folder for the same commands: from the flag, else from
// the environment, else the flag's default.
func dataFolder(f *pflag.FlagSet) (string, error) {
	dir, err := f.GetString(folderFlag)
	if err != nil {
		return "", err
	}
	if given, there := os.LookupEnv(variableOf(folderFlag)); there && !f.Changed(folderFlag) {
		dir = given
	}
	if dir == "" {
		return "", fmt.Errorf("--%s: a folder is needed, by the flag or %s", folderFlag, variableOf(folderFlag))
	}
	return dir, nil
}

// openDatabase opens the database that belongs to a data folder; address is
// empty where it is in there.
func openDatabase(ctx context.Context, dir, address string) (*db.DB, error) {
	if address == "" {
		return db.Open(ctx, dir)
	}
	return db.OpenPostgres(ctx, dir, address)
}

// openDatabaseReadOnly is openDatabase for who examines it.
func openDatabaseReadOnly(ctx context.Context, dir, address string) (*db.DB, error) {
	if address == "" {
		return db.OpenToRead(ctx, dir)
	}
	d, err := db.OpenPostgresToRead(ctx, dir, address)
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", databaseFlag, err)
	}
	return d, nil
}

// postgresBytes is the size of a database on a server in bytes; NaN where it
// is not known.
func (s *Server) postgresBytes() float64 {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	bytes, err := s.stores.db.ServerSize(ctx)
	if err != nil {
		return math.NaN() // the log is full of it already
	}
	return float64(bytes)
}
