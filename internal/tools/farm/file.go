package farm

import (
	_ "embed"
	"errors"
	"fmt"
	"time"

	"github.com/goccy/go-yaml"

	"tilth/internal/platform/text"
)

//go:embed farm.yaml
var farmFile []byte

// farmDefinition is the content of farm.yaml, in the format that `tilth apply` reads.
type farmDefinition struct {
	Elements []element     `yaml:"elements"`
	Products []productFile `yaml:"products"`
	Shelf    []shelfFile   `yaml:"shelf"`
	Tenants  []tenantFile  `yaml:"tenants"`
}

type element struct {
	YeuSign   string  `yaml:"yeuSign"`
	Unit      string  `yaml:"unit"`
	YeuURL    string  `yaml:"yeuUrl"`
	LeastSpan float64 `yaml:"leastSpan,omitempty"`
	YeuName   names   `yaml:"yeuName"`
}

type names = map[text.Language]string

type productFile struct {
	Name         string     `yaml:"name"`
	ProductName  names      `yaml:"productName"`
	OfflineAfter string     `yaml:"offlineAfter"`
	MainSign     string     `yaml:"mainSign,omitempty"`
	BatteryLimit float64    `yaml:"batteryLimit,omitempty"`
	Properties   []Property `yaml:"properties"`
}

type tenantFile struct {
	Name     string       `yaml:"name"`
	Hosts    []string     `yaml:"hosts"`
	TimeZone string       `yaml:"timeZone"`
	Language string       `yaml:"language"`
	Diy      branding     `yaml:"diy"`
	Users    []userFile   `yaml:"users"`
	Scenes   []string     `yaml:"scenes"`
	Self     selfFile     `yaml:"selfService,omitempty"`
	Devices  []deviceFile `yaml:"devices"`
}

type selfFile struct {
	Devices  int      `yaml:"devices"`
	Products []string `yaml:"products"`
	Claims   bool     `yaml:"claims"`
}

type shelfFile struct {
	DeviceName string `yaml:"deviceName"`
	Serial     string `yaml:"serial"`
	Product    string `yaml:"product"`
	ClaimCode  string `yaml:"claimCode"`
	Tenant     string `yaml:"tenant"`
}

type branding struct {
	Title   string `yaml:"title,omitempty"`
	Content string `yaml:"content,omitempty"`
}

type userFile struct {
	UserName string `yaml:"userName"`
	Password string `yaml:"password,omitempty"`
	Nickname string `yaml:"nickname,omitempty"`
	Email    string `yaml:"email,omitempty"`
	Mobile   string `yaml:"mobile,omitempty"`
}

type deviceFile struct {
	DeviceName string   `yaml:"deviceName"`
	Serial     string   `yaml:"serial"`
	NoteName   string   `yaml:"noteName,omitempty"`
	Product    string   `yaml:"product"`
	Secret     string   `yaml:"secret,omitempty"`
	Scene      string   `yaml:"scene,omitempty"`
	Longitude  *float64 `yaml:"longitude,omitempty"`
	Latitude   *float64 `yaml:"latitude,omitempty"`
	Elevation  *float64 `yaml:"elevation,omitempty"`
}

// shortestSecret is the least number of characters of a device's secret.
const shortestSecret = 20

// File returns the demo's farm in the format that `tilth apply` reads. The file in the repository
// contains no secrets, since everybody can read it. secret returns a device's secret, which must be
// unique and have at least 20 characters; password returns a user's password, which must not be
// empty. File returns an error otherwise.
func File(secret func(deviceName string) string, password func(tenant, userName string) string) ([]byte, error) {
	return FileSince(time.Time{}, time.Time{}, secret, password)
}

// FileSince is File for a farm whose readings began at first and which is set up at now. A sum over
// days without readings does not exist: a season that began before the readings begins with their
// first whole day instead. A zero first leaves all seasons as they are in the file.
func FileSince(
	first, now time.Time,
	secret func(deviceName string) string,
	password func(tenant, userName string) string,
) ([]byte, error) {
	s, err := parse(farmFile)
	if err == nil && !first.IsZero() {
		err = s.beginSeasons(first.AddDate(0, 0, 1), now)
	}
	if err != nil {
		return nil, err
	}
	var problems []error
	owner := map[string]string{}
	for i := range s.Tenants {
		t := &s.Tenants[i]
		for j := range t.Users {
			u := &t.Users[j]
			if u.Password = password(t.Name, u.UserName); u.Password == "" {
				problems = append(problems, fmt.Errorf("user %s of %s has no password", u.UserName, t.Name))
			}
		}
		for j := range t.Devices {
			d := &t.Devices[j]
			d.Secret = secret(d.DeviceName)
			switch other, taken := owner[d.Secret]; {
			case len(d.Secret) < shortestSecret:
				problems = append(
					problems,
					fmt.Errorf("the secret of %s has fewer than %d characters", d.DeviceName, shortestSecret),
				)
			case taken:
				problems = append(problems, fmt.Errorf("%s and %s share a secret", other, d.DeviceName))
			}
			owner[d.Secret] = d.DeviceName
		}
	}
	if err := errors.Join(problems...); err != nil {
		return nil, fmt.Errorf("farm file: %w", err)
	}
	b, err := yaml.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("farm file: %w", err)
	}
	return b, nil
}

// beginSeasons makes the seasons whose days before t count, too, begin on the local day of t, in the
// tenants' zone where the date is latest.
func (s *farmDefinition) beginSeasons(t, now time.Time) error {
	var begin, today time.Time
	for i, owner := range s.Tenants {
		zone, err := time.LoadLocation(owner.TimeZone)
		if err != nil {
			return fmt.Errorf("farm file: %w", err)
		}
		if d := dateOf(t.In(zone)); i == 0 || d.After(begin) {
			begin = d
		}
		if d := dateOf(now.In(zone)); i == 0 || d.Before(today) {
			today = d
		}
	}
	for _, p := range s.Products {
		for _, property := range p.Properties {
			month, seasonal := property.Parameters["startMonth"]
			if !seasonal {
				continue
			}
			day := int(property.Parameters["startDay"])
			began := time.Date(today.Year(), time.Month(month), day, 0, 0, 0, 0, time.UTC)
			if began.After(today) {
				began = began.AddDate(-1, 0, 0)
			}
			if began.Before(begin) {
				property.Parameters["startMonth"] = float64(begin.Month())
				property.Parameters["startDay"] = float64(begin.Day())
			}
		}
	}
	return nil
}

// dateOf returns the midnight, in UTC, of the date that t has in its zone.
func dateOf(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
}

func parse(b []byte) (*farmDefinition, error) {
	var s farmDefinition
	if err := yaml.UnmarshalWithOptions(b, &s, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("farm file: %w", err)
	}
	return &s, nil
}
