import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type AlarmServer, alarmServer, openAlarms, paths, sentTo } from '@/test/alarmServer';
import { gate } from '@/test/gate';
import { setWidth } from '@/test/mediaQueries';
import { channel, rehearsal, rule } from '@/test/samples';
import { ok, onGet, onPost } from '@/test/server';
import { noAnswer } from '@/test/telemetryServer';

let server: AlarmServer;
beforeEach(() => {
  server = alarmServer();
});

const rehearsalRegion = () =>
  within(document.querySelector<HTMLElement>('[aria-label="Rehearsal, last 30 days"]') as HTMLElement);
const limit = () => rehearsalRegion().getByLabelText('Limit of Air temperature');
const value = () => screen.getByLabelText<HTMLInputElement>('Value of condition 1');
const asked = () =>
  sentTo(server, paths.rehearse).map((body) => (body as { conditions: { value: unknown }[] }).conditions[0]?.value);

async function open(address = '/alarm?rule=1') {
  const opened = await openAlarms(server, address);
  await screen.findByText(/^(Save and run|Run although)/);
  return opened;
}

describe('the rehearsal', () => {
  it('waits until the form holds enough', async () => {
    await open('/alarm?rule=new');
    expect(rehearsalRegion().getByText(/^Choose device, trigger and condition/)).toBeInTheDocument();
    expect(asked()).toEqual([]);
  });

  it('asks for the period if only that is wrong', async () => {
    const { user } = await open();
    await rehearsalRegion().findByText('This rule would have alarmed 2 times');
    await user.selectOptions(screen.getByLabelText('Start'), '20:00');
    await user.selectOptions(screen.getByLabelText('End'), '06:00');
    expect(rehearsalRegion().getByText(/^Set the notification period right/)).toBeInTheDocument();
  });

  it('says how often, how long, when, by night or day, and who would have been notified', async () => {
    server.rules = [rule({ passageway: [1] })];
    await open();
    expect(await rehearsalRegion().findByText('This rule would have alarmed 2 times')).toBeInTheDocument();
    expect(rehearsalRegion().getByText(/^Longest 3 h 12 min, on/)).toHaveTextContent(
      /1 of 2 inside the notification period\. 1 at night\.$/,
    );
    const items = within(rehearsalRegion().getByLabelText('What it would have recorded')).getAllByRole('listitem');
    expect(
      items.map((item) => item.textContent?.replaceAll('\u00a0', ' ').replace(/[A-Z]\w+ \d+, \d\d:\d\d/, 'then')),
    ).toEqual(['at nightthen3 h 12 mintold', 'by daythen22 minoutside the period']);
    expect(sentTo(server, paths.rehearse)).toMatchObject([
      { executionId: 'WS-1', triggerType: 0, hitCounts: 3, durations: 600_000, startTime: '00:00', endTime: '24:00' },
    ]);
  });

  it.each([
    [
      { phoneMessage: true, logged: true },
      'log only',
      /, but written to the log only\./,
      /^What these channels tell is/,
    ],
    [{ phoneMessage: false }, 'nobody told', /, but nobody would be told\./, /^None of these channels reaches anybody/],
  ])('does not say that anybody would be notified where %o', async (ways, mark, sum, hint) => {
    server.rules = [rule({ passageway: [1] })];
    server.channels = [channel({ id: 1 })];
    onGet('/admin-api/client/pc/notice-channel/get/ways', () => ok({ email: false, language: 'en-us', ...ways }));
    await open();
    expect(await rehearsalRegion().findByText(sum)).toHaveTextContent('1 of 2 inside the notification period');
    const list = within(rehearsalRegion().getByLabelText('What it would have recorded'));
    expect(list.getByText(mark)).toBeInTheDocument();
    expect(list.queryByText('told')).toBeNull();
    expect(screen.getByText(hint)).toHaveTextContent('Ask whoever runs Tilth');
    expect(screen.getByRole('button', { name: 'Save although nobody is told' })).toBeVisible();
    expect(screen.getByRole('button', { name: /Run although nobody is told/ })).toBeVisible();
  });

  it('does not say that anybody is notified by a rule without a channel', async () => {
    await open();
    expect(await rehearsalRegion().findByText(/^Longest 3 h 12 min, on/)).not.toHaveTextContent(
      'inside the notification period',
    );
    const list = within(rehearsalRegion().getByLabelText('What it would have recorded'));
    expect(list.getAllByText('recorded')).toHaveLength(2);
    expect(list.queryByText('told')).toBeNull();
  });

  it('follows the form once it has not changed for a while, with a single request', async () => {
    await open();
    await rehearsalRegion().findByText('This rule would have alarmed 2 times');
    const before = asked().length;
    server.rehearsal = rehearsal({ total: 0, notices: [] });
    // One keystroke after another without a pause, however slow the machine.
    for (const typed of ['', '-', '-1', '-12', '-12.5']) {
      fireEvent.change(value(), { target: { value: typed } });
      if (typed === '')
        expect(rehearsalRegion().getByText(/^Choose device, trigger and condition/)).toBeInTheDocument();
    }
    expect(await rehearsalRegion().findByText('This rule would never have alarmed')).toBeInTheDocument();
    expect(asked().slice(before)).toEqual([-12.5]);
  });

  it('has a limit that keys move together with the form’s value', async () => {
    const { user } = await open();
    await rehearsalRegion().findByText('This rule would have alarmed 2 times');
    expect(limit()).toHaveAttribute('aria-valuetext', '2\u00a0°C');
    limit().focus();
    await user.keyboard('{ArrowUp}{ArrowUp}');
    expect(value()).toHaveValue('2.4');
    expect(screen.getByText(/^Alarm when/, { selector: 'p' })).toHaveTextContent('Air temperature is below 2.4 °C');
    await user.keyboard('{ArrowDown}{PageUp}');
    expect(value()).toHaveValue('4.2');
    // At once, before the request: days that the limit now crosses are marked in red.
    expect(document.querySelectorAll('[data-beyond]').length).toBe(15);
    await waitFor(() => expect(asked().at(-1)).toBe(4.2));
  });

  it('marks only days that cross the limit once they are rounded like readings', async () => {
    const [first] = rehearsal().days;
    const day = first?.day ?? 0;
    const days = [1.94, 1.96].map((min, i) => ({ day: day + i * 86_400_000, min, max: 9 }));
    server.answers.set(paths.rehearse, () => ok(rehearsal({ days })));
    await open();
    await rehearsalRegion().findByText('This rule would have alarmed 2 times');
    expect(document.querySelectorAll('[data-beyond]').length).toBe(1);
  });

  it('has a limit that a pointer drags', async () => {
    await open();
    await rehearsalRegion().findByText('This rule would have alarmed 2 times');
    const box = { top: 0, left: 0, width: 352, height: 190 } as DOMRect;
    vi.spyOn(limit().parentElement as HTMLElement, 'getBoundingClientRect').mockReturnValue(box);
    fireEvent.pointerDown(limit(), { button: 0, clientY: 140 });
    fireEvent.pointerMove(limit(), { clientY: 91 });
    // The middle of the chart is the middle of the days' range of 0 to 19.
    expect(value()).toHaveValue('9.6');
    fireEvent.pointerUp(limit());
    fireEvent.pointerMove(limit(), { clientY: 30 });
    expect(value()).toHaveValue('9.6');
    await waitFor(() => expect(asked().at(-1)).toBe(9.6));
  });

  it('warns, by the form’s current values, of a window that cannot fill', async () => {
    server.rehearsal = rehearsal({ usualInterval: 239_400, fits: true });
    const { user } = await open();
    await rehearsalRegion().findByText('This rule would have alarmed 2 times');
    expect(rehearsalRegion().queryByText(/can never trigger/)).toBeNull();
    await user.selectOptions(screen.getByLabelText('Window'), '5 minutes');
    expect(rehearsalRegion().getByText('Only 2 readings fit into 5 minutes: can never trigger')).toBeInTheDocument();
    expect(rehearsalRegion().getByText(/^The device usually sends every 4\smin\./)).toBeInTheDocument();
  });

  it('says that there are no readings', async () => {
    server.rehearsal = rehearsal({ samples: 0, total: 0, notices: [], days: [], usualInterval: undefined });
    await open();
    expect(await rehearsalRegion().findByText(/^The device has no readings of these attributes/)).toBeInTheDocument();
  });

  it('shows an error in its place and can be retried', async () => {
    server.answers.set(paths.rehearse, noAnswer);
    const { user } = await open();
    const note = await rehearsalRegion().findByRole('alert');
    expect(note).toHaveTextContent('The rehearsal could not be made');
    server.answers.delete(paths.rehearse);
    await waitFor(async () => {
      await user.click(within(note).getByText('Retry'));
      expect(rehearsalRegion().getByText('This rule would have alarmed 2 times')).toBeInTheDocument();
    });
  });

  it('has no chart for a rule on being offline', async () => {
    server.rules = [rule({ triggerType: 1, conditions: [] })];
    server.rehearsal = rehearsal({ tslAttribute: undefined, days: [], samples: 0, knownFrom: Date.now() - 3_600_000 });
    await open();
    expect(await rehearsalRegion().findByText('This rule would have alarmed 2 times')).toBeInTheDocument();
    expect(rehearsalRegion().getByText(/^Known since .+ only: what was before is not kept\.$/)).toBeInTheDocument();
    expect(rehearsalRegion().queryByRole('slider')).toBeNull();
  });

  it('says that no presence changes of the device are known', async () => {
    server.rules = [rule({ triggerType: 1, conditions: [] })];
    server.rehearsal = rehearsal({ tslAttribute: undefined, days: [], samples: 0, total: 0, notices: [] });
    await open();
    expect(
      await rehearsalRegion().findByText(/^Nothing is kept of when this device came and went/),
    ).toBeInTheDocument();
    expect(rehearsalRegion().queryByText(/never have alarmed/)).toBeNull();
  });

  it('shows only the newest of many notices', async () => {
    const many = Array.from({ length: 20 }, (_, i) => ({
      startTime: Date.now() - (20 - i) * 3_600_000,
      endTime: Date.now() - (20 - i) * 3_600_000 + 60_000,
      night: false,
      told: true,
    }));
    server.rehearsal = rehearsal({ notices: many, total: 20 });
    const { user } = await open();
    await user.click(await rehearsalRegion().findByText('14 earlier ones'));
    expect(
      within(rehearsalRegion().getByLabelText('What it would have recorded')).getAllByRole('listitem'),
    ).toHaveLength(20);
    expect(rehearsalRegion().getByText('Show the newest only')).toBeInTheDocument();
  });

  it('warns of unsteady notices and marks them', async () => {
    const notices = rehearsal().notices.map((notice, i) => (i === 0 ? { ...notice, unsteady: true } : notice));
    server.rehearsal = rehearsal({ notices });
    await open();
    expect(await rehearsalRegion().findByText('The readings keep crossing the limit')).toBeInTheDocument();
    const listed = within(rehearsalRegion().getByLabelText('What it would have recorded')).getAllByRole('listitem');
    expect(listed.map((element) => element.textContent?.includes('unsteady'))).toEqual([true, false]);
  });

  it('is folded on a phone, with its result in sight', async () => {
    setWidth(390);
    const { user } = await open();
    expect(await rehearsalRegion().findByText('This rule would have alarmed 2 times')).toBeInTheDocument();
    expect(rehearsalRegion().queryByRole('slider')).toBeNull();
    await user.click(rehearsalRegion().getByText('What it would have recorded'));
    expect(limit()).toBeInTheDocument();
  });

  const advised = {
    recovery: {
      kind: 'recovery',
      condition: 0,
      tslAttribute: 'airTemperature',
      recovery: 2.5,
      notices: 4,
      without: 21,
      keepsLonger: 0,
      kept: 9,
      keptNights: 9,
      dropped: 0,
    },
    hits: {
      kind: 'hits',
      hitCounts: 5,
      durations: 600_000,
      notices: 1,
      without: 21,
      keepsLonger: 300_000,
      kept: 2,
      dropped: 17,
    },
  } as const;

  it('advises changes of the rule, each applied by one click', async () => {
    server.rehearsal = rehearsal({ total: 21, advice: [advised.recovery, advised.hits] });
    const { user } = await open();
    const use = (advice: string) => rehearsalRegion().getByLabelText(`Use this: ${advice}`);
    const clears = await rehearsalRegion().findByText('Clears at 2.5 °C: 4 alarms instead of 21');
    const [recovery, hits, ...more] = clears.closest('ul')?.querySelectorAll('li') ?? [];
    expect(more).toEqual([]);
    expect(recovery).toHaveTextContent('Keeps all 9 nights. Leaves none out.');
    expect(hits).toHaveTextContent('Keeps all 2 longer than 5 min. Drops 17 that lasted 5 min or less.');
    server.rehearsal = rehearsal({ total: 4, advice: [advised.hits] });
    await user.click(use('Clears at 2.5 °C: 4 alarms instead of 21'));
    expect(screen.getByLabelText('Recovery value of condition 1')).toHaveValue('2.5');
    expect(await rehearsalRegion().findByText('This rule would have alarmed 4 times')).toBeInTheDocument();
    expect(sentTo(server, paths.rehearse).at(-1)).toMatchObject({ conditions: [{ value: 2, recovery: 2.5 }] });
    expect(rehearsalRegion().queryByText(/^Clears at 2\.5/)).toBeNull();

    server.rehearsal = rehearsal({ total: 0, notices: [] });
    await user.click(use('5 readings within 10 min: 1 alarm instead of 21'));
    expect(screen.getByLabelText('Number of readings')).toHaveValue('5');
    expect(await rehearsalRegion().findByText('This rule would never have alarmed')).toBeInTheDocument();
    expect(sentTo(server, paths.rehearse).at(-1)).toMatchObject({ hitCounts: 5, durations: 600_000 });
    expect(rehearsalRegion().queryByText('How to get fewer alarms')).toBeNull();
  });

  it('gives no advice on new values until they have been rehearsed', async () => {
    server.rehearsal = rehearsal({ total: 21, advice: [advised.recovery] });
    const { user } = await open();
    await rehearsalRegion().findByText(/^Clears at 2\.5/);
    const button = () => rehearsalRegion().getByLabelText(/^Use this/);
    expect(button()).toHaveAttribute('aria-disabled', 'false');
    const rehearsed = gate();
    onPost(paths.rehearse, async () => {
      await rehearsed.passed;
      return ok(server.rehearsal);
    });
    fireEvent.change(value(), { target: { value: '1' } });
    expect(button()).toHaveAttribute('aria-disabled', 'true');
    await user.click(button());
    expect(screen.queryByLabelText('Recovery value of condition 1')).toBeNull();
    rehearsed.open();
    await waitFor(() => expect(button()).toHaveAttribute('aria-disabled', 'false'));
  });

  it('names the attribute of an advice if there are several conditions', async () => {
    const [first] = rule().conditions;
    const second = { ...rule().conditions[0], tslAttribute: 'airHumidity', subconditions: '>', value: 80 } as const;
    server.rules = [rule({ conditions: [first, second] as never })];
    const advice = { ...advised.recovery, condition: 1, tslAttribute: 'airHumidity', recovery: 78 };
    server.rehearsal = rehearsal({ total: 21, advice: [advice, { ...advised.recovery, condition: 1 }] });
    const { user } = await open();
    // The second condition has another attribute than in the form.
    expect(await rehearsalRegion().findAllByLabelText(/^Use this/)).toHaveLength(1);
    await user.click(rehearsalRegion().getByLabelText(/^Use this: .+ clears at 78.+: 4 alarms instead of 21$/));
    expect(screen.getByLabelText('Recovery value of condition 2')).toHaveValue('78');
    expect(screen.queryByLabelText('Recovery value of condition 1')).toBeNull();
  });
});
