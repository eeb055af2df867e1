package testkit

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// minParallel is the least number of tests that run at once, unless -parallel is given. Most of the
// time they wait for processes, disks and servers.
const minParallel = 6

// RunServerTests runs the tests of a package that starts servers, for its TestMain, then the
// clean-ups, and returns the exit code.
func RunServerTests(m *testing.M, cleanups ...func() error) (code int) {
	code, err := 1, errors.Join(unsetSettings(), setParallel())
	if err == nil {
		code = m.Run()
		for _, cleanup := range cleanups {
			err = errors.Join(err, cleanup())
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	return code
}

// unsetSettings removes Tilth's settings from the environment, so that the servers which the tests
// start do not have them.
func unsetSettings() error {
	for _, e := range os.Environ() {
		name, _, _ := strings.Cut(e, "=")
		if strings.HasPrefix(name, "TILTH_") && !strings.HasPrefix(name, "TILTH_TEST_") && name != "TILTH_KILL_ROUNDS" {
			if err := os.Unsetenv(name); err != nil {
				return err
			}
		}
	}
	return nil
}

func setParallel() error {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if given {
		return nil
	}
	return flag.Set("test.parallel", strconv.Itoa(max(minParallel, runtime.GOMAXPROCS(0))))
}
