package sms

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// success is what an answer's body must say: `path=value` or `path!=value` of
// JSON (a path goes down by dots, into lists by numbers; values are parted by
// |), or `contains:text`. The zero success asks for nothing.
type success struct {
	contains string
	path     []string
	not      bool
	values   []string
}

var comparison = regexp.MustCompile(`^([\w-]+(?:\.[\w-]+)*)\s*(!?=)\s*(.+)$`)

func parseSuccess(s string) (success, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return success{}, nil
	}
	if text, ok := strings.CutPrefix(s, "contains:"); ok && text != "" {
		return success{contains: text}, nil
	}
	m := comparison.FindStringSubmatch(s)
	if m == nil {
		return success{}, errors.New("it must read path=value, path!=value or contains:text")
	}
	return success{path: strings.Split(m[1], "."), not: m[2] == "!=", values: strings.Split(m[3], "|")}, nil
}

// check gives nil where body says what it must.
func (s success) check(body []byte) *Failure {
	switch {
	case s.contains != "":
		if !bytes.Contains(body, []byte(s.contains)) {
			return &Failure{Detail: "the SMS gateway's answer does not say that it took the message"}
		}
		return nil
	case s.path == nil:
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var answer any
	if err := d.Decode(&answer); err != nil {
		return &Failure{Detail: "the SMS gateway's answer is not JSON"}
	}
	path := strings.Join(s.path, ".")
	value, ok := scalar(walk(answer, s.path))
	if !ok {
		return &Failure{Detail: fmt.Sprintf("the SMS gateway's answer has no %s", path)}
	}
	for _, v := range s.values {
		if v == value {
			if s.not {
				return refusedWith(path, value)
			}
			return nil
		}
	}
	if s.not {
		return nil
	}
	return refusedWith(path, value)
}

// refusedWith quotes what a gateway answers instead of success when it looks
// like a code of its own; a longer text might repeat the message. What the code
// means only the gateway knows (no credit, too many), so trying again may work.
func refusedWith(path, value string) *Failure {
	if !answerCode.MatchString(value) || sixDigits.MatchString(value) {
		value = "something else"
	}
	return &Failure{Retry: true, Detail: fmt.Sprintf("the SMS gateway refused: %s is %s", path, value)}
}

var (
	answerCode = regexp.MustCompile(`^-?[A-Za-z0-9_.-]{1,24}$`)
	sixDigits  = regexp.MustCompile(`[0-9]{6}`)
)

func walk(at any, path []string) any {
	for _, step := range path {
		switch x := at.(type) {
		case map[string]any:
			at = x[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(x) {
				return nil
			}
			at = x[i]
		default:
			return nil
		}
	}
	return at
}

func scalar(v any) (string, bool) {
	switch x := v.(type) {
	case string:
		return x, true
	case json.Number:
		return x.String(), true
	case bool:
		return strconv.FormatBool(x), true
	}
	return "", false
}
