import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { renderWithProviders } from '@/test/renderWithProviders';
import { AttributeList } from './AttributeList';
import type { Attribute } from './attributes';

it('has a search whose clear button is labelled in the user’s language', async () => {
  const attributes = Array.from(
    { length: 8 },
    (_, n): Attribute => ({ id: `a${n}`, name: `Soil ${n}`, unit: '', precision: 1, kind: 'line' }),
  );
  renderWithProviders(
    <AttributeList attributes={attributes} selected={['a1']} colors={new Map()} onToggle={() => undefined} />,
  );
  const field = screen.getByRole('textbox', { name: 'Find' });
  await userEvent.type(field, 'soil 3');
  expect(screen.getAllByRole('checkbox')).toHaveLength(1);
  await userEvent.click(screen.getByRole('button', { name: 'Clear the search' }));
  expect(screen.getAllByRole('checkbox')).toHaveLength(8);
});

it.each([
  ['IŞIK', 'Işık şiddeti'],
  ['ışık', 'IŞIK ŞİDDETİ'],
  ['isi', 'İsı birimi'],
  ['BAĞIL', 'Bağıl nem'],
])('finds by %s what is called %s, in a console of any language', async (typed, name) => {
  const attributes = [name, ...Array.from({ length: 7 }, (_, n) => `Soil ${n}`)].map(
    (each, n): Attribute => ({ id: `a${n}`, name: each, unit: '', precision: 1, kind: 'line' }),
  );
  renderWithProviders(
    <AttributeList attributes={attributes} selected={['a1']} colors={new Map()} onToggle={() => undefined} />,
  );
  await userEvent.type(screen.getByRole('textbox', { name: 'Find' }), typed);
  expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([name]);
});

it('does not repeat a unit that the name contains', () => {
  const attributes: Attribute[] = [
    { id: 'ph', name: 'Water pH', unit: 'pH', precision: 2, kind: 'line' },
    { id: 'ec', name: 'Water EC', unit: 'mS/cm', precision: 2, kind: 'line' },
  ];
  renderWithProviders(
    <AttributeList attributes={attributes} selected={['ph']} colors={new Map()} onToggle={() => undefined} />,
  );
  expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual(['Water pH', 'Water ECmS/cm']);
});
