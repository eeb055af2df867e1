package server

// describeMetrics publishes the figures of all parts of the server.
func (s *Server) describeMetrics() {
	m, edge, readings := s.metrics, s.Pipeline.Stats, s.Stores.Readings.Stats
	m.counter(
		"tilth_edge_messages_total",
		"Messages accepted from devices.",
		func() float64 { return float64(edge().Messages) },
	)
	m.counter("tilth_edge_values_total", "Values stored.", func() float64 { return float64(edge().Values) })
	m.counter(
		"tilth_edge_received_bytes_total",
		"Bytes received from devices.",
		func() float64 { return float64(edge().Bytes) },
	)
	m.counter("tilth_edge_commits_total", "Batches written to disk.", func() float64 { return float64(edge().Commits) })
	m.counter(
		"tilth_edge_commit_failures_total",
		"Batches that could not be written to disk.",
		func() float64 { return float64(edge().CommitFailures) },
	)
	m.counter(
		"tilth_edge_sign_in_failures_total",
		"Devices refused at sign-in.",
		func() float64 { return float64(edge().SignInFailures) },
	)
	m.labelled(
		"tilth_edge_faults_total",
		"Devices refused before their secret was looked at, and reports at wrong paths, by cause.",
		"cause",
		func() map[string]uint64 {
			by := map[string]uint64{}
			for fault, n := range edge().Faults {
				by[string(fault)] = n
			}
			return by
		},
	)
	m.labelled(
		"tilth_mqtt_turned_away_total",
		"MQTT connections that were refused or ended, by reason.",
		"reason",
		func() map[string]uint64 {
			e := edge()
			return map[string]uint64{
				"full":      e.RefusedFull,
				"address":   e.RefusedAddress,
				"tls":       e.HandshakeFailures,
				"connect":   e.ConnectsRefused,
				"silent":    e.IdleTimeouts,
				"stalled":   e.Stalls,
				"malformed": e.Malformed,
			}
		},
	)
	m.counter(
		"tilth_mqtt_panics_total",
		"Connections ended by a fault of the server.",
		func() float64 { return float64(edge().Panics) },
	)
	m.gauge(
		"tilth_edge_waiting",
		"Messages accepted and not yet committed.",
		func() float64 { return float64(edge().Waiting) },
	)
	m.gauge("tilth_mqtt_connections", "Open MQTT connections.", func() float64 { return float64(edge().Connections) })
	m.labelled(
		"tilth_edge_refused_total",
		"Messages and values that were refused, by reason.",
		"reason",
		func() map[string]uint64 {
			by := map[string]uint64{}
			for reason, n := range edge().Refused {
				by[string(reason)] = n
			}
			return by
		},
	)
	m.counter("tilth_readings_frames_total", "Frames appended.", func() float64 { return float64(readings().Frames) })
	m.counter(
		"tilth_readings_fsync_seconds_total",
		"Time that writes waited for the disk.",
		func() float64 { return readings().FsyncSeconds },
	)
	m.gauge("tilth_readings_journal_lag", "Batches written and not yet evaluated.", func() float64 {
		return float64(readings().JournalLag + s.Stores.Alarms.Stats().Unevaluated)
	})
	m.gauge(
		"tilth_readings_disk_bytes",
		"Size of the readings on disk.",
		func() float64 { return float64(readings().DiskBytes) },
	)
	m.gauge(
		"tilth_readings_days_without_aggregates",
		"Sealed days of an earlier version whose aggregates are not computed yet.",
		func() float64 { return float64(readings().DaysWithoutAggregates) },
	)
	alarms := s.Stores.Alarms.Stats
	m.counter(
		"tilth_alarm_judged_total",
		"Frames evaluated, once for each rule of their device.",
		func() float64 { return float64(alarms().Evaluated) },
	)
	m.counter(
		"tilth_alarm_opened_total",
		"Alarm notices that opened.",
		func() float64 { return float64(alarms().Opened) },
	)
	m.counter(
		"tilth_alarm_resolved_total",
		"Alarm notices that were resolved.",
		func() float64 { return float64(alarms().Resolved) },
	)
	m.gauge("tilth_alarm_open", "Open alarm notices.", func() float64 { return float64(alarms().Open) })
	m.gauge("tilth_alarm_rules", "Alarm rules that run.", func() float64 { return float64(alarms().Rules) })
	m.gauge(
		"tilth_alarm_unrecorded",
		"Journal entries that are evaluated while the notices that they led to are not on disk yet.",
		func() float64 { return float64(alarms().Unrecorded) },
	)
	m.gauge(
		"tilth_alarm_lag_seconds",
		"Age of the oldest reading that waits for evaluation, since its arrival.",
		func() float64 { return alarms().Lag.Seconds() },
	)
	m.gauge(
		"tilth_alarm_tenants_behind",
		"Tenants whose evaluation is more than 5 s behind.",
		func() float64 { return float64(s.Stores.Alarms.Behind().Tenants) },
	)
	m.gauge(
		"tilth_alarm_tenants_waiting",
		"Tenants whose devices wait until the evaluation has caught up.",
		func() float64 { return float64(alarms().ThrottledTenants) },
	)
	s.describeNotifications()
	m.registry.MustRegister(&s.certificates)
	s.describeOperation()
	s.describeLimits()
	if s.node == nil { // a node has done so since its start
		s.describeProcess(s.isReady)
	}
	m.gauge("tilth_live_screens", "Open screens.", func() float64 { return float64(s.Stores.Live.Screens()) })
}
