package command

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// grafana is the part of a dashboard that the test checks.
type grafana struct {
	UID, Title    string
	SchemaVersion int
	Panels        []panel
	Templating    struct {
		List []struct{ Name, Type string }
	}
}

type panel struct {
	ID                       int
	Type, Title, Description string
	Datasource               struct{ UID string }
	GridPos                  struct{ X, Y, W, H int }
	Targets                  []struct {
		RefID, Expr string
		Datasource  struct{ UID string }
	}
}

const datasourceVariable = "${datasource}"

// problems are what Grafana would refuse or show badly.
func (d *grafana) problems() (faults []string) {
	say := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	var variables []string
	for _, v := range d.Templating.List {
		variables = append(variables, v.Name+" "+v.Type)
	}
	if !slices.Equal(variables, []string{"datasource datasource", "instance query"}) || d.UID == "" ||
		d.SchemaVersion == 0 {
		say("the dashboard: variables %v, uid %q, schema %d", variables, d.UID, d.SchemaVersion)
	}
	ids, taken := map[int]bool{}, map[[2]int]string{}
	for _, p := range d.Panels {
		if p.ID < 1 || ids[p.ID] {
			say("%s: the number %d is there twice", p.Title, p.ID)
		}
		ids[p.ID] = true
		g := p.GridPos
		if g.X < 0 || g.W < 1 || g.H < 1 || g.X+g.W > 24 {
			say("%s: sticks out", p.Title)
		}
		for x := g.X; x < g.X+g.W; x++ {
			for y := g.Y; y < g.Y+g.H; y++ {
				if other, there := taken[[2]int{x, y}]; there && other != p.Title {
					say("%s: lies over %s", p.Title, other)
				}
				taken[[2]int{x, y}] = p.Title
			}
		}
		if p.Type == "row" {
			continue
		}
		if p.Type != "stat" && p.Type != "timeseries" {
			say("%s: is a %s, which not every Grafana has", p.Title, p.Type)
		}
		if p.Title == "" || p.Description == "" || len(p.Targets) == 0 || p.Datasource.UID != datasourceVariable {
			say("%s: no title, description, question or data source", p.Title)
		}
		var letters []string
		for _, q := range p.Targets {
			if slices.Contains(letters, q.RefID) || q.RefID == "" || q.Datasource.UID != datasourceVariable {
				say("%s: question %q is there twice or asks elsewhere", p.Title, q.RefID)
			}
			letters = append(letters, q.RefID)
			if n := len(metricNames(q.Expr)); n == 0 || strings.Count(q.Expr, `instance=~"$instance"`) != n {
				say("%s: %s asks not only the servers that are chosen", p.Title, q.Expr)
			}
		}
	}
	slices.Sort(faults)
	return slices.Compact(faults)
}

func TestDashboard(t *testing.T) {
	d := dashboard(t)
	if len(d.Panels) < 20 {
		t.Errorf("only %d panels were read", len(d.Panels))
	}
	for _, fault := range d.problems() {
		t.Error(fault)
	}

	// The check finds faults.
	d = dashboard(t)
	d.Panels[1].ID = d.Panels[2].ID
	d.Panels[2].GridPos.X = d.Panels[1].GridPos.X
	d.Panels[3].GridPos.W = 25
	d.Panels[4].Type = "worldmap"
	d.Panels[5].Description = ""
	d.Panels[6].Targets[0].Expr = "sum(tilth_devices)"
	d.Templating.List = d.Templating.List[:1]
	found := strings.Join(d.problems(), "\n")
	for _, want := range []string{"is there twice", "lies over", "sticks out", "worldmap", "no title, description", "asks not only", "variables"} {
		if !strings.Contains(found, want) {
			t.Errorf("%q is not found in\n%s", want, found)
		}
	}
}
