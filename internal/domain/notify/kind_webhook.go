package notify

// KindWebhook is the kind of webhooks. Its recipients are their ids.
const KindWebhook ChannelKind = "webhook"

// Each webhook has a remote server of its own, and a slow one must not delay the others. A tenant
// whose calls all hang must not occupy all slots.
var webhooks = Kind{
	Name: KindWebhook, Label: "webhook", Programs: true,
	MaxInFlight: 16, MaxPerTenant: 4, MaxPerDestination: 2,
}
