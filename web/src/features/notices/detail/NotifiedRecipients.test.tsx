import { act, waitFor, within } from '@testing-library/react';
import i18next from 'i18next';
import { describe, expect, it, vi } from 'vitest';
import { formatFor } from '@/lib/format/format';
import { type Language, useLanguage } from '@/lib/i18n/i18n';
import { streamEvent } from '@/test/alarmServer';
import { askedOf, list, noticeRegion, noticeServer, openNotices, paths } from '@/test/noticeServer';
import { type Detail, detailOf, notice } from '@/test/samples';
import { ok } from '@/test/server';
import { deliveryStatusText, reasonText } from './reasons';

vi.mock('@/ui/chart/Chart', () => ({ Chart: () => null }));

type Delivery = Detail['deliveries'][number];
const minute = 60_000;
const at = Date.now() - 20 * minute;

let made = 0;
const delivery = (change: Partial<Delivery> = {}): Delivery => {
  made += 1;
  return {
    id: made,
    channel: 'Night crew',
    recipient: 'a@farm.example',
    mode: 'email',
    event: 'triggered',
    state: 'sent',
    attempts: 1,
    createTime: at,
    updateTime: at + 800,
    steps: [
      { time: at, step: 'queued' },
      { time: at + 800, step: 'accepted', answer: '250 2.0.0 Ok' },
    ],
    ...change,
  };
};

async function open(deliveries: Delivery[]) {
  const server = noticeServer([notice()]);
  server.details.set(1, detailOf(notice(), { deliveries }));
  return { server, ...(await openNotices(server)) };
}
const part = () =>
  within(noticeRegion().getByRole('heading', { level: 3, name: 'Who was told' }).parentElement as HTMLElement);
const plain = (text: string | null | undefined) => text?.replaceAll('\u00a0', ' ');
/** The lines of recipients, without their opened details. */
const lines = () =>
  [...(part().getAllByRole('list')[0]?.children ?? [])].map((line) => plain(line.querySelector('div')?.textContent));
const details = (name: string) => part().getByRole('button', { name: `Details of ${name}` });
const story = () =>
  part()
    .getAllByRole('list')
    .slice(1)
    .map((list) => plain(list.textContent));

