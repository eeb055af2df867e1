import { chartTextBoxes, recordCanvasText, unreadableTexts } from './chartTexts.ts';
import { makeFarm } from './layoutData.ts';
import { owner } from './layoutTenant.ts';
import { expect, test } from './test.ts';
import { openSignedIn } from './testUsers.ts';

test('a month in Turkish, in the dark: days at even distances from the first to the last, none cut off', async ({
  page,
}) => {
  await makeFarm();
  await recordCanvasText(page);
  await page.addInitScript(() => {
    localStorage.setItem('tilth.language', 'tr-tr');
    localStorage.setItem('tilth.preferences', JSON.stringify({ state: { darkMode: true }, version: 0 }));
  });
  await openSignedIn(page, owner, '/data?device=LA-BENCH&history=1');
  const dialog = page.getByRole('dialog');
  // Only waits, also on busy machines.
  await expect(dialog.locator('[data-drawn=true]')).toBeVisible({ timeout: 60_000 });
  await dialog.getByRole('radiogroup', { name: 'Zaman aralığı' }).getByText('30 gün', { exact: true }).click();
  await dialog.getByRole('slider', { name: 'Grafikteki zaman' }).press('0');
  const months = ['Oca', 'Şub', 'Mar', 'Nis', 'May', 'Haz', 'Tem', 'Ağu', 'Eyl', 'Eki', 'Kas', 'Ara'];
  const ends = ['Başlangıç', 'Bitiş'].map(async (name) => {
    const [day, month, year] = (await dialog.getByLabel(name, { exact: true }).inputValue()).split(/[. ]/).map(Number);
    return Date.UTC(year ?? 0, (month ?? 0) - 1, day);
  });
  const [start = 0, end = 0] = await Promise.all(ends);
  /** The days after the first one of the range, and where they stand. */
  const ticks = async () => {
    const { frame, words } = await chartTextBoxes(page);
    return words
      .filter(({ top, bottom }) => top >= frame.top && bottom <= frame.bottom)
      .flatMap(({ text, left, right }) => {
        const [, day, name] = /^(\d{1,2}) (\S{3})$/.exec(text) ?? [];
        const month = months.indexOf(name ?? '');
        if (month < 0) return [];
        const year = new Date(month > new Date(end).getUTCMonth() ? start : end).getUTCFullYear();
        return [{ after: (Date.UTC(year, month, Number(day)) - start) / 86_400_000, x: (left + right) / 2 }];
      })
      .toSorted((one, other) => one.x - other.x);
  };
  await expect.poll(async () => (await ticks()).length).toBeGreaterThan(5);
  const shown = await ticks();
  const pace = (shown[1]?.after ?? 0) - (shown[0]?.after ?? 0);
  const wide = (shown[1]?.x ?? 0) - (shown[0]?.x ?? 0);
  for (const [index, { after, x }] of shown.entries()) {
    expect(after).toBe((shown[0]?.after ?? 0) + index * pace);
    expect(Math.abs(x - (shown[0]?.x ?? 0) - index * wide)).toBeLessThanOrEqual(2);
  }
  expect(shown[0]?.after).toBeLessThanOrEqual(pace);
  expect(shown.at(-1)?.after).toBeGreaterThan((end - start) / 86_400_000 - pace);
  expect(await unreadableTexts(page, [])).toEqual([]);
});
