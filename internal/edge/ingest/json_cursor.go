package ingest

import (
	"bytes"
	"encoding/json"
)

// cursor walks a JSON text without allocating. The text must be one that readableJSON accepts: the
// cursor does not check it, so its methods return no errors.
type cursor struct {
	text []byte
	at   int
}

func (c *cursor) space() {
	for c.at < len(c.text) {
		switch c.text[c.at] {
		case ' ', '\t', '\n', '\r':
			c.at++
		default:
			return
		}
	}
}

// kind is the first byte of the next value.
func (c *cursor) kind() byte {
	c.space()
	return c.text[c.at]
}

// enter steps into the next object or list.
func (c *cursor) enter() {
	c.space()
	c.at++
}

// more tells whether another member or element follows; after the last one it steps out.
func (c *cursor) more() bool {
	switch c.kind() {
	case '}', ']':
		c.at++
		return false
	case ',':
		c.at++
	}
	return true
}

// key steps over a member's name and returns it as written, with quotes.
func (c *cursor) key() []byte {
	k := c.value()
	c.space()
	c.at++ // the colon
	return k
}

// value steps over a value and returns its text.
func (c *cursor) value() []byte {
	c.space()
	start := c.at
	switch c.text[c.at] {
	case '"':
		c.quoted()
	case '{', '[':
		c.nested()
	default:
		c.bare()
	}
	return c.text[start:c.at]
}

func (c *cursor) quoted() {
	for c.at++; c.text[c.at] != '"'; c.at++ {
		if c.text[c.at] == '\\' {
			c.at++
		}
	}
	c.at++
}

func (c *cursor) nested() {
	for depth := 0; ; {
		switch c.text[c.at] {
		case '"':
			c.quoted()
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		c.at++
		if depth == 0 {
			return
		}
	}
}

// maxDepth is how deep objects and lists are nested in a text that readableJSON accepts.
func maxDepth(text []byte) (deepest int) {
	c := cursor{text: text}
	for depth := 0; c.at < len(c.text); {
		switch c.text[c.at] {
		case '"':
			c.quoted()
			continue
		case '{', '[':
			depth++
			deepest = max(deepest, depth)
		case '}', ']':
			depth--
		}
		c.at++
	}
	return deepest
}

// bare steps over a number, true, false or null.
func (c *cursor) bare() {
	for ; c.at < len(c.text); c.at++ {
		switch c.text[c.at] {
		case ',', '}', ']', ' ', '\t', '\n', '\r':
			return
		}
	}
}

// rawString returns the bytes between the quotes of a JSON string if they are the string itself;
// otherwise ok is false and unquote is needed.
func rawString(quoted []byte) (inner []byte, ok bool) {
	inner = quoted[1 : len(quoted)-1]
	return inner, bytes.IndexByte(inner, '\\') < 0
}

// stringBytes decodes a JSON string.
func stringBytes(quoted []byte) []byte {
	if inner, ok := rawString(quoted); ok {
		return inner
	}
	return []byte(unquote(quoted))
}

// unquote decodes a JSON string.
func unquote(quoted []byte) string {
	if inner, ok := rawString(quoted); ok {
		return string(inner)
	}
	var s string
	if json.Unmarshal(quoted, &s) != nil {
		// Impossible: readableJSON accepted the text around it.
		return ""
	}
	return s
}
