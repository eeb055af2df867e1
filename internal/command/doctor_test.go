package command

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	mqtt "github.com/eclipse/paho.mqtt.golang"

	"tilth/internal/domain/reading"
)

// TestDoctor examines the folder of a stopped server, then one with readings of no device, then one
// that is in use.
func TestDoctor(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	p.start()
	p.apply(simulatedFarm)
	for range 3 {
		publishOnce(t, "tcp://"+p.mqtt, func(*mqtt.ClientOptions) {})
	}
	examine := func() (string, bool, error) {
		var out bytes.Buffer
		healthy, err := doctor(t.Context(), p.dir, &out)
		return out.String(), healthy, err
	}
	if _, _, err := examine(); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("while the server runs: %v", err)
	}
	p.stop()
	out, healthy, err := examine()
	if err != nil || !healthy || !strings.Contains(out, "Everything can be read back") {
		t.Fatalf("%v %v\n%s", healthy, err, out)
	}
	s, err := reading.Open(t.Context(), reading.Options{Dir: filepath.Join(p.dir, "readings")})
	if err != nil {
		t.Fatal(err)
	}
	stray := reading.Frame{
		Tenant: 9,
		Device: 99,
		Time:   time.Now().UnixMilli(),
		Fields: []reading.Field{{Property: 1, Value: reading.Number(1)}},
	}
	if err := s.Append(t.Context(), []reading.Arrival{{Frame: stray, At: stray.Time}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if out, healthy, err := examine(); err != nil || healthy ||
		!strings.Contains(out, "ORPHAN    readings of tenant 9 device 99") {
		t.Errorf("%v %v\n%s", healthy, err, out)
	}
}