describe('the notified recipients', () => {
  it('are none if the rule has no channel', async () => {
    await open([]);
    expect(part().getByText('Nobody was told')).toBeVisible();
    expect(part().getByText('The rule named no notification channel when it triggered.')).toBeVisible();
  });

  it('go by their names if they are people of the tenant', async () => {
    await open([
      delivery({ people: ['Elif Kaya'] }),
      delivery({ mode: 'phoneMessage', recipient: '+905551112233', people: ['Mehmet', 'Ada'] }),
      delivery({ recipient: 'cooperative@farm.example' }),
    ]);
    expect(lines()).toEqual([
      'Elif KayaSentEmail Night crewa@farm.exampleAccepted after 0.8 s',
      'Mehmet and AdaSentSMS Night crew+905551112233Accepted after 0.8 s',
      'cooperative@farm.exampleSentEmail Night crewAccepted after 0.8 s',
    ]);
    expect(details('Elif Kaya')).toBeVisible();
  });

  it('are one quiet line each if all went well; the details open on request', async () => {
    const { user } = await open([delivery(), delivery({ mode: 'phoneMessage', recipient: '+905551112233' })]);
    expect(lines()).toEqual([
      'a@farm.exampleSentEmail Night crewAccepted after 0.8 s',
      '+905551112233SentSMS Night crewAccepted after 0.8 s',
    ]);
    expect(part().getByText('2 of 2 told')).toBeVisible();
    expect(part().queryByText('250 2.0.0 Ok')).toBeNull();
    expect(details('a@farm.example')).toHaveAttribute('aria-expanded', 'false');
    await user.click(details('a@farm.example'));
    expect(details('a@farm.example')).toHaveAttribute('aria-expanded', 'true');
    expect(story()[0]).toMatch(/^Beginning of the alarm · Sent\S+Queued\S+Accepted250 2\.0\.0 Ok$/);
    await user.click(details('a@farm.example'));
    expect(part().queryByText('250 2.0.0 Ok')).toBeNull();
  });

  it('stand out if somebody was not notified, with all attempts', async () => {
    await open([
      delivery(),
      delivery({
        recipient: 'x@wrong.example',
        state: 'failed',
        reason: 'refused',
        attempts: 2,
        lastError: '550 no such domain',
        steps: [
          { time: at, step: 'queued' },
          { time: at + 500, step: 'failed', answer: 'i/o timeout' },
          { time: at + 30_000, step: 'refused', answer: '550 no such domain' },
        ],
      }),
    ]);
    expect(part().getByText('1 recipient could not be told')).toBeVisible();
    expect(lines()[0]).toBe(
      'x@wrong.exampleFailedEmail Night crewAfter 2 attempts: Refused by the mail server: 550 no such domain',
    );
    expect(details('x@wrong.example')).toHaveAttribute('aria-expanded', 'true');
    expect(story()[0]).toMatch(/Failed, is tried againi\/o timeout\S+Refused550 no such domain$/);
    expect(details('a@farm.example')).toHaveAttribute('aria-expanded', 'false');
  });

  it('never include those whose message went only to the log', async () => {
    await open([
      delivery(),
      delivery({
        mode: 'phoneMessage',
        recipient: '+905551112233',
        state: 'skipped',
        reason: 'logged',
        steps: [
          { time: at, step: 'queued' },
          { time: at, step: 'logged' },
        ],
      }),
    ]);
    expect(part().getByText('1 of 2 told')).toBeVisible();
    expect(part().getByText(/^What was written to the log only reached nobody\. Ask whoever/)).toBeVisible();
    expect(lines()[1]).toBe('+905551112233Log onlySMS Night crewWritten to this server’s log only');
    act(() => details('+905551112233').click());
    expect(story()[0]).toMatch(/^Beginning of the alarm · Log only\S+Queued\S+Written to the log only$/);
  });

  it('say after the last attempt that there are no further ones', async () => {
    await open([
      delivery({
        state: 'failed',
        reason: 'off',
        attempts: 0,
        steps: [
          { time: at, step: 'queued' },
          { time: at, step: 'failed' },
        ],
      }),
    ]);
    expect(story()[0]).toMatch(/Failed, is not tried again$/);
  });

  it('mark digests and reminders, and show only the newest three reminders', async () => {
    const reminders = Array.from({ length: 5 }, (_, i) =>
      delivery({ event: 'reminder', createTime: at + (i + 1) * minute, updateTime: at + (i + 1) * minute + 500 }),
    );
    const { user } = await open([
      delivery({ digest: true }),
      ...reminders,
      delivery({ event: 'resolved', state: 'queued', reason: 'server', createTime: at + 9 * minute }),
    ]);
    expect(lines()).toEqual([
      'a@farm.exampleWaitingIn a digest5 remindersEmail Night crewThe mail server cannot be reached',
    ]);
    await user.click(details('a@farm.example'));
    const titles = () =>
      part()
        .getAllByText(/^(Beginning|Reminder|End)/)
        .map((element) => element.textContent);
    expect(titles()).toEqual([
      'Beginning of the alarm · In a digest · Sent',
      'Reminder 3 · Sent',
      'Reminder 4 · Sent',
      'Reminder 5 · Sent',
      'End of the alarm · Waiting',
    ]);
    await user.click(part().getByRole('button', { name: 'Show 2 earlier reminders' }));
    expect(titles()).toHaveLength(7);
  });
});

describe('the next reminder', () => {
  it('is planned, which does not count as waiting', async () => {
    const nextTime = Date.now() + 30 * minute;
    const { user } = await open([
      delivery(),
      delivery({ event: 'reminder', state: 'queued', attempts: 0, nextTime, steps: [{ time: at, step: 'queued' }] }),
    ]);
    expect(lines()[0]).toMatch(/^a@farm\.exampleSentEmail Night crewAccepted after 0\.8 sNext reminder: .*\d\d:\d\d$/);
    await user.click(details('a@farm.example'));
    expect(part().getByText('Reminder 1 · Planned')).toBeVisible();
  });
});

