import type { Page } from '@playwright/test';
import axe from 'axe-core';

/** Rules whose findings are minor or moderate. */
const lesserRules = [
  'aria-allowed-role',
  'empty-heading',
  'empty-table-header',
  'form-field-multiple-labels',
  'heading-order',
  'image-redundant-alt',
  'landmark-banner-is-top-level',
  'landmark-contentinfo-is-top-level',
  'landmark-main-is-top-level',
  'landmark-no-duplicate-banner',
  'landmark-no-duplicate-contentinfo',
  'landmark-no-duplicate-main',
  'landmark-one-main',
  'landmark-unique',
  'meta-viewport',
  'meta-viewport-large',
  'no-autoplay-audio',
  'page-has-heading-one',
  'presentation-role-conflict',
  'region',
  'scope-attr-valid',
  'server-side-image-map',
  'skip-link',
];

/** What axe finds that is serious or worse. */
export async function seriousFindings(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  return page.evaluate(async (lesser) => {
    const { axe: checker } = window as unknown as { axe: typeof axe };
    const rules = Object.fromEntries(lesser.map((id) => [id, { enabled: false }]));
    // The page behind a dialog or a menu was looked at without them.
    const above = '[role=dialog], [role=menu], [role=tooltip], .ant-select-dropdown, .ant-picker-dropdown';
    const opened = [...document.querySelectorAll<HTMLElement>(above)].filter((element) => element.checkVisibility());
    const { violations } = await checker.run(opened.length > 0 ? opened : document, {
      resultTypes: ['violations'],
      elementRef: false,
      rules,
    });
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `axe ${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  }, lesserRules);
}
