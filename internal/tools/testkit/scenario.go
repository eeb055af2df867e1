package testkit

import (
	"net/http"
	"strings"
	"testing"
)

// Scenario is a call and what its response must and must not contain.
type Scenario struct {
	Name     string
	Call     Call
	Status   int // 200 when zero
	Code     int // of the envelope; 200 when zero
	Contains []string
	Lacks    []string
}

// Run runs every scenario as a subtest.
func (c *Contract) Run(t *testing.T, table []Scenario) {
	t.Helper()
	for _, s := range table {
		t.Run(s.Name, func(t *testing.T) {
			a := c.Do(t, s.Call)
			for _, violation := range s.violations(a) {
				t.Error(violation)
			}
			if t.Failed() {
				t.Logf("answer: %d %s", a.Status, a.Body)
			}
		})
	}
}

func (s Scenario) violations(a *Answer) (found []string) {
	status, code := s.Status, s.Code
	if status == 0 {
		status = http.StatusOK
	}
	if code == 0 {
		code = 200
	}
	if a.Status != status {
		found = append(found, "status "+http.StatusText(a.Status))
	}
	if a.Code != code {
		found = append(found, "wrong code, msg "+a.Msg)
	}
	for _, part := range s.Contains {
		if !strings.Contains(string(a.Body), part) {
			found = append(found, "lacks "+part)
		}
	}
	for _, part := range s.Lacks {
		if strings.Contains(string(a.Body), part) {
			found = append(found, "contains "+part)
		}
	}
	return found
}
