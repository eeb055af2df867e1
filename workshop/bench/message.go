package bench

import "strconv"

// messageSource makes a device's messages: message number n has the time first + n, and its values
// are computed from the device and the number, so that nothing must be stored to check them.
type messageSource struct {
	device int
	first  int64    // epoch ms
	keys   [][]byte // `"identifier":`, of each property
}

func newMessageSource(device int, first int64, properties []string) messageSource {
	s := messageSource{device: device, first: first}
	for _, p := range properties {
		s.keys = append(s.keys, append(strconv.AppendQuote(nil, p), ':'))
	}
	return s
}

// hundredths returns the value of a property in hundredths, from -200.00 to 800.00. Successive
// values are unrelated, so that a mix-up shows and the values compress badly.
func (s *messageSource) hundredths(number, property int) int64 {
	x := uint64(s.device)<<40 ^ uint64(number)<<8 ^ uint64(property)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return int64((x^x>>31)%100_001) - 20_000
}

// value returns the value of a property as it must be read back. This division and the server's
// parsing both round to the nearest float64.
func (s *messageSource) value(number, property int) float64 {
	return float64(s.hundredths(number, property)) / 100
}

// appendPayload appends message number n to b.
func (s *messageSource) appendPayload(b []byte, number int) []byte {
	b = append(b, `{"ts":`...)
	b = strconv.AppendInt(b, s.first+int64(number), 10)
	b = append(b, `,"values":`...)
	for i, key := range s.keys {
		if i == 0 {
			b = append(b, '{')
		} else {
			b = append(b, ',')
		}
		b = append(b, key...)
		h := s.hundredths(number, i)
		if h < 0 {
			b = append(b, '-')
			h = -h
		}
		b = strconv.AppendInt(b, h/100, 10)
		b = append(b, '.', byte('0'+h/10%10), byte('0'+h%10))
	}
	return append(b, "}}"...)
}

// bitset is a set of small numbers.
type bitset []uint64

func (s *bitset) add(n int) {
	for n/64 >= len(*s) {
		*s = append(*s, 0)
	}
	(*s)[n/64] |= 1 << (n % 64)
}

func (s bitset) has(n int) bool { return n >= 0 && n/64 < len(s) && s[n/64]&(1<<(n%64)) != 0 }
