package bench

import (
	"bytes"
	"fmt"
	"strconv"
)

// scanner reads JSON in one pass. All stores' responses are read with it, at a few nanoseconds a
// number, so that the run measures the store and not the parsing. It reads what these stores write
// and is not strict about commas. After an error it reads no more.
type scanner struct {
	raw []byte
	at  int
	err error
}

func (s *scanner) fail(wanted string) {
	if s.err == nil {
		s.err = fmt.Errorf("at byte %d of the answer: %s expected: %.60q", s.at, wanted, s.raw[s.at:])
	}
}

// peek returns the next character that is not a space; 0 at the end or after an error.
func (s *scanner) peek() byte {
	for s.err == nil && s.at < len(s.raw) {
		c := s.raw[s.at]
		if c > ' ' {
			return c
		}
		s.at++
	}
	return 0
}

// take skips one character, which must be next.
func (s *scanner) take(c byte) {
	if s.peek() != c {
		s.fail(string(rune(c)))
		return
	}
	s.at++
}

// more tells whether an array or an object has another element, and skips the comma or the end.
func (s *scanner) more(end byte) bool {
	switch s.peek() {
	case 0:
		s.fail(string(rune(end)))
		return false
	case end:
		s.at++
		return false
	case ',':
		s.at++
	}
	return s.err == nil
}

// text reads a string without escapes; the result is valid as long as the response.
func (s *scanner) text() []byte {
	s.take('"')
	if s.err != nil {
		return nil
	}
	n := bytes.IndexByte(s.raw[s.at:], '"')
	if n < 0 || bytes.IndexByte(s.raw[s.at:s.at+n], '\\') >= 0 {
		s.fail("plain string")
		return nil
	}
	t := s.raw[s.at : s.at+n]
	s.at += n + 1
	return t
}

// key reads the name of a member.
func (s *scanner) key() []byte {
	k := s.text()
	s.take(':')
	return k
}

// tens are the powers of ten that a float64 holds exactly.
var tens = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// number reads a number.
func (s *scanner) number() float64 {
	raw, at := s.raw, s.at
	if at >= len(raw) || raw[at] <= ' ' {
		s.peek()
		at = s.at
	}
	if s.err != nil {
		return 0
	}
	begin := at
	if at < len(raw) && raw[at] == '-' {
		at++
	}
	first, digits := at, int64(0)
	for at < len(raw) && raw[at]-'0' <= 9 {
		digits = digits*10 + int64(raw[at]-'0')
		at++
	}
	count, decimals := at-first, 0
	if at < len(raw) && raw[at] == '.' {
		at++
		first = at
		for at < len(raw) && raw[at]-'0' <= 9 {
			digits = digits*10 + int64(raw[at]-'0')
			at++
		}
		decimals = at - first
		count += decimals
	}
	if count == 0 || count >= len(tens) || at < len(raw) && raw[at]|0x20 == 'e' {
		return s.longNumber(begin)
	}
	s.at = at
	f := float64(digits)
	if decimals > 0 {
		f /= tens[decimals] // both are exact, so that the quotient is the nearest float64
	}
	if raw[begin] == '-' {
		return -f
	}
	return f
}

// longNumber reads numbers that number cannot read the short way.
func (s *scanner) longNumber(begin int) float64 {
	end := begin
	for end < len(s.raw) && bytes.IndexByte([]byte("+-.0123456789eE"), s.raw[end]) >= 0 {
		end++
	}
	f, err := strconv.ParseFloat(string(s.raw[begin:end]), 64)
	if err != nil {
		s.fail("number")
		return 0
	}
	s.at = end
	return f
}

// quoted reads a number that is written as a string.
func (s *scanner) quoted() float64 {
	s.take('"')
	f := s.number()
	s.take('"')
	return f
}

// skip skips a value of any type.
func (s *scanner) skip() {
	switch c := s.peek(); c {
	case '"':
		s.text()
	case '{':
		s.at++
		for s.more('}') {
			s.key()
			s.skip()
		}
	case '[':
		s.at++
		for s.more(']') {
			s.skip()
		}
	case 't', 'n', 'f':
		for s.at < len(s.raw) && s.raw[s.at] >= 'a' && s.raw[s.at] <= 'z' {
			s.at++
		}
	default:
		s.number()
	}
}

// member reads an object and calls read for the member with a name.
func (s *scanner) member(name string, read func()) {
	s.take('{')
	for s.more('}') {
		if string(s.key()) == name {
			read()
		} else {
			s.skip()
		}
	}
}
