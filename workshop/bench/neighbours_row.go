package bench

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

// NeighbourLimits are the promises to the victim during an attack; zero is no promise.
type NeighbourLimits struct {
	Ack   time.Duration // p99, from sending a message to its acknowledgement
	Alarm time.Duration // longest, from sending a reading to its notice on an open screen
	Page  time.Duration // p95; or one and a half times the quiet figure plus 100 ms, if that is more
	// Slack, if it is set, replaces Page: the p95 of a page may be one and a half times what it was
	// on the same folder before the attack, plus Slack.
	Slack  time.Duration
	SignIn time.Duration // p95
	Write  time.Duration // longest, of a change in the console
	Memory int64         // of the server, bytes
	Start  time.Duration // from a server's start to the first reading that it takes
	// Longest, from a reading to the mail about its notice, during a storm of mails.
	Serious, Important time.Duration
}

// defaultLimits are the limits of attacks that set none.
var defaultLimits = NeighbourLimits{
	Ack:       500 * time.Millisecond,
	Alarm:     time.Second,
	Page:      300 * time.Millisecond,
	SignIn:    3 * time.Second,
	Write:     500 * time.Millisecond,
	Memory:    1 << 30,
	Start:     10 * time.Second,
	Serious:   2 * time.Second,
	Important: 10 * time.Second,
}

// NeighbourRow is what the victim experienced during one attack.
type NeighbourRow struct {
	Attack string
	Limits NeighbourLimits

	Acks           int // acknowledgements, however late
	AckP99, AckMax time.Duration
	Alarm          Delay
	Page, SignIn   CallStats
	Write          CallStats
	Before         CallStats     // the page on the same folder before the attack, if that was measured
	Mails          *Mails        // delays of mails during a storm of mails; nil without one
	Memory         int64         // most memory of the server at a measurement, bytes
	Started        time.Duration // from a restart to the first reading that the server took; 0 without a restart
	Verification                 // of acknowledged values, including the attackers'
	Notices        int           // notices that must exist, including the attackers'
	Differing      int           // notices that are missing, or that no reading explains
	Different      string        // an example
	Remark         string
	Failed         error // why the attack failed or did not finish
}

func (r *NeighbourRow) setVictim(n victimResult) {
	r.Acks, r.AckP99, r.AckMax = n.ack.Acks, n.ack.P99, n.ack.Max
	r.Alarm, r.Page, r.SignIn, r.Write = n.alarm, n.page, n.signIn, n.write
	if n.cuts > 0 {
		r.remark("the open screen was cut off %d times", n.cuts)
	}
}

func (r *NeighbourRow) remark(format string, a ...any) {
	if r.Remark != "" {
		r.Remark += "; "
	}
	r.Remark += fmt.Sprintf(format, a...)
}

// pageLimit returns how long a page may take if it took so long without an attack.
func (l *NeighbourLimits) pageLimit(quiet time.Duration) time.Duration {
	if l.Page == 0 {
		return 0
	}
	return max(l.Page, quiet+quiet/2+100*time.Millisecond)
}

// pageLimit returns how long a page may take; quiet is the row without an attack.
func (r *NeighbourRow) pageLimit(quiet *NeighbourRow) time.Duration {
	if r.Limits.Slack > 0 {
		return r.Before.P95 + r.Before.P95/2 + r.Limits.Slack
	}
	return r.Limits.pageLimit(quiet.Page.P95)
}

// Violations returns the promises that were broken; quiet is the row without an attack.
func (r *NeighbourRow) Violations(quiet *NeighbourRow) []string {
	var all []string
	add := func(wrong bool, format string, a ...any) {
		if wrong {
			all = append(all, fmt.Sprintf(format, a...))
		}
	}
	over := func(what string, got, limit time.Duration) {
		add(limit > 0 && got > limit, "%s %s, at most %s", what, short(got), short(limit))
	}
	l := &r.Limits
	add(r.Failed != nil, "%v", r.Failed)
	add(r.Acks == 0, "nothing was acknowledged")
	over("acknowledgement p99", r.AckP99, l.Ack)
	add(r.Alarm.Count+r.Alarm.Missing == 0, "no alarm began")
	over("alarm", r.Alarm.Max, l.Alarm)
	add(r.Alarm.Missing > 0, "%d alarms were not told", r.Alarm.Missing)
	for _, one := range []struct {
		what  string
		calls CallStats
		limit time.Duration
	}{{"page", r.Page, r.pageLimit(quiet)}, {"sign-in", r.SignIn, l.SignIn}, {"write", r.Write, 0}} {
		add(one.calls.Count == 0, "no %s was asked for", one.what)
		over(one.what+" p95", one.calls.P95, one.limit)
		add(
			one.calls.Failed > 0,
			"%d of %d times %s failed: %v",
			one.calls.Failed,
			one.calls.Count,
			one.what,
			one.calls.First,
		)
	}
	over("write", r.Write.Max, l.Write)
	if r.Mails != nil {
		for _, one := range []struct {
			what  string
			delay Delay
			limit time.Duration
		}{{"serious mail", r.Mails.Serious, l.Serious}, {"important mail", r.Mails.Important, l.Important}} {
			add(one.delay.Count+one.delay.Missing == 0, "no %s was to be sent", one.what)
			over(one.what, one.delay.Max, one.limit)
			add(one.delay.Missing > 0, "%d times %s did not arrive", one.delay.Missing, one.what)
		}
	}
	add(l.Memory > 0 && r.Memory > l.Memory, "memory %s, at most %s", mebibytes(r.Memory), mebibytes(l.Memory))
	over("first reading taken after", r.Started, l.Start)
	add(r.Checked == 0 && r.Failed == nil, "nothing was read back")
	add(!r.OK(), "%d values lost, %d wrong, %d never sent: %s", r.Lost, r.Wrong, r.Extra, r.Example)
	add(r.Notices == 0 && r.Failed == nil, "no notice was expected")
	add(r.Differing > 0, "%d of %d notices differ from the reference: %s", r.Differing, r.Notices, r.Different)
	return all
}

