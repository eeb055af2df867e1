package command

import (
	"fmt"
	"log/slog"
	"os"
)

// restartProcess replaces this process by a new start of the program with the same arguments,
// environment and process ID. It returns only if that fails.
func restartProcess(logger *slog.Logger) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	logger.Warn("restarting the program", "program", program)
	return fmt.Errorf("restart: %w", replaceProcess(program))
}
