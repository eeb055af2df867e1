package command

import "errors"

// replaceProcess always fails: Windows puts no program in the place of a
// process, and one that is started beside it is not what a service manager
// watches over.
func replaceProcess(string) error {
	return errors.New("Windows cannot do that: start the program again")
}
