package bench

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// A screen opens a stream that the server ended again, from the newest event that it received.
func TestScreenReconnects(t *testing.T) {
	f := newFakeServer(t, 1, 1)
	f.cut = true
	person, err := signIn(t.Context(), f.target().Console, f.world)
	if err != nil {
		t.Fatal(err)
	}
	s, err := watch(t.Context(), person)
	if err != nil {
		t.Fatal(err)
	}
	timeout := time.After(20 * time.Second)
	for s.resets.Load() == 0 || s.readings.Load() < 2 {
		select {
		case <-timeout:
			t.Fatalf("%d readings, %d resets", s.readings.Load(), s.resets.Load())
		case <-time.After(5 * time.Millisecond): // polled, since the screen only counts
		}
	}
	if err := s.close(); err != nil {
		t.Error(err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if s.readings.Load() != 2 || s.cuts.Load() != 1 || s.resets.Load() != 1 || f.resumed != "e-2" || s.last != "e-2" {
		t.Errorf(
			"%d readings, %d cuts, %d resets, resumed from %q",
			s.readings.Load(),
			s.cuts.Load(),
			s.resets.Load(),
			f.resumed,
		)
	}
}

func TestScreenRefused(t *testing.T) {
	web := httptest.NewServer(http.NotFoundHandler())
	defer web.Close()
	c := &console{base: web.URL, http: web.Client()}
	if _, err := watch(t.Context(), c); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("%v", err)
	}
}

func TestReadMetrics(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Write([]byte("# HELP a A.\n# TYPE a counter\na 12\nb{x=\"y\"} 3\nc 1.5e+06\n"))
	}))
	defer web.Close()
	found, err := readMetrics(t.Context(), web.URL)
	if err != nil || found["a"] != 12 || found["c"] != 1.5e6 || found["d"] != 0 {
		t.Errorf("%v, %v", found, err)
	}
}

func TestConsoleFaults(t *testing.T) {
	body := ""
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(body)) }))
	defer web.Close()
	c := &console{base: web.URL, http: web.Client()}
	for answer, says := range map[string]string{
		"<html>":                               "200 OK",
		`{"code":500,"msg":"no","data":null}`:  "answer 500: no",
		`{"code":200,"data":{"a":[{"time":1}`:  "EOF",
		`{"code":200,"data":{"a":["here"]}}`:   "json",
		`{"code":200,"data":{"a":{"time":1}}}`: "json",
	} {
		body = answer
		_, err := c.history(t.Context(), "d", []string{"a"}, 1, 2)
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", answer, err)
		}
	}
}
