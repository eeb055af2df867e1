package race

// Cases returns how many random cases a test tries: n, or an eighth of them under
// the race detector. It finds nothing new in more of them, and takes ten times as long.
func Cases(n int) int {
	if Enabled {
		return max(1, n/8)
	}
	return n
}
