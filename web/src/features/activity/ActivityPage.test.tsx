import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Language, useLanguage } from '@/lib/i18n/i18n';
import { activityServer, openActivity, rows } from '@/test/activityServer';
import { gate } from '@/test/gate';
import { setWidth } from '@/test/mediaQueries';
import { entry, provider } from '@/test/samples';
import { ok, refused } from '@/test/server';

let server: ReturnType<typeof activityServer>;
beforeEach(() => {
  server = activityServer([
    entry({ id: 3 }),
    entry({
      id: 2,
      kind: 'scene',
      action: 'create',
      thing: 'North',
      changes: [{ field: 'name', after: 'North' }],
    }),
    entry({
      id: 1,
      ...provider,
      kind: 'user',
      action: 'update',
      thing: 'Mehmet',
      changes: [{ field: 'password', hidden: true }],
    }),
  ]);
});

describe('the list', () => {
  it('shows when who did what', async () => {
    await openActivity();
    expect(rows().map(({ textContent }) => textContent)).toEqual([
      expect.stringMatching(/14:05.*Elif Kaya.*Changed device Mast: remark name from Mast to Pump 3$/),
      expect.stringMatching(/Elif Kaya.*Created scene North$/),
      expect.stringMatching(/Provider.*Changed the account of Mehmet: new password$/),
    ]);
  });

  it('has the chosen entry beside it, at first the newest', async () => {
    const { user, router } = await openActivity();
    const detail = (name: string) => within(screen.getByRole('region', { name }));
    const cells = (name: string) =>
      detail(name)
        .getAllByRole('cell')
        .map(({ textContent }) => textContent);
    expect(cells('Changed device Mast')).toEqual(['Mast', 'Pump 3']);
    expect(detail('Changed device Mast').getByText('198.51.100.7')).toBeVisible();
    expect(rows()[0]).toHaveAttribute('aria-current', 'true');
    await user.click(rows()[1] as HTMLElement);
    expect(router.state.location.search).toEqual({ id: 2 });
    expect(cells('Created scene North')).toEqual(['North']);
    expect(screen.getAllByRole('table')).toHaveLength(1);
    await user.selectOptions(screen.getByRole('combobox', { name: 'What' }), 'Users');
    await waitFor(() => expect(router.state.location.search).toEqual({ kind: 'user' }));
    expect(await screen.findByRole('region', { name: 'Changed the account of Mehmet' })).toBeVisible();
  });

  it('shows the conditions of a rule before and after as sentences, and whom the provider gave a device', async () => {
    const frost = (value: number) => [{ andor: 'and', tslAttribute: 'airTemperature', subconditions: '<', value }];
    server.entries = [
      entry({
        id: 2,
        kind: 'rule',
        thing: 'Spring frost',
        changes: [{ field: 'conditions', before: frost(2), after: frost(3) }],
      }),
      entry({
        id: 1,
        ...provider,
        action: 'create',
        thing: 'Hedge mast',
        changes: [{ field: 'noteName', after: 'Hedge mast' }],
      }),
    ];
    const { user } = await openActivity();
    // The attributes' names come after the entries.
    await waitFor(() =>
      expect(rows()[0]).toHaveTextContent(
        /Changed alarm rule Spring frost: conditions from Air temperature below 2.* to Air temperature below 3/,
      ),
    );
    const beside = within(screen.getByRole('region', { name: 'Changed alarm rule Spring frost' }));
    expect(beside.getByRole('row', { name: /^conditions/ })).toHaveTextContent(
      /^conditionsAir temperature below 2.*Air temperature below 3/,
    );
    expect(rows()[1]).toHaveTextContent(/Provider.*Added device Hedge mast$/);
    await user.click(rows()[1] as HTMLElement);
    expect(await screen.findByRole('rowheader', { name: 'remark name' })).toBeVisible();
  });

  it('opens the entry that the address names', async () => {
    await openActivity('/profile/activity?id=2');
    expect(screen.getByRole('region', { name: 'Created scene North' })).toBeVisible();
    expect(rows()[1]).toHaveAttribute('aria-current');
  });

  it('without room beside it, unfolds everything that is known of an entry', async () => {
    setWidth(1024);
    const { user } = await openActivity();
    await user.click(rows()[0] as HTMLElement);
    const table = screen.getByRole('table');
    expect(
      within(table)
        .getAllByRole('cell')
        .map(({ textContent }) => textContent),
    ).toEqual(['Mast', 'Pump 3']);
    expect(screen.getByText('198.51.100.7')).toBeVisible();
    expect(screen.getByText('0123456789abcdef')).toBeVisible();
    await user.click(screen.getByRole('button', { name: /Created scene North/ }));
    const made = screen.getAllByRole('table')[1] as HTMLElement;
    expect(
      within(made)
        .getAllByRole('columnheader')
        .map(({ textContent }) => textContent),
    ).toEqual(['What', 'After']);
    await user.click(screen.getByRole('button', { name: /Created scene North/ }));
    await user.click(rows().at(-1) as HTMLElement);
    expect(screen.getByText('Changed; what it is, is not kept')).toBeVisible();
    await user.click(screen.getByRole('button', { expanded: true, name: /Mast/ }));
    expect(screen.getAllByRole('table')).toHaveLength(1);
  });

  it('is in the user’s language', async () => {
    await openActivity();
    for (const [language, text] of [
      ['ru-ru', 'Создание участка North'],
      ['tr-tr', 'North sahasını oluşturdu'],
      ['zh-cn', '新建了场景 North'],
    ] as [Language, string][]) {
      await useLanguage.getState().setLanguage(language);
      await waitFor(() => expect(rows()[1]).toHaveTextContent(text));
    }
  });

  it('has pages of 10 to 400 entries and says where the log ends', async () => {
    server.entries = Array.from({ length: 23 }, (_, i) => entry({ id: 23 - i, thing: `Mast ${i + 1}` }));
    const { user } = await openActivity('/profile/activity?page=3');
    expect(rows()).toHaveLength(3);
    await user.selectOptions(screen.getByRole('combobox', { name: 'Rows on a page' }), '400 / page');
    await waitFor(() => expect(rows()).toHaveLength(23));
    expect(server.asked.at(-1)).toMatchObject({ pageNo: '1', pageSize: '400' });
    server.answer = () => ok({ list: server.entries, total: 100_000, people: [] });
    await user.click(screen.getByRole('button', { name: 'Query' }));
    expect(await screen.findByText(/The newest 100,000 are listed/)).toBeVisible();
  });

  it('goes to the last existing page', async () => {
    const { router } = await openActivity('/profile/activity?page=9');
    await waitFor(() => expect(router.state.location.search).toEqual({}));
  });
});

