//go:build unix

package captcha

import (
	"syscall"
	"testing"
	"time"
)

// BenchmarkGet is the processor time of one get, nearly all of it drawing and
// compressing: 20 ms are the limit.
func BenchmarkGet(b *testing.B) {
	n, before := 0, cpuTime(b)
	for b.Loop() {
		p, err := Draw()
		if err != nil {
			b.Fatal(err)
		}
		n += len(p.Background) + len(p.Strip)
	}
	b.ReportMetric(float64((cpuTime(b)-before).Microseconds())/1000/float64(b.N), "cpu-ms/op")
	b.ReportMetric(float64(n)/float64(b.N), "picturebytes/op")
}

// cpuTime is the time that this process has spent computing, whatever else
// the machine does.
func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
