// Draws the app's icons from the logo's SVG into public/icons, with the system's Chromium. Run it
// after the logo has changed.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from '@playwright/test';

const root = join(import.meta.dirname, '..');
const mark = readFileSync(join(root, 'public/favicon.svg'), 'utf8');
const color = /color="(#[0-9A-Fa-f]{6})"/.exec(mark)?.[1];
const [letter, ground] = [...mark.matchAll(/<path [^>]*?d="([^"]+)"/g)].map((match) => match[1]);
if (!color || !letter || !ground) throw new Error('the logo has an unknown structure');
// A launcher shows its background through transparent holes, so cut-outs are drawn.
const cut = '#FFFFFF';

/** As in the browser's tab: only the rounded square. */
const rounded = `<rect width="32" height="32" rx="8" fill="${color}"/><g clip-path="inset(0 round 8px)">${strokes(ground)}</g>`;
/**
 * For launchers that crop icons to their own shapes: edge to edge, with the letter within the
 * middle four fifths.
 */
const whole = `<rect width="32" height="32" fill="${color}"/><g transform="translate(16 16) scale(.76) translate(-16 -16)">${strokes(
  // The ground line continues to the edges, where the smaller drawing would end it.
  `M-9 21 L-1 14.6${ground.replace(/^M-1 14\.6/, '')} L41 5.15`,
)}</g>`;

function strokes(line) {
  return `<g fill="none" stroke="${cut}" stroke-linecap="round" stroke-linejoin="round"><path stroke-width="3.6" d="${letter}"/><path stroke-width="3.2" stroke-linecap="butt" d="${line}"/></g>`;
}

const icons = [
  ...[192, 512].flatMap((size) => [
    { name: `icon-${size}`, size, drawing: rounded },
    { name: `maskable-${size}`, size, drawing: whole },
  ]),
  { name: 'apple-180', size: 180, drawing: whole },
];

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
try {
  mkdirSync(join(root, 'public/icons'), { recursive: true });
  for (const { name, size, drawing } of icons) {
    const page = await browser.newPage({ viewport: { width: size, height: size } });
    await page.setContent(
      `<style>body{margin:0}svg{display:block}</style><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" width="${size}" height="${size}">${drawing}</svg>`,
    );
    writeFileSync(join(root, `public/icons/${name}.png`), await page.screenshot({ omitBackground: true }));
    await page.close();
  }
} finally {
  await browser.close();
}
