import { describe, expect, it, vi } from 'vitest';
import { noticeRegion, noticeServer, openNotices } from '@/test/noticeServer';
import { detailOf, notice } from '@/test/samples';

// jsdom has no canvas.
vi.mock('@/ui/chart/Chart', () => ({ Chart: () => null }));

const minute = 60_000;

/** The sentences of the header. */
const headParagraphs = () =>
  [...(noticeRegion().getByRole('heading', { level: 2 }).parentElement?.querySelectorAll(':scope > p') ?? [])].map(
    (element) => element.textContent?.replaceAll('\u00a0', ' '),
  );

async function open(one = notice(), change: Parameters<typeof detailOf>[1] = {}) {
  const server = noticeServer([one]);
  server.details.set(one.id, detailOf(one, change));
  return openNotices(server);
}

describe('the detail', () => {
  it('first says since when its conditions have held, or since when a device has been silent', async () => {
    const startTime = Date.now() - 22 * minute;
    const one = notice({ startTime, holdsSince: startTime - 6 * 24 * 60 * minute });
    const { unmount } = await open(one);
    expect(headParagraphs()[0]).toMatch(/^Air temperature below 2 °C since \w+ \d+, \d\d:\d\d, noticed /);
    unmount();
    await open(one, { rule: { triggerType: 1, conditions: [] } });
    expect(headParagraphs()[0]).toMatch(/^Silent since \w+ \d+, \d\d:\d\d, noticed /);
  });

  it('says nothing about it while it is unknown', async () => {
    await open();
    expect(headParagraphs()).toEqual(['Light the heaters.']);
  });
});
