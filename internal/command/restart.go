package command

import (
	"fmt"
	"log/slog"
	"os"
)

// restartProcess puts a new start of the program in the place of this process: the
// same arguments, environment and process number, and nothing else that is old.
// It answers only when that cannot be done.
func restartProcess(logger *slog.Logger) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	logger.Warn("beginning anew", "program", program)
	return fmt.Errorf("begin anew: %w", replaceProcess(program))
}
