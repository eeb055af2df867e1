// Command workshop measures, attacks and breaks servers of Tilth.
package main

import (
	"os"

	"tilth/workshop/command"
)

func main() { os.Exit(command.Main()) }
