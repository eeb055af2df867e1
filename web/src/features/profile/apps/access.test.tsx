import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { midnight } from '@/lib/format/date';
import { setTenantZone } from '@/lib/format/zone';
import { setWidth } from '@/test/mediaQueries';
import { credential, openProfile, paths, profileServer, sentTo, toasts } from '@/test/profileServer';
import { refused } from '@/test/server';
import { daysLeft, expiryTime, scopesOf } from './access';
import { forgetSecret } from './freshSecret';

beforeEach(forgetSecret);

const dialog = () => within(screen.getByRole('dialog'));
const row = (name: string) => screen.getByRole('rowheader', { name }).closest('tr') as HTMLElement;
const box = (name: string) => dialog().getByRole('checkbox', { name });

async function openDialog(change: Parameters<typeof profileServer>[0] = {}) {
  const server = profileServer({ credentials: [credential(1)], ...change });
  const opened = await openProfile('/profile?tab=app');
  await opened.person.click(await screen.findByRole('button', { name: 'New key' }));
  return { server, ...opened };
}

describe('the expiry', () => {
  beforeEach(() => setTenantZone('Europe/Istanbul'));
  // In Istanbul it is already the 22nd.
  const evening = Date.parse('2026-11-21T22:30:00Z');
  const at = (text: string) => Date.parse(text);

  it('is the end of a day by the farm’s calendar', () => {
    expect(expiryTime({ expiry: 'never', day: '' }, evening)).toBeUndefined();
    expect(expiryTime({ expiry: 'month', day: '' }, evening)).toBe(at('2026-12-23T00:00:00+03:00'));
    expect(expiryTime({ expiry: 'quarter', day: '' }, evening)).toBe(at('2027-02-21T00:00:00+03:00'));
    expect(expiryTime({ expiry: 'year', day: '' }, evening)).toBe(at('2027-11-23T00:00:00+03:00'));
    expect(expiryTime({ expiry: 'day', day: '2026-12-31' }, evening)).toBe(at('2027-01-01T00:00:00+03:00'));
  });

  it('is so many days away', () => {
    expect(daysLeft(at('2026-11-23T00:00:00+03:00'), evening)).toBe(0);
    expect(daysLeft(at('2026-11-23T00:00:01+03:00'), evening)).toBe(1);
    expect(daysLeft(at('2026-11-22T00:00:00+03:00'), evening)).toBe(-1);
    // A day of 25 hours lies between.
    setTenantZone('Europe/Berlin');
    expect(daysLeft(at('2026-10-27T00:00:00+01:00'), at('2026-10-24T00:10:00+02:00'))).toBe(2);
  });
});

it('a lesser role takes scopes away, a higher one gives back those that were ticked', () => {
  const ticked = ['webhooks', 'telemetry'] as const;
  expect(scopesOf({ role: 'viewer', ticked })).toEqual([]);
  expect(scopesOf({ role: 'operator', ticked })).toEqual(['telemetry']);
  expect(scopesOf({ role: 'owner', ticked })).toEqual(['telemetry', 'webhooks']);
});

describe('the list', () => {
  const today = midnight(Date.now(), 0);
  const expiring = (days: number) => credential(1, { expiryTime: midnight(today, days + 1) });
  const open = async (...credentials: ReturnType<typeof credential>[]) => {
    profileServer({ credentials });
    await openProfile('/profile?tab=app');
    await screen.findByText('Key 1');
  };

  it('has the role, the scopes and the expiry of each key', async () => {
    await open(credential(1, { role: 'operator', scopes: ['read', 'telemetry'] }), credential(2));
    expect(screen.getByRole('columnheader', { name: 'Role and scopes' })).toBeVisible();
    expect(row('Key 1')).toHaveTextContent('OperatorRead, telemetry');
    expect(row('Key 2')).toHaveTextContent('OwnerRead, telemetry, webhooks');
    expect(row('Key 1')).toHaveTextContent('Does not expire');
    expect(row('Key 1')).not.toHaveTextContent('401');
  });

  it.each([
    [200, /Expires \w+ \d+/],
    [14, /Expires \w+ \d+/],
    [13, /Expires in 13 days/],
    [1, /Expires in 1 day(?!s)/],
    [0, /Expires today/],
    [-1, /Expired 1 day agoPrograms get 401/],
    [-3, /Expired 3 days agoPrograms get 401/],
  ])('says of a key with %i days left', async (days, words) => {
    await open(expiring(days));
    expect(row('Key 1')).toHaveTextContent(words);
  });

  it('says the same in cards', async () => {
    setWidth(390);
    await open(credential(1, { role: 'viewer', scopes: ['read'], expiryTime: midnight(today, -2) }));
    const card = screen.getByRole('heading', { name: 'Key 1' }).closest('li') as HTMLElement;
    expect(card).toHaveTextContent('ViewerRead');
    expect(card).toHaveTextContent('Expired 3 days agoPrograms get 401');
  });
});

