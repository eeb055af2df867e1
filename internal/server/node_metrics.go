package server

// describeNode publishes how the node takes part in the cluster. Every node does so from its start.
func (n *node) describeNode() {
	m := n.metrics
	is := func(yes bool) float64 {
		if yes {
			return 1
		}
		return 0
	}
	m.gauge("tilth_cluster_leads", "1 while this node leads.", func() float64 {
		l, _ := n.cluster.Leader()
		return is(l.Local)
	})
	m.gauge("tilth_cluster_epoch", "The epoch that this node knows; it rises whenever another node begins to lead.",
		func() float64 {
			l, _ := n.cluster.Leader()
			return float64(l.Epoch)
		})
	m.gauge("tilth_cluster_position", "The newest entry of the log that this node has.",
		func() float64 { return float64(n.base.readings.Position()) })
	m.gauge("tilth_cluster_synchronous", "1 while PostgreSQL confirms only what a copy has, too.",
		func() float64 { return is(n.cluster.Synchronous()) })
	m.gauge("tilth_cluster_trouble", "1 while this node could not lead; the log says why.",
		func() float64 { return is(n.troubleText() != "") })
	archive := n.base.readings.ArchiveStats
	m.gauge("tilth_cluster_archive_position",
		"Up to which entry of the log everything is in the archive or in the log after it, as far as this node knows.",
		func() float64 { return float64(archive().Position) })
	m.gauge("tilth_cluster_archive_behind", "Sealed days of devices that the leader has not copied to the archive yet.",
		func() float64 { return float64(archive().Behind) })
	m.gauge("tilth_cluster_archive_failed", "1 while copying to the archive fails; the log says why.",
		func() float64 { return is(archive().Failed) })
	m.counter("tilth_cluster_archive_copied_total", "Sealed days of devices that this node has copied to the archive.",
		func() float64 { return float64(archive().Copied) })
	m.counter("tilth_cluster_archive_fetched_total", "Sealed days of devices that this node has read from the archive.",
		func() float64 { return float64(archive().Fetched) })
	m.gauge("tilth_cluster_archive_missing_days", "Days that this node reads from the archive and has not fetched yet.",
		func() float64 { return float64(archive().Missing) })
}
