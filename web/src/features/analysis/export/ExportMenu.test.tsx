import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { useFeedback } from '@/lib/feedback/feedback';
import { saveFile } from '@/lib/http/download';
import { analysisColumn, lineOfValues } from '@/test/analysisColumns';
import { renderWithProviders } from '@/test/renderWithProviders';
import { zipEntries } from '@/test/zipEntries';
import { ExportMenu } from './ExportMenu';

vi.mock('@/lib/http/download', () => ({ saveFile: vi.fn() }));
const saved = vi.mocked(saveFile);
const toasts = () => useFeedback.getState().toasts;

beforeEach(() => {
  saved.mockClear();
  useFeedback.setState({ toasts: [] });
});
afterEach(() => {
  document.querySelector('svg.chart')?.remove();
});

function chart(): SVGSVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('class', 'chart');
  svg.setAttribute('width', '300');
  svg.setAttribute('height', '200');
  document.body.append(svg);
  return svg;
}

async function open(svg: SVGSVGElement | null, disabled = false) {
  const person = userEvent.setup();
  renderWithProviders(
    <ExportMenu
      svg={() => svg}
      columns={[analysisColumn(lineOfValues('hour', [0], [4]))]}
      axis="time"
      title="Orchard mast"
      lines={['March']}
      disabled={disabled}
    />,
  );
  const button = screen.getByRole('button', { name: /Export/ });
  if (!disabled) await person.click(button);
  return { person, button, item: (name: RegExp) => screen.findByRole('menuitem', { name }) };
}

it('saves a workbook', async () => {
  const { person, item } = await open(chart());
  await person.click(await item(/Excel/));
  await waitFor(() => expect(saved).toHaveBeenCalledOnce());
  const [file, name] = saved.mock.calls[0] ?? [];
  expect(name).toBe('device_analysis.xlsx');
  expect([...(await zipEntries(file as Blob)).keys()]).toContain('xl/workbook.xml');
  expect(toasts()).toMatchObject([{ tone: 'success', title: 'device_analysis.xlsx saved' }]);
});

it('saves a drawing of the chart', async () => {
  const { person, item } = await open(chart());
  await person.click(await item(/SVG/));
  await waitFor(() => expect(saved).toHaveBeenCalledOnce());
  const [file, name] = saved.mock.calls[0] ?? [];
  expect(name).toBe('device_analysis.svg');
  expect(await file?.text()).toContain('Orchard mast');
});

it('says what to do when a picture fails, and can be used again', async () => {
  // jsdom has no canvas to draw a picture on.
  Image.prototype.decode = () => Promise.resolve();
  URL.createObjectURL = () => 'blob:picture';
  URL.revokeObjectURL = () => undefined;
  const { person, button, item } = await open(chart());
  await person.click(await item(/PNG/));
  await waitFor(() =>
    expect(toasts()).toMatchObject([
      { tone: 'error', title: 'Could not export', text: 'Try again, or export the drawing (SVG).' },
    ]),
  );
  expect(saved).not.toHaveBeenCalled();
  await waitFor(() => expect(button).toBeEnabled());
});

it('offers no picture without a chart', async () => {
  const { item } = await open(null);
  expect(await item(/PNG/)).toHaveAttribute('aria-disabled', 'true');
  expect(await item(/SVG/)).toHaveAttribute('aria-disabled', 'true');
  expect(await item(/Excel/)).not.toHaveAttribute('aria-disabled', 'true');
});

it('can be disabled', async () => {
  const { button } = await open(chart(), true);
  expect(button).toBeDisabled();
});
