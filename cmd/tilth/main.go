// Command tilth is the whole product in one binary: the server with its
// console, and the command line over it.
package main

import (
	"os"

	"tilth/internal/command"
)

func main() { os.Exit(command.Main()) }
