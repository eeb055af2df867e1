import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { type Language, useLanguage } from '@/lib/i18n/i18n';
import { streamEvent } from '@/test/alarmServer';
import { askedOf, list, noticeRegion, noticeServer, openNotices, paths } from '@/test/noticeServer';
import { toasts, waitForDialogClosed } from '@/test/profileServer';
import { ack, detailOf, type Notice, notice } from '@/test/samples';
import { refused } from '@/test/server';
import { noAnswer } from '@/test/telemetryServer';

// jsdom has no canvas.
vi.mock('@/ui/chart/Chart', () => ({ Chart: () => null }));

async function open(one: Notice = notice(), change: Parameters<typeof detailOf>[1] = {}) {
  const server = noticeServer([one]);
  server.details.set(1, detailOf(one, change));
  return { server, ...(await openNotices(server)) };
}

const button = (name: string) => noticeRegion().getByRole('button', { name });
const block = () => within(noticeRegion().getByRole('region', { name: 'Who is on it' }));
/** Matches a paragraph by its whole text, some of which is bold. */
const textMatcher = (words: RegExp) => (_: string, element: Element | null) =>
  element?.tagName === 'P' && words.test(element.textContent);
const dialog = async (name: string) => within(await screen.findByRole('dialog', { name }));

describe('acknowledging a notice', () => {
  it('is possible for any user, with a note and a reminder time, and is shown in detail and list', async () => {
    const { server, user } = await open(notice(), { notice: { mayResolve: false } });
    await user.click(button('I am on it'));
    const form = await dialog('I am on it');
    const note = form.getByRole('textbox', { name: 'Note (optional)' });
    expect(note).toHaveFocus();
    expect(form.getByRole('radio', { name: /^4\sh$/ })).toBeChecked();
    await user.type(note, ' Heaters next ');
    await user.click(form.getByText('12 h'));
    await user.click(form.getByRole('button', { name: 'I am on it' }));
    await waitForDialogClosed();
    expect(server.sent).toEqual([{ id: 1, note: 'Heaters next', remindHours: 12 }]);
    expect(await block().findByText('Elif Kaya is on it')).toBeVisible();
    expect(block().getByText('Heaters next')).toBeVisible();
    expect(block().getByText(/^No reminders until /)).toBeVisible();
    await waitFor(() => expect(list().getByRole('link')).toHaveTextContent('PendingSeriousElif Kaya is on it'));
    expect(noticeRegion().queryByRole('button', { name: 'I am on it' })).toBeNull();
  });

  it('requires no note, is submitted by keyboard, but not by Enter alone', async () => {
    const { server, user } = await open();
    await user.click(button('I am on it'));
    await dialog('I am on it');
    await user.keyboard('A{Enter}{Backspace}{Backspace}');
    expect(server.sent).toEqual([]);
    await user.keyboard('{Control>}{Enter}{/Control}');
    await waitFor(() => expect(server.sent).toEqual([{ id: 1, remindHours: 4 }]));
    await waitForDialogClosed();
  });

  it('is cancelled by Escape, which returns the focus to the button, but not once something was typed', async () => {
    const { server, user } = await open();
    await user.click(button('I am on it'));
    await dialog('I am on it');
    await user.keyboard('{Escape}');
    await waitForDialogClosed();
    await waitFor(() => expect(button('I am on it')).toHaveFocus());
    await user.click(button('I am on it'));
    const form = await dialog('I am on it');
    await user.keyboard('On my way{Escape}');
    expect(form.getByRole('textbox')).toHaveValue('On my way');
    await user.click(form.getByRole('button', { name: 'Cancel' }));
    await waitForDialogClosed();
    expect(server.sent).toEqual([]);
  });

  it('accepts no note of more than 500 characters', async () => {
    const { server, user } = await open();
    await user.click(button('I am on it'));
    const form = await dialog('I am on it');
    await user.paste('x'.repeat(501));
    expect(form.getByText('At most 500 characters')).toBeInTheDocument();
    await user.click(form.getByRole('button', { name: 'I am on it' }));
    expect(server.sent).toEqual([]);
  });

  it('shows why it was refused, and the notice’s new state', async () => {
    const { server, user } = await open();
    server.answers.set(paths.acknowledge, () => {
      server.details.set(1, detailOf(notice({ resolveStatus: 1, endTime: Date.now() })));
      return refused(601, 'This notice is not open any more.');
    });
    await user.click(button('I am on it'));
    const form = await dialog('I am on it');
    await user.click(form.getByRole('button', { name: 'I am on it' }));
    expect(await form.findByRole('alert')).toHaveTextContent('This notice is not open any more.');
    expect(await noticeRegion().findByText('A reading was back within the limits.')).toBeInTheDocument();
    expect(toasts()).toEqual([]);
  });

  it('shows in the form that the server does not answer', async () => {
    const { server, user } = await open();
    server.answers.set(paths.acknowledge, noAnswer);
    await user.click(button('I am on it'));
    const form = await dialog('I am on it');
    await user.type(form.getByRole('textbox'), 'On my way');
    await user.click(form.getByRole('button', { name: 'I am on it' }));
    await waitFor(() => expect(toasts()[0]?.title).toBe('Could not note who is on it'));
    expect(form.getByRole('textbox')).toHaveValue('On my way');
  });

  it('can be changed by the same user, whose note is filled in', async () => {
    const { user } = await open(notice({ ack: ack({ user: 'Elif Kaya', note: 'On my way' }) }));
    await user.click(button('Change'));
    const dialogBox = await dialog('I am on it');
    expect(dialogBox.getByRole('textbox')).toHaveValue('On my way');
    expect(dialogBox.queryByText(/takes the place/)).toBeNull();
  });

  it('after another user does not take over their note', async () => {
    const { user, server } = await open(notice({ ack: ack({ note: 'On my way' }) }));
    await user.click(button('Change'));
    const form = await dialog('I am on it');
    expect(form.getByRole('textbox')).toHaveValue('');
    expect(form.getByText(/^This replaces what Ada said at \d\d:\d\d\.$/)).toBeVisible();
    await user.click(form.getByText('1 h'));
    await user.click(form.getByRole('button', { name: 'I am on it' }));
    await waitFor(() => expect(server.sent).toEqual([{ id: 1, remindHours: 1 }]));
    expect(await block().findByText('Elif Kaya is on it')).toBeVisible();
  });

  it('is taken back after confirmation', async () => {
    const { server, user } = await open(notice({ ack: ack() }));
    await user.click(button('Take back'));
    const question = await dialog('Take it back?');
    expect(question.getByText(/^Everybody sees then that nobody is on “Spring frost”/)).toBeVisible();
    await user.click(question.getByRole('button', { name: 'Take back' }));
    await waitForDialogClosed();
    expect(server.sent).toEqual([{ id: 1 }]);
    expect(await noticeRegion().findByRole('button', { name: 'I am on it' })).toBeVisible();
    await waitFor(() => expect(list().getByRole('link')).not.toHaveTextContent('is on it'));
  });

  it('shows that another user has already taken it back', async () => {
    const { server, user } = await open(notice({ ack: ack() }));
    server.answers.set(paths.unacknowledge, () => {
      server.details.set(1, detailOf(notice()));
      return refused(601, 'Nobody has said to be on this alarm');
    });
    await user.click(button('Take back'));
    await user.click((await dialog('Take it back?')).getByRole('button', { name: 'Take back' }));
    await waitForDialogClosed();
    expect(toasts()).toMatchObject([
      { tone: 'warning', title: 'Could not take it back', text: 'Nobody has said to be on this alarm' },
    ]);
    expect(await noticeRegion().findByRole('button', { name: 'I am on it' })).toBeVisible();
  });

  it('is not offered for an ended notice, which still shows who had acknowledged it', async () => {
    await open(notice({ resolveStatus: 1, endTime: Date.now(), ack: ack({ note: 'On my way' }) }));
    expect(noticeRegion().queryByRole('button', { name: 'I am on it' })).toBeNull();
    expect(noticeRegion().queryByRole('button', { name: 'Change' })).toBeNull();
    expect(noticeRegion().getByText(/^Ada was on it, since \d\d:\d\d\.$/)).toBeVisible();
    expect(noticeRegion().getByText('On my way')).toBeVisible();
    expect(list().getByRole('link')).not.toHaveTextContent('is on it');
  });

  it('shows that reminders have begun again', async () => {
    await open(notice({ ack: ack({ remindAt: Date.now() - 1000 }) }));
    expect(block().getByText(/^Reminders were paused until \d\d:\d\d$/)).toBeVisible();
  });

  it.each([
    ['zh-cn', '告警通知', '通知详情', 'Ada正在处理', ['更改', '撤回', '标记为已解决']],
    ['tr-tr', 'Alarmlar', 'Alarm ayrıntısı', 'Ada ilgileniyor', ['Değiştir', 'Geri al', 'Çözüldü olarak işaretle']],
    ['ru-ru', 'Тревоги', 'Подробности тревоги', 'Занимается Ada', ['Изменить', 'Убрать отметку', 'Отметить решённой']],
  ] as const)('in %s', async (language, title, region, state, buttons) => {
    await useLanguage.getState().setLanguage(language as Language);
    const server = noticeServer([notice({ ack: ack({ note: 'x' }), holdsSince: Date.now() - 3_600_000 })]);
    await openNotices(server, '/inform', title);
    const detail = screen.getByRole('region', { name: region });
    expect(detail).not.toHaveTextContent(/inform\.|\{\{/);
    expect(within(detail).getByText(state)).toBeVisible();
    const header = detail.querySelector('header') as HTMLElement;
    expect(
      within(header)
        .getAllByRole('button')
        .map(({ textContent }) => textContent),
    ).toEqual(buttons);
  });
});

describe('the stream', () => {
  const calls = (server: ReturnType<typeof noticeServer>) =>
    [paths.page, paths.get].map((path) => askedOf(server, path).length);

  it('updates acknowledgement and holdsSince, and shows that it was taken back, without a request', async () => {
    const { server } = await open();
    const before = calls(server);
    const one = server.notices[0] as Notice;
    streamEvent(server as never, 'notice', {
      ...one,
      holdsSince: one.startTime - 3_600_000,
      ack: ack({ note: 'On my way' }),
    });
    expect(await noticeRegion().findByText('Ada is on it')).toBeVisible();
    expect(block().getByText('On my way')).toBeVisible();
    expect(noticeRegion().getByText(textMatcher(/^Air temperature below 2\s°C since /))).toBeVisible();
    expect(list().getByRole('link')).toHaveTextContent(
      /^Spring frostSince .+, noticed .+Orchard mastPendingSeriousAda is on it$/,
    );
    streamEvent(server as never, 'notice', one);
    await waitFor(() => expect(noticeRegion().queryByText('Ada is on it')).toBeNull());
    expect(list().getByRole('link')).not.toHaveTextContent('is on it');
    expect(list().getByRole('link')).toHaveTextContent(/^Spring frostSince /);
    expect(calls(server)).toEqual(before);
  });

  it('causes a refetch of the detail if a planned reminder’s time changes', async () => {
    const planned = {
      id: 1,
      channel: 'Night crew',
      recipient: 'a@farm.example',
      mode: 'email',
      event: 'reminder',
      state: 'queued',
      attempts: 0,
      nextTime: Date.now() + 600_000,
      createTime: 1000,
      updateTime: 1000,
      steps: [],
    } as const;
    const { server } = await open(notice(), { deliveries: [{ ...planned, steps: [] }] });
    const [pages = 0, details = 0] = calls(server);
    streamEvent(server as never, 'notice', { ...(server.notices[0] as Notice), ack: ack() });
    await waitFor(() => expect(calls(server)).toEqual([pages, details + 1]));
  });
});
