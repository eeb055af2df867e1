package settings

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/providers/env/v2"
	"github.com/knadh/koanf/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// valueKinds says in words which values the flags of a type take.
var valueKinds = map[string]string{
	"bool":     "true or false",
	"int":      "a whole number",
	"uint64":   "a whole number",
	"float64":  "a number",
	"duration": "a time such as 36h or 400d",
}

// loadFile reads the settings of a file into k.
func loadFile(k *koanf.Koanf, f *pflag.FlagSet, path string) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("--config: %w", err)
	}
	values := map[string]any{}
	if err := yaml.Unmarshal(raw, &values); err != nil {
		return fmt.Errorf("--config %w", YAMLError(path, err))
	}
	for name, given := range values {
		flag := f.Lookup(name)
		if flag == nil || name == "config" {
			return fmt.Errorf("--config %s: there is no setting %q", path, name)
		}
		if values[name], err = parseValue(flag, given, path); err != nil {
			return err
		}
	}
	return k.Load(confmap.Provider(values, "."), nil)
}

// YAMLError says in one line where a file is not valid YAML, or has the wrong shape, and why. The
// YAML reader's own error is an excerpt over several lines.
func YAMLError(path string, err error) error {
	var at yaml.Error
	if !errors.As(err, &at) || at.GetToken() == nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return fmt.Errorf("%s: line %d: %s", path, at.GetToken().Position.Line, at.GetMessage())
}

// loadEnvironment reads the settings of the environment into k, those without a flag too.
func loadEnvironment(k *koanf.Koanf, f *pflag.FlagSet) error {
	var wrong error
	err := k.Load(env.Provider(".", env.Opt{Prefix: "TILTH_", TransformFunc: func(variable, text string) (string, any) {
		name := strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(variable, "TILTH_")), "_", "-")
		flag := f.Lookup(name)
		if flag == nil {
			return name, text
		}
		value, err := parseValue(flag, text, variable)
		if wrong == nil {
			wrong = err
		}
		return name, value
	}}), nil)
	return errors.Join(wrong, err)
}

// Variable is the environment variable of a setting.
func Variable(name string) string {
	return "TILTH_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// parseValue reads the value of a setting that a place (a file or a variable) gives, as the flag
// would read it. A value that it cannot read is an error and does not count as missing.
func parseValue(flag *pflag.Flag, given any, place string) (value any, err error) {
	if list, ok := given.([]any); ok {
		return parseList(flag, list, place)
	}
	if _, nested := given.(map[string]any); nested {
		return nil, fmt.Errorf("--%s: in %s it has settings below it, which it does not take", flag.Name, place)
	}
	text := ""
	if given != nil {
		text = fmt.Sprint(given)
	}
	switch flag.Value.Type() {
	case "bool":
		value, err = strconv.ParseBool(text)
	case "int":
		value, err = strconv.ParseInt(text, 0, strconv.IntSize)
	case "uint64":
		value, err = strconv.ParseUint(text, 0, 64)
	case "float64":
		value, err = strconv.ParseFloat(text, 64)
	case "duration":
		value, err = parseDuration(text)
	default:
		return text, nil
	}
	if err != nil {
		return nil, fmt.Errorf("--%s: %q in %s is not %s", flag.Name, text, place, valueKinds[flag.Value.Type()])
	}
	return value, nil
}

// parseList is parseValue for a list.
func parseList(flag *pflag.Flag, list []any, place string) ([]string, error) {
	if !slices.Contains([]string{"stringSlice", "stringArray"}, flag.Value.Type()) {
		return nil, fmt.Errorf("--%s: in %s it is a list; it takes one value", flag.Name, place)
	}
	texts := make([]string, len(list))
	for i, item := range list {
		switch item.(type) {
		case nil, []any, map[string]any:
			return nil, fmt.Errorf("--%s: in %s each item of the list must be a text", flag.Name, place)
		}
		texts[i] = fmt.Sprint(item)
	}
	return texts, nil
}

// ExplainFlagError describes a wrong flag in the words that describe a wrong setting elsewhere.
func ExplainFlagError(_ *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) || valueKinds[invalid.GetFlag().Value.Type()] == "" {
		return err
	}
	flag := invalid.GetFlag()
	return fmt.Errorf("--%s: %q is not %s", flag.Name, invalid.GetValue(), valueKinds[flag.Value.Type()])
}

// longDuration is the value of a flag for long times, which may be given in days.
type longDuration time.Duration

// declareDuration declares a flag of that kind.
func declareDuration(f *pflag.FlagSet, name string, value time.Duration, usage string) {
	DurationVar(f, &value, name, usage)
}

// DurationVar declares a flag of that kind whose default is *p, and which sets *p.
func DurationVar(f *pflag.FlagSet, p *time.Duration, name, usage string) {
	f.Var((*longDuration)(p), name, usage)
}

// Set implements pflag.Value; parseDuration says what it reads.
func (s *longDuration) Set(text string) error {
	d, err := parseDuration(text)
	*s = longDuration(d)
	return err
}

func (s *longDuration) String() string { return time.Duration(*s).String() }

// Type implements pflag.Value. It is the type of Go's own duration flags, so that parseValue reads
// both alike.
func (s *longDuration) Type() string { return "duration" }

// maxDays is longer than anybody keeps anything, and fits in a time.Duration.
const maxDays = 100_000

// parseDuration reads a time as Go writes it (36h30m), whole days (400d), or both (1d12h).
func parseDuration(text string) (time.Duration, error) {
	days, rest, has := strings.Cut(text, "d")
	if !has {
		return time.ParseDuration(text)
	}
	n, err := strconv.ParseUint(days, 10, 32)
	if err != nil || n > maxDays {
		return 0, fmt.Errorf("%q is not a number of days up to %d", days, maxDays)
	}
	d := time.Duration(n) * 24 * time.Hour
	if rest == "" {
		return d, nil
	}
	more, err := time.ParseDuration(rest)
	if err == nil && (more < 0 || more >= 24*time.Hour) {
		err = fmt.Errorf("%q is not less than a day", rest)
	}
	return d + more, err
}
