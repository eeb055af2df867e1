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

// minParallel is how many tests run at once, at least, unless -parallel says
// otherwise: mostly they wait for processes, disks and servers.
const minParallel = 6

// RunServerTests runs the tests of a package that starts servers, for its TestMain, then
// the clean-ups, and returns the exit code.
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

// unsetSettings removes the settings of the environment in which the tests run: the
// servers that the tests start must not have them.
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