describe('a new key', () => {
  it('reads as a viewer for a year unless something else is chosen', async () => {
    const { server, person } = await openDialog();
    await person.type(dialog().getByRole('textbox', { name: 'Name' }), 'Reader{Enter}');
    await screen.findByText('Keep the secret now');
    expect(sentTo(server, paths.create)).toEqual([
      {
        name: 'Reader',
        role: 'viewer',
        scopes: ['read'],
        expiryTime: expiryTime({ expiry: 'year', day: '' }, Date.now()),
      },
    ]);
  });

  it('has what was chosen', async () => {
    const { server, person } = await openDialog();
    await person.type(dialog().getByRole('textbox', { name: 'Name' }), 'Reader');
    await person.selectOptions(dialog().getByRole('combobox', { name: 'Role' }), 'Owner');
    await person.click(box('Webhooks'));
    await person.selectOptions(dialog().getByRole('combobox', { name: 'Expires' }), 'In 30 days');
    await person.click(dialog().getByRole('button', { name: 'Create key' }));
    await screen.findByText('Keep the secret now');
    expect(sentTo(server, paths.create)).toEqual([
      { name: 'Reader', role: 'owner', scopes: ['read', 'webhooks'], expiryTime: midnight(Date.now(), 31) },
    ]);
  });

  it('has only scopes that its role allows; the others say which role they need', async () => {
    const { server, person } = await openDialog();
    await person.type(dialog().getByRole('textbox', { name: 'Name' }), 'Gateway');
    await person.selectOptions(dialog().getByRole('combobox', { name: 'Role' }), 'Operator');
    expect(box('Telemetry')).not.toBeChecked();
    expect(box('Webhooks')).toBeDisabled();
    expect(box('Webhooks')).not.toBeChecked();
    expect(box('Webhooks')).toHaveAccessibleDescription('Sets up webhooks Needs at least the role “Owner”');
    await person.click(box('Read'));
    await person.selectOptions(dialog().getByRole('combobox', { name: 'Expires' }), 'Never');
    await person.click(dialog().getByRole('button', { name: 'Create key' }));
    expect(dialog().getByText('Choose at least one scope')).toBeVisible();
    expect(box('Read')).toHaveFocus();
    await person.click(box('Telemetry'));
    await person.click(dialog().getByRole('button', { name: 'Create key' }));
    await screen.findByText('Keep the secret now');
    expect(sentTo(server, paths.create)).toEqual([{ name: 'Gateway', role: 'operator', scopes: ['telemetry'] }]);
  });

  it('requires the day that the user wants to choose', async () => {
    const { server, person } = await openDialog();
    await person.type(dialog().getByRole('textbox', { name: 'Name' }), 'Reader');
    await person.selectOptions(dialog().getByRole('combobox', { name: 'Expires' }), 'After a day of your choice');
    await person.click(dialog().getByRole('button', { name: 'Create key' }));
    const day = dialog().getByRole('textbox', { name: 'Last day' });
    expect(day).toHaveAccessibleDescription('Please choose a day');
    expect(day).toHaveFocus();
    expect(sentTo(server, paths.create)).toEqual([]);
    await person.type(day, '12/31/2099{Enter}');
    expect(sentTo(server, paths.create)).toEqual([]);
    await person.click(dialog().getByRole('button', { name: 'Create key' }));
    await waitFor(() =>
      expect(sentTo(server, paths.create)).toMatchObject([
        { expiryTime: midnight(new Date(2099, 11, 31, 12).getTime(), 1) },
      ]),
    );
  });

  it.each([
    ['Role', 'Choose a role that is at most your own'],
    ['Expires', 'Choose a time in the future'],
  ])('shows what the server says of %s there', async (label, reason) => {
    const { server, person } = await openDialog();
    server.answers.set(paths.create, () => refused(601, `${label}: ${reason}`));
    await person.type(dialog().getByRole('textbox', { name: 'Name' }), 'Reader{Enter}');
    const control = dialog().getByRole('combobox', { name: label });
    await waitFor(() => expect(control).toHaveAccessibleDescription(reason));
    expect(control).toBeInvalid();
    expect(dialog().queryByRole('alert')).toBeNull();
    expect(toasts()).toEqual([]);
  });

  it('shows what the server says of the scopes there', async () => {
    const { server, person } = await openDialog();
    server.answers.set(paths.create, () => refused(601, 'Scopes: The scope “webhooks” needs a higher role'));
    await person.type(dialog().getByRole('textbox', { name: 'Name' }), 'Reader{Enter}');
    await waitFor(() =>
      expect(dialog().getByRole('group', { name: 'Scopes' })).toHaveAccessibleDescription(
        'The scope “webhooks” needs a higher role',
      ),
    );
  });
});
