// Command tilth is the whole product in one binary: the server with its
// console, and the command line over it.
package main

import (
	"os"

	"tilth/internal/app"
)

func main() { os.Exit(app.Main()) }
