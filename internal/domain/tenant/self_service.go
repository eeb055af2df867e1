package tenant

import (
	"encoding/json"
	"fmt"
	"slices"
)

// SelfService is what the owners of a tenant may do with devices by themselves. The zero value allows
// nothing.
type SelfService struct {
	Devices  int      `json:"devices"`  // how many devices they may have added
	Products []string `json:"products"` // names of the products of such devices
	Claims   bool     `json:"claims"`   // they may claim devices of the provider's shelf
}

// Equal compares two offers.
func (s SelfService) Equal(o SelfService) bool {
	return s.Devices == o.Devices && s.Claims == o.Claims && slices.Equal(s.Products, o.Products)
}

// stored gives the form in which the database has it; empty for the zero value.
func (s SelfService) stored() (string, error) {
	if s.Equal(SelfService{}) {
		return "", nil
	}
	b, err := json.Marshal(s)
	return string(b), err
}

func parseSelfService(stored string) (s SelfService, err error) {
	if stored == "" {
		return s, nil
	}
	if err := json.Unmarshal([]byte(stored), &s); err != nil {
		return s, fmt.Errorf("self_service: %w", err)
	}
	return s, nil
}
