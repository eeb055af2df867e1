import { HttpResponse } from 'msw';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { onGet } from '@/test/server';
import { coversAny } from './fontFaces';
import { exportImage } from './image';

const caption = { title: 'Orchard mast & <others>', lines: ['Mar 1 – Mar 2, 2026', 'By hour, UTC+3'] };
const chart = `
  <svg class="chart" width="640" height="320" viewBox="0 0 640 320" role="img" tabindex="0" aria-label="Air temperature">
    <title>Air temperature</title>
    <g class="lines" data-panel="°C">
      <path class="line" d="M0 0L10 10" />
      <path class="line" style="stroke: rgb(0, 0, 255)" d="M0 0L20 20" />
      <text class="label" x="4" y="8">°C</text>
    </g>
    <rect data-interactive="true" width="640" height="320" />
    <g data-interactive=""><circle r="4" /></g>
  </svg>`;

function draw(): SVGSVGElement {
  document.body.innerHTML = chart;
  return document.querySelector('svg') as SVGSVGElement;
}

async function pictureOf(svg: SVGSVGElement): Promise<Document> {
  const file = await exportImage(svg, caption, 'svg');
  expect(file.type).toBe('image/svg+xml');
  const picture = new DOMParser().parseFromString(await file.text(), 'image/svg+xml');
  expect(picture.querySelector('parsererror')).toBeNull();
  return picture;
}

/** jsdom keeps no descriptor of a font but its name; these are those that a browser has. */
const descriptors: Record<string, string>[] = [
  { 'font-family': '"Inter"', 'font-weight': '100 900', src: 'url("/latin.woff2")', 'unicode-range': 'U+0000-00FF' },
  { 'font-family': '"Inter"', 'font-weight': '100 900', src: 'url("/cyrillic.woff2")', 'unicode-range': 'U+0400-045F' },
  { 'font-family': 'Other', src: 'url("/other.woff2")' },
];

let sheet: HTMLStyleElement;
beforeEach(() => {
  sheet = document.createElement('style');
  sheet.textContent = `
    @font-face { font-family: "Inter"; }
    @font-face { font-family: "Inter"; }
    @font-face { font-family: Other; }
    :root { --surface: #ffffff; --ink: #1b211d; --ink2: #475049; --font: "Inter", sans-serif; }
    .line { stroke: rgb(255, 0, 0); stroke-width: 2px; fill: none; }
  `;
  document.head.append(sheet);
  descriptors.forEach((values, index) => {
    const rule = sheet.sheet?.cssRules[index] as CSSFontFaceRule;
    rule.style.getPropertyValue = (name) => values[name] ?? '';
  });
});
afterEach(() => {
  sheet.remove();
  document.body.innerHTML = '';
});

const font = () => HttpResponse.arrayBuffer(Uint8Array.of(1, 2, 3).buffer);

it('stands alone: with its styles, its caption, its background and the fonts it needs', async () => {
  onGet('/latin.woff2', font);
  const picture = await pictureOf(draw());
  const root = picture.documentElement;
  expect(root.getAttribute('role')).toBe('img');
  expect(root.firstElementChild?.textContent).toBe('Orchard mast & <others>\nMar 1 – Mar 2, 2026\nBy hour, UTC+3');
  expect(root.getAttribute('width')).toBe('672');
  expect(Number(root.getAttribute('height'))).toBeGreaterThan(320 + 3 * 16);
  expect(root.querySelector(':scope > rect')?.getAttribute('fill')).toBe('#ffffff');
  expect([...root.querySelectorAll(':scope > text')].map((line) => line.textContent)).toEqual([
    'Orchard mast & <others>',
    ...caption.lines,
  ]);
  expect(root.querySelector('style')?.textContent).toBe(
    '@font-face { font-family: "Inter"; font-weight: 100 900; unicode-range: U+0000-00FF; font-display: swap; src: url("data:font/woff2;base64,AQID") format("woff2"); }',
  );
  const [first, second] = root.querySelectorAll('path');
  expect(first?.getAttribute('style')).toMatch(/stroke: rgb\(255, 0, 0\)/);
  expect(first?.getAttribute('style')).toMatch(/stroke-width: 2px/);
  expect(second?.getAttribute('style')).toMatch(/stroke: rgb\(0, 0, 255\)/);
});

it('keeps the chart as it is seen, without what serves a pointer or a keyboard', async () => {
  onGet('/latin.woff2', font);
  const svg = draw();
  const before = svg.outerHTML;
  const inner = (await pictureOf(svg)).querySelector('svg > svg');
  expect(inner?.getAttribute('viewBox')).toBe('0 0 640 320');
  expect(inner?.getAttribute('role')).toBe('img');
  expect(inner?.querySelector('title')?.textContent).toBe('Air temperature');
  expect(inner?.querySelectorAll('rect, circle')).toHaveLength(0);
  expect(inner?.outerHTML).not.toMatch(/data-|tabindex|class=/);
  expect(svg.outerHTML).toBe(before);
});

it('has the legend that stands beside the chart, in as many rows as it needs', async () => {
  onGet('/latin.woff2', font);
  const entry = (name: string) =>
    `<li><svg width="18" height="8"><line class="line" x1="1" x2="17" /></svg>${name}</li>`;
  // Without a canvas, a letter is 7 pixels wide: two of these names fit beside each other.
  const names = ['A', 'B', 'C'].map((letter) => letter.repeat(30));
  document.body.innerHTML = `<div data-chart=""><ul data-legend="">${names.map(entry).join('')}</ul>${chart}</div>`;
  const svg = document.querySelector('svg.chart') as SVGSVGElement;
  const root = (await pictureOf(svg)).documentElement;
  const texts = [...root.querySelectorAll(':scope > text')].slice(-3);
  expect(texts.map((text) => text.textContent)).toEqual(names);
  const heights = texts.map((text) => Number(text.getAttribute('y')));
  expect(heights[1]).toBe(heights[0]);
  expect(heights[2]).toBe((heights[1] ?? 0) + 20);
  const lines = root.querySelectorAll(':scope > svg > line');
  expect(lines).toHaveLength(3);
  expect(lines[0]?.getAttribute('style')).toMatch(/stroke: rgb\(255, 0, 0\)/);
});

it('fails if a font cannot be had', async () => {
  onGet('/latin.woff2', () => new HttpResponse(null, { status: 500 }));
  await expect(exportImage(draw(), caption, 'svg')).rejects.toThrow('500');
});

it('knows which characters a font has', () => {
  const letters = new Set([0x41, 0x430]);
  expect(coversAny('U+0000-00FF, U+0131', letters)).toBe(true);
  expect(coversAny('U+0100-0130,U+4??', letters)).toBe(true);
  expect(coversAny('U+0041', letters)).toBe(true);
  expect(coversAny('U+0042-0100', letters)).toBe(false);
  expect(coversAny('', letters)).toBe(true);
});