describe('while a delivery waits', () => {
  const asked = (server: Awaited<ReturnType<typeof open>>['server']) => askedOf(server, paths.get).length;

  it('refetches on a stream event about a message of this notice, but not of another one', async () => {
    const { server } = await open([delivery({ state: 'queued', reason: 'period', nextTime: Date.now() + 3_600_000 })]);
    const before = asked(server);
    streamEvent(server as never, 'message', { id: 6, noticeId: 2, createTime: 1, event: 'resolved', alarmLevel: 2 });
    streamEvent(server as never, 'message', { id: 5, noticeId: 1, createTime: 1, event: 'triggered', alarmLevel: 2 });
    server.details.set(1, detailOf(notice(), { deliveries: [delivery()] }));
    expect(await part().findByText('Sent')).toBeVisible();
    expect(asked(server)).toBe(before + 1);
  });

  it('refetches on a stream event about a delivery of this notice, but not of another one', async () => {
    const { server } = await open([delivery({ state: 'queued', reason: 'retry', nextTime: Date.now() + 60_000 })]);
    const before = asked(server);
    streamEvent(server as never, 'delivery', { noticeId: 2 });
    streamEvent(server as never, 'delivery', { noticeId: 1 });
    server.details.set(1, detailOf(notice(), { deliveries: [delivery()] }));
    expect(await part().findByText('Sent')).toBeVisible();
    expect(asked(server)).toBe(before + 1);
  });

  it('refetches on an event that comes while the notice is on its way', async () => {
    const second = notice({ id: 2, title: 'Second frost' });
    const server = noticeServer([notice(), second]);
    const { user } = await openNotices(server);
    let arrive = () => {};
    const late = ok(detailOf(second, { deliveries: [delivery({ state: 'queued' })] }));
    server.answers.set(paths.get, () => new Promise((resolve) => (arrive = () => resolve(late))));
    await user.click(list().getByRole('link', { name: /Second frost/ }));
    await waitFor(() => expect(askedOf(server, paths.get).at(-1)).toEqual({ id: '2' }));
    server.answers.delete(paths.get);
    server.details.set(2, detailOf(second, { deliveries: [delivery()] }));
    const before = askedOf(server, paths.page).length;
    streamEvent(server as never, 'delivery', { noticeId: 2 });
    streamEvent(server as never, 'notice', notice({ id: 3 }));
    // Both events have come once the list is fetched again.
    await waitFor(() => expect(askedOf(server, paths.page).length).toBeGreaterThan(before));
    arrive();
    await waitFor(() => expect(part().getByText('Sent')).toBeVisible());
  });

  it('refetches when the window regains the focus, unless nothing waits', async () => {
    const { server } = await open([delivery({ state: 'queued', reason: 'server' })]);
    server.details.set(1, detailOf(notice(), { deliveries: [delivery()] }));
    const before = asked(server);
    act(() => void document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
    expect(await part().findByText('Sent')).toBeVisible();
    act(() => void document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
    await waitFor(() => expect(asked(server)).toBe(before + 1));
  });
});

describe('the text of a delivery’s state', () => {
  const t = () => i18next.getFixedT(useLanguage.getState().language);
  const now = new Date(2026, 10, 21, 12).getTime();
  const how = (change: Partial<Delivery>) =>
    plain(
      deliveryStatusText(
        delivery({ createTime: now - minute, updateTime: now, ...change }),
        now,
        formatFor(useLanguage.getState().language),
        t(),
      ),
    );

  it.each<[Partial<Delivery>, string]>([
    [{ createTime: now - 800 }, 'Accepted after 0.8 s'],
    [{ createTime: now - 3_600_000 }, 'Accepted'],
    [{ attempts: 3 }, 'At attempt 3'],
    [{ attempts: 3, lastError: 'timed out' }, 'At attempt 3; before that: timed out'],
    [{ state: 'queued' }, 'Goes out now'],
    [
      { state: 'queued', reason: 'period', nextTime: now + 18 * 3_600_000 },
      'Waits for the notification period, until Nov 22, 06:00',
    ],
    [{ state: 'queued', reason: 'muted', nextTime: now + minute }, 'The rule is muted, until 12:01'],
    [{ state: 'queued', reason: 'digest', nextTime: now + minute }, 'Goes out with others in a digest, 12:01'],
    [{ state: 'queued', reason: 'retry', nextTime: now + minute }, 'Is tried again, next try: 12:01'],
    [{ state: 'queued', reason: 'retry', nextTime: now - minute }, 'Is tried again'],
    [{ state: 'queued', reason: 'server', mode: 'phoneMessage' }, 'The SMS gateway cannot be reached'],
    [{ state: 'skipped', reason: 'ended' }, 'The alarm was over before it could be told'],
    [{ state: 'skipped' }, 'No reason was given'],
    [
      { state: 'failed', reason: 'old', attempts: 40, lastError: 'timed out' },
      'After 40 attempts: Tried for 24 hours: timed out',
    ],
    [{ state: 'failed', reason: 'off' }, 'No mail server is set up: ask whoever runs Tilth'],
    [{ state: 'skipped', reason: 'logged' }, 'Written to this server’s log only'],
  ])('%o', (change, words) => {
    expect(how(change)).toBe(words);
  });

  it.each<[Language, string, string]>([
    ['zh-cn', '等待通知时段，直到11月22日06:00', '规则已被修改、停止或删除'],
    [
      'tr-tr',
      'Bildirim saatlerini bekliyor, 22 Kas 06:00 saatine kadar',
      'Kural değiştirildi, durduruldu veya silindi',
    ],
    ['ru-ru', 'Ждёт времени уведомлений, до 22 нояб., 06:00', 'Правило изменено, остановлено или удалено'],
  ])('in %s', async (language, waits, changed) => {
    await useLanguage.getState().setLanguage(language);
    expect(how({ state: 'queued', reason: 'period', nextTime: now + 18 * 3_600_000 })).toBe(waits);
    expect(how({ state: 'skipped', reason: 'changed' })).toBe(changed);
  });

  it('exists for every reason and kind', () => {
    const reasons = [
      ...['period', 'muted', 'backlog', 'digest', 'trigger', 'server', 'retry', 'released'],
      ...['ended', 'notTold', 'old', 'refused', 'off', 'changed', 'switchedOff', 'logged'],
    ] as NonNullable<Delivery['reason']>[];
    for (const reason of reasons) {
      for (const mode of ['email', 'phoneMessage', 'webhook'] as const) {
        expect(reasonText({ reason, mode }, t())).toMatch(/^[A-Z][^{}.]+$/);
      }
    }
  });

  it('contains the date for times that are not today, before and after', () => {
    const format = formatFor('en-us');
    expect(format.moment(now + minute, now)).toBe('12:01');
    expect(format.moment(now + 24 * 3_600_000, now)).toBe('Nov 22, 12:00');
    expect(format.moment(now - 24 * 3_600_000, now)).toBe('Nov 20, 12:00');
  });
});

describe('why a recipient of another kind was not told', () => {
  it.each([
    ['en-us', 'unknown', 'Telegram does not find this recipient'],
    ['zh-cn', 'blocked', '接收人已在 Telegram 上屏蔽或移除了发送账号'],
    ['tr-tr', 'unknown', 'Telegram bu alıcıyı bulamıyor'],
    ['ru-ru', 'blocked', 'Получатель заблокировал или удалил аккаунт-отправитель в Telegram'],
  ] as const)('is said in %s: %s', (language, cause, words) => {
    const t = i18next.getFixedT(language);
    expect(reasonText(delivery({ mode: 'telegram', reason: 'refused', cause }), t)).toBe(words);
    expect(reasonText(delivery({ mode: 'telegram', reason: 'server' }), t)).toBe(t('inform.told.reason.server.other'));
  });
});
