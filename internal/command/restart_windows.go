package command

import "errors"

// replaceProcess always fails: Windows cannot replace a process, and a service manager would not
// watch a second process that is started beside this one.
func replaceProcess(string) error {
	return errors.New("Windows cannot do that: start the program again")
}
