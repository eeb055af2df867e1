import { describe, expect, it } from 'vitest';
import { attributesOf, colorsFor, firstSelection, mainFirst, maxDrawn, panelsOf, type TslProperty } from './attributes';

const property = (identifier: string, elementUnit: string, change: Partial<TslProperty> = {}): TslProperty => ({
  identifier,
  functionName: `${identifier} of the model`,
  yeuName: identifier.toUpperCase(),
  yeuUrl: '',
  elementUnit,
  elementData: '',
  dataType: 'number',
  accessMode: 'r',
  ...change,
});

describe('attributes', () => {
  it('have the catalogue’s names, otherwise the model’s', () => {
    const [a, b, c] = attributesOf([
      property('a', '%'),
      property('b', '%', { yeuName: '' }),
      property('c', '%', { yeuName: '', functionName: '' }),
    ]);
    expect([a?.name, b?.name, c?.name]).toEqual(['A', 'b of the model', 'c']);
  });

  it('are lines, sums, directions, steps or texts', () => {
    const kinds = attributesOf([
      property('t', '°C'),
      property('rain', 'mm'),
      property('depth', 'mm'),
      property('wind', '°'),
      property('pump', '', { dataType: 'boolean' }),
      property('note', '', { dataType: 'text' }),
    ]).map(({ kind }) => kind);
    expect(kinds).toEqual(['line', 'sum', 'line', 'direction', 'step', 'words']);
  });

  it('are four at first, quantities before switches and texts', () => {
    const attributes = attributesOf([
      property('note', '', { dataType: 'text' }),
      property('pump', '', { dataType: 'boolean' }),
      property('a', '%'),
      property('b', '%'),
      property('c', '%'),
    ]);
    expect(firstSelection(attributes, '')).toEqual(['pump', 'a', 'b', 'c']);
    expect(firstSelection(attributes.slice(0, 1), '')).toEqual(['note']);
    expect(firstSelection([], 'a')).toEqual([]);
  });

  it('begin with the main one, which is among the first four', () => {
    const all = attributesOf(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => property(name, '%')));
    const attributes = mainFirst(all, 'e');
    expect(attributes.map(({ id }) => id)).toEqual(['e', 'a', 'b', 'c', 'd', 'f']);
    expect(firstSelection(attributes, 'e')).toEqual(['e', 'a', 'b', 'c']);
    expect(mainFirst(all, '')).toEqual(all);
  });
});

describe('colours', () => {
  it('are assigned in order', () => {
    expect([...colorsFor(new Map(), ['a', 'b', 'c'])]).toEqual([
      ['a', 0],
      ['b', 1],
      ['c', 2],
    ]);
  });

  it('stay, whatever else is shown', () => {
    const first = colorsFor(new Map(), ['a', 'b', 'c']);
    const without = colorsFor(first, ['a', 'c']);
    expect(without.get('c')).toBe(2);
    // A hidden attribute keeps its colour until no other is left.
    const another = colorsFor(without, ['a', 'c', 'd']);
    expect(another.get('d')).toBe(3);
    expect(colorsFor(another, ['a', 'b', 'c', 'd']).get('b')).toBe(1);
  });

  it('are never shared among shown attributes', () => {
    let colors = new Map<string, number>();
    for (let turn = 0; turn < 12; turn += 1) {
      const shown = Array.from({ length: maxDrawn }, (_, index) => `x${turn + index}`);
      colors = colorsFor(colors, shown);
      expect(new Set(shown.map((id) => colors.get(id))).size).toBe(maxDrawn);
    }
  });
});

it('has one panel a unit, one for each switch, and separate ones for sums', () => {
  const attributes = attributesOf([
    property('air', '°C'),
    property('rain', 'mm'),
    property('soil', '°C'),
    property('pump', '', { dataType: 'boolean' }),
    property('valve', '', { dataType: 'boolean' }),
    property('index', ''),
  ]);
  const panels = panelsOf(attributes);
  expect(panels.map((panel) => panel.attributes.map(({ id }) => id))).toEqual([
    ['air', 'soil'],
    ['rain'],
    ['pump'],
    ['valve'],
    ['index'],
  ]);
  expect(panels.map(({ kind }) => kind)).toEqual(['numbers', 'numbers', 'step', 'step', 'numbers']);
});
