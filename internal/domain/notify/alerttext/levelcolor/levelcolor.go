// Package levelcolor has the colours of alarms and their levels, as the console has them.
package levelcolor

import (
	_ "embed" // the colours
	"image/color"
	"regexp"
	"strconv"
	"strings"
)

// css is a copy of web/src/app/levels.css, made by `make gen`.
//
//go:embed levels.css
var css string

// Theme is a theme of a page.
type Theme string

// The themes.
const (
	Light Theme = "light"
	Dark  Theme = "dark"
)

// Count is how many levels there are.
const Count = 3

var definition = regexp.MustCompile(`--([\w-]+): (#[0-9a-f]{6});`)

var themes = map[Theme]map[string]string{Light: parse(Light), Dark: parse(Dark)}

// parse gives the colours of a theme by name.
func parse(t Theme) map[string]string {
	_, block, _ := strings.Cut(css, `[data-theme="`+string(t)+`"] {`)
	block, _, _ = strings.Cut(block, "}")
	colors := map[string]string{}
	for _, found := range definition.FindAllStringSubmatch(block, -1) {
		colors[found[1]] = found[2]
	}
	return colors
}

// Ink is the colour of a level's words, as CSS has it: #b8231a.
func Ink(t Theme, level int) string { return themes[t]["level-"+strconv.Itoa(level)] }

// Paper is the colour behind a level's words.
func Paper(t Theme, level int) string { return themes[t]["level-"+strconv.Itoa(level)+"-bg"] }

// Alarm is the colour of an alarm of any level in the light theme.
func Alarm() color.RGBA { return rgba(Ink(Light, Count-1)) }

// Tint is the colour of an alarm's duration in a chart on the given paper, in the light theme.
func Tint(paper color.RGBA) color.RGBA {
	const share = 0.08 // as strong as the console's, which tints white
	fill := rgba(themes[Light]["alarm-fill"])
	mix := func(a, b uint8) uint8 { return uint8(float64(a)*(1-share) + float64(b)*share + 0.5) }
	return color.RGBA{mix(paper.R, fill.R), mix(paper.G, fill.G), mix(paper.B, fill.B), 255}
}

func rgba(hex string) color.RGBA {
	n, err := strconv.ParseUint(strings.TrimPrefix(hex, "#"), 16, 32)
	if err != nil {
		panic(err) // the file is part of the program
	}
	return color.RGBA{uint8(n >> 16), uint8(n >> 8), uint8(n), 255}
}