// readBack reads a device's values and compares them with what was acknowledged.
func (r *NeighbourRow) readBack(
	ctx context.Context,
	c *console,
	device string,
	properties []string,
	acknowledged []frame,
) error {
	if len(acknowledged) == 0 {
		return nil
	}
	first, last := acknowledged[0].time, acknowledged[0].time
	for _, f := range acknowledged {
		first, last = min(first, f.time), max(last, f.time)
	}
	got, err := c.history(ctx, device, properties, first-verifyMargin, last+verifyMargin)
	if err != nil {
		return fmt.Errorf("read back %s: %w", device, err)
	}
	readBack(&r.Verification, device, properties, acknowledged, got)
	return nil
}

// compareNotices compares a tenant's notices with those of the reference, again and again until
// they are the same or patience is over, since the evaluation may be late.
func (r *NeighbourRow) compareNotices(
	ctx context.Context,
	c *console,
	want []expectedNotice,
	patience time.Duration,
) error {
	until := time.Now().Add(patience)
	for {
		all, err := (&noticeList{person: c}).all(ctx)
		if err != nil {
			return fmt.Errorf("read the notices: %w", err)
		}
		got := make([]expectedNotice, len(all.List))
		for i := range all.List {
			n := &all.List[i]
			got[i] = expectedNotice{
				title:    n.Title,
				device:   n.DeviceName,
				begin:    n.StartTime,
				end:      n.EndTime,
				unsteady: n.Unsteady,
			}
		}
		n, example := diffNotices(want, got)
		if n == 0 || !time.Now().Before(until) {
			r.Notices += len(want)
			if r.Differing += n; r.Different == "" {
				r.Different = example
			}
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(listPollInterval): // another process: there is no event to wait for
		}
	}
}

// PrintNeighbours prints the rows as the table in docs/benchmarks.md, with the limits; the first
// row is the quiet one.
func PrintNeighbours(out io.Writer, rows []NeighbourRow) error {
	if len(rows) == 0 {
		return nil
	}
	quiet := &rows[0]
	w := tabwriter.NewWriter(out, 0, 0, 1, ' ', 0)
	fmt.Fprintln(
		w,
		"\n| attack\t| ack p99\t| longest\t| alarm p50\t| longest\t| page p95\t| write, longest\t| sign-in p95\t"+
			"| memory\t| read back\t| lost\t| notices\t| differ\t| holds\t| \t|",
	)
	fmt.Fprintln(w, "|---\t|--:\t|--:\t|--:\t|--:\t|--:\t|--:\t|--:\t|--:\t|--:\t|--:\t|--:\t|--:\t|---\t|---\t|")
	l := defaultLimits
	fmt.Fprintf(
		w,
		"| *at most*\t| %s\t| \t| \t| %s\t| %s\t| %s\t| %s\t| %s\t| \t| 0\t| \t| 0\t| \t| \t|\n",
		short(l.Ack),
		short(l.Alarm),
		short(l.pageLimit(quiet.Page.P95)),
		short(l.Write),
		short(l.SignIn),
		mebibytes(l.Memory),
	)
	for i := range rows {
		r := &rows[i]
		holds := "yes"
		if len(r.Violations(quiet)) > 0 {
			holds = "**no**"
		}
		fmt.Fprintf(
			w,
			"| %s\t| %s\t| %s\t| %s\t| %s\t| %s\t| %s\t| %s\t| %s\t| %s\t| %s\t| %s\t| %s\t| %s\t| %s\t|\n",
			r.Attack,
			short(r.AckP99),
			short(r.AckMax),
			short(r.Alarm.P50),
			r.longestAlarm(),
			short(r.Page.P95),
			short(r.Write.Max),
			short(r.SignIn.P95),
			mebibytes(r.Memory),
			thousands(float64(r.Checked)),
			thousands(float64(r.Lost+r.Wrong+r.Extra)),
			thousands(float64(r.Notices)),
			thousands(float64(r.Differing)),
			holds,
			r.Remark,
		)
	}
	return w.Flush()
}

// longestAlarm returns the longest delay of an alarm, or how long the run waited for those that
// never came.
func (r *NeighbourRow) longestAlarm() string {
	if r.Alarm.Missing > 0 {
		return "> " + short(r.Alarm.Max)
	}
	return short(r.Alarm.Max)
}

// printSummary prints a row in a few lines as soon as it is complete, since a run is long.
func (r *NeighbourRow) printSummary(out io.Writer, quiet *NeighbourRow, took time.Duration) {
	fmt.Fprintf(
		out,
		"  %s: acknowledgement p99 %s, alarm p50 %s and longest %s, page p95 %s, "+
			"write longest %s, sign-in p95 %s, memory %s\n",
		short(took),
		short(r.AckP99),
		short(r.Alarm.P50),
		r.longestAlarm(),
		short(r.Page.P95),
		short(r.Write.Max),
		short(r.SignIn.P95),
		mebibytes(r.Memory),
	)
	if r.Remark != "" {
		fmt.Fprintf(out, "  %s\n", r.Remark)
	}
	for _, broken := range r.Violations(quiet) {
		fmt.Fprintf(out, "  BROKEN: %s\n", broken)
	}
}
