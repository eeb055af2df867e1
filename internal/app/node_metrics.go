package app

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
	m.gauge("tilth_cluster_read_ahead_seconds",
		"How old the devices and rules are that this standby has read ahead; negative: none, or this node leads.",
		func() float64 { return n.warmAge().Seconds() })
	m.gauge("tilth_cluster_passed_on", "Connections of clients that this node passes on to the node that leads.",
		func() float64 { return float64(n.front.Stats().Spliced) })
	m.gauge("tilth_cluster_waiting", "Connections of clients that wait for a node that leads.",
		func() float64 { return float64(n.front.Stats().Held) })
	m.counter("tilth_cluster_refused_total", "Connections of clients that were closed because no node led.",
		func() float64 { return float64(n.front.Stats().Refused) })
}
