package console

import (
	"github.com/getkin/kin-openapi/openapi3"

	"tilth/internal/app"
)

// changesExtension is the contract's extension that names the kind of thing a call changes, for
// calls that change what other screens show. Calls that change devices and scenes need none: their
// stores report every change, whoever made it.
const changesExtension = "x-changes"

// changedMessage is the kind of change that concerns one user's screens alone: each has their own read
// messages.
const changedMessage = "message"

// operationChanges returns the kind of thing that each call of the contract changes, by operation.
func operationChanges(doc *openapi3.T) map[string]string {
	calls := map[string]string{}
	for _, path := range doc.Paths.Map() {
		for _, operation := range path.Operations() {
			if what, ok := operation.Extensions[changesExtension].(string); ok {
				calls[operation.OperationID] = what
			}
		}
	}
	return calls
}

// notifyChange reports what a call has changed once it is answered.
func (s *server) notifyChange(info *request) {
	kind := s.changesByOperation[info.Operation]
	if kind == "" || info.Err != nil {
		return
	}
	to := app.Audience{Tenant: info.caller.Tenant}
	if kind == changedMessage {
		to.User = info.caller.User
	}
	s.Screens.Tell(to, kind)
}
