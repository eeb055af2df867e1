// Package farm simulates farms: weather, soil, greenhouses, tanks and the devices that measure
// them. The demo, its history, and the command that publishes for given devices use it.
//
// All values are pure functions of a seed, a place, a device and a time: callers may ask for them
// in any order, from many goroutines, and get the same bits. Only soil, tanks, batteries and
// greenhouses have a state that depends on earlier times; it is computed step by step from fixed
// starting points and cached.
//
// The package knows device names, property identifiers and plain Go values (float64, bool, string),
// and reaches the server only over MQTT.
package farm
