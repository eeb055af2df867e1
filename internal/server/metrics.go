package server

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics gathers the figures for an operator. The parts of the server keep plain counters, which
// metrics reads when Prometheus asks.
type metrics struct{ registry *prometheus.Registry }

func newMetrics() *metrics {
	m := &metrics{registry: prometheus.NewRegistry()}
	m.registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return m
}

// counter publishes a number that only grows.
func (m *metrics) counter(name, help string, read func() float64) {
	m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, read))
}

// gauge publishes a number that rises and falls.
func (m *metrics) gauge(name, help string, read func() float64) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, read))
}

// labelled publishes counters that differ in one label. The label's values are known only when
// Prometheus asks.
func (m *metrics) labelled(name, help, label string, read func() map[string]uint64) {
	m.registry.MustRegister(
		&labelled{
			desc: prometheus.NewDesc(name, help, []string{label}, nil),
			kind: prometheus.CounterValue,
			read: read,
		},
	)
}

// labelledGauge is labelled for numbers that rise and fall.
func (m *metrics) labelledGauge(name, help, label string, read func() map[string]uint64) {
	m.registry.MustRegister(
		&labelled{desc: prometheus.NewDesc(name, help, []string{label}, nil), kind: prometheus.GaugeValue, read: read},
	)
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

type labelled struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	read func() map[string]uint64
}

func (l *labelled) Describe(ch chan<- *prometheus.Desc) { ch <- l.desc }

func (l *labelled) Collect(ch chan<- prometheus.Metric) {
	for value, n := range l.read() {
		ch <- prometheus.MustNewConstMetric(l.desc, l.kind, float64(n), value)
	}
}
