package pgpair

import (
	"fmt"
	"os/exec"
	"time"
)

// errNoSignals is why there are no servers on Windows.
var errNoSignals = fmt.Errorf("%w (its processes can be halted and killed on Unix only)", ErrMissing)

type account struct{}

func serverAccount() (*account, error) { return nil, errNoSignals }

func (*account) own(string) error { return nil }

func (*account) use(*exec.Cmd) {}

func (*process) reload() error { return errNoSignals }

func (*process) stop(time.Duration) error { return errNoSignals }

func (*process) freeze() error { return errNoSignals }

func (*process) thaw() error { return errNoSignals }

func (*process) kill() error { return errNoSignals }
