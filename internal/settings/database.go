package settings

import (
	"errors"
	"fmt"
	"net/url"
	"os"

	"github.com/spf13/pflag"
)

// The settings that commands with few settings read, too.
const (
	DatabaseFlag     = "database-url"
	DatabaseVariable = "TILTH_DATABASE_URL"
	DataDirFlag      = "data-dir"
)

// AddDatabaseFlag declares the flag that says where the database is.
func AddDatabaseFlag(f *pflag.FlagSet) {
	f.String(DatabaseFlag, "", "PostgreSQL in place of the data folder's own database: postgres://user@host/name; "+
		"with a password only in "+DatabaseVariable+", the file given with --config or PGPASSFILE")
}

// checkDatabase refuses an address that is not one of PostgreSQL, and a password in a flag, where
// everybody on the machine can read it.
func checkDatabase(f *pflag.FlagSet, address string) error {
	if address == "" {
		return nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		// The error does not repeat the address, which may hold a password.
		return errors.New("--" + DatabaseFlag + ": an address is like postgres://user@host:5432/name")
	}
	_, given := u.User.Password()
	if (given || u.Query().Has("password")) && f.Changed(DatabaseFlag) {
		return errors.New(
			"--" + DatabaseFlag + ": everybody on the machine can read a command's flags: put the password in " +
				DatabaseVariable + ", the file given with --config or PGPASSFILE",
		)
	}
	return nil
}

// DatabaseURL is the database's address for commands that have few settings: from the flag, else
// from the environment. It is empty for the data folder's own database.
func DatabaseURL(f *pflag.FlagSet) (string, error) {
	address, err := f.GetString(DatabaseFlag)
	if err != nil {
		return "", err
	}
	if !f.Changed(DatabaseFlag) {
		address = os.Getenv(DatabaseVariable)
	}
	return address, checkDatabase(f, address)
}

// DataDir is the data folder for the same commands: from the flag, else from the environment, else
// the flag's default.
func DataDir(f *pflag.FlagSet) (string, error) {
	dir, err := f.GetString(DataDirFlag)
	if err != nil {
		return "", err
	}
	if given, there := os.LookupEnv(Variable(DataDirFlag)); there && !f.Changed(DataDirFlag) {
		dir = given
	}
	if dir == "" {
		return "", fmt.Errorf("--%s: a folder is needed, by the flag or %s", DataDirFlag, Variable(DataDirFlag))
	}
	return dir, nil
}
