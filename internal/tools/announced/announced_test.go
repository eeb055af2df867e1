package announced

import (
	"fmt"
	"io"
	"strings"
	"testing"
)

// Reader finds the addresses among other log lines and in any pieces, and returns those of
// the newest start.
func TestAddressReader(t *testing.T) {
	const ready = `time=2026-11-01T06:00:00Z level=INFO msg="tilth is ready" version=1.2.3 http=127.0.0.1:%d https=off mqtt=[::1]:1883 mqtt-tls=127.0.0.1:8883 admin=127.0.0.1:9090 data="/a b"` + "\n"
	a := NewReader()
	write := func(text string) {
		t.Helper()
		for text != "" {
			n := min(7, len(text))
			if wrote, err := io.WriteString(a, text[:n]); err != nil || wrote != n {
				t.Fatal(wrote, err)
			}
			text = text[n:]
		}
	}
	none := func() {
		t.Helper()
		select {
		case got := <-a.Ready():
			t.Errorf("Ready returned %+v", got)
		default:
		}
	}
	write("level=WARN msg=hm http=1 https=2 mqtt=3 mqtt-tls=4 admin=5 \nlevel=INFO msg=\"tilth is ready\"\n")
	write(strings.TrimSuffix(fmt.Sprintf(ready, 1), "\n"))
	none()
	write("\nlevel=INFO msg=\"tilth has stopped\"\n" + fmt.Sprintf(ready, 2))
	if got, want := <-a.Ready(), (Addresses{"127.0.0.1:2", Off, "[::1]:1883", "127.0.0.1:8883", "127.0.0.1:9090"}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	none()
	write(`level=INFO msg="tilth is a standby" version=1.2.3 node=b admin=127.0.0.1:4 data=/a` + "\n")
	if got, want := <-a.Ready(), (Addresses{Off, Off, Off, Off, "127.0.0.1:4"}); got != want {
		t.Errorf("a standby: %+v, want %+v", got, want)
	}
	const older = `level=INFO msg="tilth is ready" version=0.1.0 http=127.0.0.1:1 mqtt=127.0.0.1:2 admin=127.0.0.1:3 data=/a`
	write(older + "\n")
	if got, want := <-a.Ready(), (Addresses{"127.0.0.1:1", Off, "127.0.0.1:2", Off, "127.0.0.1:3"}); got != want {
		t.Errorf("the line of an earlier version: %+v, want %+v", got, want)
	}
}
