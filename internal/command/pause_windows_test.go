package command

import (
	"os"
	"testing"
)

// Windows cannot pause another process, so tests that need it run without the pause.
func pauseProcess(*testing.T, *os.Process) {}

func resumeProcess(*testing.T, *os.Process) {}
