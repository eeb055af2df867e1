//go:build unix

package captcha

import (
	"syscall"
	"testing"
	"time"
)

// BenchmarkGet measures the processor time of one get, nearly all of it for drawing and
// compressing; the limit is 20 ms.
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

// cpuTime gives the processor time that this process has used.
func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
