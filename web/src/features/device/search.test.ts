import { describe, expect, it } from 'vitest';
import { deviceSearch, isFiltered } from './search';

const emptySearch = {
  q: undefined,
  scene: undefined,
  product: undefined,
  state: undefined,
  sort: undefined,
  descending: undefined,
  page: undefined,
  size: undefined,
  device: undefined,
  edit: undefined,
};

describe('the address of the device page', () => {
  it('contains everything that determines the page', () => {
    expect(
      deviceSearch({
        q: ' mast ',
        scene: 0,
        product: 3,
        state: 'offline',
        sort: 'lastContact',
        descending: true,
        page: 4,
        size: 100,
        device: 'WS-1',
        edit: true,
      }),
    ).toEqual({
      q: 'mast',
      scene: 0,
      product: 3,
      state: 'offline',
      sort: 'lastContact',
      descending: true,
      page: 4,
      size: 100,
      device: 'WS-1',
      edit: true,
    });
  });

  it('ignores unknown values', () => {
    expect(
      deviceSearch({
        q: '  ',
        scene: -1,
        product: 0,
        state: 'asleep',
        sort: 'password',
        page: 1.5,
        size: 17,
        device: { name: 'WS-1' },
        edit: true,
        other: 1,
      }),
    ).toEqual(emptySearch);
  });

  it('omits default values', () => {
    expect(deviceSearch({ page: 1, size: 10, descending: true, edit: true })).toEqual(emptySearch);
  });

  it('accepts names of digits alone, which the router parses as numbers', () => {
    expect(deviceSearch({ q: 300, device: 4711 })).toMatchObject({ q: '300', device: '4711' });
  });

  it('tells whether anything besides the scene filters the list', () => {
    expect(isFiltered(deviceSearch({ scene: 3, sort: 'noteName' }))).toBe(false);
    for (const part of [{ q: 'a' }, { product: 1 }, { state: 'online' }]) {
      expect(isFiltered(deviceSearch(part))).toBe(true);
    }
  });
});
