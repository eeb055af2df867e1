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

// success is a condition on an answer's body: `path=value` or `path!=value` for JSON (dots separate
// the members of a path, numbers are indexes of lists, | separates values), or `contains:text`. The
// zero success accepts everything.
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
		return success{}, errors.New("it must have the form path=value, path!=value or contains:text")
	}
	return success{path: strings.Split(m[1], "."), not: m[2] == "!=", values: strings.Split(m[3], "|")}, nil
}

// check gives nil if body meets the condition.
func (s success) check(body []byte) *Failure {
	switch {
	case s.contains != "":
		if !bytes.Contains(body, []byte(s.contains)) {
			return &Failure{Detail: "the SMS gateway's answer does not say that it accepted the message"}
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

// refusedWith gives the failure for an unexpected value. It quotes the value if that looks like an
// error code of the gateway; a longer text might repeat the message. Only the gateway knows what
// the code means (no credit, too many requests), so a retry may succeed.
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