describe('the filters', () => {
  it('filter by person, kind, name and days, and are kept in the address', async () => {
    const { user, router } = await openActivity();
    await user.selectOptions(screen.getByRole('combobox', { name: 'Who' }), 'Provider');
    await waitFor(() => expect(rows()).toHaveLength(1));
    await user.selectOptions(screen.getByRole('combobox', { name: 'What' }), 'Users');
    await user.type(screen.getByLabelText('From'), '11/01/2026{Enter}');
    await user.type(screen.getByLabelText('To'), '11/21/2026{Enter}');
    await user.type(screen.getByRole('textbox', { name: 'Search activity' }), ' mehmet{Enter}');
    await waitFor(() =>
      expect(server.asked.at(-1)).toEqual({
        who: 'provider',
        kind: 'user',
        text: 'mehmet',
        startTime: String(new Date('2026-11-01T00:00:00').getTime()),
        endTime: String(new Date('2026-11-22T00:00:00').getTime() - 1),
        pageNo: '1',
        pageSize: '10',
      }),
    );
    expect(router.state.location.search).toEqual({
      who: 'provider',
      kind: 'user',
      q: 'mehmet',
      from: '2026-11-01',
      to: '2026-11-21',
    });
    await useLanguage.getState().setLanguage('ru-ru');
    await waitFor(() => expect(screen.getByDisplayValue('21.11.2026')).toBeVisible());
    await useLanguage.getState().setLanguage('en-us');
    const all = server.entries;
    server.entries = [];
    await user.click(screen.getByRole('button', { name: 'Query' }));
    const show = await screen.findByRole('button', { name: 'Show everything' });
    server.entries = all;
    await user.click(show);
    await waitFor(() => expect(router.state.location.search).toEqual({}));
    await waitFor(() => expect(rows()).toHaveLength(3));
  });

  it('search for what is typed once typing pauses', async () => {
    const { user, router } = await openActivity();
    await user.type(screen.getByRole('textbox', { name: 'Search activity' }), ' mast');
    await waitFor(() => expect(server.asked.at(-1)).toMatchObject({ text: 'mast', pageNo: '1' }));
    expect(router.state.location.search).toEqual({ q: 'mast' });
  });

  it('are folded away on a phone', async () => {
    setWidth(390);
    const { user } = await openActivity();
    expect(screen.queryByRole('combobox', { name: 'Who' })).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Filters' }));
    expect(screen.getByRole('combobox', { name: 'Who' })).toBeVisible();
  });

  it('keep an unknown person from the address', async () => {
    server.entries = [];
    await openActivity('/profile/activity?who=user:99');
    expect(screen.getByRole('combobox', { name: 'Who' })).toHaveValue('user:99');
    expect(screen.getByText('Nothing matches')).toBeVisible();
  });
});

it('says that there are no entries yet', async () => {
  server.entries = [];
  await openActivity();
  expect(screen.getByText('Nothing was done yet')).toBeVisible();
});

it('shows placeholders while it loads, and errors', async () => {
  const wait = gate();
  server.answer = async () => {
    await wait.passed;
    return refused(500, 'Something went wrong');
  };
  const opening = openActivity();
  expect((await screen.findAllByText('Loading')).length).toBeGreaterThan(0);
  wait.open();
  const { user } = await opening;
  server.answer = undefined;
  await user.click(await screen.findByRole('button', { name: 'Retry' }));
  await waitFor(() => expect(rows()).toHaveLength(3));
});

it('is linked from the profile and leads back to it', async () => {
  const { user, router } = await openActivity();
  await user.click(screen.getByRole('link', { name: 'Back to the profile' }));
  await waitFor(() => expect(router.state.location.pathname).toBe('/profile'));
  await user.click(await screen.findByRole('link', { name: /^Activity on the farm/ }));
  expect(await screen.findByRole('heading', { level: 1, name: 'Activity' })).toBeVisible();
});
