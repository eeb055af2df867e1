import { screen } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { setTenantZone } from '@/lib/format/zone';
import { openConsole } from '@/test/console';
import { setWidth } from '@/test/mediaQueries';
import { noticeRegion, noticeServer } from '@/test/noticeServer';
import { detailOf, notice } from '@/test/samples';
import { ok, onGet } from '@/test/server';

// jsdom has no canvas.
vi.mock('@/ui/chart/Chart', () => ({ Chart: () => null }));

const person = { id: 7, userName: 'elif', nickname: 'Elif', email: '', mobile: '', avatar: '', tenantName: 'Farm' };
const words = 'Times in Europe/Istanbul (UTC+3)';

/** A user in Berlin looks at a notice of a tenant near Istanbul. */
beforeEach(() => {
  vi.stubEnv('TZ', 'Europe/Berlin');
  return () => {
    setTenantZone(undefined);
    vi.unstubAllEnvs();
  };
});

async function openNotice() {
  const server = noticeServer([notice()]);
  onGet('/app-api/member/user/get', () => ok({ ...person, timeZone: 'Europe/Istanbul' }));
  server.details.set(1, detailOf(notice()));
  await openConsole('/inform?id=1');
  await screen.findByRole('heading', { level: 1, name: 'Alarm inform' });
}

it('a notice names the zone of its times in words, where the bar above has only the offset', async () => {
  await openNotice();
  expect(await noticeRegion().findByTitle(words)).toHaveTextContent(words);
});

it('on a phone, only the page above the notice names the zone', async () => {
  setWidth(390);
  await openNotice();
  await screen.findAllByTitle(words);
  expect(noticeRegion().queryByTitle(words)).toBeNull();
  const above = screen.getAllByTitle(words).filter((note) => !note.closest('header'));
  expect(above).toHaveLength(1);
  expect(above[0]).toHaveTextContent(words);
});
