// Package farm simulates farms: weather, soil, greenhouses, tanks and the
// devices that measure them. It feeds the demo, its history, and the command
// that publishes for given devices.
//
// Everything is a pure function of a seed, a place, a device and a time: any
// question may be asked in any order, from many goroutines, and gets the same
// bits. Only soil, tanks, batteries and greenhouses have a memory; they are
// stepped from fixed starting points, and what was stepped is kept.
//
// The package knows device names, property identifiers and plain Go values
// (float64, bool, string), and speaks to the server over MQTT alone.
package farm
