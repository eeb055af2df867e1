import type { At } from './layoutChecks.ts';

// What several visits do to open something.

/** Presses a button, or one in a dialog above the page. */
export const press = ({ page }: At, name: string | RegExp): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click();

/** Waits for a dialog by its title. */
export const dialogOf = ({ page }: At, name: string) => page.getByRole('dialog', { name, exact: true });

/** Fills a field by its label, which may end with a star: of the page, or of the dialog above it. */
export async function fill({ page }: At, label: string, text: string): Promise<void> {
  const dialog = page.getByRole('dialog').last();
  const place = (await dialog.isVisible()) ? dialog : page;
  await place.getByRole('textbox', { name: label }).first().fill(text);
}

/** A text in which # stands for anything. */
export const like = (text: string): RegExp =>
  new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('#', '.*')}$`);
