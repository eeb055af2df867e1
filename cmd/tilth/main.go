// Command tilth is the whole product in one binary: the server with its console, and the commands
// that operate it.
package main

import (
	"os"

	"tilth/internal/command"
)

func main() { os.Exit(command.Main()) }
