package torture

import (
	"context"
	"fmt"
	"os"
)

func freezeProcess(context.Context, *os.Process) error {
	return fmt.Errorf("%w: Windows freezes no process", errNotRun)
}

func thawProcess(*os.Process) error { return fmt.Errorf("%w: Windows freezes no process", errNotRun) }

func limitFiles(context.Context, *os.Process, string) error {
	return fmt.Errorf("%w: Windows has no limit for a file", errNotRun)
}
